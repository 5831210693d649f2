// name: archive_family
// What an archive of a conversation holds besides it: what it was branched from, as far as it shares that, and the
// branches that were made of it, parents first. What was deleted and is still shared is part of the family.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
RETURN [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}] AS lineage,
  COLLECT {
    MATCH path = (c)-[:HAS_BRANCH*1..]->(b:Conversation)
    WHERE b.user_id = $user_id AND b.project = $project AND (b.status <> 'deleting' OR b.swept_to = b.kept_to)
    RETURN b.uuid AS uuid ORDER BY length(path), b.created_at, uuid
  } AS branches

// name: archive_conversations
// Every conversation of an owner, parents before their branches; what was deleted and is still shared too.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND (c.status <> 'deleting' OR c.swept_to = c.kept_to)
RETURN c.uuid AS uuid
ORDER BY size(coalesce(c.lineage_ids, [])), c.created_at, uuid

// name: archive_conversation
// Properties as pairs, so that a vector is left where it is and a time comes as text, with all of its nanoseconds; the
// third of each says whether it is one. $last is the last seq that is asked for; none given: its own last.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND (c.status <> 'deleting' OR c.swept_to = c.kept_to)
RETURN [k IN keys(c) WHERE NOT k STARTS WITH 'summary_embedding' |
    [k, CASE WHEN valueType(c[k]) STARTS WITH 'ZONED DATETIME' THEN toString(c[k]) ELSE c[k] END,
      valueType(c[k]) STARTS WITH 'ZONED DATETIME']] AS properties,
  CASE WHEN $vector IS NOT NULL THEN c[$vector] END AS vector,
  head(COLLECT {
    MATCH (parent:Conversation)-[b:HAS_BRANCH]->(c)
    RETURN {parent: parent.uuid, from_seq: b.from_seq, from_message_id: b.from_message_id}
  }) AS branch,
  head(COLLECT {
    MATCH (m:Message {conversation_id: c.uuid})
    WHERE m.seq > 0 AND m.seq <= coalesce($last, c.kept_to, c.head_seq)
    RETURN m.uuid ORDER BY m.seq DESC LIMIT 1
  }) AS last_message_id

// name: archive_sizes
// How many characters each of the next messages has with its results, so that no read brings more than memory holds.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (m:Message {conversation_id: c.uuid})
WHERE m.seq > $after AND m.seq <= $last
WITH m ORDER BY m.seq LIMIT $limit
RETURN m.uuid AS uuid, m.seq AS seq,
  reduce(all = 0, text IN [m.content, m.reasoning, m.provider_parts] | all + coalesce(size(toStringOrNull(text)), 0))
  + reduce(all = 0, one IN COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)
    OPTIONAL MATCH (call)-[:PRODUCED_RESULT]->(result:ToolResult)
    RETURN reduce(own = 0, text IN [call.arguments, result.result, result.error] |
      own + coalesce(size(toStringOrNull(text)), 0))
  } | all + one) AS characters

// name: archive_messages
// A stretch of a conversation's own messages with all that hangs on them. An edge that leads out of what was asked for
// names the other end by its uuid, a scope by its place, since a scope belongs to the code and not to the conversation.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (m:Message {conversation_id: c.uuid})
WHERE m.seq > $after AND m.seq <= $last
WITH m ORDER BY m.seq
RETURN [k IN keys(m) WHERE NOT k STARTS WITH 'embedding' |
    [k, CASE WHEN valueType(m[k]) STARTS WITH 'ZONED DATETIME' THEN toString(m[k]) ELSE m[k] END,
      valueType(m[k]) STARTS WITH 'ZONED DATETIME']] AS properties,
  m:Important AS important, m:PendingMemory AS pending, CASE WHEN $vector IS NOT NULL THEN m[$vector] END AS vector,
  COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)
    RETURN {
      properties: [k IN keys(call) |
        [k, CASE WHEN valueType(call[k]) STARTS WITH 'ZONED DATETIME' THEN toString(call[k]) ELSE call[k] END,
          valueType(call[k]) STARTS WITH 'ZONED DATETIME']],
      result: head(COLLECT {
        MATCH (call)-[:PRODUCED_RESULT]->(x:ToolResult)
        RETURN [k IN keys(x) |
          [k, CASE WHEN valueType(x[k]) STARTS WITH 'ZONED DATETIME' THEN toString(x[k]) ELSE x[k] END,
            valueType(x[k]) STARTS WITH 'ZONED DATETIME']]
      }),
      reads: COLLECT { MATCH (call)-[r:READ]->(a:CodeAnchor) RETURN {anchor: a.uuid, hash: r.hash} },
      reused_from: head(COLLECT { MATCH (call)-[:REUSED_FROM]->(earlier:ToolCall) RETURN earlier.uuid })
    } AS step
    ORDER BY call.index
  } AS tool_calls,
  COLLECT {
    MATCH (m)-[r:REFERENCES_CODE]->(s:Scope)
    RETURN {kind: r.kind, scope_hash: r.scope_hash, commit: r.commit, score: r.score,
      scope: {file: s.file, key: coalesce(s.key, s.qualified_name, s.name), hash: s.hash}} AS tie
    ORDER BY s.file, s.startLine, r.kind
  } AS references,
  COLLECT {
    MATCH (m)-[r:ANCHORED_AT]->(a:CodeAnchor)
    RETURN {anchor: a.uuid, kind: r.kind, scope_hash: r.scope_hash, commit: r.commit, start_line: r.start_line} AS tie
    ORDER BY a.file, a.start_line, r.kind
  } AS anchored,
  COLLECT {
    MATCH (m)-[r:USED_CONTEXT]->(x)
    RETURN {label: CASE WHEN x:Message THEN 'message' WHEN x:Summary THEN 'summary' WHEN x:CodeAnchor THEN 'anchor'
        WHEN x:Memory THEN 'memory' WHEN x:Chunk THEN 'chunk' ELSE 'other' END,
      uuid: x.uuid, tier: r.tier, score: r.score, tokens: r.tokens, cost: r.cost, rank: r.rank, hash: r.hash} AS used
    ORDER BY r.rank
  } AS used,
  COLLECT {
    MATCH (m)-[brought:MERGED_FROM]->(other:Conversation)
    RETURN {uuid: other.uuid, to_seq: brought.to_seq}
  } AS merged_from,
  COLLECT { MATCH (m)-[r:CORRECTS]->(x:Message) RETURN {uuid: x.uuid, how: r.how} } AS corrects

