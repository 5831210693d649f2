// name: has_knowledge
// Whether the owner can read any document, by the index of owners alone.
RETURN EXISTS { MATCH (d:Document) WHERE d.user_id IN [$user_id, ''] AND d.project IN [$project, ''] } AS found

// name: known_documents
// What there is of a file, or of the files below a folder ('' for all), of exactly this owner.
MATCH (d:Document)
WHERE d.user_id = $user_id AND d.project = $project
  AND (d.source = $source OR d.source STARTS WITH CASE $source WHEN '' THEN '' ELSE $source + '/' END)
RETURN d.uuid AS uuid, d.source AS source, d.hash AS hash, d.origin AS origin, d.chunks AS chunks

// name: matching_documents
// What a uuid, the beginning of one, a source, or a folder of sources names, and whether it is everybody's.
MATCH (d:Document)
WHERE d.user_id IN [$user_id, ''] AND d.project = $project
  AND (d.source = $name OR d.source STARTS WITH $folder OR d.uuid STARTS WITH $beginning)
RETURN d.uuid AS uuid, d.source AS source, d.user_id = '' AS shared
ORDER BY uuid

// name: list_documents
// By source, one page; `after` is the last of the page before.
MATCH (d:Document)
WHERE d.user_id IN [$user_id, ''] AND d.project IN [$project, '']
  AND (d.source > $after OR (d.source = $after AND d.uuid > $after_uuid))
WITH d ORDER BY d.source, d.uuid LIMIT $limit
RETURN d {.uuid, .source, .title, .format, .chunks, shared: d.user_id = '', created_at: toString(d.created_at),
  updated_at: toString(d.updated_at)} AS document

// name: write_document
// at once
// A document with all its chunks, the old ones out and the new ones in, under the document's lock: its uuid is a hash of
// owner and source, so two that write one file are put in order. The uuid of a chunk is a hash of what it says and where
// in the document: one that says the same as before keeps its vector.
MERGE (d:Document {uuid: $uuid})
ON CREATE SET d.user_id = $user_id, d.project = $project, d.created_at = datetime()
SET d.uuid = $uuid
WITH d
WHERE d.user_id = $user_id AND d.project = $project
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(n:Chunk)
  // include: locks
}
SET d += $properties, d.updated_at = datetime()
WITH d
CALL (d) {
  FOREACH (gone IN COLLECT { MATCH (d)-[:HAS_CHUNK]->(c:Chunk) WHERE NOT c.uuid IN $chunk_ids RETURN c } |
    DETACH DELETE gone)
}
CALL (d) {
  UNWIND $chunks AS row
  OPTIONAL MATCH (old:Chunk {uuid: row.uuid})<-[:HAS_CHUNK]-(d)
  FOREACH (_ IN CASE WHEN old IS NULL THEN [1] ELSE [] END |
    CREATE (d)-[:HAS_CHUNK]->(c:Chunk:PendingEmbedding)
    SET c = row.properties, c.uuid = row.uuid, c.user_id = $user_id, c.project = $project,
      c.owner_token = $owner_token, c.created_at = datetime())
  FOREACH (c IN CASE WHEN old IS NULL THEN [] ELSE [old] END |
    SET c.position = row.properties.position, c.number = row.properties.number)
  RETURN count(*) AS written
}
RETURN written

// name: remove_document
// at once
// A document with its chunks; what hangs on it is looked for behind its lock.
MATCH (d:Document {uuid: $uuid})
WHERE d.user_id IN [$user_id, ''] AND d.project = $project
SET d.uuid = $uuid
WITH d
CALL (d) {
  MATCH (d)-[:HAS_CHUNK]->(n:Chunk)
  // include: locks
}
FOREACH (gone IN COLLECT { MATCH (d)-[:HAS_CHUNK]->(c:Chunk) RETURN c } | DETACH DELETE gone)
DETACH DELETE d
RETURN count(*) AS removed

// part: hit
// The chunk `c` of the document `d` as a search shows it.
  c {.uuid, .content, .heading, .position, document_id: d.uuid, source: d.source, title: d.title} AS chunk

// name: search_chunks
// By words: the owner stands inside the clause too, see turn_context.
CALL db.index.fulltext.queryNodes('chunk_text_index', $clause, {limit: $candidates}) YIELD node AS c, score
WHERE score > 0 AND c.user_id IN [$user_id, ''] AND c.project IN [$project, '']
MATCH (d:Document)-[:HAS_CHUNK]->(c)
WITH d, c, score ORDER BY score DESC, c.uuid LIMIT $limit
RETURN score,
// include: hit

// part: nearest_chunks
// The best of the chunks `c` by their `score`, and whether the project's vectors have moved.
  MATCH (d:Document)-[:HAS_CHUNK]->(c)
  WHERE d.user_id IN [$user_id, ''] AND d.project IN [$project, '']
  WITH d, c, score ORDER BY score DESC, c.uuid LIMIT $limit
  WITH score,
  // include: hit
  RETURN collect({score: score, chunk: chunk}) AS found
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: near_chunks
// requires: 2026.2
// By meaning. The index takes no OR: whose they may be is asked one by one.
CYPHER 25
CALL () {
  UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
  WITH DISTINCT of
  CALL (of) {
    MATCH (c:Chunk)
    SEARCH c IN (VECTOR INDEX {{index}} FOR $vector WHERE c.user_id = of[0] AND c.project = of[1] LIMIT $take) SCORE AS score
    RETURN c, score
  }
// include: nearest_chunks

// name: near_chunks
// Older servers filter nothing inside the index: the owner's chunks are compared one by one.
CALL () {
  UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
  WITH DISTINCT of
  MATCH (c:Chunk)
  WHERE c.user_id = of[0] AND c.project = of[1] AND c[$property] IS NOT NULL
  WITH c, vector.similarity.cosine(c[$property], $vector) AS score
// include: nearest_chunks

// name: pending_chunk_embeddings
// Chunks that wait for a vector, the owner's and those that the project shares, with the headings that are embedded with
// them.
MATCH (c:PendingEmbedding:Chunk)
WHERE c.user_id IN [$user_id, ''] AND c.project = $project
RETURN c.uuid AS uuid, c.heading + '\n\n' + c.content AS content
LIMIT $limit

// name: store_chunk_embeddings
// at once
// As store_message_embeddings: what a chunk says never changes.
// include: storing
CALL (moving, moved) {
  WITH moving WHERE NOT moved
  UNWIND $rows AS row
  WITH row, moving ORDER BY row.uuid
  MATCH (c:Chunk {uuid: row.uuid})
  WHERE c.user_id IN [$user_id, ''] AND c.project = $project
  WITH c, row, moving, c.uuid AS uuid ORDER BY uuid
  SET c.uuid = uuid
  WITH c, row, moving WHERE c['uuid'] IS NOT NULL
  CALL db.create.setNodeVectorProperty(c, $property, row.vector)
  REMOVE c:PendingEmbedding:FailedEmbedding, c.attempts, c.attempt
  FOREACH (_ IN CASE WHEN moving THEN [1] ELSE [] END | SET c:PendingReembedding)
  RETURN count(*) AS stored
}
RETURN stored, moved

// name: fail_chunk_embeddings
// at once
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MATCH (n:PendingEmbedding:Chunk {uuid: uuid})
WHERE n.user_id IN [$user_id, ''] AND n.project = $project
// include: failing

// name: count_pending_chunk_embeddings
MATCH (c:PendingEmbedding:Chunk)
WHERE c.user_id IN [$user_id, ''] AND c.project = $project
RETURN count(c) AS pending
