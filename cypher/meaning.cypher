// name: pending_memory_embeddings
// Memories that wait for a vector. Those of every project ('') are read from several, whose vectors may be of several
// models: there what has none in this space waits as well, labelled or not.
CALL () {
  MATCH (m:PendingEmbedding:Memory)
  WHERE m.user_id = $user_id AND m.project = $project
  RETURN m LIMIT $limit
  UNION
  MATCH (m:Memory)
  WHERE m.user_id = $user_id AND m.project = '' AND m.created_at IS NOT NULL
    AND (m:PendingEmbedding OR m.is_active AND m[$property] IS NULL AND NOT m:FailedEmbedding)
  RETURN m LIMIT $limit
}
RETURN m.uuid AS uuid, m.content AS content
LIMIT $limit

// name: store_memory_embeddings
// at once
// The vector and the end of the waiting in one write; one whose text has changed meanwhile goes on waiting. What is of
// every project and has changed loses its vectors of other spaces, where it then waits by having none.
// include: storing
CALL (moving, moved) {
  WITH moving WHERE NOT moved
  UNWIND $rows AS row
  WITH row, moving ORDER BY row.uuid
  MATCH (m:Memory {uuid: row.uuid})
  WHERE m.user_id = $user_id AND m.project IN [$project, '']
  WITH m, row, moving, m.uuid AS uuid ORDER BY uuid
  SET m.uuid = uuid
  WITH m, row, moving WHERE m['content'] = row.content
  FOREACH (name IN CASE WHEN m.project = '' AND m:PendingEmbedding
    THEN [each IN keys(m) WHERE each STARTS WITH 'embedding' AND each <> $property] ELSE [] END | REMOVE m[name])
  WITH m, row, moving
  CALL db.create.setNodeVectorProperty(m, $property, row.vector)
  REMOVE m:PendingEmbedding:FailedEmbedding, m.attempts, m.attempt
  FOREACH (_ IN CASE WHEN moving AND m.project = $project THEN [1] ELSE [] END | SET m:PendingReembedding)
  RETURN count(*) AS stored
}
RETURN stored, moved

// name: fail_memory_embeddings
// at once
// Until it says something else.
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MATCH (n:Memory {uuid: uuid})
WHERE n.user_id = $user_id AND n.project IN [$project, '']
// include: failing

// name: count_pending_memory_embeddings
MATCH (m:PendingEmbedding:Memory)
WHERE m.user_id = $user_id AND m.project IN [$project, '']
RETURN count(m) AS pending

// part: nearest_memories
// The best of the memories `m` by their `score`, and whether the project's vectors have moved.
  WITH m, score
  WHERE m.expires_at IS NULL OR m.expires_at > datetime()
  WITH m, score ORDER BY score DESC, m.created_at DESC LIMIT $limit
  WITH score,
  // include: memory
  RETURN collect({score: score, memory: memory}) AS found
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: near_memories
// requires: 2026.2
// The memories that hold and are nearest to a vector. The index takes no OR: whose they may be is asked one by one. What
// has expired is left out after it.
CYPHER 25
CALL () {
  UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
  WITH DISTINCT of
  CALL (of) {
    MATCH (m:Memory)
    SEARCH m IN (VECTOR INDEX {{index}} FOR $vector WHERE m.user_id = of[0] AND m.project = of[1] AND m.is_active = true LIMIT $take) SCORE AS score
    RETURN m, score
  }
// include: nearest_memories

// name: near_memories
// Older servers filter nothing inside the index: the owner's memories are compared one by one.
CALL () {
  UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
  WITH DISTINCT of
  MATCH (m:Memory)
  WHERE m.user_id = of[0] AND m.project = of[1] AND m.created_at IS NOT NULL AND m.is_active
    AND m[$property] IS NOT NULL
  WITH m, vector.similarity.cosine(m[$property], $vector) AS score
// include: nearest_memories

// part: nearest_summaries
// The best of the summaries `s` by their `score`, one a conversation, and whether the project's vectors have moved. What
// the conversation that asks has of its parents is its own.
  WITH s, score
  WHERE score >= $least
  MATCH (c:Conversation {uuid: s.conversation_id})
  WHERE c.status <> 'deleting' AND NOT EXISTS { MATCH (own:Conversation {uuid: $conversation_id}) WHERE c.uuid IN own.lineage_ids }
  WITH c, s, score ORDER BY score DESC
  WITH c, collect(s)[0] AS s, max(score) AS score ORDER BY score DESC LIMIT $limit
  RETURN collect({score: score, uuid: s.uuid, content: s.content, conversation_id: c.uuid, title: c.title,
    created_at: toStringOrNull(s.created_at)}) AS found
}
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: near_summaries
// requires: 2026.2
// What other conversations of the owner say in short that is nearest to a vector. The index knows no "other than": what is
// below the conversation that asks and what is above are asked one by one.
CYPHER 25
CALL () {
  CALL () {
    MATCH (s:Summary)
    SEARCH s IN (VECTOR INDEX {{index}} FOR $vector WHERE s.user_id = $user_id AND s.project = $project AND s.conversation_id < $conversation_id LIMIT $take) SCORE AS score
    RETURN s, score
    UNION ALL
    MATCH (s:Summary)
    SEARCH s IN (VECTOR INDEX {{index}} FOR $vector WHERE s.user_id = $user_id AND s.project = $project AND s.conversation_id > $conversation_id LIMIT $take) SCORE AS score
    RETURN s, score
  }
// include: nearest_summaries

// name: near_summaries
// Older servers, as near_memories.
CALL () {
  CALL () {
    MATCH (talk:Conversation)-[:HAS_SUMMARY]->(s:Summary)
    WHERE talk.user_id = $user_id AND talk.project = $project AND talk.uuid < $conversation_id
    RETURN s
    UNION ALL
    MATCH (talk:Conversation)-[:HAS_SUMMARY]->(s:Summary)
    WHERE talk.user_id = $user_id AND talk.project = $project AND talk.uuid > $conversation_id
    RETURN s
  }
  WITH s
  WHERE s[$property] IS NOT NULL
  WITH s, vector.similarity.cosine(s[$property], $vector) AS score
// include: nearest_summaries
