// part: meant
// What the names in `part.mentions` mean, as the graph is: `s`. A name counts where it means one scope, or one of a file
// in `part.files`, or one that was read (`part.read`). What stands before a qualified name (`auth` of `auth.login`) has to
// be on the path of its file, or be the namespace that the file says. `types` are those that a plain word may mean, in one language alone as `method@go`. What
// is said of an attribute, which no scope stands for, is said of its type: the `owner` of what no scope fits. `macro` is what only a macro is called.
    UNWIND part.mentions AS mention
    MATCH (s:Scope)
    WHERE s.project = $project AND s.name IN [mention.name, mention.owner, mention.macro] AND (mention.types IS NULL
      OR s.type IN mention.types OR s.type + '@' + s.language IN mention.types)
      AND (mention.macro IS NULL OR s.name <> mention.macro OR s.type = 'macro')
    WITH mention, s, CASE WHEN s.name = mention.macro
      THEN left(mention.qualified_name, size(mention.qualified_name) - 1) ELSE mention.qualified_name END AS named
    WITH mention, s, named IS NULL OR s.qualified_name = named OR s.qualified_name ENDS WITH '.' + named AS fits,
      s.name = mention.owner AND s.type IN ['class', 'interface', 'struct', 'trait', 'enum', 'type'] AS owns,
      CASE WHEN named ENDS WITH '.' + s.qualified_name THEN
        all(step IN split(left(named, size(named) - size(s.qualified_name) - 1), '.')
          WHERE step IN split(replace(s.file, '.', '/'), '/'))
        OR EXISTS {
          MATCH (s)-[:DEFINED_IN]->(f:File)
          WHERE any(space IN split(f.namespace, ' ') WHERE '.' + space + '.' + s.qualified_name
            ENDS WITH '.' + named)
        } END AS placed
    WITH mention, collect(CASE WHEN fits THEN s END) AS fitting, collect(CASE WHEN placed THEN s END) AS placed,
      collect(CASE WHEN owns THEN s END) AS owners
    WITH CASE WHEN size(fitting) > 0 THEN fitting WHEN size(placed) > 0 THEN placed ELSE owners END AS candidates
    // Whoever says a type's name means the type, not its constructors, which are called as it is.
    WITH candidates, [t IN candidates WHERE t.type IN ['class', 'interface', 'struct', 'trait', 'enum', 'type'] |
      t.qualified_name + '.' + t.name] AS made
    WITH [s IN candidates WHERE NOT (s.qualified_name IN made
      AND coalesce(toStringOrNull(s.modifiers), '') CONTAINS 'constructor')] AS candidates, part
    // And whoever says a name that a test has too means what is tested.
    WITH part, candidates, [s IN candidates WHERE none(word IN split(coalesce(toStringOrNull(s.modifiers), ''), ',')
      WHERE word IN ['test', 'test_only'])] AS tested
    WITH part, CASE WHEN size(tested) > 0 THEN tested ELSE candidates END AS candidates
    // Of what is defined once and declared beside it, the definition is meant: no overload, no stub.
    WITH candidates, [s IN candidates WHERE NOT coalesce(toStringOrNull(s.modifiers), '') CONTAINS 'overload'
      AND none(ending IN ['.pyi', '.d.ts', '.d.mts', '.d.cts'] WHERE s.file ENDS WITH ending)] AS defined
    WITH candidates, defined, [s IN candidates WHERE s.file IN part.files] AS near,
      [s IN candidates WHERE any(tie IN part.read WHERE tie.scope = s.uuid)] AS seen
    // What is said of a name that has overloads is said of all of them.
    WITH CASE WHEN size(candidates) = 1 THEN candidates WHEN size(defined) = 1 THEN defined WHEN size(near) = 1 THEN near
      WHEN size(seen) > 0 OR size(defined) > 12 THEN seen
      WHEN all(s IN defined WHERE s.file = defined[0].file AND s.qualified_name = defined[0].qualified_name) THEN defined
      ELSE [] END AS meant
    UNWIND meant AS s

// part: anchor
// The `anchor` of this `key` that stands on `scope`, made where there is none; `tie` has the `commit` at which the scope was
// read and the project's `head`, `alone` what only this scope has.
    MERGE (anchor:CodeAnchor {key: key})
    ON CREATE SET anchor.uuid = replace(randomUUID(), '-', ''), anchor.project = scope.project, anchor.file = scope.file,
      anchor.name = scope.name, anchor.qualified_name = scope.qualified_name, anchor.kind = scope.type,
      anchor.scope_key = scope.key, anchor.start_line = scope.startLine, anchor.body_hash = scope.body_hash,
      anchor.signature_hash = scope.signature_hash, anchor.sketch = scope.sketch, anchor.commit = tie.commit,
      anchor.first_seen = datetime(), anchor.status = 'fresh', anchor.at_file = scope.file, anchor.at_key = scope.key,
      anchor.at_commit = tie.head, anchor.alone = alone
    SET anchor.key = key
    MERGE (anchor)-[stands:RESOLVES_TO]->(scope)
    ON CREATE SET stands.status = 'fresh', stands.changed = false, stands.similarity = 1.0, stands.commit = tie.commit,
      stands.checked_at = datetime()

