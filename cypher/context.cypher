// name: answered_message
// A message of the lineage (none named: the newest answer), the answer that it is or that it got, and what that answer
// was given. An answer stands at most a few places behind its question; further ones are of turns that overlap. What
// answers nothing, as a merge, is not an answer.
// include: read_lineage
WITH c, lineage, CASE WHEN $message_id IS NULL THEN head(COLLECT {
  UNWIND lineage AS l
  MATCH (newest:Message {conversation_id: l.id})
  WHERE newest.seq > c.head_seq - 50 AND newest.seq <= l.top AND newest.role = 'assistant'
    AND newest.in_reply_to IS NOT NULL
  RETURN newest ORDER BY newest.seq DESC LIMIT 1
}) ELSE head(COLLECT {
  MATCH (named:Message {uuid: $message_id})
  WHERE any(l IN lineage WHERE named.conversation_id = l.id AND named.seq <= l.top)
  RETURN named
}) END AS m
WHERE m IS NOT NULL
WITH c, lineage, m, CASE WHEN m.role <> 'user' THEN m ELSE head(COLLECT {
  UNWIND lineage AS l
  MATCH (a:Message {conversation_id: l.id})
  WHERE a.seq > m.seq AND a.seq <= m.seq + 50 AND a.seq <= l.top AND a.in_reply_to = m.uuid
  RETURN a ORDER BY a.seq LIMIT 1
}) END AS a
RETURN m {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state, .in_reply_to, .model, .usage,
    .importance, .trust, .kind, .echo, .metadata, .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  a {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state, .in_reply_to, .model, .usage, .importance,
    .trust, .kind, .echo, .metadata, .user_id, .project, timestamp: toStringOrNull(a.timestamp)} AS answer,
  a.receipt AS receipt,
  COLLECT {
    MATCH (a)-[u:USED_CONTEXT]->(x)
    RETURN {tier: u.tier, rank: u.rank, score: u.score, tokens: u.tokens, cost: u.cost, labels: labels(x), uuid: x.uuid,
      seq: x.seq, role: x.role, from_seq: x.from_seq, to_seq: x.to_seq, conversation_id: x.conversation_id,
      excerpt: CASE WHEN x.content IS :: STRING THEN left(x.content, 200) ELSE x.content END, timestamp: toStringOrNull(coalesce(x.timestamp, x.created_at))} AS used
    ORDER BY u.rank
  } AS used

// name: messages_at
// The messages at these places of the lineage, those that are still there, with what a prompt needs of them.
// include: read_lineage
UNWIND lineage AS l
UNWIND $seqs AS seq
MATCH (m:Message {conversation_id: l.id, seq: seq})
WHERE m.seq <= l.top
WITH m ORDER BY m.seq
RETURN m {.uuid, .conversation_id, .seq, .role, .content, .token_count, .state, .in_reply_to, .model, .provider_parts,
  .importance, .trust, .kind, .echo, timestamp: toStringOrNull(m.timestamp), tool_calls: COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
    RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
      timestamp: toStringOrNull(call.timestamp), result: result.result, error: result.error,
      result_size_bytes: result.result_size_bytes, truncated: result.truncated} AS call
    ORDER BY call.index
  }} AS message

// name: messages_between
// A stretch of the lineage with its tool calls, bounded by seq.
// include: read_lineage
UNWIND lineage AS l
MATCH (m:Message {conversation_id: l.id})
WHERE m.seq > $floor AND m.seq <= $to_seq AND m.seq <= l.top
WITH m ORDER BY m.seq
RETURN m {.uuid, .conversation_id, .seq, .role, .content, .reasoning, .token_count, .state, .in_reply_to, .model,
  .usage, .provider_parts, .importance, .trust, .kind, .echo, .metadata, .user_id, .project,
  timestamp: toStringOrNull(m.timestamp), tool_calls: COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
    RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
      timestamp: toStringOrNull(call.timestamp), result: result.result, error: result.error,
      result_size_bytes: result.result_size_bytes, truncated: result.truncated} AS call
    ORDER BY call.index
  }} AS message

// name: calls_before_copy
// What tool calls of a conversation that was copied were called before.
UNWIND $uuids AS uuid
MATCH (m:Message)-[:MADE_TOOL_CALL]->(call:ToolCall {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project AND call.source_uuid IS NOT NULL
RETURN uuid, call.source_uuid AS source_uuid

// name: kept_prompts
MATCH (kept:Prompt)
WHERE kept.uuid IN $uuids AND kept.user_id = $user_id AND kept.project = $project
RETURN kept.uuid AS uuid, kept.text AS text

// name: compression
MATCH (s:Summary {uuid: $uuid})
WHERE s.user_id = $user_id AND s.project = $project
RETURN s {.uuid, .conversation_id, .user_id, .project, .kind, .level, .from_seq, .to_seq, .content, .token_count,
  .tokens_saved, .model, created_at: toStringOrNull(s.created_at)} AS summary

// name: keep_compression
// A stretch is condensed once, whoever comes first: SET takes the conversation's lock before the look. What is counted
// from now on is what is not condensed; a compression takes in the one before it.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c WHERE c['status'] <> 'deleting'
MERGE (s:Summary {conversation_id: c.uuid, kind: 'compression', level: 1, from_seq: $from_seq})
ON CREATE SET s += $properties, s.user_id = c.user_id, s.project = c.project, s.created_at = datetime(),
  c.compressed_total = coalesce(c.token_total, 0) - $kept_tokens
WITH c, s, s.uuid AS uuid
SET s.uuid = uuid
MERGE (c)-[:HAS_SUMMARY]->(s)
RETURN s {.uuid, .conversation_id, .user_id, .project, .kind, .level, .from_seq, .to_seq, .content, .token_count,
  .tokens_saved, .model, created_at: toStringOrNull(s.created_at)} AS summary

// name: tool_result
// One call with its whole result, by the message that made it: calls carry no owner of their own.
MATCH (call:ToolCall {uuid: $uuid})-[:PRODUCED_RESULT]->(result:ToolResult)
MATCH (m:Message)-[:MADE_TOOL_CALL]->(call)
WHERE m.user_id = $user_id AND m.project = $project
MATCH (c:Conversation {uuid: m.conversation_id})
WHERE CASE WHEN c.status <> 'deleting' THEN true ELSE EXISTS {
  MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
  WHERE b.status <> 'deleting' AND any(i IN range(0, size(b.lineage_ids) - 1)
    WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
} END
RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .duration_ms, .success, .iteration,
  timestamp: toStringOrNull(call.timestamp), result: result.result, error: result.error,
  result_size_bytes: result.result_size_bytes, truncated: result.truncated} AS call

// name: forget_prompts
// at once
// What the prompts of an owner's conversations share goes with the last conversation whose prompts held it. SET takes the
// lock before the second look: an answer that is being written ties its conversation before or after, never in between.
MATCH (kept:Prompt)
WHERE kept.user_id = $user_id AND kept.project = $project AND NOT EXISTS { MATCH (kept)<-[:USED_PROMPT]-() }
WITH kept, kept.uuid AS uuid ORDER BY uuid
SET kept.uuid = uuid
WITH kept
WHERE NOT EXISTS { MATCH (kept)<-[:USED_PROMPT]-() }
DELETE kept
RETURN count(*) AS forgotten
