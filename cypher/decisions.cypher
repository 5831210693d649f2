// name: important_said
// What an owner has that must not get lost (decisions, errors, edits, what was marked), the newest first, from behind a
// place on; what was imported without times has one time, so that the place is of three. What living branches share of
// a deleted conversation is told as that of the one updated last. The bounds are always there, and the owner stands in
// the order, so that the index gives a page and nothing behind it is read.
// With $about (a name, a file or a folder) and $starts (beginnings of its words, in lower case) only what has all of them
// or is tied to such code is wanted; with $others what may correct it comes along.
MATCH (m:Important)
WHERE m.user_id = $user_id AND m.project = $project
  AND m.timestamp >= datetime(coalesce($since, '0001-01-01T00:00:00Z'))
  AND m.timestamp <= datetime(coalesce($before, '9999-12-31T23:59:59.999999999Z'))
  AND ($before IS NULL OR m.timestamp < datetime($before) OR m.conversation_id < $before_conversation
    OR m.conversation_id = $before_conversation AND m.seq < $before_seq)
WITH m, $about IS NULL OR all(start IN $starts WHERE toLower(m.content) CONTAINS start) OR EXISTS {
    MATCH (m)-[:ANCHORED_AT]->(a:CodeAnchor)
    WHERE '.' + a.qualified_name ENDS WITH '.' + $about OR a.name = $about OR '/' + a.file + '/' CONTAINS $folder
  } OR EXISTS {
    MATCH (m)-[:ANCHORED_AT]->(:CodeAnchor)-[:RESOLVES_TO]->(s:Scope)
    WHERE '.' + s.qualified_name ENDS WITH '.' + $about OR s.name = $about OR '/' + s.file + '/' CONTAINS $folder
  } AS wanted
WHERE wanted OR $others AND (m.role = 'user' OR m.content STARTS WITH $acknowledges)
WITH m, wanted
ORDER BY m.user_id DESC, m.project DESC, m.timestamp DESC, m.conversation_id DESC, m.seq DESC
LIMIT $limit
MATCH (held:Conversation {uuid: m.conversation_id})
WITH m, wanted,
// include: living
RETURN m {.uuid, conversation_id: coalesce(c.uuid, m.conversation_id), .seq, .role, .content, .in_reply_to, .model, .importance,
    .trust, .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  wanted, m.conversation_id AS stored, c IS NULL AS gone, c.title AS title, coalesce(c.status = 'archived', false) AS archived
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC
