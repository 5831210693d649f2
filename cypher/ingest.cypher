// part: ours
// Edges between scopes that an ingest wrote have `lines`. Other tools make edges of these types between scopes that are
// ours now; they stay.
    AND r.lines IS NOT NULL

// part: locks_of_edges
// Locks both ends of $edges.
  UNWIND $edges AS edge
  UNWIND [edge.source, edge.target] AS end
  WITH DISTINCT p, end ORDER BY end
  MATCH (n:Scope {uuid: end})
  WHERE n.project = p.project
  // include: locks

// name: ingest_state
// All that a second ingest needs, in one read: the project, whether messages are anchored in it, and each file's path,
// uuid, content hash and how many scopes it should have. Another tool may have taken some away, or what leads to them: so
// it is counted how many scopes there are, at all and that an ingest read, how many lead to each file and how much to the
// project; and looked for an anchor that stood on a scope and does not any more, or whose messages do not lead there. Edges between scopes
// are too many to be looked at each time: only where the server, which always knows how many it has, has another number
// than when they were last found to be all there. Another tool may have a property `project` too: ours are files with a
// `hash` and scopes with a `project_token`, here and below.
OPTIONAL MATCH (p:Project)
WHERE p.project = $project
WITH p, COUNT { MATCH (:Scope)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->() } AS edges_on_server
CALL () {
  MATCH (s:Scope)
  WHERE s.project = $project
  RETURN count(s.body_hash) AS present, count(s.file) AS held
}
RETURN CASE WHEN edges_on_server <> coalesce(p.edges_on_server, -1) THEN COUNT {
  MATCH (s:Scope)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->(t:Scope)
  WHERE s.project = $project AND s.file IS NOT NULL AND t.project = $project
  // include: ours
  } END AS linked,
  p {root: coalesce(p.root, p.rootPath), commit: p.head_commit, .revision, .facts_version, incomplete: p.ingest_incomplete,
  scopes: p.scope_count, edges: p.edge_count, unresolved: p.unresolved_count, uncommitted: p.uncommitted_files, unread: p.unread_files} AS project,
  EXISTS { MATCH (a:CodeAnchor) WHERE a.project = $project } AS anchored,
  EXISTS {
    MATCH (a:CodeAnchor)
    WHERE a.project = $project AND a.status <> 'orphaned' AND (NOT EXISTS { (a)-[:RESOLVES_TO]->() }
      OR EXISTS { (a)<-[:ANCHORED_AT]-() } AND NOT EXISTS { (a)-[:RESOLVES_TO]->()<-[:REFERENCES_CODE]-() })
  } AS untied,
  present, held,
  COUNT { (p)<-[:BELONGS_TO]-() } AS belonging,
  COLLECT {
    MATCH (f:File)
    WHERE f.project = $project AND f.hash IS NOT NULL
    RETURN [f.path, f.uuid, f.hash, f.scope_count, COUNT { (f)<-[:DEFINED_IN]-() }, f.edge_count]
  } AS files

// name: files_of_scopes
// Where the scopes are that ingests have read: the File may be gone, where another tool was at it.
MATCH (s:Scope)
WHERE s.project = $project AND s.body_hash IS NOT NULL
RETURN DISTINCT s.file AS path

// name: take_ingest_lease
// One ingest of a project at a time, fenced by a token and the database's clock. SET comes before the look at the
// lease, because it takes the lock. $dead is the token of a holder that the caller knows to be dead; a write that is
// repeated finds its own. A project that another tool made and knows by its root alone becomes ours; its `rootPath` stays
// that tool's, ours is in `root`: the project may be adopted for another folder. Where the project itself was taken away,
// messages were last tied to its code when the newest of its anchors was made.
CALL () {
  MATCH (p:Project)
  WHERE p.project IS NULL AND p.rootPath = $root
    AND NOT EXISTS { MATCH (other:Project) WHERE other.project = $project }
  WITH p ORDER BY elementId(p) LIMIT 1
  SET p.project = $project, p.root = $root
  RETURN count(*) AS claimed
}
MERGE (p:Project {project: $project})
ON CREATE SET p.uuid = $uuid, p.name = $project, p.revision = 0, p.rootPath = $root
SET p.project = p.project
WITH p
CALL (p) {
  WITH p WHERE p.revision = 0
  MATCH (a:CodeAnchor)
  WHERE a.project = $project
  WITH p, max(a.first_seen) AS since
  SET p.untied_since = since
  RETURN count(*) AS looked
}
WITH p, datetime() AS now, coalesce(p.root, p.rootPath) = $root OR $adopt AS mine, coalesce(p.ingest_incomplete, false) AS incomplete
WITH p, now, mine, incomplete,
  mine AND (p.ingest_token IS NULL OR p.ingest_until < now OR p.ingest_token IN [$dead, $token]) AS taken
