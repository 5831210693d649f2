// name: claim_extractions
// at once
// Messages that may say something to be remembered, the oldest first, ours for so many seconds: a crash loses none, and
// two processes never have the same. A question waits for its answer, unless none is coming. What is claimed is locked
// first, and looked at again: another may have had it meanwhile.
MATCH (m:PendingExtraction)
WHERE m.user_id = $user_id AND m.project = $project AND (m.extract_until IS NULL OR m.extract_until < datetime())
MATCH (c:Conversation {uuid: m.conversation_id})
WHERE c.status <> 'deleting' AND c.import_token IS NULL AND ($filed OR c.file_path IS NULL)
  AND (m.role <> 'user' OR m.state = 'unanswered' OR m.timestamp < datetime() - duration({seconds: $patience}) OR EXISTS {
    MATCH (a:Message {conversation_id: m.conversation_id})
    WHERE a.seq > m.seq AND a.seq <= m.seq + $near AND a.in_reply_to = m.uuid
  })
WITH m ORDER BY m.timestamp, m.conversation_id, m.seq LIMIT $limit
WITH m, m.uuid AS uuid ORDER BY uuid
SET m.uuid = uuid
WITH m WHERE m['extract_until'] IS NULL OR m['extract_until'] < datetime()
SET m.extract_token = $token, m.extract_until = datetime() + duration({seconds: $seconds}),
  m.extract_attempts = coalesce(m.extract_attempts, 0) + 1
RETURN m.uuid AS uuid

// name: claimed_extractions
// What was claimed, each with its answer and with the tools of both.
MATCH (m:PendingExtraction)
WHERE m.user_id = $user_id AND m.project = $project AND m.extract_token = $token
MATCH (c:Conversation {uuid: m.conversation_id})
CALL (m) {
  OPTIONAL MATCH (a:Message {conversation_id: m.conversation_id})
  WHERE a.seq > m.seq AND a.seq <= m.seq + $near AND a.in_reply_to = m.uuid
  RETURN a ORDER BY a.seq LIMIT 1
}
WITH m, c, a ORDER BY m.timestamp, m.conversation_id, m.seq
RETURN m {.uuid, .conversation_id, .role, .content, .kind, .importance, said_at: toString(m.timestamp)} AS message,
  a {.uuid, .conversation_id, .content, .echo} AS answer, m.extract_attempts AS attempts, c.message_count AS messages,
  COLLECT { MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall) RETURN DISTINCT call.tool_name ORDER BY call.tool_name } AS tools,
  COLLECT {
    MATCH (a)-[:MADE_TOOL_CALL]->(call:ToolCall)
    OPTIONAL MATCH (call)-[:PRODUCED_RESULT]->(result:ToolResult)
    RETURN [call.tool_name, call.success, left(result.result, 300)]
  } AS answer_tools

