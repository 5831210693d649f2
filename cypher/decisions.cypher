// part: forgotten
// Whether what `m` states was forgotten since; what something else took the place of was not.
  EXISTS { (m)<-[:DERIVED_FROM]-(:Memory {is_active: false})-[:HAS_VERSION]->(:FactVersion {reason: 'forget'}) }
    AND NOT EXISTS { (m)<-[:DERIVED_FROM]-(:Memory {is_active: true}) }

// part: corrected
// What the newest message that is said against `m` says, as `corrected`; one that was itself taken back says nothing.
  head(COLLECT {
    MATCH (m)<-[against:CORRECTS]-(later:Message)
    WHERE later.user_id = $user_id AND later.project = $project
      AND NOT EXISTS { (later)<-[:CORRECTS {how: 'retracts'}]-(:Message) }
    RETURN later {.uuid, .conversation_id, .role, .content, how: against.how, timestamp: toStringOrNull(later.timestamp)}
    ORDER BY later.timestamp DESC, later.seq DESC LIMIT 1
  }) AS corrected

// name: decisions
// An owner's notes, decisions, rules and things to do, the newest first, from behind a place on; what was imported
// without times has one time, so that the place is of three. What living branches share of a deleted conversation is
// told as that of the one updated last. The bounds are always there, and the owner stands in the order, so that the
// index gives a page and nothing behind it is read. What was forgotten is none. `tied` is whether it is about code, a file or a folder of the name
// $about, of then or of now.
MATCH (m:Decision)
WHERE m.user_id = $user_id AND m.project = $project
  AND m.timestamp >= datetime(coalesce($since, '0001-01-01T00:00:00Z'))
  AND m.timestamp <= datetime(coalesce($until, '9999-12-31T23:59:59.999999999Z'))
  AND m.timestamp <= datetime(coalesce($before, '9999-12-31T23:59:59.999999999Z'))
  AND ($before IS NULL OR m.timestamp < datetime($before) OR m.conversation_id < $before_conversation
    OR m.conversation_id = $before_conversation AND m.seq < $before_seq)
  AND NOT (
  // include: forgotten
  )
WITH m
ORDER BY m.user_id DESC, m.project DESC, m.timestamp DESC, m.conversation_id DESC, m.seq DESC
LIMIT $limit
MATCH (held:Conversation {uuid: m.conversation_id})
WITH m,
// include: living
RETURN m {.uuid, conversation_id: coalesce(c.uuid, m.conversation_id), .seq, .role, .content, .in_reply_to, .model, .importance,
    .trust, .kind, .echo, .user_id, .project, timestamp: toStringOrNull(m.timestamp)} AS message,
  m.conversation_id AS stored, c IS NULL AS gone, c.title AS title, coalesce(c.status = 'archived', false) AS archived,
  $about IS NOT NULL AND (EXISTS {
    MATCH (m)-[:ANCHORED_AT]->(a:CodeAnchor)
    WHERE '.' + a.qualified_name ENDS WITH '.' + $about OR a.name = $about OR '/' + a.file + '/' CONTAINS $folder
  } OR EXISTS {
    MATCH (m)-[:ANCHORED_AT]->(:CodeAnchor)-[:RESOLVES_TO]->(s:Scope)
    WHERE '.' + s.qualified_name ENDS WITH '.' + $about OR s.name = $about OR '/' + s.file + '/' CONTAINS $folder
  }) AS tied,
  // include: corrected
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC

// name: forgotten_messages
// Which of these messages state what was forgotten since.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project AND m:Decision AND
// include: forgotten
RETURN m.uuid AS uuid

// name: correctable_decisions
// What a message of this conversation may be said against: the owner's newest decisions, up to when it was said. `here`
// are those that the conversation has itself, or shares of what it was branched from. What was forgotten since is none.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
MATCH (m:Decision)
WHERE m.user_id = $user_id AND m.project = $project
  AND m.timestamp >= datetime('0001-01-01T00:00:00Z')
  AND m.timestamp <= datetime(coalesce($until, '9999-12-31T23:59:59.999999999Z'))
WITH c, m
ORDER BY m.user_id DESC, m.project DESC, m.timestamp DESC
LIMIT $limit
WITH c, m, m.conversation_id = c.uuid OR any(i IN range(0, size(coalesce(c.lineage_ids, [])) - 1)
  WHERE c.lineage_ids[i] = m.conversation_id AND c.lineage_tops[i] >= m.seq) AS here
WHERE (here OR EXISTS { MATCH (other:Conversation {uuid: m.conversation_id}) WHERE other.status <> 'deleting' })
  AND NOT EXISTS { (m)<-[:CORRECTS {how: 'retracts'}]-(:Message) }
  AND (EXISTS { (m)<-[:DERIVED_FROM]-(x:Memory) WHERE x.is_active } OR NOT EXISTS { (m)<-[:DERIVED_FROM]-(:Memory) })
RETURN m {.uuid, .conversation_id, .role, .content, .kind} AS message, here
ORDER BY m.timestamp DESC, m.conversation_id DESC, m.seq DESC
