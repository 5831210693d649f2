// name: begin_erasure
// at once
// Says first that an erasure is due, so that whoever opens this graph next finishes one that was cut off. It says whose and
// of which memory, and nothing of what is erased. As long as its holder lives it is its own.
MERGE (e:Erasure {uuid: $uuid})
ON CREATE SET e:PendingErasure, e.who = $user, e.memory_id = $memory_id, e.project = $of_project,
  e.begun_at = datetime(), e.holder = $holder
RETURN e {.uuid, .who, .memory_id, .project, .counts, .plan, .holder, begun_at: toString(e.begun_at)} AS erasure

// name: release_erasure
// at once
// Anybody may go on with an erasure that its holder could not end.
MATCH (e:PendingErasure {uuid: $uuid})
SET e.holder = null

// name: pending_erasures
// Anybody's: who has asked for an erasure may never come back.
MATCH (e:PendingErasure)
RETURN e {.uuid, .who, .memory_id, .project, .counts, .plan, .holder, begun_at: toString(e.begun_at)} AS erasure
ORDER BY e.begun_at, e.uuid

// name: note_erasure
// at once
// What was counted before the first delete stays, however often an erasure is taken up; `when` is when nothing was left.
MATCH (e:Erasure {uuid: $uuid})
SET e.uuid = $uuid
SET e.counts = coalesce(e.counts, $counts), e.plan = coalesce(e.plan, $plan)
FOREACH (_ IN CASE WHEN $queries IS NULL THEN [] ELSE [1] END |
  SET e.queries = $queries, e.when = coalesce(e.when, datetime())
  REMOVE e:PendingErasure, e.plan, e.holder
)
RETURN e {.uuid, .who, .memory_id, .project, .counts, .plan, .queries, when: toStringOrNull(e.when),
  begun_at: toString(e.begun_at)} AS erasure

// part: of_user
// All labels whose nodes say whose they are.
Conversation|Message|Summary|Insight|Prompt|Memory|MemoryOperation|MemoryQueue|MemoryCount|Document|Chunk|ApiKey|UsageDay|User

// name: count_of_user
// What a user has by label, and what hangs on that without saying whose it is.
MATCH (n:
// include: of_user
)
WHERE n.user_id = $user
WITH n, head([label IN ['Conversation', 'Message', 'Summary', 'Insight', 'Prompt', 'Memory', 'MemoryOperation',
  'MemoryQueue', 'MemoryCount', 'Document', 'Chunk', 'ApiKey', 'UsageDay', 'User']
  WHERE label IN labels(n)]) AS label
RETURN label, count(n) AS nodes, sum(COUNT { (n)-[:MADE_TOOL_CALL]->() }) AS calls,
  sum(COUNT { (n)-[:MADE_TOOL_CALL]->()-[:PRODUCED_RESULT]->() }) AS results, sum(COUNT { (n)-[:HAS_VERSION]->() }) AS versions

// name: projects_of_user
// Every project that a user has anything in.
MATCH (n:
// include: of_user
)
WHERE n.user_id = $user
RETURN DISTINCT coalesce(n.project, '') AS project ORDER BY project

// name: user_conversations
// A user's conversations, those that are being deleted too.
MATCH (c:Conversation)
WHERE c.user_id = $user
RETURN c.uuid AS uuid, c.project AS project, c.file_path AS file_path

// name: hide_conversations
// begin_delete for all that there was before the erasure was asked for: from here on nobody reads or appends. Imports that
// still run find their token gone.
// autocommit
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND coalesce(c.created_at <= datetime($before), true)
WITH c ORDER BY c.uuid
CALL (c) {
  SET c.status = 'deleting'
  REMOVE c.session_id, c.delete_token, c.import_token, c.import_until
} IN TRANSACTIONS OF 200 ROWS

// name: erase_owned
// What an owner has besides conversations, in batches: memories with their versions, operations, shared texts, and what
// has lost its conversation. Locks and loose anchors as in delete_messages.
// autocommit
MATCH (n:
// include: of_user
)
WHERE n.user_id = $user_id AND n.project = $project AND NOT n:Conversation AND NOT n:User
  AND coalesce(coalesce(n.created_at, n.timestamp) <= datetime($before), true)
  AND NOT EXISTS { MATCH (:Conversation {uuid: n.conversation_id}) }
