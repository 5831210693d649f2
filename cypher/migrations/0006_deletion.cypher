// A conversation is tied to the shared texts that its receipts name, so that these go with the last one that has them.
MATCH (m:Message)
WHERE m.receipt IS NOT NULL
CALL (m) {
  MATCH (c:Conversation {uuid: m.conversation_id})
  UNWIND ['"instructions":"', '"tools":"'] AS mark
  MATCH (kept:Prompt {uuid: split(split(m.receipt, mark)[1], '"')[0]})
  WHERE kept.user_id = c.user_id AND kept.project = c.project
  MERGE (c)-[:USED_PROMPT]->(kept)
} IN TRANSACTIONS OF 1000 ROWS;

// Anchors that deletes and undone imports have left behind are looked at by the next sweep.
MATCH (a:CodeAnchor)
WHERE NOT EXISTS { MATCH (a)<--() }
SET a:LooseAnchor;