// name: archive_anchors
// The anchors that a conversation's own messages stand on, each with the place of the scope that it stands on now.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (m:Message {conversation_id: c.uuid})
WHERE m.seq > 0 AND m.seq <= $last
CALL (m) {
  MATCH (m)-[:ANCHORED_AT|USED_CONTEXT]->(a:CodeAnchor)
  RETURN a
  UNION
  MATCH (m)-[:MADE_TOOL_CALL]->(:ToolCall)-[:READ]->(a:CodeAnchor)
  RETURN a
}
WITH DISTINCT a
ORDER BY a.file, a.start_line, a.uuid
RETURN [k IN keys(a) WHERE k <> 'held_for' |
    [k, CASE WHEN valueType(a[k]) STARTS WITH 'ZONED DATETIME' THEN toString(a[k]) ELSE a[k] END,
      valueType(a[k]) STARTS WITH 'ZONED DATETIME']] AS properties,
  head(COLLECT {
    MATCH (a)-[r:RESOLVES_TO]->(s:Scope)
    RETURN {status: r.status, changed: r.changed, similarity: r.similarity, commit: r.commit,
      checked_at: toString(r.checked_at), scope: {file: s.file, key: coalesce(s.key, s.qualified_name, s.name), hash: s.hash}}
  }) AS stands

// name: archive_prompts
// What the prompts of a conversation's answers share, by the uuids that their receipts name.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (m:Message {conversation_id: c.uuid})
WHERE m.seq > 0 AND m.seq <= $last AND m.receipt IS NOT NULL
UNWIND ['"instructions":"', '"tools":"'] AS mark
WITH DISTINCT split(split(toStringOrNull(m.receipt), mark)[1], '"')[0] AS uuid
MATCH (kept:Prompt {uuid: uuid})
WHERE kept.user_id = $user_id AND kept.project = $project
RETURN kept.uuid AS uuid, kept.text AS text, toString(kept.created_at) AS created_at
ORDER BY kept.created_at, uuid

// name: archive_summaries
// Those of a conversation and of the stretch that is asked for, the lower levels first: a summary of summaries comes
// behind what it is made of.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (s:Summary {conversation_id: c.uuid})
WHERE s.from_seq > 0 AND s.to_seq <= $last
WITH s ORDER BY s.kind, s.level, s.from_seq
RETURN [k IN keys(s) WHERE NOT k STARTS WITH 'embedding' |
    [k, CASE WHEN valueType(s[k]) STARTS WITH 'ZONED DATETIME' THEN toString(s[k]) ELSE s[k] END,
      valueType(s[k]) STARTS WITH 'ZONED DATETIME']] AS properties,
  CASE WHEN $vector IS NOT NULL THEN s[$vector] END AS vector,
  COLLECT { MATCH (s)-[:SUMMARIZES]->(m:Message) RETURN m.uuid ORDER BY m.seq } AS messages,
  COLLECT { MATCH (s)-[:SUMMARIZES]->(below:Summary) RETURN below.uuid ORDER BY below.from_seq } AS summaries

// name: archive_insights
MATCH (c:Conversation {uuid: $conversation_id})-[:HAS_INSIGHT]->(i:Insight)
WHERE c.user_id = $user_id AND c.project = $project
RETURN [k IN keys(i) WHERE NOT k STARTS WITH 'embedding' |
  [k, CASE WHEN valueType(i[k]) STARTS WITH 'ZONED DATETIME' THEN toString(i[k]) ELSE i[k] END,
    valueType(i[k]) STARTS WITH 'ZONED DATETIME']] AS properties
ORDER BY i.created_at, i.uuid
