// name: pending_conversation_embeddings
// Conversations that wait for a vector, and what they are about: title, summary, first messages. $filed is as in
// pending_message_embeddings.
MATCH (c:PendingEmbedding:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting' AND ($filed OR c.file_path IS NULL)
WITH c LIMIT $limit
RETURN c.uuid AS uuid, coalesce(c.title, '') AS title, coalesce(c.summary, '') AS summary, COLLECT {
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > c.head_seq - c.message_count AND m.seq <= c.head_seq - c.message_count + 4
  WITH m ORDER BY m.seq
  RETURN [m.role, CASE WHEN m.content IS :: STRING THEN left(m.content, 600) ELSE m.content END, m.uuid]
} AS first

// name: store_conversation_embeddings
// at once
// The vector and the end of the waiting in one write; one that has changed meanwhile keeps its label. Its messages are
// counted as they are read: a damaged graph has fewer than the conversation says.
// include: storing
CALL (moving, moved) {
  WITH moving WHERE NOT moved
  UNWIND $rows AS row
  WITH row, moving ORDER BY row.uuid
  MATCH (c:Conversation {uuid: row.uuid})
  WHERE c.user_id = $user_id AND c.project = $project
    AND coalesce(c.title, '') = row.title AND coalesce(c.summary, '') = row.summary
    AND row.first = COUNT {
      MATCH (m:Message {conversation_id: c.uuid})
      WHERE m.seq > c.head_seq - c.message_count AND m.seq <= c.head_seq - c.message_count + 4
    }
  WITH c, row, moving, c.uuid AS uuid ORDER BY uuid
  SET c.uuid = uuid
  WITH c, row, moving WHERE c['uuid'] IS NOT NULL
  CALL db.create.setNodeVectorProperty(c, $property, row.vector)
  REMOVE c:PendingEmbedding, c:FailedEmbedding, c.attempts, c.attempt
  FOREACH (_ IN CASE WHEN moving THEN [1] ELSE [] END | SET c:PendingReembedding)
  RETURN count(*) AS stored
}
RETURN stored, moved

// name: fail_conversation_embeddings
// at once
// Until something new is said of it.
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MATCH (n:PendingEmbedding:Conversation {uuid: uuid})
WHERE n.user_id = $user_id AND n.project = $project
// include: failing

// name: count_pending_conversation_embeddings
MATCH (c:PendingEmbedding:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
RETURN count(c) AS pending

// name: similar_conversations_text
// By the words of titles and summaries, where anything was said; how rare a word is is counted among the owner's, as in
// search_history_text.
WITH '+owner_token:' + $owner_token + '^0' AS scope
CALL (scope) {
  UNWIND $words AS word
  CALL (scope, word) {
    CALL db.index.fulltext.queryNodes('conversation_text_index',
      scope + ' +(title:"' + word + '" summary:"' + word + '")', {limit: $sample}) YIELD score
    RETURN count(*) AS found, avg(score) AS mean
  }
  WITH word, mean, 1000 * log(1 + (4 * $sample - found + 0.5) / (found + 0.5)) AS rarity
  RETURN sum(rarity) AS total, collect(CASE WHEN mean > 0 THEN
    ' (title:"' + word + '" summary:"' + word + '")^' + toString(1 + toInteger(rarity / mean)) END) AS asked
}
WITH scope, asked, total
WHERE size(asked) > 0
CALL db.index.fulltext.queryNodes('conversation_text_index',
  scope + ' +(' + reduce(all = '', one IN asked | all + one) + ')', {limit: 10 * $limit}) YIELD node AS c, score
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting' AND c.head_seq > 0
RETURN c.uuid AS uuid, score, total
LIMIT $limit

// part: by_product
// The vectors of the $compared best come along, to be compared with each other.
// The vector of a conversation is a mean of unit vectors and shorter than 1; the product with it is the cosine (`score` is
// (1 + cosine) / 2) by its length, which its distance d from the origin is (Neo4j's Euclidean similarity is 1 / (1 + d^2)).
WITH c, (2 * score - 1) * sqrt(1 / vector.similarity.euclidean(c[$property], $origin) - 1) AS score
ORDER BY score DESC
LIMIT $limit
WITH collect([c.uuid, score]) AS found, [c IN collect(c)[..$compared] | c[$property]] AS vectors
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN found, vectors, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: similar_conversations_vector
// requires: 2026.2
// The owner is filtered inside the index, what is being deleted after it.
CYPHER 25
MATCH (c:Conversation)
SEARCH c IN (VECTOR INDEX {{index}} FOR $vector WHERE c.user_id = $user_id AND c.project = $project LIMIT $take) SCORE AS score
WITH c, score
WHERE c.status <> 'deleting'
// include: by_product

// name: similar_conversations_vector
// Older servers filter nothing inside the index: the owner's conversations are compared one by one (500 took 10 ms).
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting' AND c[$property] IS NOT NULL
WITH c, vector.similarity.cosine(c[$property], $vector) AS score
// include: by_product

// name: found_conversations
UNWIND $uuids AS uuid
MATCH (c:Conversation {uuid: uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation,
  CASE WHEN $vector IS NULL OR c[$property] IS NULL THEN null
    ELSE vector.similarity.cosine(c[$property], $vector) END AS score
