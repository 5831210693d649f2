// name: important_said
// What an owner has that must not get lost (decisions, errors, edits, what was marked), the newest first, from behind a
// place on; what was imported without times has one time. What living branches share of a deleted conversation is told as that of the one updated last.
MATCH (m:Important)
WHERE m.user_id = $user_id AND m.project = $project
  AND ($since IS NULL OR m.timestamp >= datetime($since))
  AND ($before IS NULL OR m.timestamp < datetime($before) OR m.timestamp = datetime($before)
    AND (m.conversation_id < $before_conversation OR m.conversation_id = $before_conversation AND m.seq < $before_seq))
WITH m
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC
LIMIT $limit
MATCH (held:Conversation {uuid: m.conversation_id})
WITH m, CASE WHEN held.status <> 'deleting' THEN held ELSE head(COLLECT {
  MATCH (held)-[:HAS_BRANCH*1..]->(c:Conversation)
  WHERE c.status <> 'deleting'
    AND any(i IN range(0, size(c.lineage_ids) - 1) WHERE c.lineage_ids[i] = held.uuid AND c.lineage_tops[i] >= m.seq)
  WITH c
  ORDER BY c.updated_at DESC, c.uuid
  RETURN c LIMIT 1
}) END AS living
RETURN m {.uuid, conversation_id: coalesce(living.uuid, m.conversation_id), .seq, .role, .content, .in_reply_to,
    .importance, .trust, .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  m.conversation_id AS stored, living IS NULL AS gone, living.title AS title, coalesce(living.status = 'archived', false) AS archived
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC
