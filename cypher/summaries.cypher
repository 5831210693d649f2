// name: due_summaries
// What waits for a summary or for its title, by its label, and for how many milliseconds a lease or a pause after a
// failure still holds it. One that waits for a title alone is due once something was answered. $filed: whether texts in
// files can be read here; what has a file waits for who can.
MATCH (c:PendingSummary)
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting' AND ($filed OR c.file_path IS NULL)
  AND (coalesce(c.title_source, '') <> 'provisional' OR c.head_seq - coalesce(c.summarized_seq, 0) >= $every
    OR EXISTS { MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > 0 AND m.role = 'assistant'
      AND m.state = 'complete' AND coalesce(m.has_text, trim(toStringOrNull(m.content)) <> '', m.content IS NOT NULL) })
RETURN c.uuid AS uuid, c.summary_token IS NOT NULL AS claimed,
  CASE WHEN c.summary_until > datetime() THEN duration.between(datetime(), c.summary_until).milliseconds ELSE 0 END AS wait
ORDER BY wait, c.updated_at DESC
LIMIT $limit

// name: claim_summary
// at once
// SET first, which takes the write lock (REMOVE of what is not there does not), only then the look at the lease: of
// many that come at once one gets it. The database's clock decides when it is over. A claim that is repeated finds its
// own token.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c, c.summary_until IS NULL OR c.summary_until < datetime() OR (c.summary_token IS NULL AND $eager)
  OR c.summary_token = $token AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET c.summary_token = $token, c.summary_until = datetime() + duration({milliseconds: $lease}))
RETURN free, c.title AS title, c.title_source AS title_source, c.head_seq AS head_seq, c.summary AS summary,
  [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}] AS shared,
  coalesce(c.summarized_seq, 0) AS summarized_seq, coalesce(c.summary_attempts, 0) AS attempts, c.summary_asked AS asked

// name: renew_summary_lease
// at once
// $asked: a model is about to be asked for the stretch that ends there; whoever finds that mark asks it no second time.
// SET first, which takes the write lock: beside a release the token would still look as ours.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c
WHERE c['status'] <> 'deleting' AND c.summary_token = $token
SET c.summary_until = datetime() + duration({milliseconds: $lease}), c.summary_asked = coalesce($asked, c.summary_asked)
RETURN c.uuid AS uuid

// name: summary_levels
// Which levels of summaries the lineage has, up to $most; an index seek each.
// include: read_lineage
UNWIND range(0, $most) AS level
WITH lineage, level
WHERE EXISTS {
  UNWIND lineage AS l
  MATCH (s:Summary {conversation_id: l.id, kind: 'rolling', level: level})
  WHERE s.from_seq > 0 AND s.to_seq <= l.top
}
RETURN level

// name: rolling_summaries
// Those of one level above a seq, oldest first. A branch may use what its lineage has up to where it was left; where
// both have summarised a stretch, its own comes first.
// include: read_lineage
UNWIND range(0, size(lineage) - 1) AS part
WITH part, lineage[part] AS l
MATCH (s:Summary {conversation_id: l.id, kind: 'rolling', level: $level})
WHERE s.from_seq > $floor AND s.to_seq <= l.top AND ($before IS NULL OR s.created_at <= datetime($before))
RETURN s {.uuid, .conversation_id, .user_id, .project, .kind, .level, .from_seq, .to_seq, .content, .token_count,
  .tokens_saved, .model, created_at: toStringOrNull(s.created_at)} AS summary
ORDER BY s.from_seq, part DESC

// name: stretch_messages
// The messages of a lineage from one seq to another, as much of them as a summary needs. What other tools keep in blocks
// comes whole.
// include: read_lineage
UNWIND lineage AS l
MATCH (m:Message {conversation_id: l.id})
WHERE m.seq >= $from_seq AND m.seq <= $to_seq AND m.seq <= l.top
WITH m ORDER BY m.seq
RETURN m {.uuid, .conversation_id, .seq, .role, .state, .in_reply_to, .token_count, .trust,
  content: CASE WHEN m.content IS :: STRING THEN left(m.content, $characters) ELSE m.content END,
  timestamp: toStringOrNull(m.timestamp), tool_calls: COLLECT {
    MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
    RETURN call {.uuid, .message_id, .index, .tool_name, .arguments, .success, .iteration,
      timestamp: toStringOrNull(call.timestamp), error: result.error,
      result: CASE WHEN result.result IS :: STRING THEN left(result.result, $characters) ELSE result.result END} AS call
    ORDER BY call.index
  }} AS message

