// name: anchors_of_files
// The anchors that a change of these files may touch: those that were made there, those that stand there now, and
// orphans that may be something there: those with candidates have a label, since no index finds them by these; of the
// others something has the name there.
CALL () {
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.file IN $files
  RETURN a
  UNION
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.at_file IN $files
  RETURN a
  UNION
  MATCH (a:UndecidedAnchor)
  WHERE a.project = $project AND any(file IN $files WHERE any(one IN a.candidates WHERE one STARTS WITH file + ' '))
  RETURN a
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.file IN $files
  WITH DISTINCT s.name AS name
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.name = name AND a.status = 'orphaned'
  RETURN a
}
RETURN a {.uuid, .file, .qualified_name, .kind, .scope_key, .body_hash, .sketch, .at_file, .at_key, .at_commit, .status,
  .changed, .similarity, .candidates, .alone, scope: head(COLLECT { MATCH (a)-[:RESOLVES_TO]->(s:Scope) RETURN s.uuid })} AS anchor

// name: anchored_files
// After an ingest that did not come to its end, and after all scopes were taken away, every anchor is looked at.
MATCH (a:CodeAnchor)
WHERE a.project = $project
UNWIND [a.file, a.at_file] AS file
RETURN DISTINCT file

// name: definitions_of_files
// What anchors are compared with; as one row, since there may be tens of thousands.
MATCH (s:Scope)
WHERE s.project = $project AND s.file IN $files AND s.body_hash IS NOT NULL
WITH s ORDER BY s.file, s.startLine, s.key
RETURN collect([s.file, s.qualified_name, s.type, s.body_hash, s.sketch, s.key, s.uuid]) AS definitions

// name: definitions_of_tokens
// The scopes that have these tokens, at most $most of each: what is short is written again and again.
UNWIND $hashes AS tokens
CALL (tokens) {
  MATCH (s:Scope)
  WHERE s.project = $project AND s.body_hash = tokens
  RETURN s ORDER BY s.file, s.startLine, s.key LIMIT $most
}
RETURN collect([s.file, s.qualified_name, s.type, s.body_hash, s.sketch, s.key, s.uuid]) AS definitions

// name: anchor_anew
// Another tool had brought scopes up to date before the ingest did: what was said of such a one since, which its hash of
// that time tells, was said of the code as it is now. At no commit, for none is known to have had it.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p
CALL (p) {
  CALL (p) {
    UNWIND $scopes AS row
    MATCH (n:Message)-[:ANCHORED_AT]->(a:CodeAnchor {key: row.anchor})
    WHERE a.project = p.project
    RETURN n
    UNION
    UNWIND $scopes AS row
    MATCH (n:Memory)-[:ABOUT]->(a:CodeAnchor {key: row.anchor})
    WHERE a.project = p.project
    RETURN n
  }
  // include: locks
}
CALL (p) {
  UNWIND $scopes AS row
  WITH p, row.scope AS uuid ORDER BY uuid
  MATCH (n:Scope {uuid: uuid})
  WHERE n.project = p.project
  // include: locks
}
CALL (p) {
  UNWIND $scopes AS row
  MATCH (s:Scope {uuid: row.scope})
  UNWIND [row.anchor, s.anchor_key] AS key
  WITH DISTINCT key ORDER BY key
  MATCH (n:CodeAnchor {key: key})
  // include: locks
}
CALL (p) {
  UNWIND $scopes AS row
  MATCH (s:Scope {uuid: row.scope})
  WHERE s.project = $project
  MATCH (m:Message)-[tie:ANCHORED_AT]->(a:CodeAnchor {key: row.anchor})
  WHERE a.project = $project AND tie.scope_hash = row.hash
  OPTIONAL MATCH (m)<-[:DERIVED_FROM]-(:Memory)-[about:ABOUT]->(a)
  WITH p, s, m, tie, tie.kind AS kind, false AS now, collect(about) AS abouts
  FOREACH (about IN abouts | DELETE about)
  DELETE tie
  WITH p, s, m, kind, now
  // include: tied
  RETURN count(*) AS tied
}
RETURN tied

