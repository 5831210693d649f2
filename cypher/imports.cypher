// name: import_messages
// at once
// Batches of conversations that come from elsewhere, with their times; with `fresh` (a list of one) the first of its
// conversation, which it makes. Each names the seq that it follows, so that a repeated write changes nothing. What does
// not fit into one transaction is made under the status that every read hides, and `token` holds off the sweep of what a
// crash left: until import_until, which every batch moves on. The labels are those that appends of the same messages
// leave. Lists and retention go by when it was said last. A call without a time of its own has its message's; times are text, which a driver packs ten times as fast as
// its own times.
UNWIND $batches AS batch
WITH batch ORDER BY batch.conversation_id, batch.after
FOREACH (properties IN batch.fresh |
  MERGE (new:Conversation {uuid: batch.conversation_id})
  ON CREATE SET new += properties, new.created_at = coalesce(datetime(batch.created_at), datetime())
)
WITH batch
MATCH (c:Conversation {uuid: batch.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
  AND CASE WHEN batch.token IS NULL THEN c.status <> 'deleting' ELSE c.import_token = batch.token END
SET c.updated_at = coalesce(datetime(batch.said_at), datetime()), c.import_until = CASE WHEN batch.token IS NULL THEN null
  ELSE datetime() + duration({seconds: $lease}) END
WITH batch, c, c['head_seq'] AS head WHERE batch.token IS NULL OR c['import_token'] = batch.token
FOREACH (_ IN CASE WHEN head = batch.after THEN [1] ELSE [] END |
  SET c.head_seq = batch.after + size(batch.messages), c.message_count = batch.after + size(batch.messages),
    c.token_total = coalesce(c.token_total, 0) + batch.tokens, c:PendingEmbedding
  FOREACH (_ IN CASE WHEN c.head_seq >= $summarize_every OR c.title_source = 'provisional' THEN [1] ELSE [] END |
    SET c:PendingSummary)
  FOREACH (row IN batch.messages |
    CREATE (c)-[:HAS_MESSAGE]->(m:Message)
    SET m = row {.*, tool_calls: null, blank: null, corrects: null, conversation_id: batch.conversation_id, user_id: $user_id,
      project: $project, owner_token: $owner_token, timestamp: coalesce(datetime(row.timestamp), datetime())}
    FOREACH (_ IN CASE WHEN NOT row.blank THEN [1] ELSE [] END | SET m:PendingEmbedding)
    FOREACH (_ IN CASE WHEN row.kind IS NULL AND m.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
    FOREACH (_ IN CASE WHEN m.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
    FOREACH (_ IN CASE WHEN m.kind IS NULL AND row.corrects IS NULL THEN [] ELSE [1] END | SET m:PendingMemory)
    FOREACH (step IN row.tool_calls |
      FOREACH (at IN [coalesce(datetime(step.timestamp), m.timestamp)] |
        CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
        SET call = step.call, call.timestamp = at, result = step.result, result.timestamp = at
      )
    )
  )
)
WITH c, batch
CALL (c, batch) {
  UNWIND batch.messages AS row
  WITH c, row WHERE row.corrects IS NOT NULL
  WITH c, row ORDER BY row.corrects.uuid
  MATCH (x:Message {uuid: row.corrects.uuid})
  WHERE x.conversation_id = c.uuid
  SET x.uuid = row.corrects.uuid
  WITH c, row, x
  MATCH (m:Message {uuid: row.uuid})
  WHERE m.conversation_id = c.uuid AND NOT EXISTS { (m)-[:CORRECTS]->(x) }
  SET m.uuid = row.uuid
  CREATE (m)-[:CORRECTS {how: row.corrects.how}]->(x)
}
RETURN c.uuid AS uuid

// name: finish_import
// at once
// From here on everybody sees it, whole.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.import_token = $token
SET c += $properties, c.status = 'active', c.created_at = coalesce(datetime($created_at), c.created_at)
REMOVE c.import_token, c.import_until
RETURN c.uuid AS uuid

// name: imported_messages
// Of these uuids, which somebody has; of what is this owner's also where, and whether it is an import that still runs
// (for so many seconds, unless it goes on) or what is left of one, which is hidden. What living branches share of a
// deleted conversation is theirs. Nothing is told of another's: what they hold is given a new uuid without a word.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
OPTIONAL MATCH (held:Conversation {uuid: m.conversation_id})
WHERE held.user_id = $user_id AND held.project = $project
WITH m, held,
// include: living
RETURN m.uuid AS uuid, coalesce(c.uuid, held.uuid) AS conversation_id, held IS NOT NULL AND c IS NULL AS hidden,
  CASE WHEN held.import_until > datetime()
    THEN duration.inSeconds(datetime(), held.import_until).seconds + 1 ELSE 0 END AS running