// name: write_summary
// Fenced: a worker whose lease was taken over, or whose watermark is not the conversation's any more, changes nothing.
// The summary, what it covers, the watermark and the conversation's copy are one write.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c
WHERE c['status'] <> 'deleting' AND c.summary_token = $token AND coalesce(c.summarized_seq, 0) = $watermark
MERGE (s:Summary {conversation_id: c.uuid, kind: 'rolling', level: $level, from_seq: $from_seq})
ON CREATE SET s += $properties, s.user_id = c.user_id, s.project = c.project, s.created_at = datetime()
WITH c, s, s.uuid AS uuid
SET s.uuid = uuid
MERGE (c)-[:HAS_SUMMARY]->(s)
SET c.summary = $summary, c.summary_seq = $summary_seq, c.summarized_seq = $new_watermark,
  c.summary_until = datetime() + duration({milliseconds: $lease}),
  c.summary_asked = CASE WHEN c.summary_asked > $properties.to_seq THEN c.summary_asked END
REMOVE c.summary_attempts
SET c:PendingEmbedding, s:PendingEmbedding
WITH s
CALL (s) {
  UNWIND $summaries AS covered
  WITH s, covered ORDER BY covered
  MATCH (below:Summary {uuid: covered})
  WHERE below.user_id = $user_id AND below.project = $project
  WITH s, below, below.uuid AS uuid ORDER BY uuid
  SET below.uuid = uuid
  MERGE (s)-[:SUMMARIZES]->(below)
  RETURN count(*) AS summaries
}
CALL (s) {
  UNWIND $messages AS covered
  WITH s, covered ORDER BY covered
  MATCH (m:Message {uuid: covered})
  WHERE m.user_id = $user_id AND m.project = $project
  WITH s, m, m.uuid AS uuid ORDER BY uuid
  SET m.uuid = uuid
  MERGE (s)-[:SUMMARIZES]->(m)
  RETURN count(*) AS messages
}
RETURN s {.uuid, .conversation_id, .user_id, .project, .kind, .level, .from_seq, .to_seq, .content, .token_count,
  .tokens_saved, .model, created_at: toStringOrNull(s.created_at)} AS summary, messages, summaries

// name: settle_title
// Only in the place of the provisional one: a title that somebody gave meanwhile stays. No title: none was found.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c
WHERE c['status'] <> 'deleting' AND c.summary_token = $token AND c.title_source = 'provisional'
SET c.title = coalesce($title, c.title), c.title_source = CASE WHEN $title IS NULL THEN 'kept' ELSE 'generated' END
REMOVE c.summary_attempts
FOREACH (_ IN CASE WHEN c.summary IS NULL THEN [1] ELSE [] END | SET c:PendingEmbedding)
RETURN c.title AS title

// name: release_summary
// at once
// The lease ends; the label goes only where nothing is left to do, under the lock, so that no append is overlooked.
// After a failure nobody tries again before the pause is over. $broken_off: what a model was asked for was not waited for.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
SET c.uuid = c.uuid
WITH c
WHERE c.summary_token = $token
SET c.summary_attempts = $attempts, c.summary_until = CASE WHEN $pause > 0 THEN datetime() + duration({milliseconds: $pause}) END,
  c.summarized_seq = coalesce($watermark, c.summarized_seq), c.summary = coalesce($summary, c.summary),
  c.summary_seq = coalesce($summary_seq, c.summary_seq), c.summary_asked = CASE WHEN $broken_off THEN c.summary_asked END
REMOVE c.summary_token
FOREACH (_ IN CASE WHEN $summary IS NOT NULL THEN [1] ELSE [] END | SET c:PendingEmbedding)
FOREACH (_ IN CASE WHEN $done AND c.head_seq - coalesce(c.summarized_seq, 0) < $every
    AND coalesce(c.title_source, '') <> 'provisional' THEN [1] ELSE [] END | REMOVE c:PendingSummary)
RETURN c.uuid AS uuid

// name: pending_summary_embeddings
MATCH (s:PendingEmbedding:Summary)
WHERE s.user_id = $user_id AND s.project = $project
RETURN s.uuid AS uuid, s.content AS content
LIMIT $limit

// name: store_summary_embeddings
// at once
// The vector and the end of the waiting in one write; summaries never change.
// include: storing
CALL (moving, moved) {
  WITH moving WHERE NOT moved
  UNWIND $rows AS row
  WITH row, moving ORDER BY row.uuid
  MATCH (s:Summary {uuid: row.uuid})
  WHERE s.user_id = $user_id AND s.project = $project
  WITH s, row, moving, s.uuid AS uuid ORDER BY uuid
  SET s.uuid = uuid
  WITH s, row, moving WHERE s['uuid'] IS NOT NULL
  CALL db.create.setNodeVectorProperty(s, $property, row.vector)
  REMOVE s:PendingEmbedding
  FOREACH (_ IN CASE WHEN moving THEN [1] ELSE [] END | SET s:PendingReembedding)
  RETURN count(*) AS stored
}
RETURN stored, moved

// name: fail_summary_embeddings
// at once
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MATCH (n:PendingEmbedding:Summary {uuid: uuid})
WHERE n.user_id = $user_id AND n.project = $project
// include: failing

// name: count_pending_summary_embeddings
MATCH (s:PendingEmbedding:Summary)
WHERE s.user_id = $user_id AND s.project = $project
RETURN count(s) AS pending
