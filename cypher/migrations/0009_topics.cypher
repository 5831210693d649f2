// The vector of what a conversation is about is no longer scaled to length 1: all are made anew.
MATCH (c:Conversation)
WHERE c.status <> 'deleting' AND any(name IN keys(c) WHERE name STARTS WITH 'summary_embedding')
CALL (c) {
  SET c:PendingEmbedding
} IN TRANSACTIONS OF 1000 ROWS;
