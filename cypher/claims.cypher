// name: nobodys_conversations
// Conversations that nobody owns, as document 3's own Cypher makes them. Once an opening: nothing indexes what is not
// there, so this looks at every conversation of the server, and at one property of each.
MATCH (c:Conversation)
WHERE c.project IS NULL AND c.user_id IS NULL AND c.uuid IS NOT NULL
  AND coalesce(c.status IN ['active', 'archived'], true)
RETURN c.uuid AS uuid
ORDER BY uuid

// name: continued_conversations
// Of the owner's conversations that changed last, in the order of the index, those with more messages than were ever given
// a place: somebody wrote into them past this library.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL
WITH c ORDER BY c.user_id DESC, c.project DESC, c.updated_at DESC LIMIT $limit
WITH c
WHERE c.status <> 'deleting' AND COUNT { (c)-[:HAS_MESSAGE]->() } > c.head_seq - coalesce(c.lineage_tops[-1], 0)
RETURN c.uuid AS uuid
ORDER BY uuid

// part: claimable
// Of c: it is nobody's, or this owner's.
  (c.user_id IS NULL AND c.project IS NULL OR c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting')

// name: unclaimed_messages
// The next messages without a place, in the order in which they were said; of one moment, in that in which they were
// made (a longer element id is a later one).
MATCH (c:Conversation {uuid: $conversation_id})
WHERE
// include: claimable
RETURN coalesce(c.head_seq, 0) AS head, c.title AS title, COLLECT {
  MATCH (c)-[:HAS_MESSAGE]->(m:Message)
  WHERE m.seq IS NULL AND m.uuid IS NOT NULL
  WITH m ORDER BY m.timestamp, size(elementId(m)), elementId(m) LIMIT $limit
  RETURN m {.uuid, .role, .content, .reasoning, .token_count, .model, .usage, .metadata, .timestamp, tool_calls: COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
    WHERE call.uuid IS NOT NULL
    WITH call, result ORDER BY call.index, call.timestamp, size(elementId(call)), elementId(call)
    RETURN call {.uuid, .tool_name, .arguments, .duration_ms, success: coalesce(call.success, result.success, true),
      .timestamp, result: result.result, error: result.error} AS call
  }} AS message
} AS messages

// name: claim_messages
// at once
// From here on the conversation is the owner's, and these messages have their place behind what is there: as if they had
// been imported, but under their own uuids and times, since whoever made them may go on. Whoever comes second finds that
// the head is another and writes nothing. Times that are none of the database's are given as text ($created_at, $said_at).
MATCH (c:Conversation {uuid: $conversation_id})
WHERE
// include: claimable
CALL (c) {
  CALL (c) {
    RETURN c AS n
    UNION
    UNWIND $messages AS row
    MATCH (n:Message {uuid: row.uuid})
    RETURN n
    UNION
    UNWIND $messages AS row
    UNWIND row.tool_calls AS step
    MATCH (n:ToolCall {uuid: step.uuid})
    RETURN n
    UNION
    UNWIND $messages AS row
    UNWIND row.tool_calls AS step
    MATCH (:ToolCall {uuid: step.uuid})-[:PRODUCED_RESULT]->(n:ToolResult)
    RETURN n
    UNION
    UNWIND $messages AS row
    MATCH (n:Message {uuid: row.corrects.uuid})
    RETURN n
  }
  // include: locks
}
WITH DISTINCT c, coalesce(c['head_seq'], 0) AS head
WHERE head = $head AND coalesce(c['status'] <> 'deleting', true)
SET c.user_id = $user_id, c.project = $project, c.owner_token = $owner_token,
  c.head_seq = head + size($messages),
  c.message_count = head + size($messages) - coalesce(c['lineage_tops'][-1], 0),
  c.token_total = coalesce(c['token_total'], 0) + $tokens,
  c.summarized_seq = coalesce(c['summarized_seq'], 0), c.extracted_seq = coalesce(c['extracted_seq'], 0),
  c.status = coalesce(c['status'], 'active'), c.tags = coalesce(c['tags'], []),
  c.created_at = CASE WHEN c['created_at'] IS :: ZONED DATETIME NOT NULL THEN c['created_at']
    ELSE coalesce(datetime($created_at), datetime()) END,
  c.updated_at = CASE WHEN c['updated_at'] IS :: ZONED DATETIME NOT NULL AND c['updated_at'] >= coalesce(datetime($said_at), c['updated_at'])
    THEN c['updated_at'] ELSE coalesce(datetime($said_at), c['created_at'], datetime()) END
FOREACH (_ IN CASE WHEN c['title'] IS NULL AND $title IS NOT NULL THEN [1] ELSE [] END |
  SET c.title = $title, c.title_source = $title_source)
FOREACH (_ IN CASE WHEN size($messages) > 0 THEN [1] ELSE [] END | SET c:PendingEmbedding)
FOREACH (_ IN CASE WHEN c['head_seq'] - c['summarized_seq'] >= $summarize_every OR c['title_source'] = 'provisional'
  THEN [1] ELSE [] END | SET c:PendingSummary)
WITH c, head
CALL (c, head) {
  UNWIND $messages AS row
  MATCH (m:Message {uuid: row.uuid})
  WHERE m.seq IS NULL
  SET m += row.properties, m.conversation_id = c.uuid, m.user_id = $user_id, m.project = $project,
    m.owner_token = $owner_token, m.seq = head + row.place, m.timestamp = coalesce(datetime(row.timestamp), m.timestamp)
  FOREACH (_ IN CASE WHEN row.blank THEN [] ELSE [1] END | SET m:PendingEmbedding)
  FOREACH (_ IN CASE WHEN row.kind IS NULL AND row.properties.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
  FOREACH (_ IN CASE WHEN row.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
  FOREACH (_ IN CASE WHEN row.kind IS NULL AND row.corrects IS NULL THEN [] ELSE [1] END | SET m:PendingMemory)
  WITH m, row
  CALL (m, row) {
    UNWIND row.tool_calls AS step
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall {uuid: step.uuid})-[:PRODUCED_RESULT]->(result:ToolResult)
    SET call += step.call, call.timestamp = coalesce(datetime(step.timestamp), call.timestamp),
      result.tool_call_id = call.uuid, result.success = call.success, result.result_size_bytes = step.size,
      result.timestamp = CASE WHEN result.timestamp IS :: ZONED DATETIME NOT NULL THEN result.timestamp ELSE call.timestamp END,
      result.uuid = coalesce(result.uuid, step.result_uuid)
    RETURN count(*) AS called
  }
  WITH m, row WHERE row.corrects IS NOT NULL
  MATCH (x:Message {uuid: row.corrects.uuid, conversation_id: m.conversation_id})
  CREATE (m)-[:CORRECTS {how: row.corrects.how}]->(x)
}
RETURN head AS head
