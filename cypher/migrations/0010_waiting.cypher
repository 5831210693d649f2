// What was said while no vectors were made waits for one, as all that is said from now on does; who makes them finds it
// by the label. Vectors are in `embedding`, `embedding_2` and so on. What other tools keep in blocks is no string, and
// what is kept in files is not here.
MATCH (m:Message)
WHERE NOT m:PendingEmbedding AND NOT m:FailedEmbedding AND none(name IN keys(m) WHERE name STARTS WITH 'embedding')
  AND CASE WHEN m.content IS :: STRING NOT NULL THEN trim(m.content) <> '' ELSE true END
CALL (m) {
  SET m:PendingEmbedding
} IN TRANSACTIONS OF 1000 ROWS;

MATCH (s:Summary)
WHERE NOT s:PendingEmbedding AND NOT s:FailedEmbedding AND none(name IN keys(s) WHERE name STARTS WITH 'embedding')
CALL (s) {
  SET s:PendingEmbedding
} IN TRANSACTIONS OF 1000 ROWS;

MATCH (c:Conversation)
WHERE NOT c:PendingEmbedding AND NOT c:FailedEmbedding AND c.status <> 'deleting'
  AND none(name IN keys(c) WHERE name STARTS WITH 'summary_embedding') AND (c.message_count > 0 OR c.summary IS NOT NULL)
CALL (c) {
  SET c:PendingEmbedding
} IN TRANSACTIONS OF 1000 ROWS;