WITH n ORDER BY n.uuid
WITH collect(n) AS owned
UNWIND range(0, size(owned) - 1, 200) AS first
CALL (owned, first) {
  WITH owned[first..first + 200] AS gone
  CALL (gone) {
    CALL (gone) {
      UNWIND gone AS n
      RETURN n
      UNION
      UNWIND gone AS x
      MATCH (x)--(n)
      RETURN n
      UNION
      UNWIND gone AS x
      MATCH (x)-[:MADE_TOOL_CALL]->(:ToolCall)--(n)
      RETURN n
    }
    // include: locks
  }
  UNWIND gone AS x
  FOREACH (anchor IN COLLECT {
    MATCH (x)-[:ABOUT|ANCHORED_AT|USED_CONTEXT]->(a:CodeAnchor)
    RETURN a
    UNION
    MATCH (x)-[:MADE_TOOL_CALL]->(:ToolCall)-[:READ]->(a:CodeAnchor)
    RETURN a
  } | SET anchor:LooseAnchor)
  FOREACH (hanging IN COLLECT {
    MATCH (x)-[:HAS_VERSION|MADE_TOOL_CALL]->(h)
    RETURN h
    UNION
    MATCH (x)-[:MADE_TOOL_CALL]->()-[:PRODUCED_RESULT]->(h)
    RETURN h
  } | DETACH DELETE hanging)
  DETACH DELETE x
} IN TRANSACTIONS OF 1 ROWS

// name: erase_user
// at once
// The user's own node goes last. With a memory, or a plan or preferences, of since the erasure was asked for it has a new
// life, which begins now.
MATCH (u:User {user_id: $user})
SET u.user_id = $user
WITH u, coalesce(u.context_at <= datetime($before), true) AS old
FOREACH (_ IN CASE WHEN old THEN [1] ELSE [] END | REMOVE u.plan, u.preferences, u.context_at)
WITH u, old AND NOT EXISTS { (u)--() } AS ends
FOREACH (_ IN CASE WHEN ends THEN [] ELSE [1] END | SET u.created_at = datetime())
FOREACH (_ IN CASE WHEN ends THEN [1] ELSE [] END | DELETE u)
RETURN count(*) AS found

// name: left_of_user
// Part of a certificate: nodes of a user from before the erasure was asked for.
MATCH (n:
// include: of_user
)
WHERE n.user_id = $user AND coalesce(coalesce(n.created_at, n.timestamp) <= datetime($before), true)
RETURN count(n) AS left

// name: left_hanging
// Part of a certificate: what says not whose it is and hangs on nothing, beyond what there was of anybody's ($known).
CALL () {
  MATCH (n:ToolCall)
  RETURN n
  UNION ALL
  MATCH (n:ToolResult)
  RETURN n
  UNION ALL
  MATCH (n:FactVersion)
  RETURN n
}
WITH n
WHERE NOT EXISTS { (n)<-[:MADE_TOOL_CALL|PRODUCED_RESULT|HAS_VERSION]-() }
  AND coalesce(n.timestamp, n.changed_at) <= datetime($before)
WITH count(n) AS found
RETURN CASE WHEN found > $known THEN found - $known ELSE 0 END AS left

// name: memory_to_erase
// A memory with every text that it ever had, and the messages that state it: an episode only tells of messages, and one
// that was made by itself in their own words.
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
RETURN m.project AS project, m.fact_key AS fact_key,
  CASE WHEN m:Episode AND m.source = 'topic' THEN [] ELSE [m.content, m.value, m.summary] + COLLECT {
    MATCH (m)-[:HAS_VERSION]->(v)
    UNWIND [v.old_value, v.new_value] AS text
    RETURN text
  } END AS texts,
  COLLECT { MATCH (m)-[:HAS_VERSION]->(v) RETURN v.uuid } AS versions,
  COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(x:Message)
    WHERE NOT m:Episode AND x.user_id = $user_id AND (x.project = $project OR m.project = '')
    RETURN x.uuid
  } AS sources,
  COUNT { MATCH (o:MemoryOperation {memory_id: $uuid}) } AS operations

// name: hide_memory
// at once
// Nobody recalls it from here on, whatever else an erasure still has to do.
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
SET m.is_active = false
REMOVE m:Standing
RETURN m.uuid AS uuid

// name: owned_conversations
// All that may quote a memory, parts that branches share of deleted ones too.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL
RETURN c.uuid AS uuid ORDER BY uuid

