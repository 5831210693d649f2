// part: anothers
// Of x: it is another owner's than this one's.
  NOT (coalesce(x.user_id, '') IN ['', $user_id] AND coalesce(x.project, '') IN ['', $project])

// part: anothers_inside
// Of c: something in it is another owner's.
  EXISTS {
    (c)-[:HAS_MESSAGE|HAS_SUMMARY|HAS_INSIGHT|MADE_TOOL_CALL|PRODUCED_RESULT*1..3]->(x)
    WHERE
    // include: anothers
  }

// part: unplaced
// Of m: no place was given to it here (whatever it says of one), it can be found by its uuid, and nothing of it is another
// owner's.
  m.owner_token IS NULL AND m.uuid IS :: STRING NOT NULL AND NOT EXISTS {
    (m)-[:MADE_TOOL_CALL|PRODUCED_RESULT*0..2]->(x)
    WHERE
    // include: anothers
  }

// part: claimable
// Of c: it is nobody's, as all that is in it, or this owner's.
  (c.user_id IS NULL AND c.project IS NULL AND NOT
  // include: anothers_inside
  OR c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting')

// name: nobodys_conversations
// Conversations that nobody owns, as document 3's own Cypher makes them; one that has something of an owner is none.
// Once an opening: nothing indexes what is not there, so this looks at every conversation of the server, and at one
// property of each.
MATCH (c:Conversation)
WHERE c.project IS NULL AND c.user_id IS NULL AND c.uuid IS :: STRING NOT NULL
  AND coalesce(c.status IN ['active', 'archived'], true) AND NOT
// include: anothers_inside
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
  AND EXISTS {
    (c)-[:HAS_MESSAGE]->(m:Message)
    WHERE
    // include: unplaced
  }
RETURN c.uuid AS uuid
ORDER BY uuid

// name: clear_places
// at once
// Some of the places that another program wrote, into what has none of ours: in messages of the conversation, and in those
// of others that say that they are its. They would be in the way of ours, or be shown beside them.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE
// include: claimable
SET c.uuid = $conversation_id
WITH c
CALL (c) {
  CALL (c) {
    MATCH (c)-[:HAS_MESSAGE]->(m:Message)
    RETURN m
    UNION
    MATCH (m:Message {conversation_id: c.uuid})
    WHERE m.seq IS NOT NULL
    RETURN m
  }
  WITH DISTINCT m WHERE m.seq IS NOT NULL AND
  // include: unplaced
  WITH m AS n LIMIT $limit
  // include: locks
  REMOVE n.seq
  RETURN count(n) AS cleared
}
RETURN cleared

// name: unclaimed_times
// What a conversation has of messages without a place, in the order in which they were made (a longer element id is a
// later one), each with its time: as another program wrote it, which no database puts in order.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE
// include: claimable
MATCH (c)-[:HAS_MESSAGE]->(m:Message)
WHERE
// include: unplaced
WITH DISTINCT m, elementId(m) AS made
RETURN m.uuid AS uuid, m.timestamp AS timestamp
ORDER BY size(made), made

// name: unclaimed_messages
// These messages, in this order, as far as they have no place. Where a conversation is nobody's yet, what it says of places
// is not ours.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE
// include: claimable
RETURN CASE WHEN c.user_id IS NULL THEN 0 ELSE c.head_seq END AS head, c.user_id IS NULL AS is_nobodys, c.title AS title, COLLECT {
  UNWIND range(0, size($uuids) - 1) AS place
  MATCH (m:Message {uuid: $uuids[place]})
  WHERE
  // include: unplaced
  WITH m, place ORDER BY place
  RETURN m {.uuid, .role, .content, .reasoning, .token_count, .model, .usage, .metadata, .timestamp, tool_calls: COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)
    WHERE call.uuid IS :: STRING NOT NULL
    WITH DISTINCT call ORDER BY call.index, call.timestamp, size(elementId(call)), elementId(call)
    RETURN call {.uuid, .tool_name, .arguments, .duration_ms, .success, .timestamp, outcome: head(COLLECT {
      MATCH (call)-[:PRODUCED_RESULT]->(result:ToolResult)
      WITH result ORDER BY size(elementId(result)), elementId(result)
      RETURN result {.success, .result, .error} AS outcome
    })} AS call
  }} AS message
} AS messages

// name: claim_messages
// at once
// From here on the conversation is the owner's, and these messages have their place behind what is there: as if they had
// been imported, but under their own uuids and times, since whoever made them may go on. Whoever comes second finds that
// the head, or the owner of one without messages, is another and writes nothing. A call that nothing came of gets a result
// that says so. Times that are none of the database's are given as text ($created_at, $said_at).
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
// What was read of it before the locks is not looked at again.
WITH DISTINCT c
SET c.uuid = $conversation_id
WITH c, CASE WHEN c['user_id'] IS NULL THEN 0 ELSE c['head_seq'] END AS head
WHERE head = $head AND coalesce(c['status'] <> 'deleting', true)
  AND (c['user_id'] IS NULL) = $is_nobodys
FOREACH (_ IN CASE WHEN c['user_id'] IS NULL THEN [1] ELSE [] END |
  REMOVE c.lineage_ids, c.lineage_tops, c.token_total, c.compressed_total, c.summary_seq, c.summarized_seq,
    c.extracted_seq, c.episode_seq, c.settled_seq)
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
  WHERE m.owner_token IS NULL
  SET m += row.properties, m.conversation_id = c.uuid, m.user_id = $user_id, m.project = $project,
    m.owner_token = $owner_token, m.seq = head + row.place, m.timestamp = coalesce(datetime(row.timestamp), m.timestamp)
  FOREACH (_ IN CASE WHEN row.blank THEN [] ELSE [1] END | SET m:PendingEmbedding)
  FOREACH (_ IN CASE WHEN row.kind IS NULL AND row.properties.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
  FOREACH (_ IN CASE WHEN row.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
  FOREACH (_ IN CASE WHEN row.kind IS NULL AND row.corrects IS NULL THEN [] ELSE [1] END | SET m:PendingMemory)
  WITH m, row
  CALL (m, row) {
    UNWIND row.tool_calls AS step
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall {uuid: step.uuid})
    FOREACH (_ IN CASE WHEN EXISTS { (call)-[:PRODUCED_RESULT]->(:ToolResult) } THEN [] ELSE [1] END |
      CREATE (call)-[:PRODUCED_RESULT]->(:ToolResult {uuid: step.result_uuid, error: step.error}))
    WITH call, step
    MATCH (call)-[:PRODUCED_RESULT]->(result:ToolResult)
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
