// name: import_messages
// at once
// Batches of messages that were said elsewhere, with their times; with `fresh` (a list of one) the first of its
// conversation, which it makes. Each names the seq that it follows, so that a repeated write changes nothing, and one
// that somebody else was quicker with writes nothing (`stored`); without a seq they follow whatever there is, but for
// those that are there under their uuids. What does not fit into one transaction is made under the status that every
// read hides, and `token` holds off the sweep of what a crash left: until import_until, which every batch moves on. The
// labels are those that appends of the same messages leave. Lists and retention go by when it was said last. A call
// without a time of its own has its message's; times are text, which a driver packs ten times as fast as its own times.
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
WITH batch, c, c['head_seq'] AS head
WHERE CASE WHEN batch.token IS NULL THEN c['status'] <> 'deleting' ELSE c['import_token'] = batch.token END
WITH batch, c, head, CASE WHEN batch.after IS NULL THEN [row IN batch.messages
    WHERE NOT EXISTS { MATCH (known:Message {uuid: row.uuid})
      WHERE known.conversation_id IN [c.uuid] + coalesce(c.lineage_ids, []) }]
  WHEN head = batch.after THEN batch.messages ELSE [] END AS rows
FOREACH (_ IN CASE WHEN size(rows) > 0 THEN [1] ELSE [] END |
  SET c.head_seq = head + size(rows), c.message_count = coalesce(c.message_count, 0) + size(rows),
    c.token_total = coalesce(c.token_total, 0) + reduce(sum = 0, row IN rows | sum + row.tokens)
  FOREACH (_ IN CASE WHEN c.title IS NULL AND batch.title IS NOT NULL THEN [1] ELSE [] END |
    SET c.title = batch.title, c.title_source = batch.title_source)
  FOREACH (_ IN CASE WHEN c.title_source = 'branch' AND batch.title IS NOT NULL THEN [1] ELSE [] END |
    SET c.title = batch.title
    REMOVE c.title_source)
  FOREACH (_ IN CASE WHEN head < 4 OR batch.token IS NOT NULL THEN [1] ELSE [] END | SET c:PendingEmbedding)
  FOREACH (_ IN CASE WHEN c.head_seq - coalesce(c.summarized_seq, 0) >= $summarize_every
      OR c.title_source = 'provisional' THEN [1] ELSE [] END | SET c:PendingSummary)
  FOREACH (i IN range(0, size(rows) - 1) |
    FOREACH (row IN [rows[i]] |
      CREATE (c)-[:HAS_MESSAGE]->(m:Message)
      SET m = row {.*, tool_calls: null, blank: null, corrects: null, tokens: null, extract: null, tools: null,
        seq: head + i + 1, conversation_id: batch.conversation_id, user_id: $user_id, project: $project,
        owner_token: $owner_token, timestamp: coalesce(datetime(row.timestamp), datetime())}
      FOREACH (_ IN CASE WHEN NOT row.blank THEN [1] ELSE [] END | SET m:PendingEmbedding)
      FOREACH (_ IN CASE WHEN row.kind IS NULL AND m.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
      FOREACH (_ IN CASE WHEN m.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
      FOREACH (_ IN CASE WHEN m.kind IS NULL AND row.corrects IS NULL THEN [] ELSE [1] END | SET m:PendingMemory)
      FOREACH (_ IN CASE WHEN row.extract THEN [1] ELSE [] END | SET m:PendingExtraction)
      FOREACH (_ IN CASE WHEN row.tools THEN [1] ELSE [] END | SET m:PendingToolMemory)
      FOREACH (step IN row.tool_calls |
        FOREACH (at IN [coalesce(datetime(step.timestamp), m.timestamp)] |
          CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
          SET call = step.call, call.timestamp = at, result = step.result, result.timestamp = at
        )
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
  WHERE x.user_id = $user_id AND x.project = $project
  SET x.uuid = row.corrects.uuid
  WITH c, row, x
  MATCH (m:Message {uuid: row.uuid})
  WHERE m.conversation_id = c.uuid AND NOT EXISTS { (m)-[:CORRECTS]->(x) }
  SET m.uuid = row.uuid
  CREATE (m)-[:CORRECTS {how: row.corrects.how}]->(x)
}
RETURN c.uuid AS uuid, all(row IN batch.messages[-1..]
  WHERE EXISTS { MATCH (last:Message {uuid: row.uuid}) WHERE last.conversation_id = c.uuid }) AS stored,
  c.head_seq AS head_seq, CASE WHEN batch.after IS NULL THEN head(COLLECT {
    UNWIND batch.messages AS row
    MATCH (m:Message {uuid: row.uuid})
    WHERE m.conversation_id IN [c.uuid] + coalesce(c.lineage_ids, [])
    RETURN m.seq ORDER BY m.seq LIMIT 1
  }) END AS first_seq

// name: complete_imported
// at once
// Says more of messages that were imported before: the rest of a text, calls, results of calls that were open. What is
// there is known by its hash (`before`), so that a repeated write, or one that somebody else was quicker with, changes
// nothing. A call keeps its uuid, for memories and anchors name it. Whoever has the messages in memory reads them anew
// (`restored_at`).
CALL () {
  CALL () {
    UNWIND $rows AS row
    MATCH (n:Conversation {uuid: row.conversation_id})
    RETURN n
    UNION
    UNWIND $rows AS row
    MATCH (n:Message {uuid: row.uuid})
    RETURN n
    UNION
    UNWIND $rows AS row
    MATCH (:Message {uuid: row.uuid})-[:MADE_TOOL_CALL]->(n:ToolCall)
    RETURN n
    UNION
    UNWIND $rows AS row
    MATCH (:Message {uuid: row.uuid})-[:MADE_TOOL_CALL]->(:ToolCall)-[:PRODUCED_RESULT]->(n:ToolResult)
    RETURN n
  }
  // include: locks
}
UNWIND $rows AS row
MATCH (c:Conversation {uuid: row.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (m:Message {uuid: row.uuid})
WHERE m.conversation_id = c.uuid AND m['source_hash'] = row.before
SET m += row.properties, c.restored_at = datetime()
FOREACH (_ IN CASE WHEN row.reworded THEN [1] ELSE [] END |
  SET m:PendingEmbedding
  REMOVE m:FailedEmbedding)
FOREACH (_ IN CASE WHEN m.kind IS NULL AND m.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
WITH m, row
CALL (m, row) {
  UNWIND row.tool_calls AS step
  OPTIONAL MATCH (m)-[:MADE_TOOL_CALL]->(known:ToolCall)
  WHERE known.index = step.call.index
  OPTIONAL MATCH (known)-[:PRODUCED_RESULT]->(outcome:ToolResult)
  FOREACH (_ IN CASE WHEN outcome IS NULL THEN [] ELSE [1] END |
    FOREACH (given IN [step.result] |
      SET known.success = step.call.success, known.duration_ms = step.call.duration_ms,
        outcome += given {.*, uuid: outcome.uuid, tool_call_id: known.uuid, timestamp: outcome.timestamp}))
  FOREACH (_ IN CASE WHEN known IS NULL THEN [1] ELSE [] END |
    FOREACH (at IN [coalesce(datetime(step.timestamp), m.timestamp)] |
      CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
      SET call = step.call, call.timestamp = at, result = step.result, result.timestamp = at
    )
  )
  RETURN count(*) AS calls
}
RETURN m.uuid AS uuid

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
// (for so many seconds, unless it goes on) or what is left of one, which is hidden; its place there, and how much was
// said of it (`source_hash`). What living branches share of a deleted conversation is theirs. Nothing is told of
// another's: what they hold is given a new uuid without a word.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
OPTIONAL MATCH (held:Conversation {uuid: m.conversation_id})
WHERE held.user_id = $user_id AND held.project = $project
WITH m, held,
// include: living
RETURN m.uuid AS uuid, coalesce(c.uuid, held.uuid) AS conversation_id, held IS NOT NULL AND c IS NULL AS hidden,
  CASE WHEN held IS NULL THEN {} ELSE {holder: held.uuid, seq: m.seq, head_seq: c.head_seq,
    source_hash: m.source_hash, title: CASE WHEN m.seq = 1 THEN c.title END} END AS stored,
  CASE WHEN held.import_until > datetime()
    THEN duration.inSeconds(datetime(), held.import_until).seconds + 1 ELSE 0 END AS running