// name: erasable_texts
// The texts of a conversation in which any of the words stands, and those of the turns that state a memory or were given
// it; $filed: what has its text in a file comes in any case.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
RETURN c.title AS title, c.title_source AS title_source, c.summary AS summary, COLLECT {
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > 0
  WITH m, m.uuid IN $sources OR m.in_reply_to IN $sources AS states, EXISTS { (m)-[:USED_CONTEXT]->(:Memory {uuid: $uuid}) } AS given
  WHERE states OR given OR $filed AND m.content IS NULL
    OR any(word IN $words WHERE any(text IN [m.content, m.reasoning, m.provider_parts, m.metadata]
      WHERE toLower(toStringOrNull(text)) CONTAINS word))
    OR EXISTS {
      MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
      WHERE any(word IN $words WHERE any(text IN [call.arguments, result.result, result.error]
        WHERE toLower(toStringOrNull(text)) CONTAINS word))
    }
  RETURN m {.uuid, .conversation_id, .seq, .content, .reasoning, .provider_parts, .metadata, states: states, given: given,
    tool_calls: COLLECT {
      MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
      RETURN call {.uuid, message_id: m.uuid, .tool_name, .arguments, result: result.result, error: result.error}
    }} ORDER BY m.seq
} AS messages, COLLECT {
  MATCH (s:Summary {conversation_id: c.uuid})
  WHERE s.to_seq > 0 AND any(word IN $words WHERE toLower(toStringOrNull(s.content)) CONTAINS word)
  RETURN [s.from_seq, s.content]
} AS summaries, COLLECT {
  MATCH (c)-[:HAS_INSIGHT]->(i:Insight)
  WHERE any(word IN $words WHERE toLower(toStringOrNull(i.data)) CONTAINS word)
  RETURN i.data
} AS insights