FOREACH (_ IN CASE WHEN taken THEN [1] ELSE [] END |
  SET p.ingest_token = $token, p.ingest_holder = $holder, p.ingest_until = now + duration({seconds: $seconds}),
    p.rootPath = CASE WHEN p.root IS NULL THEN $root ELSE p.rootPath END,
    p.root = CASE WHEN p.root IS NOT NULL THEN $root END, p.ingest_incomplete = true)
RETURN taken, mine, coalesce(p.root, p.rootPath) AS root, p.ingest_token AS token, p.ingest_holder AS holder, incomplete

// name: renew_ingest_lease
// SET comes before the look at the token, because it takes the lock; so it does in the two below.
MATCH (p:Project)
WHERE p.project = $project
SET p.project = p.project
WITH p
WHERE p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
RETURN p.uuid AS uuid

// name: release_ingest_lease
// After a failure: the next ingest may start at once and finds that this one is not complete. Where no ingest has written
// anything yet, what the lease made is taken back: the project, or what makes another tool's ours.
MATCH (p:Project)
WHERE p.project = $project
SET p.project = p.project
WITH p
WHERE p.ingest_token = $token
REMOVE p.ingest_token, p.ingest_holder, p.ingest_until
WITH p, p.revision AS revision
FOREACH (_ IN CASE WHEN revision IS NULL THEN [1] ELSE [] END | REMOVE p.project, p.root, p.ingest_incomplete)
WITH p, revision
WHERE revision = 0 AND NOT EXISTS { (p)--() }
DELETE p

// name: finish_ingest
// The last write: only now is the project complete. The counts are taken here, so that they are the graph's. One that is
// repeated after its answer was lost finds its own token, and that it is done. Where code had been missing ($again), what
// was said since the ingest before may have to be tied to it: `untied_since` is left until that is done.
MATCH (p:Project)
WHERE p.project = $project
SET p.project = p.project
WITH p
WHERE p.ingest_token = $token OR p.finished_token = $token
CALL (p) {
  WITH p
  WHERE p.ingest_token = $token
  SET p.uuid = coalesce(p.uuid, replace(randomUUID(), '-', '')), p.head_commit = $commit, p.uncommitted_files = $uncommitted, p.unread_files = $unread, p.facts_version = $facts_version,
    p.indexedAt = datetime(), p.revision = coalesce(p.revision, 0) + 1, p.unresolved_count = $unresolved,
    p.finished_token = $token,
    p.untied_since = CASE WHEN $again THEN coalesce(p.untied_since, p.finished_at) ELSE p.untied_since END,
    p.finished_at = datetime(),
    p.scope_count = COUNT { MATCH (s:Scope) WHERE s.project = $project AND s.file IS NOT NULL },
    p.edge_count = COUNT {
      MATCH (s:Scope)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->(t:Scope)
      WHERE s.project = $project AND s.file IS NOT NULL AND t.project = $project
      // include: ours
    }
  REMOVE p.ingest_token, p.ingest_holder, p.ingest_until, p.ingest_incomplete
}
RETURN p.scope_count AS scopes, p.edge_count AS edges, p.revision AS revision

// name: note_unchanged
// The files are the same; the commit, which of them are not in it or which are not read is another, or how many edges the server has, while
// the project has its $edges. An ingest that runs now will say so itself.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token IS NULL
SET p.head_commit = $commit, p.uncommitted_files = $uncommitted, p.unread_files = $unread, p.edges_on_server = CASE WHEN COUNT {
  MATCH (s:Scope)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->(t:Scope)
  WHERE s.project = $project AND s.file IS NOT NULL AND t.project = $project
  // include: ours
  } >= $edges THEN COUNT { MATCH (:Scope)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->() } END
