// name: append_message
// at once
// The order is the rule: SET on the conversation first, which takes its write lock; then look whether it is there still
// (by c['status']: c.status may be what was read before the lock) and whether the message is known; only then raise
// head_seq and create. Looking before locking doubles messages under a race. The label says that
// a summary is due, or, where $title_source is 'provisional', a better title. $corrects is the earlier message that this
// one is said against, which may be of another conversation.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.updated_at = datetime()
WITH c WHERE c['status'] <> 'deleting'
OPTIONAL MATCH (known:Message {uuid: $uuid})
WHERE known.conversation_id = c.uuid
FOREACH (_ IN CASE WHEN known IS NULL THEN [1] ELSE [] END |
  SET c.head_seq = c.head_seq + 1, c.message_count = c.message_count + 1,
    c.token_total = coalesce(c.token_total, 0) + $tokens
  CREATE (c)-[:HAS_MESSAGE]->(m:Message)
  SET m = $message, m.uuid = $uuid, m.conversation_id = c.uuid, m.user_id = c.user_id, m.project = c.project,
    m.owner_token = c.owner_token, m.seq = c.head_seq,
    m.timestamp = coalesce(datetime($message.timestamp), datetime())
  FOREACH (_ IN CASE WHEN $worded THEN [1] ELSE [] END | SET m:PendingEmbedding)
  FOREACH (_ IN CASE WHEN $worded AND c.message_count <= 4 THEN [1] ELSE [] END | SET c:PendingEmbedding)
  FOREACH (_ IN CASE WHEN c.head_seq - coalesce(c.summarized_seq, 0) >= $summarize_every THEN [1] ELSE [] END |
    SET c:PendingSummary)
  FOREACH (_ IN CASE WHEN $message.kind IS NULL AND $message.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
  FOREACH (_ IN CASE WHEN $message.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
  FOREACH (_ IN CASE WHEN $message.kind IS NULL AND $corrects.uuid IS NULL THEN [] ELSE [1] END | SET m:PendingMemory)
  FOREACH (_ IN CASE WHEN $extract THEN [1] ELSE [] END | SET m:PendingExtraction)
)
FOREACH (_ IN CASE WHEN c.title IS NULL AND $title IS NOT NULL THEN [1] ELSE [] END |
  SET c.title = $title, c.title_source = $title_source
  FOREACH (_ IN CASE WHEN $title_source IS NULL THEN [] ELSE [1] END | SET c:PendingSummary)
)
// A branch that nobody named is told from its siblings by what was asked there first; a model might call it as its parent.
FOREACH (_ IN CASE WHEN c.title_source = 'branch' AND $title IS NOT NULL THEN [1] ELSE [] END |
  SET c.title = $title
  REMOVE c.title_source
)
WITH c, known
CALL (known) {
  WITH known WHERE known IS NULL AND $corrects.uuid IS NOT NULL
  MATCH (x:Message {uuid: $corrects.uuid})
  WHERE x.user_id = $user_id AND x.project = $project
  SET x.uuid = $corrects.uuid
  WITH x
  MATCH (m:Message {uuid: $uuid})
  CREATE (m)-[:CORRECTS {how: $corrects.how}]->(x)
}
RETURN coalesce(known.seq, c.head_seq) AS seq, c.title AS title,
  known.timestamp <> datetime($message.timestamp) AS said_by_another

// name: complete_turn
// at once
// Write 2: the answer, its tool calls with their results and its ties to code, in one statement of one transaction.
// Same order as append_message. Names that the answer mentions are resolved here, against the graph as it is. $told are
// those that the user's message states something about: a decision is tied to its code as an answer is.
// The receipt comes along: an edge to each thing that the prompt held (see RECENT_EDGES). And once for all turns of the
// conversation what they have in common ($prompts is empty where read 1 has seen its edge): what no
// conversation has an edge to is deleted, by whoever deletes the last one. Locks are taken in the order of
// docs/architecture.md: conversation, prompts, summaries, messages, scopes, anchors; the question, and the
// answer where it is known, with the messages that the prompt held, since both may be tied to code.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.updated_at = datetime()
WITH c WHERE c['status'] <> 'deleting'
OPTIONAL MATCH (known:Message {uuid: $uuid})
WHERE known.conversation_id = c.uuid
FOREACH (_ IN CASE WHEN known IS NULL THEN [1] ELSE [] END |
  SET c.head_seq = c.head_seq + 1, c.message_count = c.message_count + 1,
    c.token_total = coalesce(c.token_total, 0) + $tokens
  CREATE (c)-[:HAS_MESSAGE]->(m:Message)
  SET m = $message, m.uuid = $uuid, m.conversation_id = c.uuid, m.user_id = c.user_id, m.project = c.project,
    m.owner_token = c.owner_token, m.seq = c.head_seq,
    m.timestamp = coalesce(datetime($message.timestamp), datetime())
  FOREACH (_ IN CASE WHEN $worded THEN [1] ELSE [] END | SET m:PendingEmbedding)
  FOREACH (_ IN CASE WHEN $worded AND c.message_count <= 4 THEN [1] ELSE [] END | SET c:PendingEmbedding)
  FOREACH (_ IN CASE WHEN c.head_seq - coalesce(c.summarized_seq, 0) >= $summarize_every THEN [1] ELSE [] END |
    SET c:PendingSummary)
  FOREACH (_ IN CASE WHEN $message.importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
  FOREACH (_ IN CASE WHEN size($tool_calls) > 0 THEN [1] ELSE [] END | SET m:PendingToolMemory)
  FOREACH (_ IN CASE WHEN $extract THEN [1] ELSE [] END | SET m:PendingExtraction)
  FOREACH (step IN $tool_calls |
    CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
    SET call = step.call, result = step.result
  )
  FOREACH (prompt IN COLLECT { UNWIND $prompts AS given RETURN given ORDER BY given.uuid } |
    MERGE (kept:Prompt {uuid: prompt.uuid})
    ON CREATE SET kept.user_id = c.user_id, kept.project = c.project, kept.text = prompt.text,
      kept.created_at = datetime()
    SET kept.uuid = prompt.uuid
    MERGE (c)-[:USED_PROMPT]->(kept)
  )
)
WITH c, coalesce(known.seq, c.head_seq) AS seq, known IS NULL AS new
CALL (new) {
  WITH new WHERE new AND size($used_summaries) > 0
  MATCH (m:Message {uuid: $uuid})
  UNWIND $used_summaries AS used
  WITH m, used ORDER BY used.uuid
  MATCH (x:Summary {uuid: used.uuid})
  WHERE x.user_id = $user_id AND x.project = $project
  WITH m, used, x, x.uuid AS uuid ORDER BY uuid
  SET x.uuid = uuid
  CREATE (m)-[:USED_CONTEXT {tier: used.tier, tokens: used.tokens, rank: used.rank, score: used.score,
    cost: used.cost}]->(x)
}
CALL (c, new) {
  UNWIND [{uuid: $uuid}, {uuid: $message.in_reply_to}] + CASE WHEN new THEN $used_messages ELSE [] END AS used
  WITH c, used ORDER BY used.uuid
  MATCH (x:Message {uuid: used.uuid})
  WHERE x.user_id = $user_id AND x.project = $project
  WITH c, used, x, x.uuid AS uuid ORDER BY uuid
  SET x.uuid = uuid
  FOREACH (_ IN CASE WHEN used.tier IS NULL AND x.conversation_id = c.uuid AND x['state'] = 'unanswered'
    THEN [1] ELSE [] END | SET x.state = 'complete')
  WITH used, x WHERE used.tier IS NOT NULL
  MATCH (m:Message {uuid: $uuid})
  CREATE (m)-[:USED_CONTEXT {tier: used.tier, tokens: used.tokens, rank: used.rank, score: used.score,
    cost: used.cost}]->(x)
}
// The memories that the answer used and those that the code will be tied to, in one order: both are locked here.
CALL (new) {
  CALL (new) {
    UNWIND CASE WHEN new THEN $used_memories ELSE [] END AS used
    MATCH (n:Memory {uuid: used.uuid})
    RETURN n
    UNION
    UNWIND [{message: $uuid, names: size($touched) + size($mentions)},
      {message: $message.in_reply_to, names: size($told)}] AS part
    WITH part WHERE part.names > 0
    MATCH (:Message {uuid: part.message})<-[:DERIVED_FROM]-(n:Memory)
    RETURN n
  }
  // include: locks
}
CALL (new) {
  WITH new WHERE new AND size($used_memories) > 0
  MATCH (m:Message {uuid: $uuid})
  UNWIND $used_memories AS used
  MATCH (x:Memory {uuid: used.uuid})
  WHERE x.user_id IN [$user_id, ''] AND x.project IN [$project, '']
  SET x.use_count = coalesce(x.use_count, 0) + 1, x.last_used_at = datetime()
  CREATE (m)-[:USED_CONTEXT {tier: used.tier, tokens: used.tokens, rank: used.rank, score: used.score,
    cost: used.cost}]->(x)
}
CALL (c) {
  UNWIND [{message: $uuid, touched: $touched, mentions: $mentions, files: $mentioned_files, read: $touched},
    {message: $message.in_reply_to, touched: [], mentions: $told, files: $mentioned_files, read: $touched}] AS part
  WITH c, part WHERE size(part.touched) + size(part.mentions) > 0
  MATCH (m:Message {uuid: part.message})
  WHERE m.conversation_id = c.uuid
  OPTIONAL MATCH (p:Project)
  WHERE p.project = $project
  CALL (part) {
    UNWIND part.touched AS tie
    WITH tie ORDER BY tie.scope
    MATCH (s:Scope {uuid: tie.scope})
    WHERE s.project = $project
    RETURN s, tie.kind AS kind
    UNION
    // include: meant
    RETURN s, 'discussed' AS kind
  }
  WITH m, s, kind, p, true AS now
  // include: tied
  RETURN count(*) AS referenced
}
RETURN seq, referenced, c:PendingSummary AS due, c:PendingEmbedding AS topic

// name: turn_context
// Read 1: one statement, bounded by seq, never by ORDER BY and LIMIT alone. A branch's earlier messages are its
// parents', each up to where it was left. What a compression covers is not read again; of what is older than the run
// of recent messages the decisions that hold and the newest important ones come, and what shares words with the question ($words; the scope stands
// inside the full-text query, since full text knows no other filter; in a conversation of up to 20,000 messages the words
// are optional beside it, which takes half as long, and what has none of them scores 0). No embedding comes back. Times come as text: the
// driver takes longer to make its own of sixty of them than the server for all the rest. Of the recent messages in
// $known only what may have changed is told, where no conversation of the lineage was restored since. `top` is where the question stands: at $top, or $asked is its uuid and it is
// just being stored; where it is not there yet, behind all.
// include: read_lineage
// What is counted is read before the question is looked for: a question that is stored meanwhile stands behind `counts`.
WITH c, lineage, {head: c.head_seq, total: coalesce(c.token_total, 0)} AS counts
WITH c, lineage, counts, CASE WHEN $top IS NULL THEN head(COLLECT {
  MATCH (q:Message {uuid: $asked})
  WHERE any(l IN lineage WHERE q.conversation_id = l.id AND q.seq <= l.top)
  RETURN q.seq
}) ELSE $top END AS stored
WITH c, lineage, counts, stored, coalesce(stored, counts.head + 1) AS top, COLLECT {
  UNWIND lineage AS l
  MATCH (held:Conversation {uuid: l.id})
  RETURN l.id + ' ' + coalesce(toStringOrNull(held.restored_at), '')
} AS restored
WITH c, lineage, counts, stored, top, restored, CASE WHEN restored = $known_restored THEN $known ELSE [] END AS known
WITH c, lineage, counts, stored, top, restored, known, head(COLLECT {
  UNWIND lineage AS l
  MATCH (s:Summary {conversation_id: l.id, kind: 'compression', level: 1})
  WHERE s.from_seq > 0 AND s.to_seq <= l.top AND s.to_seq < top
  WITH s ORDER BY s.to_seq DESC LIMIT 1
  RETURN s {.uuid, .conversation_id, .user_id, .project, .kind, .level, .from_seq, .to_seq, .content, .token_count,
    .tokens_saved, .model, created_at: toStringOrNull(s.created_at)} AS summary
}) AS compression
WITH c, lineage, counts, stored, top, restored, known, compression,
  CASE WHEN compression.to_seq > top - $recent - 1 THEN compression.to_seq ELSE top - $recent - 1 END AS floor
CALL (c, lineage, floor) {
  WITH c, lineage, floor WHERE $words IS NOT NULL AND floor > 0
  CALL db.index.fulltext.queryNodes('message_text_index', '+owner_token:' + $owner_token + '^0 +conversation_id:('
    + reduce(ids = '', l IN lineage | ids + ' "' + replace(replace(l.id, '"', ''), '\\', '') + '"') + ')^0 '
    + CASE WHEN c.head_seq <= 20000 THEN '' ELSE '+' END + $words, {limit: $candidates})
  YIELD node AS m, score
  WHERE score > 0 AND m.seq <= floor AND m.uuid <> coalesce($asked, '') AND any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
  WITH m, score ORDER BY score DESC LIMIT $relevant
  RETURN collect({score: score, message: m {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state,
    .in_reply_to, .model, .importance, .trust, .kind, .echo, timestamp: toStringOrNull(m.timestamp)}}) AS found
}
RETURN c.summary AS summary, c.summary_seq AS summary_seq, toString(datetime()) AS read_at, compression, found, top,
  stored IS NOT NULL AND stored <= counts.head AS counted, restored,
  // Of what a branch shares its parent may have condensed more since.
  CASE WHEN compression.conversation_id <> c.uuid AND datetime(compression.created_at) > c.created_at
    THEN counts.total * (counts.head - compression.to_seq) / counts.head
    ELSE counts.total - coalesce(c.compressed_total, 0) END AS uncompressed,
  [prompt IN $prompts WHERE NOT EXISTS { MATCH (c)-[:USED_PROMPT]->(:Prompt {uuid: prompt}) }] AS missing,
  COLLECT {
    UNWIND lineage AS l
    CALL (l, floor, compression) {
      // By both: only so the index gives the order, and no more than $important of either are read.
      MATCH (m:Decision {conversation_id: l.id})
      WHERE m.seq > coalesce(compression.to_seq, 0) AND m.seq <= CASE WHEN l.top < floor THEN l.top ELSE floor END
        AND NOT EXISTS {
          (m)<-[:CORRECTS]-(against) WHERE NOT EXISTS { (against)<-[:CORRECTS {how: 'retracts'}]-() }
        }
      RETURN m, 0 AS place ORDER BY m.conversation_id DESC, m.seq DESC LIMIT $important
      UNION ALL
      MATCH (m:Important {conversation_id: l.id})
      WHERE m.seq > coalesce(compression.to_seq, 0) AND m.seq <= CASE WHEN l.top < floor THEN l.top ELSE floor END
      RETURN m, 1 AS place ORDER BY m.conversation_id DESC, m.seq DESC LIMIT $important
    }
    WITH m, place ORDER BY place, m.seq DESC LIMIT $important
    RETURN m {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state, .in_reply_to, .model, .importance,
      .trust, .kind, .echo, timestamp: toStringOrNull(m.timestamp)} AS message
  } AS important,
  COLLECT {
    UNWIND lineage AS l
    MATCH (m:Message {conversation_id: l.id})
    WHERE m.seq > floor AND m.seq < top AND m.seq <= l.top AND m.uuid <> coalesce($asked, '')
    WITH m ORDER BY m.seq
    RETURN CASE WHEN m.uuid IN known THEN m {.uuid, .seq, .state, .importance} ELSE m {.uuid, .conversation_id, .seq,
      .role, .content, .token_count, .state, .in_reply_to, .model, .provider_parts, .importance, .trust, .kind, .echo,
      timestamp: toStringOrNull(m.timestamp), tool_calls: COLLECT {
        MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
        RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
          timestamp: toStringOrNull(call.timestamp), result: result.result, error: result.error,
          result_size_bytes: result.result_size_bytes, truncated: result.truncated} AS call
        ORDER BY call.index
      }} END AS message
  } AS messages

// name: history
// The newest $limit below $top (the head where nothing else is asked), oldest first, of the conversation's lineage. What
// is shared of a conversation that was deleted is told as this one's.
// include: read_lineage
WITH c, lineage, CASE WHEN $before IS NULL THEN c.head_seq + 1
  ELSE head(COLLECT {
    MATCH (b:Message {uuid: $before})
    WHERE any(l IN lineage WHERE b.conversation_id = l.id AND b.seq <= l.top)
    RETURN b.seq
  }) END AS top
RETURN top, COLLECT {
  UNWIND lineage AS l
  WITH l, CASE WHEN EXISTS { MATCH (p:Conversation {uuid: l.id}) WHERE p.status <> 'deleting' } THEN l.id ELSE c.uuid END AS told
  MATCH (m:Message {conversation_id: l.id})
  WHERE m.seq >= top - $limit AND m.seq < top AND m.seq <= l.top
  WITH m, told ORDER BY m.seq
  RETURN m {.uuid, conversation_id: told, .seq, .role, .content, .reasoning, .token_count, .state,
    .in_reply_to, .model, .usage, .provider_parts, .importance, .trust, .kind, .echo, .metadata, .user_id, .project,
    timestamp: toStringOrNull(m.timestamp), tool_calls: CASE WHEN $include_tool_calls THEN COLLECT {
      MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
      RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
        timestamp: toStringOrNull(call.timestamp), result: result.result, error: result.error, result_size_bytes: result.result_size_bytes,
        truncated: result.truncated} AS call
      ORDER BY call.index
    } ELSE [] END,
    references: COLLECT {
      MATCH (m)-[r:ANCHORED_AT|REFERENCES_CODE]->(x)
      WHERE x:CodeAnchor OR NOT EXISTS { MATCH (m)-[:ANCHORED_AT {kind: r.kind}]->(:CodeAnchor)-[:RESOLVES_TO]->(x) }
      OPTIONAL MATCH (x)-[:RESOLVES_TO]->(s:Scope)
      WITH r, x, s, CASE WHEN x:CodeAnchor THEN x END AS a
      WITH r, x, s, a,
      // include: became
      RETURN {name: x.name, qualified_name: x.qualified_name, file: x.file,
        start_line: coalesce(r.start_line, x.start_line, x.startLine),
        now_line: CASE WHEN a IS NULL THEN x.startLine ELSE s.startLine END, kind: r.kind, scope_hash: r.scope_hash,
        commit: r.commit, message_id: m.uuid, scope_id: CASE WHEN a IS NULL THEN x.uuid ELSE s.uuid END,
        status: became.status, changed: became.changed, moved_to_file: became.moved_to_file,
        moved_to_name: became.moved_to_name, candidates: coalesce(became.candidates, [])} AS reference
      ORDER BY reference.kind DESC, reference.file, reference.start_line
    }} AS message
} AS messages

// name: tool_calls
// The newest $limit of the lineage that fit, newest first; the store turns them round. One row for a conversation that
// is there, even without calls, so that none means: not found.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
RETURN COLLECT {
  UNWIND [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
    + [{id: c.uuid, top: 9223372036854775807}] AS l
  MATCH (m:Message {conversation_id: l.id})
  WHERE m.seq >= 0 AND m.seq <= l.top
  MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
  WHERE ($tool_name IS NULL OR call.tool_name = $tool_name) AND ($success IS NULL OR call.success = $success)
  RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
    timestamp: toStringOrNull(call.timestamp), result: result.result, error: result.error,
    result_size_bytes: result.result_size_bytes, truncated: result.truncated} AS call
  ORDER BY m.seq DESC, call.index DESC
  LIMIT $limit
} AS calls

// name: known_messages
// Which of these uuids are messages of this owner, and where; those of others are as unknown as those of nobody.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project
RETURN m.uuid AS uuid, m.conversation_id AS conversation_id

// name: mark_unanswered
// at once
// A question whose turn died before anything of an answer was there.
MATCH (m:Message {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project = $project AND m.role = 'user'
  AND NOT EXISTS { MATCH (answer:Message {conversation_id: m.conversation_id, in_reply_to: m.uuid}) WHERE answer.seq > m.seq }
SET m.state = 'unanswered'
RETURN m.uuid AS uuid

// name: pending_message_embeddings
// The owner's messages that wait for a vector, as the index has them: by node, which is about oldest first. To sort all
// that wait for each batch takes longer than to embed it, where an import has left 100,000. $filed: whether texts in files
// can be read here; those of others wait for who can.
MATCH (m:PendingEmbedding:Message)
WHERE m.user_id = $user_id AND m.project = $project AND ($filed OR m.content IS NOT NULL)
RETURN m.uuid AS uuid, m.conversation_id AS conversation_id, m.content AS content
LIMIT $limit

// part: storing
// Before vectors are stored. Nothing is (`moved`), and what waits goes on waiting, where the project's vectors are another
// model's by now. While they are being moved (`moving`), what is stored waits for the next space too; the lock that is
// taken then, before the model is read, keeps the switch from coming in between. What was deleted while its lock was waited
// for has no uuid any more, read anew as ['uuid'], and is passed over: a procedure that is given it fails for all.
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
FOREACH (_ IN CASE WHEN p.next_model IS NULL THEN [] ELSE [1] END | SET p.touched = datetime())
WITH p.next_model IS NOT NULL AS moving, coalesce([p.model, p.dimension] <> [$space_model, $space_dimension], false) AS moved

// name: store_message_embeddings
// at once
// The vector and the end of the waiting in one write; embedding a message twice changes nothing.
// include: storing
CALL (moving, moved) {
  WITH moving WHERE NOT moved
  UNWIND $rows AS row
  WITH row, moving ORDER BY row.uuid
  MATCH (m:Message {uuid: row.uuid})
  WHERE m.user_id = $user_id AND m.project = $project
  WITH m, row, moving, m.uuid AS uuid ORDER BY uuid
  SET m.uuid = uuid
  WITH m, row, moving WHERE m['uuid'] IS NOT NULL
  CALL db.create.setNodeVectorProperty(m, $property, row.vector)
  REMOVE m:PendingEmbedding
  FOREACH (_ IN CASE WHEN moving THEN [1] ELSE [] END | SET m:PendingReembedding)
  RETURN count(*) AS stored
}
RETURN stored, moved

// part: failing
// After the third failure the node `n` waits no longer; doctor shows it. One that is repeated after its answer was lost
// finds that its attempt was counted.
WITH n, n.uuid AS uuid ORDER BY uuid
SET n.uuid = uuid
WITH n
WHERE coalesce(n['attempt'] <> $attempt, true)
SET n.attempts = coalesce(n.attempts, 0) + 1, n.attempt = $attempt
FOREACH (_ IN CASE WHEN n.attempts >= 3 THEN [1] ELSE [] END | REMOVE n:PendingEmbedding SET n:FailedEmbedding)
RETURN count(*) AS failed

// name: fail_message_embeddings
// at once
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MATCH (n:PendingEmbedding:Message {uuid: uuid})
WHERE n.user_id = $user_id AND n.project = $project
// include: failing

// name: count_pending_message_embeddings
MATCH (m:PendingEmbedding:Message)
WHERE m.user_id = $user_id AND m.project = $project
RETURN count(m) AS pending
