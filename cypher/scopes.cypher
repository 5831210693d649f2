// part: scope
// What is shown of a scope `s`.
s {.uuid, .name, .qualified_name, .type, .file, .language, .startLine, .endLine, .definition_line, .signature,
  .docstring, .hash, .parent, .returnType, .parameters, .modifiers, .complexity} AS scope

// name: search_code_words
// Definitions, and files by what is outside of every definition. The project's token stands inside the full-text query
// ($query, built by the store); the project is checked again on the node. The words are sent along: they are ranked anew.
CALL db.index.fulltext.queryNodes('scope_text_index', $query, {limit: $limit})
YIELD node AS n, score
WHERE n.project = $project
RETURN n.uuid AS uuid, n.words AS words, n.role = 'aside' AS aside, n:PendingEmbedding OR n:FailedEmbedding AS unjudged
ORDER BY score DESC, uuid

// name: count_code_words
// How many texts have each word, counted up to $most: how much more have a common word tells next to nothing.
UNWIND $words AS word
CALL (word) {
  CALL db.index.fulltext.queryNodes('scope_text_index', word.query, {limit: $most})
  YIELD node AS n
  WHERE n.project = $project
  RETURN count(n) AS texts
}
RETURN word.stem AS stem, texts

// name: own_texts
// The text that is a definition's own, whole and with the lines that belong to what it holds inside; of a file what is
// outside of every definition, and which lines that is.
UNWIND $uuids AS uuid
CALL (uuid) {
  MATCH (s:Scope {uuid: uuid})
  WHERE s.project = $project
  WITH s, s.doc_line AS doc_line, s.source AS text, null AS pieces, COLLECT {
    MATCH (inner:Scope)
    WHERE inner.project = $project AND inner.file = s.file AND inner.parentUUID = s.uuid
    RETURN [coalesce(inner.doc_line, inner.startLine), inner.endLine]
  } AS inner,
  // include: scope
  RETURN scope, doc_line, text, pieces, inner
  UNION
  MATCH (f:File {uuid: uuid})
  WHERE f.project = $project AND f.outside IS NOT NULL
  RETURN f {.uuid, .name, qualified_name: f.path, type: 'file', file: f.path, .language, startLine: f.outside_lines[0],
    endLine: f.lineCount} AS scope, null AS doc_line, f.outside AS text, f.outside_lines AS pieces, [] AS inner
}
RETURN scope, doc_line, text, pieces, inner

// name: search_scopes_vector
// requires: 2026.2
// The project is filtered inside the index.
CYPHER 25
MATCH (s:Scope)
SEARCH s IN (VECTOR INDEX {{index}} FOR $vector WHERE s.project = $project LIMIT $limit) SCORE AS score
WITH score,
// include: scope
ORDER BY score DESC
WITH collect({scope: scope, score: score}) AS found
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: search_scopes_vector
// Older servers filter nothing inside the index: $overfetch neighbours are taken and the project's kept.
CALL db.index.vector.queryNodes('{{index}}', $overfetch, $vector)
YIELD node AS s, score
WHERE s.project = $project
WITH score,
// include: scope
ORDER BY score DESC
LIMIT $limit
WITH collect({scope: scope, score: score}) AS found
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: scopes_by_name
// Two seeks in two indexes, by the name and by the qualified name.
CALL () {
  MATCH (s:Scope)
  WHERE s.project = $project AND s.name = $name
  RETURN s
  UNION
  MATCH (s:Scope)
  WHERE s.project = $project AND s.qualified_name = $name
  RETURN s
}
RETURN
// include: scope
ORDER BY s.file, s.startLine
LIMIT $limit

// name: scopes_by_uuid
// With the source where it is to be read: of a list it would be most of what is sent.
UNWIND $uuids AS uuid
MATCH (s:Scope {uuid: uuid})
WHERE s.project = $project
WITH s,
// include: scope
RETURN scope {.*, source: CASE WHEN $source THEN s.source END} AS scope

// name: scopes_of_file
MATCH (s:Scope)
WHERE s.project = $project AND s.file = $file
RETURN
// include: scope
ORDER BY s.startLine, s.endLine DESC

// name: project_files
MATCH (f:File)
WHERE f.project = $project
RETURN f.path AS path
ORDER BY path

// name: unread_files
// What an ingest has not read, or only in part, and why.
MATCH (f:File)
WHERE f.project = $project AND f.broken IS NOT NULL
RETURN f.path AS path, f.broken AS reason
UNION ALL
MATCH (p:Project)
WHERE p.project = $project
UNWIND p.unread_files AS unread
WITH split(unread, '\t') AS unread
RETURN unread[0] AS path, unread[1] AS reason

// name: scope_callers
// Who uses this scope, where, and whether more than the name says so.
MATCH (target:Scope {uuid: $uuid})<-[r:CONSUMES]-(s:Scope)
WHERE target.project = $project AND s.project = $project
RETURN r.lines AS lines, coalesce(r.certain, true) AS certain,
// include: scope
ORDER BY s.file, s.startLine
LIMIT $limit