RETURN p.uuid AS uuid, p.edges_on_server IS NOT NULL AS complete

// name: stored_scopes
// What is known of the scopes of these files, to be compared with what was read now.
MATCH (s:Scope)
WHERE s.project = $project AND s.file IN $files AND s.project_token IS NOT NULL
RETURN s {.uuid, .project, .key, .name, .qualified_name, .type, .file, .language, .startLine, .endLine,
  .definition_line, .linesOfCode, .source, .signature, .hash, .body_hash, .signature_hash, .sketch,
  .anchor_key, .parent, .parentUUID, .depth, .docstring, .doc_line, .returnType, .parameters, .modifiers, .complexity, .words, .role, .project_token,
  .foreign_properties} AS scope
ORDER BY s.file, s.startLine, s.key

// part: told_to_be_here
// What tells where a node of another tool was made, its `place` and the :Project that it, or its file, belongs to
// (`owners`), says that it is this project.
  AND coalesce(place = $root + '/' + path, true)
  AND all(p IN owners WHERE p.project = $project OR coalesce(p.project IS NULL AND p.rootPath = $root, false))

// name: unclaimed_scopes
// Scopes that other tools made, RagForge's own among them: without our `project`, or with one of theirs that is the
// same. That, or where they were made, must tell that they are this project's. What tells nothing stays whose it is.
// Nothing indexes what is not there, so this looks at every scope of the server. Some write `./` before a path, and no
// uuid.
MATCH (s:Scope)
WHERE s.project IS NULL OR (s.project = $project AND s.project_token IS NULL)
WITH s, CASE WHEN s.file STARTS WITH './' THEN substring(s.file, 2) ELSE s.file END AS path
WHERE path IN $files
WITH s, path, coalesce(s.absolutePath, head(COLLECT { MATCH (s)-[:DEFINED_IN]->(f:File) RETURN f.absolutePath })) AS place,
  COLLECT { MATCH (s)-[:BELONGS_TO]->(p:Project) RETURN p UNION
    MATCH (s)-[:DEFINED_IN]->(:File)-[:BELONGS_TO]->(p:Project) RETURN p } AS owners
WHERE (s.project IS NOT NULL OR place IS NOT NULL OR size(owners) > 0)
// include: told_to_be_here
RETURN s {.uuid, .name, .type, .file, .startLine, .endLine, .parent, .hash, foreign_properties: keys(s),
  element: elementId(s)} AS scope, path
ORDER BY path, s.startLine

// name: unclaimed_files
// As unclaimed_scopes; the scopes of a file tell whose it is, too.
MATCH (f:File)
WHERE f.project IS NULL OR (f.project = $project AND f.hash IS NULL)
WITH f, CASE WHEN f.path STARTS WITH './' THEN substring(f.path, 2) ELSE f.path END AS path
WHERE path IN $files
WITH f, path, coalesce(f.absolutePath, head(COLLECT { MATCH (f)<-[:DEFINED_IN]-(s:Scope) RETURN s.absolutePath })) AS place,
  COLLECT { MATCH (f)-[:BELONGS_TO]->(p:Project) RETURN p UNION
    MATCH (f)<-[:DEFINED_IN]-(:Scope)-[:BELONGS_TO]->(p:Project) RETURN p } AS owners
WHERE (f.project IS NOT NULL OR place IS NOT NULL OR size(owners) > 0)
// include: told_to_be_here
RETURN f {.uuid, element: elementId(f)} AS file, path
ORDER BY path, file.element

// name: name_claimed
// Another tool's scopes and files without a uuid get one as they are claimed: the writes below know them by it.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
CALL () {
  UNWIND $claimed AS row
  MATCH (n:Scope|File)
  WHERE elementId(n) = row.element AND n.uuid IS NULL
  SET n.uuid = row.uuid
  RETURN count(*) AS named
}
RETURN named