// name: erase_texts
// at once
// Other texts in the place of these, and no vector of them. What states the memory (`whole`) is a note or a decision no
// more. Whoever has the messages in memory reads them anew (`restored_at`).
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
CALL (c) {
  CALL (c) {
    RETURN c AS n
    UNION
    UNWIND $rows AS row
    WITH row ORDER BY row.uuid
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
SET c.restored_at = datetime(), c.title = $title
FOREACH (_ IN CASE WHEN $title IS NULL THEN [1] ELSE [] END | REMOVE c.title_source)
WITH c
UNWIND $rows AS row
MATCH (m:Message {uuid: row.uuid})
WHERE m.conversation_id = c.uuid
SET m += row.properties
FOREACH (name IN [each IN keys(m) WHERE each STARTS WITH 'embedding'] | SET m[name] = null)
REMOVE m:PendingEmbedding:FailedEmbedding:PendingReembedding
FOREACH (_ IN CASE WHEN row.whole THEN [1] ELSE [] END |
  SET m.kind = null
  REMOVE m:Decision:Important:PendingMemory)
FOREACH (_ IN CASE WHEN row.whole THEN [] ELSE [1] END | SET m:PendingEmbedding)
WITH m, row
CALL (m, row) {
  UNWIND row.calls AS each
  MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall {uuid: each.uuid})-[:PRODUCED_RESULT]->(result:ToolResult)
  SET call += each.call, result += each.result
  RETURN count(*) AS calls
}
RETURN count(m) AS changed

// name: erase_summaries
// at once
// Summaries and insights of what a conversation has from a message on, and what its branches have of that, are made again:
// the grid goes forward alone, so those behind go too. The fence of whoever is just making one falls; what a summary is
// tied to is looked for when nobody writes one any more.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
CALL (c) {
  RETURN c AS x
  UNION
  MATCH (c)-[:HAS_BRANCH*1..]->(x:Conversation)
  WHERE any(i IN range(0, size(x.lineage_ids) - 1) WHERE x.lineage_ids[i] = c.uuid AND x.lineage_tops[i] >= $from_seq)
  RETURN x
}
WITH collect(x) AS affected
CALL (affected) {
  UNWIND affected AS n
  // include: locks
}
CALL (affected) {
  CALL (affected) {
    UNWIND affected AS x
    MATCH (x)-[:HAS_INSIGHT]->(n:Insight)
    RETURN n
    UNION
    UNWIND affected AS x
    MATCH (n:Summary {conversation_id: x.uuid})
    WHERE n.to_seq >= $from_seq
    RETURN n
    UNION
    UNWIND affected AS x
    MATCH (s:Summary {conversation_id: x.uuid})
    WHERE s.to_seq >= $from_seq
    MATCH (s)--(n:Summary|Message)
    RETURN n
  }
  // include: locks
}
UNWIND affected AS x
WITH x, COLLECT { MATCH (s:Summary {conversation_id: x.uuid}) WHERE s.to_seq >= $from_seq RETURN s } AS summaries,
  COLLECT { MATCH (x)-[:HAS_INSIGHT]->(i:Insight) RETURN i } AS insights,
  COLLECT { MATCH (s:Summary {conversation_id: x.uuid, kind: 'rolling'}) WHERE s.to_seq < $from_seq RETURN s.to_seq } AS ends
WITH x, summaries, insights, ends, [each IN summaries | each.uuid] AS gone, [each IN insights | each.uuid] AS analysed
FOREACH (each IN summaries | DETACH DELETE each)
FOREACH (each IN insights | DETACH DELETE each)
SET x.summarized_seq = reduce(last = 0, each IN ends | CASE WHEN each > last THEN each ELSE last END)
REMOVE x.summary, x.summary_seq, x.summary_token, x.summary_until, x.summary_asked, x.summary_attempts, x.compressed_total
FOREACH (name IN [each IN keys(x) WHERE each STARTS WITH 'summary_embedding'] | SET x[name] = null)
FOREACH (_ IN CASE WHEN x.status <> 'deleting' AND x.head_seq > 0 THEN [1] ELSE [] END | SET x:PendingSummary:PendingEmbedding)
RETURN x.uuid AS uuid, gone AS summaries, analysed AS insights

// name: erase_topics
// at once
// Episodes that were made by themselves of these messages of a conversation. Who is just making one of it makes none: the
// token is another then. What they are tied to is looked for behind the locks of the user and the conversation.
MERGE (u:User {user_id: $user})
SET u.user_id = $user
WITH u
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
SET c.topic_token = $topic_token
WITH c
CALL (c) {
  CALL (c) {
    UNWIND $messages AS uuid
    WITH uuid ORDER BY uuid
    MATCH (:Message {uuid: uuid, conversation_id: c.uuid})<-[:DERIVED_FROM]-(n:Episode)
    WHERE n.source = 'topic'
    RETURN n
    UNION
    UNWIND $messages AS uuid
    MATCH (:Message {uuid: uuid, conversation_id: c.uuid})<-[:DERIVED_FROM]-(e:Episode)
    WHERE e.source = 'topic'
    MATCH (e)--(n)
    RETURN n
  }
  // include: locks
}
WITH COLLECT {
  UNWIND $messages AS uuid
  MATCH (:Message {uuid: uuid, conversation_id: c.uuid})<-[:DERIVED_FROM]-(e:Episode)
  WHERE e.source = 'topic'
  RETURN DISTINCT e
} AS episodes
WITH episodes, [e IN episodes | e.uuid] AS gone
FOREACH (each IN COLLECT { UNWIND episodes AS e MATCH (e)-[:HAS_VERSION]->(v) RETURN v } | DETACH DELETE each)
FOREACH (each IN episodes | DETACH DELETE each)
RETURN gone

// name: erase_memory
// at once
// The memory with its versions and the operations that made it; who holds an edge to it loses that. What it took the place
// of, and what took its place, are memories of their own. Its edges, and its key, are looked for when nobody else writes
// memories of the user.
CALL () {
  MATCH (u:User {user_id: $user})
  SET u.user_id = $user
}
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
CALL (m) {
  CALL (m) {
    RETURN m AS n
    UNION
    MATCH (m)--(n)
    RETURN n
    UNION
    MATCH (n:MemoryOperation {memory_id: $uuid})
    RETURN n
  }
  // include: locks
}
FOREACH (anchor IN COLLECT { MATCH (m)-[:ABOUT]->(a:CodeAnchor) RETURN a } | SET anchor:LooseAnchor)
FOREACH (each IN COLLECT { MATCH (m)-[:HAS_VERSION]->(v) RETURN v } | DETACH DELETE each)
FOREACH (each IN COLLECT { MATCH (o:MemoryOperation {memory_id: $uuid}) RETURN o } | DETACH DELETE each)
DETACH DELETE m
RETURN count(*) AS erased

// name: left_of_memory
// Part of a certificate: the memory, its versions, and what was derived of it.
UNWIND $gone AS uuid
CALL (uuid) {
  MATCH (n:Memory {uuid: uuid})
  RETURN n
  UNION ALL
  MATCH (n:FactVersion {uuid: uuid})
  RETURN n
  UNION ALL
  MATCH (n:Summary {uuid: uuid})
  RETURN n
  UNION ALL
  MATCH (n:Insight {uuid: uuid})
  RETURN n
}
RETURN count(n) AS left

// name: left_operations
// Part of a certificate: what asked for the memory.
MATCH (n:MemoryOperation {memory_id: $memory_id})
RETURN count(n) AS left

// name: left_statements
// Part of a certificate: messages that stated the memory and still say something.
MATCH (m:Message)
WHERE m.uuid IN $messages AND m.content <> $instead
RETURN count(m) AS left