// part: tied
// Ties the message `m`, and what is remembered of it, to the scope `s`, as `kind`; `p` is its project, `now` whether that was said of the code as it is.
// The commit is the one that the last ingest saw, where the file was committed as it was read. `alone` are the tokens that
// no other scope had when the anchor came on them: who has them later has copied them. All locks come first;
// anchors that are new are made by key, in order.
  WITH collect({m: m, s: s, kind: kind, now: now, head: p.head_commit,
    commit: CASE WHEN NOT s.file IN p.uncommitted_files THEN p.head_commit END}) AS ties
  CALL (ties) {
    CALL (ties) {
      UNWIND ties AS tie
      MATCH (n:Message)
      WHERE elementId(n) = elementId(tie.m)
      RETURN n
      UNION
      UNWIND ties AS tie
      MATCH (n:Scope)
      WHERE elementId(n) = elementId(tie.s)
      RETURN n
      UNION
      UNWIND ties AS tie
      WITH tie.m AS message
      MATCH (message)<-[:DERIVED_FROM]-(n:Memory)
      RETURN n
    }
    // include: locks
  }
  CALL (ties) {
    UNWIND ties AS tie
    WITH DISTINCT tie.s.anchor_key AS key ORDER BY key
    MATCH (n:CodeAnchor {key: key})
    // include: locks
  }
  UNWIND ties AS tie
  WITH tie, tie.m AS message, tie.s AS scope ORDER BY scope.anchor_key
  WITH tie, message, scope, CASE WHEN NOT EXISTS {
      MATCH (t:Scope) WHERE t.project = scope.project AND t.body_hash = scope.body_hash AND t <> scope
    } THEN scope.body_hash END AS alone, CASE WHEN tie.now THEN tie.commit END AS then
  MERGE (message)-[r:REFERENCES_CODE {kind: tie.kind}]->(scope)
  ON CREATE SET r.scope_hash = scope.hash, r.commit = then
  FOREACH (key IN CASE WHEN scope.anchor_key IS NULL THEN [] ELSE [scope.anchor_key] END |
    // include: anchor
    MERGE (message)-[said:ANCHORED_AT {kind: tie.kind}]->(anchor)
    ON CREATE SET said.commit = then, said.scope_hash = scope.hash, said.start_line = scope.startLine
    FOREACH (memory IN COLLECT { MATCH (message)<-[:DERIVED_FROM]-(x:Memory) RETURN x ORDER BY x.uuid } |
      MERGE (memory)-[:ABOUT]->(anchor))
  )

// name: named_scopes
// What each of these means; what messages from elsewhere name again and again is asked for once.
UNWIND $named AS part
CALL (part) {
  // include: meant
  RETURN collect(DISTINCT s.uuid) AS scopes
}
RETURN part.place AS place, scopes

// name: tie_messages
// Messages from elsewhere and what they name, some at a time: the locks are those that turns wait for. They are tied to
// the code as it is now, at no commit: nobody knows at which one that was said.
OPTIONAL MATCH (p:Project)
WHERE p.project = $project
CALL () {
  UNWIND $rows AS row
  WITH DISTINCT row.message AS uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
CALL (p) {
  UNWIND $rows AS row
  MATCH (m:Message {uuid: row.message})
  WHERE m.user_id = $user_id AND m.project = $project
  UNWIND row.scopes AS uuid
  WITH m, p, uuid ORDER BY uuid
  MATCH (s:Scope {uuid: uuid})
  WHERE s.project = $project
  WITH m, s, p, 'discussed' AS kind, false AS now
  // include: tied
  RETURN count(*) AS tied
}
RETURN tied

// name: untied_since
// Since when messages were held while code was missing that is there again.
MATCH (p:Project)
WHERE p.project = $project AND p.untied_since IS NOT NULL
RETURN toString(p.untied_since) AS since, toString(p.finished_at) AS finished

// name: untied_messages
// What all users said in a project since then that is tied to no code, with the question; a page by uuid. No index leads
// to it, which is looked for after another tool has taken code away, and then once.
MATCH (m:Message)
WHERE m.project = $project AND m.timestamp >= datetime($since) AND m.uuid > $after AND m.role IN ['user', 'assistant']
  AND NOT EXISTS { (m)-[:ANCHORED_AT]->() }
WITH m ORDER BY m.uuid LIMIT $limit
OPTIONAL MATCH (q:Message {uuid: m.in_reply_to})
WHERE q.conversation_id = m.conversation_id
RETURN m.uuid AS uuid, m.user_id AS user_id, m.role AS role, coalesce(m.content, '') AS content,
  coalesce(q.content, '') AS question, coalesce(m.echo, false) AS echo

// name: tied_again
// It is done, unless another ingest has come to its end meanwhile.
MATCH (p:Project)
WHERE p.project = $project AND p.finished_at = datetime($finished)
REMOVE p.untied_since
