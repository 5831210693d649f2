// name: important_said
// What an owner has that must not get lost (decisions, errors, edits, what was marked), the newest first, from behind a
// place on; what was imported without times has one time, so that the place is of three. What living branches share of
// a deleted conversation is told as that of the one updated last.
MATCH (m:Important)
WHERE m.user_id = $user_id AND m.project = $project
  AND ($since IS NULL OR m.timestamp >= datetime($since))
  AND ($before IS NULL OR m.timestamp < datetime($before) OR m.timestamp = datetime($before)
    AND (m.conversation_id < $before_conversation OR m.conversation_id = $before_conversation AND m.seq < $before_seq))
WITH m
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC
LIMIT $limit
MATCH (held:Conversation {uuid: m.conversation_id})
WITH m,
// include: living
RETURN m {.uuid, conversation_id: coalesce(c.uuid, m.conversation_id), .seq, .role, .content, .in_reply_to, .importance,
    .trust, .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  m.conversation_id AS stored, c IS NULL AS gone, c.title AS title, coalesce(c.status = 'archived', false) AS archived
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC
