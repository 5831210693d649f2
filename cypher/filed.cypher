// name: mark_filed
// Before a conversation's first line: where its file is. A conversation that is not there gets no file, nor does one that
// is being deleted. `lost`: there is no file ($fresh), though there are messages that have their texts in one.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
WITH c, $fresh AND EXISTS { MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > 0 AND m.content IS NULL } AS lost
SET c.uuid = $uuid
SET c.file_path = coalesce(c.file_path, $file_path)
RETURN c.uuid AS uuid, lost

// name: filed_messages
// Which messages are left of a conversation that is being deleted: only their lines stay.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status = 'deleting'
RETURN COLLECT { MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > 0 RETURN m.uuid } AS uuids

// name: filed_lineage
// Whose files a search in a conversation reads.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
RETURN [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | [c.lineage_ids[i], c.lineage_tops[i]]]
  + [[c.uuid, 9223372036854775807]] AS lineage

// name: filed_conversations
// Whose files a search over all conversations of an owner reads: of those that live, and of what branches share still.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL
  AND CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
    ELSE EXISTS { (c)-[:HAS_BRANCH]->() } END
RETURN c.uuid AS uuid, c.file_path IS NOT NULL AND c.head_seq > 0 AS filed

// name: filed_lost
// Which of these, that have no file, have messages with their texts in one. Those of others are as good as not there.
UNWIND $uuids AS uuid
MATCH (c:Conversation {uuid: uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.file_path IS NOT NULL
  AND EXISTS { MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > 0 AND m.content IS NULL }
RETURN c.uuid AS uuid

// name: filed_history_places
// Where messages are that files had words of, in one conversation's lineage; what a filter leaves out is missing.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
WITH [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
  + [{id: c.uuid, top: 9223372036854775807}] AS lineage
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE any(l IN lineage WHERE m.conversation_id = l.id AND m.seq <= l.top)
  AND ($role IS NULL OR m.role = $role)
  AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
  AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
RETURN m.uuid AS uuid, m.conversation_id AS conversation_id, m.seq AS seq,
  coalesce(toStringOrNull(m.timestamp), '') AS time, coalesce(m.role = 'user', false) AS user, false AS hidden

// name: filed_owner_places
// As filed_history_places, in all conversations of an owner; `hidden` as in search_owner_text.
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project
  AND ($role IS NULL OR m.role = $role)
  AND ($since IS NULL OR m.timestamp >= datetime($since)) AND ($until IS NULL OR m.timestamp < datetime($until))
  AND ($tool IS NULL OR EXISTS { (m)-[:MADE_TOOL_CALL]->(:ToolCall {tool_name: $tool}) })
MATCH (c:Conversation {uuid: m.conversation_id})
WHERE CASE WHEN c.status <> 'deleting' THEN ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
  ELSE EXISTS {
    MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
    WHERE b.status <> 'deleting' AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN b.tags))
      AND any(i IN range(0, size(b.lineage_ids) - 1) WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] >= m.seq)
  } END
RETURN m.uuid AS uuid, m.conversation_id AS conversation_id, m.seq AS seq,
  coalesce(toStringOrNull(m.timestamp), '') AS time, coalesce(m.role = 'user', false) AS user, c.status = 'deleting' AS hidden

// name: filed_anywhere
// Which of these uuids are conversations at all, anybody's: a file of one that nobody has is a crash's.
UNWIND $uuids AS uuid
MATCH (c:Conversation {uuid: uuid})
RETURN c.uuid AS uuid

// name: filed_texts
// Where a conversation's file is, and whether there must be one: messages that the graph has no text of.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.file_path IS NOT NULL
RETURN c.file_path AS file_path, EXISTS {
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > 0 AND m.content IS NULL
} AS has_lines

// name: filed_unread
// How many of an owner's conversations have texts in files.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL AND c.status <> 'deleting'
  AND c.file_path IS NOT NULL AND c.head_seq > 0
RETURN count(*) AS conversations
