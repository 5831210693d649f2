// name: pending_tool_memories
// Answers whose tool calls are no memories yet, the oldest first. $filed: whether texts in files can be read here.
MATCH (m:PendingToolMemory)
WHERE m.user_id = $user_id AND m.project = $project AND ($filed OR m.content IS NOT NULL)
MATCH (c:Conversation {uuid: m.conversation_id})
WHERE c.status <> 'deleting'
WITH m ORDER BY m.timestamp, m.conversation_id, m.seq LIMIT $limit
RETURN m.uuid AS message, m.conversation_id AS conversation_id, COLLECT {
  MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
  RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
    timestamp: toStringOrNull(call.timestamp), error: result.error} AS call
  ORDER BY call.index
} AS calls

// name: remember_tool_calls
// at once
// What is learned of the tool calls of answers, one answer after another under the user's lock: a row with properties is
// a memory, made once and then told anew with each run; one without says that what had failed works by now. A memory is
// of its last run alone: of its message, and about that one's code. What was taken back after a message was written stays
// so. The uuid of a memory is a hash of its owner too. What is locked is not changed, whoever's it is.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL (u) {
  CALL (u) {
    UNWIND $turns AS turn
    WITH turn.message AS uuid ORDER BY uuid
    MATCH (n:Message {uuid: uuid})
    RETURN n
    UNION
    UNWIND $turns AS turn
    WITH turn.message AS uuid ORDER BY uuid
    MATCH (m:Message {uuid: uuid})
    WITH m.in_reply_to AS question ORDER BY question
    MATCH (n:Message {uuid: question})
    RETURN n
    UNION
    UNWIND $turns AS turn
    UNWIND turn.memories AS row
    WITH DISTINCT row.uuid AS uuid ORDER BY uuid
    MATCH (n:Memory {uuid: uuid})
    RETURN n
    UNION
    UNWIND $turns AS turn
    UNWIND turn.memories AS row
    WITH DISTINCT row.uuid AS uuid ORDER BY uuid
    MATCH (:Memory {uuid: uuid})-[:DERIVED_FROM]->(n:Message)
    RETURN n
  }
  // include: locks
}
// A turn may have tied the question or the memory to an anchor until here: they are looked for under those locks.
CALL (u) {
  CALL (u) {
    UNWIND $turns AS turn
    WITH turn.message AS uuid ORDER BY uuid
    MATCH (m:Message {uuid: uuid})
    MATCH (m)-[:ANCHORED_AT]->(n:CodeAnchor)
    RETURN n
    UNION
    UNWIND $turns AS turn
    WITH turn.message AS uuid ORDER BY uuid
    MATCH (m:Message {uuid: uuid})
    WITH m.in_reply_to AS question ORDER BY question
    MATCH (:Message {uuid: question})-[:ANCHORED_AT]->(n:CodeAnchor)
    RETURN n
    UNION
    UNWIND $turns AS turn
    UNWIND turn.memories AS row
    WITH DISTINCT row.uuid AS uuid ORDER BY uuid
    MATCH (:Memory {uuid: uuid})-[:ABOUT]->(n:CodeAnchor)
    RETURN n
  }
  // include: locks
}
UNWIND $turns AS turn
CALL (u, turn) {
  MATCH (m:Message {uuid: turn.message})
  WHERE m:PendingToolMemory AND m.user_id = $user_id AND m.project = $project
  REMOVE m:PendingToolMemory
  WITH m
  UNWIND turn.memories AS row
  OPTIONAL MATCH (known:Memory {uuid: row.uuid})
  WITH m, row, known WHERE known IS NULL OR known.user_id = $user_id AND known.project = $project
  FOREACH (_ IN CASE WHEN row.properties IS NULL AND known.is_active THEN [1] ELSE [] END |
    SET known.is_active = false, known.archived_at = m.timestamp
    REMOVE known:ToolFailure)
  FOREACH (_ IN CASE WHEN known IS NULL AND row.properties IS NOT NULL THEN [1] ELSE [] END |
    CREATE (u)-[:HAS_MEMORY]->(:Memory {uuid: row.uuid, user_id: $user_id, project: $project, owner_token: $owner_token,
      use_count: 0}))
  WITH m, row WHERE row.properties IS NOT NULL
  MATCH (x:Memory {uuid: row.uuid})
  WHERE x.archived_at IS NULL OR x.archived_at < m.timestamp
  SET x += row.properties, x.created_at = m.timestamp, x.last_used_at = m.timestamp, x.use_count = x.use_count + 1,
    x.is_active = true, x.archived_at = null, x.expires_at = m.timestamp + duration(row.lasts)
  FOREACH (_ IN CASE WHEN row.properties.kind = 'tool_failure' THEN [1] ELSE [] END | SET x:ToolFailure)
  FOREACH (old IN COLLECT { MATCH (x)-[old:DERIVED_FROM|ABOUT]->() RETURN old } | DELETE old)
  CREATE (x)-[:DERIVED_FROM]->(m)
  FOREACH (anchor IN COLLECT {
    MATCH (m)-[tie:ANCHORED_AT]->(a:CodeAnchor)
    WHERE CASE WHEN row.about IS NULL THEN tie.kind <> 'discussed'
      ELSE a.name IN row.about OR a.qualified_name IN row.about OR a.file IN row.about END
    RETURN a
    UNION
    MATCH (:Message {uuid: m.in_reply_to})-[:ANCHORED_AT]->(a:CodeAnchor)
    WHERE a.name IN row.about OR a.qualified_name IN row.about OR a.file IN row.about
    RETURN a
  } | CREATE (x)-[:ABOUT]->(anchor))
}
RETURN count(*) AS done

// name: tool_failure
// When a call like this failed last, and how.
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project = $project AND m.is_active
RETURN toString(date(m.created_at)) AS day, m.error AS error
