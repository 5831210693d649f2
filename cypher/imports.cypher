// name: import_messages
// A batch of a conversation that comes from elsewhere, with its times; the first one makes the conversation. Places are
// given, so that a repeated write changes nothing. The title is that of the first batch, the labels are those that the
// appends of the same messages would have left.
MERGE (c:Conversation {uuid: $conversation_id})
ON CREATE SET c += $properties, c.user_id = $user_id, c.project = $project, c.owner_token = $owner_token,
  c.created_at = coalesce(datetime($created_at), datetime())
WITH c
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.updated_at = datetime(), c.head_seq = $last, c.message_count = $last, c.token_total = $tokens
FOREACH (_ IN CASE WHEN $embed THEN [1] ELSE [] END | SET c:PendingEmbedding)
FOREACH (_ IN CASE WHEN $last >= $summarize_every OR c.title_source = 'provisional' THEN [1] ELSE [] END |
  SET c:PendingSummary)
WITH c
UNWIND $messages AS row
MERGE (m:Message {conversation_id: c.uuid, seq: row.seq})
ON CREATE SET m += row.properties, m.uuid = row.uuid, m.user_id = c.user_id, m.project = c.project,
  m.owner_token = c.owner_token, m.timestamp = coalesce(datetime(row.timestamp), datetime())
MERGE (c)-[:HAS_MESSAGE]->(m)
FOREACH (_ IN CASE WHEN row.embed THEN [1] ELSE [] END | SET m:PendingEmbedding)
FOREACH (_ IN CASE WHEN row.properties.importance >= 0.7 THEN [1] ELSE [] END | SET m:Important)
RETURN count(*) AS written

// name: taken_messages
// Which uuids somebody has, and nothing about who: what another owner holds is given a new one without a word.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
RETURN m.uuid AS uuid