// part: tied_meanwhile
// Whether something was tied to a scope that goes while its lock was waited for: the locks of messages come before those of
// scopes, so that the statement does nothing then and is run again, with all that is tied locked in order; unless it
// $gives_way no more.
CALL (leaving) {
  UNWIND CASE WHEN $gives_way THEN leaving ELSE [] END AS each
  MATCH (s)
  WHERE elementId(s) = each.element AND COLLECT { MATCH (s)-[r]-() RETURN elementId(r) AS id ORDER BY id } <> each.ties
  RETURN count(*) > 0 AS tied
}

// name: write_files
// Each file with its scopes in one transaction: what is gone, what is new or changed, and the file's hash with it, so
// a process that is killed leaves a file either as it was or as it is now; one in parts has no hash before the last. A
// uuid that another project holds is left alone; what nobody holds yet is claimed. Turns write at scopes too, and a delete
// locks what is at the other end of each edge: all of these are locked first. Files are written under the project's lock.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p WHERE p['ingest_token'] = $token
SET p.revision = coalesce(p.revision, 0) + 1
WITH p, COLLECT {
  UNWIND $files AS row
  UNWIND row.removed AS gone
  MATCH (s:Scope {uuid: gone})
  WHERE s.project = p.project
  RETURN {element: elementId(s), ties: COLLECT { MATCH (s)-[r]-() RETURN elementId(r) AS id ORDER BY id }}
} AS leaving
CALL (p) {
  CALL (p) {
    UNWIND $files AS row
    UNWIND row.scopes AS new
    WITH p, new.uuid AS uuid ORDER BY uuid
    MATCH (s:Scope {uuid: uuid})
    WHERE s.project = p.project OR s.project IS NULL
    RETURN s AS n
    UNION
    UNWIND $files AS row
    UNWIND row.removed AS gone
    MATCH (s:Scope {uuid: gone})
    WHERE s.project = p.project
    RETURN s AS n
    UNION
    UNWIND $files AS row
    UNWIND row.removed AS gone
    MATCH (s:Scope {uuid: gone})--(n:Message|Scope|CodeAnchor)
    WHERE s.project = p.project
    RETURN n
  }
  // include: locks
}
// include: tied_meanwhile
CALL (p, tied) {
  UNWIND CASE WHEN tied THEN [] ELSE $files END AS row
  WITH p, row ORDER BY row.uuid
  MERGE (f:File {uuid: row.uuid})
  ON CREATE SET f.project = $project
  WITH p, f, row
  WHERE f.project = $project OR f.project IS NULL
  SET f += row.properties, f.project = $project
  MERGE (f)-[:BELONGS_TO]->(p)
  WITH p, f, row
  CALL (row) {
    UNWIND row.removed AS gone
    MATCH (s:Scope {uuid: gone})
    WHERE s.project = $project
    DETACH DELETE s
    RETURN count(*) AS removed
  }
  CALL (p, f, row) {
    UNWIND row.scopes AS new
    MERGE (s:Scope {uuid: new.uuid})
    ON CREATE SET s.project = $project
    WITH p, f, new, s
    WHERE s.project = $project OR s.project IS NULL
    SET s += new.properties, s.project = $project
    FOREACH (_ IN CASE WHEN new.pending THEN [1] ELSE [] END |
      SET s:PendingEmbedding
      REMOVE s:FailedEmbedding, s.attempts, s.attempt)
    FOREACH (_ IN CASE WHEN new.moved THEN [1] ELSE [] END | MERGE (s)-[:DEFINED_IN]->(f) MERGE (s)-[:BELONGS_TO]->(p))
    WITH s, f, new
    WHERE new.moved
    OPTIONAL MATCH (s)-[old:DEFINED_IN]->(before:File)
    WHERE before <> f
    DELETE old
    RETURN count(*) AS placed
  }
  RETURN count(*) AS written
}
RETURN written, tied