// name: finish_extraction
// at once
// A message was looked at, and what it states is noted, under the user's lock: once, whoever says it again. What was
// noted before lives on for as long as a new note would; what was forgotten stays so. The other way round ("a before b")
// it takes the place of what was only noted, and leaves what the user ordered to be remembered. Fenced by the claim.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    MATCH (n:Message {uuid: $uuid})
    RETURN n
    UNION
    UNWIND $notes AS row
    MATCH (n:Memory {words_key: row.words_key})
    RETURN n
    UNION
    UNWIND CASE WHEN size($notes) = 0 THEN [] ELSE [1] END AS some
    MATCH (:Message {uuid: $uuid})-[:ANCHORED_AT]->(n:CodeAnchor)
    RETURN n
  }
  // include: locks
}
WITH u
MATCH (m:Message {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project = $project AND m['extract_token'] = $token
REMOVE m:PendingExtraction
SET m.extract_token = null, m.extract_attempts = null
WITH u, m
CALL (u, m) {
  UNWIND $notes AS row
  CALL (u, m, row) {
    OPTIONAL MATCH (alike:Memory {words_key: row.words_key})
    WHERE alike.user_id = $user_id AND alike.project = $project
    WITH alike ORDER BY alike.order_key = row.order_key DESC, alike.is_active DESC LIMIT 1
    WITH alike, CASE WHEN alike IS NULL THEN 'new' WHEN alike.order_key = row.order_key THEN 'known'
      WHEN alike.source = row.properties.source OR NOT alike.is_active THEN 'turned' ELSE 'kept' END AS is
    FOREACH (_ IN CASE WHEN is = 'known' AND alike.tier = 'short' AND alike.is_active THEN [1] ELSE [] END |
      SET alike.expires_at = datetime() + duration({seconds: row.ttl}))
    FOREACH (_ IN CASE WHEN is IN ['new', 'turned'] THEN [1] ELSE [] END |
      CREATE (u)-[:HAS_MEMORY]->(new:Memory:AgingMemory:PendingEmbedding)-[:DERIVED_FROM]->(m)
      SET new = row.properties, new.uuid = row.uuid, new.user_id = $user_id, new.project = $project,
        new.owner_token = $owner_token, new.words_key = row.words_key, new.order_key = row.order_key,
        new.created_at = m.timestamp, new.use_count = 0, new.is_active = true,
        new.due_at = datetime() + duration({seconds: $pause}),
        new.expires_at = CASE WHEN row.properties.tier = 'short' THEN datetime() + duration({seconds: row.ttl}) END
      FOREACH (old IN CASE WHEN is = 'turned' AND alike.is_active THEN [alike] ELSE [] END |
        SET old.is_active = false, old.archived_at = m.timestamp
        CREATE (old)-[:SUPERSEDED_BY {how: 'corrects'}]->(new))
    )
    RETURN is
  }
  WITH row, is WHERE is IN ['new', 'turned']
  MATCH (note:Memory {uuid: row.uuid})
  FOREACH (a IN COLLECT { MATCH (m)-[:ANCHORED_AT]->(x:CodeAnchor) RETURN DISTINCT x ORDER BY x.uuid } |
    SET note.tags = note.tags + CASE WHEN a.name IN note.tags THEN [] ELSE [a.name] END
    MERGE (note)-[:ABOUT]->(a))
  RETURN count(DISTINCT note) AS stored
}
RETURN stored

// name: release_extractions
// What is not looked at after all is anybody's at once.
MATCH (m:PendingExtraction)
WHERE m.user_id = $user_id AND m.project = $project AND m.extract_token = $token
WITH m, m.uuid AS uuid ORDER BY uuid
SET m.uuid = uuid
WITH m WHERE m['extract_token'] = $token
SET m.extract_until = null, m.extract_token = null

// name: age_memories
// at once
// What was only noted grows old: of the short term it becomes long term where answers used it twice, and goes with its
// edges when its time is over; of the long term it matters half as much after $half_life days without use, and is
// archived below $least. At most so often for a user, by a time on the user that is read under its lock.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u WHERE coalesce(u['maintained_at'] + duration({seconds: $pause}) <= datetime(), true)
SET u.maintained_at = datetime()
WITH u
CALL () {
  MATCH (m:AgingMemory)
  WHERE m.user_id = $user_id AND m.project = $project AND m.due_at <= datetime()
  RETURN m ORDER BY m.due_at LIMIT $limit
}
WITH collect(m.uuid) AS uuids
CALL (uuids) {
  CALL (uuids) {
    UNWIND uuids AS uuid
    MATCH (n:Memory {uuid: uuid})
    RETURN n
    UNION
    UNWIND uuids AS uuid
    MATCH (gone:Memory {uuid: uuid})--(n:User|Message|Memory|CodeAnchor|FactVersion)
    WHERE gone.tier = 'short'
    RETURN n
  }
  // include: locks
}
UNWIND uuids AS uuid
MATCH (m:Memory {uuid: uuid})
WITH m, m['use_count'] AS used, m['tier'] AS tier, m['expires_at'] <= datetime() AS over,
  coalesce(m['base_importance'], m['importance']) AS base,
  duration.inSeconds(coalesce(m['last_used_at'], m['created_at']), datetime()).seconds / 86400.0 AS days
WITH m, tier, base, base * 0.5 ^ (days / $half_life) AS importance,
  CASE WHEN NOT m['is_active'] THEN 'done' WHEN tier = 'long' THEN 'fades' WHEN used >= $uses THEN 'promoted'
    WHEN over THEN 'over' ELSE 'waits' END AS is
FOREACH (_ IN CASE WHEN is = 'waits' THEN [1] ELSE [] END | SET m.due_at = datetime() + duration({seconds: $pause}))
FOREACH (_ IN CASE WHEN is = 'promoted' THEN [1] ELSE [] END |
  SET m.tier = 'long', m.expires_at = null, m.due_at = datetime() + duration({days: 1}))
FOREACH (_ IN CASE WHEN is = 'fades' THEN [1] ELSE [] END |
  SET m.base_importance = base, m.importance = importance, m.due_at = datetime() + duration({days: 1}))
FOREACH (_ IN CASE WHEN is = 'fades' AND importance < $least THEN [1] ELSE [] END |
  SET m.is_active = false, m.archived_at = datetime())
FOREACH (_ IN CASE WHEN is = 'done' OR (is = 'fades' AND importance < $least) THEN [1] ELSE [] END |
  REMOVE m:AgingMemory
  SET m.due_at = null)
FOREACH (_ IN CASE WHEN is = 'over' THEN [1] ELSE [] END |
  FOREACH (version IN COLLECT { MATCH (m)-[:HAS_VERSION]->(v:FactVersion) RETURN v } | DETACH DELETE version)
  DETACH DELETE m)
RETURN is, count(*) AS times