// name: resolve_anchors
// What became of anchors. Where an anchor stands on another scope than before, its messages' references follow.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p
CALL (p) {
  UNWIND $anchors AS row
  MATCH (a:CodeAnchor {uuid: row.uuid})--(n:Message)
  WHERE a.project = p.project
  // include: locks
}
CALL (p) {
  CALL (p) {
    UNWIND $anchors AS row
    MATCH (a:CodeAnchor {uuid: row.uuid})-[:RESOLVES_TO]->(n:Scope)
    WHERE a.project = p.project
    RETURN n
    UNION
    UNWIND $anchors AS row
    WITH p, row.scope AS uuid ORDER BY uuid
    MATCH (n:Scope {uuid: uuid})
    WHERE n.project = p.project
    RETURN n
  }
  // include: locks
}
CALL (p) {
  UNWIND $anchors AS row
  WITH p, row.uuid AS uuid ORDER BY uuid
  MATCH (n:CodeAnchor {uuid: uuid})
  WHERE n.project = p.project
  // include: locks
}
CALL (p) {
  UNWIND $anchors AS row
  MATCH (a:CodeAnchor {uuid: row.uuid})
  WHERE a.project = $project
  SET a += row.standing, a.checked_at = datetime()
  FOREACH (_ IN CASE WHEN row.standing.candidates IS NULL THEN [] ELSE [1] END | SET a:UndecidedAnchor)
  FOREACH (_ IN CASE WHEN row.standing.candidates IS NULL THEN [1] ELSE [] END | REMOVE a:UndecidedAnchor)
  // Where it came to, and on what tokens; the newest sixteen. The label finds them: no index goes into lists.
  FOREACH (_ IN CASE WHEN size(row.been) > 0 THEN [1] ELSE [] END |
    SET a:MovedAnchor, a.been = (coalesce(a.been, []) + row.been)[-16..],
      a.been_code = (coalesce(a.been_code, []) + row.been_code)[-16..])
  WITH a, row
  CALL (a, row) {
    MATCH (a)-[old:RESOLVES_TO]->(other:Scope)
    WHERE row.scope IS NULL OR other.uuid <> row.scope
    DELETE old
    WITH a, other
    MATCH (m:Message)-[tie:ANCHORED_AT]->(a)
    MATCH (m)-[r:REFERENCES_CODE {kind: tie.kind}]->(other)
    WHERE NOT EXISTS { MATCH (m)-[:ANCHORED_AT {kind: tie.kind}]->(b:CodeAnchor)-[:RESOLVES_TO]->(other) WHERE b <> a }
    DELETE r
    RETURN count(*) AS left
  }
  CALL (a, row) {
    MATCH (s:Scope {uuid: row.scope})
    WHERE s.project = $project
    MERGE (a)-[now:RESOLVES_TO]->(s)
    SET now.status = row.standing.status, now.changed = row.standing.changed, now.similarity = row.standing.similarity,
      now.commit = $commit, now.checked_at = a.checked_at
    WITH a, s
    MATCH (m:Message)-[tie:ANCHORED_AT]->(a)
    WHERE row.moves
    MERGE (m)-[r:REFERENCES_CODE {kind: tie.kind}]->(s)
    ON CREATE SET r.scope_hash = tie.scope_hash, r.commit = tie.commit
    RETURN count(*) AS referenced
  }
  RETURN count(*) AS resolved
}
RETURN resolved