// name: scope_callees
// What this scope uses, in the order of its own lines.
MATCH (source:Scope {uuid: $uuid})-[r:CONSUMES]->(s:Scope)
WHERE source.project = $project AND s.project = $project
RETURN r.lines AS lines,
// include: scope
ORDER BY r.lines[0], s.file, s.startLine
LIMIT $limit

// name: scope_inheritors
// What stands directly below a type: what inherits from it or implements it. Edges are between definitions, so types
// that only have their name in common each get their own.
MATCH (target:Scope {uuid: $uuid})<-[r:INHERITS_FROM|IMPLEMENTS]-(s:Scope)
WHERE target.project = $project AND s.project = $project
RETURN r.lines AS lines,
// include: scope
ORDER BY s.file, s.startLine
LIMIT $limit

// name: scope_bases
// What stands directly above a type: what it inherits from or implements, and the lines where it says so.
MATCH (source:Scope {uuid: $uuid})-[r:INHERITS_FROM|IMPLEMENTS]->(s:Scope)
WHERE source.project = $project AND s.project = $project
RETURN r.lines AS lines,
// include: scope
ORDER BY r.lines[0], s.file, s.startLine
LIMIT $limit

// name: scope_members
// What belongs to a type and is defined in another file than it, as an impl of Rust, a method of Go or of C++ may be.
MATCH (target:Scope {uuid: $uuid})<-[:HAS_PARENT]-(s:Scope)
WHERE target.project = $project AND s.project = $project AND s.file <> target.file
RETURN
// include: scope
ORDER BY s.file, s.startLine
LIMIT $limit

// name: scope_names
// Every definition's names, as rows of lists: a project has tens of thousands. Modifiers are written as
// one text; a list is read, too.
MATCH (s:Scope)
WHERE s.project = $project AND s.file IS NOT NULL
RETURN collect([s.name, s.qualified_name, s.file, s.uuid, coalesce(s.type, ''),
  CASE WHEN valueType(s.modifiers) STARTS WITH 'LIST' THEN 'test' IN s.modifiers
  ELSE 'test' IN split(coalesce(toStringOrNull(s.modifiers), ''), ',') END]) AS names

// name: project_revision
// Raised by every ingest that changed something: what is kept of a project is good as long as it stays the same.
MATCH (p:Project)
WHERE p.project = $project
RETURN p.revision AS revision

// name: scope_counts
RETURN COUNT { MATCH (s:Scope) WHERE s.project = $project AND s.file IS NOT NULL } AS scopes,
  COUNT { MATCH (s:Scope) WHERE s.project = $project AND s[$property] IS NOT NULL } AS embedded,
  COUNT { MATCH (f:File) WHERE f.project = $project } AS files,
  COLLECT {
    MATCH (f:File) WHERE f.project = $project AND f.language IS NOT NULL AND EXISTS { (f)<-[:DEFINED_IN]-(:Scope) }
    RETURN DISTINCT f.language
  } AS languages

// name: pending_scopes
// Scopes that wait for a vector, those that are used most first; of the source what the vector is made of.
MATCH (s:PendingEmbedding:Scope)
WHERE s.project = $project AND s.file IS NOT NULL
RETURN s {.uuid, .name, .qualified_name, .signature, .docstring, .hash,
  source: CASE WHEN s.source IS :: STRING THEN left(s.source, 2000) END} AS scope
ORDER BY COUNT { (s)<-[:CONSUMES]-() } DESC, s.uuid
LIMIT $limit

// name: count_pending_scopes
MATCH (s:PendingEmbedding:Scope)
WHERE s.project = $project AND s.file IS NOT NULL
RETURN count(s) AS pending

// name: store_scope_embeddings
// at once
// The text may have changed meanwhile; then the scope is still waiting under another hash, and keeps its label.
// include: storing
CALL (moving, moved) {
  WITH moving WHERE NOT moved
  UNWIND $rows AS row
  WITH row, moving ORDER BY row.uuid
  MATCH (s:Scope {uuid: row.uuid})
  WHERE s.project = $project AND s.hash = row.hash
  WITH s, row, moving, s.uuid AS uuid ORDER BY uuid
  SET s.uuid = uuid
  WITH s, row, moving WHERE s['uuid'] IS NOT NULL
  CALL db.create.setNodeVectorProperty(s, $property, row.vector)
  REMOVE s:PendingEmbedding
  FOREACH (_ IN CASE WHEN moving THEN [1] ELSE [] END | SET s:PendingReembedding)
  RETURN count(*) AS stored
}
RETURN stored, moved

// name: fail_scope_embeddings
// at once
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MATCH (n:PendingEmbedding:Scope {uuid: uuid})
WHERE n.project = $project
// include: failing
