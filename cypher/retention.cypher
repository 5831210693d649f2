// name: expired_conversations
// What an owner's retention takes: too old by the database's clock, or behind the newest $keep; the oldest first. Archived
// ones count and go as the others. Not what is open where we are asked, nor where a question waits for its answer.
CALL () {
  MATCH (c:Conversation)
  WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
    AND $age IS NOT NULL AND c.updated_at < datetime() - duration({seconds: coalesce($age, 0)})
  RETURN c
  UNION
  MATCH (c:Conversation)
  WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL AND c.status <> 'deleting'
    AND $keep IS NOT NULL
  WITH c ORDER BY c.updated_at DESC, c.uuid DESC SKIP coalesce($keep, 0)
  RETURN c
}
WITH c
WHERE NOT c.uuid IN $open AND NOT EXISTS {
  MATCH (q:Message {conversation_id: c.uuid})
  WHERE q.seq > c.head_seq - 50 AND q.role = 'user' AND q.state = 'complete'
    AND q.timestamp > datetime() - duration({seconds: $patience})
    AND NOT EXISTS { MATCH (a:Message {conversation_id: c.uuid, in_reply_to: q.uuid}) WHERE a.seq > q.seq }
}
WITH c ORDER BY c.updated_at, c.uuid LIMIT $limit
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation,
  toString(c.updated_at) AS stamp

// name: begin_expiry
// at once
// begin_delete for what retention has found: only if nothing was said in it since. SET comes first, for its lock; what was
// read before it does not count.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND (c.status <> 'deleting' OR c.delete_token = $token)
SET c.uuid = c.uuid
WITH c
WHERE c['delete_token'] = $token OR c['status'] <> 'deleting' AND c['updated_at'] = datetime($stamp) AND NOT EXISTS {
  MATCH (q:Message {conversation_id: c.uuid})
  WHERE q.seq > c.head_seq - 50 AND q.role = 'user' AND q.state = 'complete'
    AND q.timestamp > datetime() - duration({seconds: $patience})
    AND NOT EXISTS { MATCH (a:Message {conversation_id: c.uuid, in_reply_to: q.uuid}) WHERE a.seq > q.seq }
}
SET c.status = 'deleting', c.delete_token = $token
REMOVE c.session_id
RETURN c.uuid AS uuid