// name: reference_code
// Ties that a caller makes, as complete_turn makes those of an answer, names before which the module stands among them; a
// scope of another project is none. Where a name does not mean one scope, nothing is written.
MATCH (m:Message {uuid: $message_id})
WHERE m.user_id = $user_id AND m.project = $project
SET m.uuid = $message_id
WITH m
MATCH (c:Conversation {uuid: m.conversation_id})
WHERE CASE WHEN c.status <> 'deleting' THEN true ELSE EXISTS {
  MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
  WHERE b.status <> 'deleting' AND any(i IN range(0, size(b.lineage_ids) - 1)
    WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
} END
OPTIONAL MATCH (p:Project)
WHERE p.project = $project
CALL () {
  UNWIND $scopes AS named
  WITH named ORDER BY named
  OPTIONAL MATCH (s:Scope)
  WHERE s.project = $project
    AND (s.uuid = named OR s.qualified_name = named OR s.name = last(split(last(split(named, ':')), '.')))
  WITH named, collect(s) AS found
  WITH named, found, [s IN found WHERE s.uuid = named] AS by_uuid, [s IN found WHERE s.qualified_name = named] AS qualified,
    [s IN found WHERE s.name = named] AS called, [s IN found WHERE CASE WHEN named ENDS WITH '.' + s.qualified_name THEN
      all(part IN split(left(named, size(named) - size(s.qualified_name) - 1), '.')
        WHERE part IN split(replace(s.file, '.', '/'), '/'))
      OR EXISTS {
        MATCH (s)-[:DEFINED_IN]->(f:File)
        WHERE any(space IN split(f.namespace, ' ') WHERE '.' + space + '.' + s.qualified_name ENDS WITH '.' + named)
      } ELSE false END] AS placed,
    [s IN found WHERE named = s.file + ':' + s.qualified_name] AS there,
    [s IN found WHERE NOT coalesce(toStringOrNull(s.modifiers), '') CONTAINS 'overload'
      AND none(ending IN ['.pyi', '.d.ts', '.d.mts', '.d.cts'] WHERE s.file ENDS WITH ending)] AS defined
  WITH named, by_uuid, [s IN found WHERE s IN qualified OR s IN called OR s IN placed] AS meant, defined, [qualified, called, there] +
    CASE WHEN size(qualified) + size(called) > 0 THEN [] ELSE
      // A whole path goes before one that goes on before it.
      [[s IN placed WHERE any(ending IN ['.', '/__init__.', '/index.']
        WHERE s.file STARTS WITH replace(left(named, size(named) - size(s.qualified_name) - 1), '.', '/') + ending)], placed]
    END AS ways
  WITH named, by_uuid, meant, [some IN ways |
    CASE WHEN size(some) = 1 THEN some ELSE [s IN some WHERE s IN defined] END] AS ways
  WITH named, meant, head(CASE WHEN size(by_uuid) = 1 THEN by_uuid ELSE head([way IN ways WHERE size(way) = 1]) END) AS s
  RETURN collect(s) AS scopes,
    collect(CASE WHEN s.anchor_key IS NULL THEN {named: named, meant: [s IN meant[..5] | s.file + ':' + s.qualified_name]} END)
      AS unclear
}
CALL (m, p, scopes, unclear) {
  UNWIND CASE WHEN size(unclear) = 0 THEN scopes ELSE [] END AS s
  WITH DISTINCT m, s, p, $kind AS kind, true AS now
  // include: tied
  RETURN count(*) AS tied
}
RETURN m.uuid AS message_id, unclear

// part: became
// What became of the anchor `a` that stands on the scope `s`, as of the last ingest: where another tool has taken the
// scope away since, nobody has looked. Nor has anyone before the first ingest, where an imported one stands on nothing.
  CASE WHEN s IS NOT NULL OR EXISTS { MATCH (p:Project) WHERE p.project = $project AND p.indexedAt IS NOT NULL } THEN {
    status: a.status,
    changed: CASE a.status WHEN 'orphaned' THEN null WHEN 'fresh' THEN false ELSE a.changed END,
    moved_to_file: CASE a.status WHEN 'moved' THEN coalesce(s.file, a.at_file) END,
    moved_to_name: CASE a.status WHEN 'moved' THEN coalesce(s.qualified_name, s.name, split(a.at_key, '#')[0]) END,
    candidates: coalesce(a.candidates, [])
  } END AS became

// part: reference
// What the edge `tie` says, and the anchor `a` that it leads to, which stands on the scope `s`.
  tie.kind AS kind, tie.commit AS commit, tie.scope_hash AS scope_hash, tie.start_line AS start_line,
  a {.name, .qualified_name, .file, .start_line} AS anchor, s {.uuid, .startLine} AS scope,

// name: referenced_code
// What a conversation, its lineage included, has been tied to, and what became of it.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
UNWIND [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
  + [{id: c.uuid, top: 9223372036854775807}] AS l
MATCH (m:Message {conversation_id: l.id})
WHERE m.seq > 0 AND m.seq <= l.top
MATCH (m)-[tie:ANCHORED_AT]->(a:CodeAnchor)
OPTIONAL MATCH (a)-[:RESOLVES_TO]->(s:Scope)
RETURN m.uuid AS message_id, m.seq AS seq,
  // include: reference
  // include: became
ORDER BY seq, kind DESC, a.file, a.start_line

// name: code_of_messages
// What these messages are tied to, and what became of it; a message of another owner is none.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project
MATCH (m)-[tie:ANCHORED_AT]->(a:CodeAnchor)
OPTIONAL MATCH (a)-[:RESOLVES_TO]->(s:Scope)
RETURN m.uuid AS message_id,
  // include: reference
  // include: became
ORDER BY message_id, kind DESC, a.file, a.start_line

// name: messages_about
// The owner's messages that are tied to code of this name, qualified name, uuid, file or file:name, as it was called when it was
// said or as it is called now: of the $limit conversations that spoke of it last, the newest 40 ties each. What is left of
// a deleted conversation is told as that of the living branch that shares it, the last updated.
CALL () {
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.name = $about
  RETURN a
  UNION
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.qualified_name = $about
  RETURN a
  UNION
  // What is around the outermost name that was given is left out.
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.name = last(split($about, '.')) AND a.qualified_name ENDS WITH '.' + $about
  RETURN a
  UNION
  // The module stands before the qualified name: it is on the path of the file.
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.name = last(split($about, '.')) AND $about ENDS WITH '.' + a.qualified_name
  WITH a, split(left($about, size($about) - size(a.qualified_name) - 1), '.') AS before
  WHERE all(part IN before WHERE part IN split(replace(a.file, '.', '/'), '/'))
    OR EXISTS {
      MATCH (a)-[:RESOLVES_TO]->(s:Scope)-[:DEFINED_IN]->(f:File)
      WHERE any(space IN split(f.namespace, ' ') WHERE '.' + space + '.' + s.qualified_name ENDS WITH '.' + $about)
    }
  RETURN a
  UNION
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.file = $about
  RETURN a
  UNION
  MATCH (a:CodeAnchor)
  WHERE a.project = $project AND a.name = last(split(last(split($about, ':')), '.')) AND $about = a.file + ':' + a.qualified_name
  RETURN a
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.name = $about
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.qualified_name = $about
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.name = last(split($about, '.')) AND s.qualified_name ENDS WITH '.' + $about
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
  UNION
  // The module before the qualified name, as it is now.
  MATCH (s:Scope)
  WHERE s.project = $project AND s.name = last(split($about, '.')) AND $about ENDS WITH '.' + s.qualified_name
  WITH s, split(left($about, size($about) - size(s.qualified_name) - 1), '.') AS before
  WHERE all(part IN before WHERE part IN split(replace(s.file, '.', '/'), '/'))
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.file = $about
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.name = last(split(last(split($about, ':')), '.')) AND $about = s.file + ':' + s.qualified_name
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
  UNION
  MATCH (s:Scope {uuid: $about})
  WHERE s.project = $project
  MATCH (s)<-[:RESOLVES_TO]-(a:CodeAnchor)
  RETURN a
}
MATCH (m:Message)-[tie:ANCHORED_AT]->(a)
WHERE m.user_id = $user_id AND m.project = $project
MATCH (held:Conversation {uuid: m.conversation_id})
WITH m, tie, a,
// include: living
WHERE c IS NOT NULL
WITH c, m, tie, a
ORDER BY m.timestamp DESC, m.uuid, tie.kind DESC
WITH c, max(m.timestamp) AS last, collect({m: m, tie: tie, a: a})[..40] AS ties
ORDER BY last DESC, c.uuid
LIMIT $limit
UNWIND ties AS one
WITH c, one.m AS m, one.tie AS tie, one.a AS a
OPTIONAL MATCH (a)-[:RESOLVES_TO]->(s:Scope)
RETURN m {.uuid, conversation_id: c.uuid, .seq, .role, .content, .token_count, .state, .in_reply_to, .model, .importance, .trust, .kind, .echo,
    .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  c.title AS title, m.uuid AS message_id,
  // include: reference
  // include: became
ORDER BY m.timestamp DESC, m.uuid, kind DESC

// name: ties_on_places
// What ties the owner's messages to these definitions: the anchors that stand, have stood or were made on them; $marks
// are the places as an anchor keeps those that it has been to. An answer that lists a file is tied to all that is in it,
// so what was said comes apart from this, with told_messages.
CALL () {
  UNWIND $places AS place
  CALL (place) {
    MATCH (a:CodeAnchor)
    WHERE a.project = $project AND a.at_file = place.file AND a.at_key = place.key
    RETURN a
    UNION
    MATCH (a:CodeAnchor)
    WHERE a.project = $project AND a.file = place.file AND a.scope_key = place.key
    RETURN a
  }
  RETURN place, a
  UNION
  MATCH (a:MovedAnchor)
  WHERE a.project = $project AND any(been IN a.been WHERE been IN $marks)
  UNWIND [been IN a.been WHERE been IN $marks] AS been
  RETURN {file: split(been, '\n')[0], key: split(been, '\n')[1]} AS place, a
}
MATCH (m:Message)-[tie:ANCHORED_AT]->(a)
WHERE m.user_id = $user_id AND m.project = $project
OPTIONAL MATCH (a)-[:RESOLVES_TO]->(s:Scope)
RETURN place.file AS file, place.key AS key,
  coalesce(a.at_file = place.file AND a.at_key = place.key, true) AS stands,
  a.kind AS type, a.body_hash AS body_hash, a.sketch AS sketch,
  [i IN range(0, size(coalesce(a.been, [])) - 1) WHERE a.been[i] = place.file + '\n' + place.key | a.been_code[i]] AS came,
  m.uuid AS message_id,
  // include: reference
  // include: became
ORDER BY file, key, m.timestamp, m.uuid, kind DESC

// name: told_messages
// The owner's messages of these uuids with the summaries over them. What is left of a deleted conversation is told as
// that of the living branch that shares it, the last updated.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project
MATCH (held:Conversation {uuid: m.conversation_id})
WITH m,
// include: living
WHERE c IS NOT NULL
RETURN c.title AS title,
  m {.uuid, conversation_id: c.uuid, .seq, .role, .content, .token_count, .state, .in_reply_to, .model, .importance, .trust, .kind, .echo,
    .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  COLLECT {
    MATCH (x:Summary)-[:SUMMARIZES*1..4]->(m)
    WITH DISTINCT x ORDER BY x.level, x.from_seq
    RETURN x.content
  } AS summaries,
  // include: corrected