// name: remove_files
// Files that are gone, and what is still known to be in them. Locks as in write_files.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p WHERE p['ingest_token'] = $token
SET p.revision = coalesce(p.revision, 0) + 1
WITH p, COLLECT {
  UNWIND $paths AS path
  MATCH (s:Scope)
  WHERE s.project = p.project AND s.file = path AND s.project_token IS NOT NULL
  RETURN {element: elementId(s), ties: COLLECT { MATCH (s)-[r]-() RETURN elementId(r) AS id ORDER BY id }}
} AS leaving
CALL (p) {
  CALL (p) {
    UNWIND $paths AS path
    MATCH (n:Scope)
    WHERE n.project = p.project AND n.file = path AND n.project_token IS NOT NULL
    RETURN n
    UNION
    UNWIND $paths AS path
    MATCH (n:File)
    WHERE n.project = p.project AND n.path = path
    RETURN n
    UNION
    UNWIND $paths AS path
    MATCH (s:Scope)--(n:Message|Scope|CodeAnchor)
    WHERE s.project = p.project AND s.file = path AND s.project_token IS NOT NULL
    RETURN n
  }
  // include: locks
}
// include: tied_meanwhile
CALL (p, tied) {
  UNWIND CASE WHEN tied THEN [] ELSE $paths END AS path
  OPTIONAL MATCH (s:Scope)
  WHERE s.project = $project AND s.file = path AND s.project_token IS NOT NULL
  DETACH DELETE s
  WITH DISTINCT path
  OPTIONAL MATCH (f:File)
  WHERE f.project = $project AND f.path = path AND f.hash IS NOT NULL
  DETACH DELETE f
  RETURN count(*) AS removed
}
RETURN removed, tied

// name: scope_places
// Where each scope of these files is, to name the ends of edges; as one row, since there are tens of thousands.
MATCH (s:Scope)
WHERE s.project = $project AND s.file IN $files AND s.project_token IS NOT NULL
RETURN collect([s.file, s.key, s.uuid]) AS places

// name: edges_of_files
MATCH (s:Scope)
WHERE s.project = $project AND s.file IN $files
MATCH (s)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->(t:Scope)
WHERE t.project = $project
// include: ours
RETURN collect([type(r), s.uuid, t.uuid, coalesce(r.lines, []), coalesce(r.calls, []), coalesce(r.certain, true)]) AS edges

// name: write_edges
// MERGE, so that a repeated write changes nothing; the type is one of ours, since a type cannot be a parameter of a
// MERGE that is fast. What another tool knows of the edge stays on it.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p
CALL (p) {
  // include: locks_of_edges
}
CALL (p) {
  UNWIND $edges AS edge
  MATCH (s:Scope {uuid: edge.source})
  WHERE s.project = $project
  MATCH (t:Scope {uuid: edge.target})
  WHERE t.project = $project
  MERGE (s)-[r:{{type}}]->(t)
  SET r += edge.properties
  RETURN count(*) AS written
}
RETURN written

// name: remove_edges
// Edges that the code no longer has; one of ours of a type is all there ever is between two scopes.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p
CALL (p) {
  // include: locks_of_edges
}
CALL (p) {
  UNWIND $edges AS edge
  MATCH (s:Scope {uuid: edge.source})
  WHERE s.project = $project
  MATCH (s)-[r]->(t:Scope {uuid: edge.target})
  WHERE t.project = $project AND type(r) = edge.type
  // include: ours
  DELETE r
  RETURN count(*) AS removed
}
RETURN removed

// name: count_edges
// How many edges lead from the scopes of each file, as they were written; those of a file that nobody could read as they are.
MATCH (p:Project)
WHERE p.project = $project AND p.ingest_token = $token
SET p.ingest_until = datetime() + duration({seconds: $seconds})
WITH p
CALL () {
  UNWIND $counts AS row
  MATCH (f:File)
  WHERE f.project = $project AND f.path = row.path AND f.hash IS NOT NULL
  WITH f, row ORDER BY f.uuid
  SET f.edge_count = coalesce(row.edges, COUNT {
    MATCH (s:Scope)-[r:HAS_PARENT|CONSUMES|INHERITS_FROM|IMPLEMENTS|DECORATED_BY]->(t:Scope)
    WHERE s.project = $project AND s.file = row.path AND t.project = $project
    // include: ours
  })
  RETURN sum(f.edge_count) AS counted
}
RETURN counted
