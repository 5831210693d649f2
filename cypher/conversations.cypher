// name: create_conversation
// at once
// MERGE by the fresh uuid, so a repeated write makes one conversation. Only a branch has lineage_ids:
// every statement takes a missing list as an empty one. One that was begun while the graph was away comes with its
// created_at.
MERGE (c:Conversation {uuid: $uuid})
ON CREATE SET c += $properties, c.user_id = $user_id, c.project = $project, c.owner_token = $owner_token,
  c.created_at = coalesce(datetime($properties.created_at), datetime()), c.updated_at = datetime()
WITH c
WHERE c.user_id = $user_id AND c.project = $project
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation

// name: open_conversation
// at once
// MERGE on the owner's unique session: of sixteen writers that come at once, one creates and the others find.
MERGE (c:Conversation {user_id: $user_id, project: $project, session_id: $session_id})
ON CREATE SET c += $properties, c.uuid = $uuid, c.owner_token = $owner_token,
  c.created_at = datetime(), c.updated_at = datetime()
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation

// name: session_conversation
// By the owner's unique session, as open_conversation finds it.
MATCH (c:Conversation {user_id: $user_id, project: $project, session_id: $session_id})
WHERE c.status <> 'deleting'
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation

// name: get_conversation
// What is being deleted is hidden from every read.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation

// name: find_conversations
// A reference as people type it: the start of a uuid, a session, or a whole title. Sessions come first, titles in
// another case last. `updated_at` is named for the owner's index, which has it.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL AND c.status <> 'deleting'
  AND (c.uuid STARTS WITH $reference OR c.session_id = $reference OR toLower(c.title) = toLower($reference))
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation
ORDER BY coalesce(c.session_id = $reference, false) DESC,
  coalesce(c.uuid STARTS WITH $reference OR c.title = $reference, false) DESC, c.updated_at DESC
LIMIT 10

// name: list_conversations
// The range index gives owner and order; (updated_at, uuid) is the cursor, so a page never repeats or skips one.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at <= datetime($before_time)
  AND (c.updated_at < datetime($before_time) OR c.uuid < $before_uuid)
  AND c.status <> 'deleting' AND ($status IS NULL OR c.status = $status)
  AND ($tags IS NULL OR any(tag IN $tags WHERE tag IN c.tags))
  AND ($since IS NULL OR c.updated_at >= datetime($since))
  AND ($since IS NULL AND $until IS NULL OR EXISTS {
    UNWIND [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}]
      + [{id: c.uuid, top: 9223372036854775807}] AS l
    MATCH (m:Message {conversation_id: l.id})
    WHERE m.seq <= l.top AND ($since IS NULL OR m.timestamp >= datetime($since))
      AND ($until IS NULL OR m.timestamp <= datetime($until))
    RETURN m
  })
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation
ORDER BY c.updated_at DESC, c.uuid DESC
LIMIT $limit

// name: update_conversation
// at once
// Title, tags, status and metadata in one statement: $changes holds only what changes. updated_at stays: it orders the
// lists by when something was last said, and to archive or to name an old conversation says nothing. A new title is a
// part of what the conversation's vector is made of.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c += $changes
FOREACH (_ IN CASE WHEN 'title' IN keys($changes) AND c.head_seq > 0 THEN [1] ELSE [] END | SET c:PendingEmbedding)
RETURN c {.uuid, .session_id, .title, .summary, .tags, .status, .message_count, .head_seq, .lineage_ids, .lineage_tops,
  .user_id, .project, .summarized_seq, .extracted_seq, .file_path, .metadata,
  created_at: toStringOrNull(c.created_at), updated_at: toStringOrNull(c.updated_at)} AS conversation

// name: begin_delete
// at once
// From here on nobody reads or appends; the session's name is free at once. What a crash leaves, a sweep finishes. One
// that is repeated after its answer was lost finds its own token.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND (c.status <> 'deleting' OR c.delete_token = $token)
SET c.status = 'deleting', c.delete_token = $token
REMOVE c.session_id
RETURN c.uuid AS uuid

// name: keep_shared
// at once
// How much of a deleted conversation its living branches still share: up to kept_to, nothing where there are none. The
// ancestors, nearest first, may have waited for it.
// SET comes first, for its lock: what somebody has begun to import meanwhile, or has imported, is left alone, but for the
// import that is to be taken away (`import_token`), which finds its token gone if it still writes, and writes no more.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status = 'deleting'
SET c.uuid = $uuid
WITH c
WHERE c['status'] = 'deleting'
  AND (c['import_until'] IS NULL OR c['import_until'] < datetime() OR c['import_token'] = $import_token)
SET c.kept_to = reduce(most = 0, top IN COLLECT {
  MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
  WHERE b.status <> 'deleting'
  UNWIND range(0, size(b.lineage_ids) - 1) AS i
  WITH b.lineage_tops[i] AS top WHERE b.lineage_ids[i] = c.uuid
  RETURN top
} | CASE WHEN top > most THEN top ELSE most END)
REMOVE c.import_token, c.import_until, c.delete_token
RETURN COLLECT {
  MATCH path = (ancestor:Conversation)-[:HAS_BRANCH*1..]->(c)
  RETURN ancestor.uuid ORDER BY length(path)
} AS ancestors

// name: delete_messages
// In batches, by seq: one transaction over a large conversation exhausts the server's memory pool. A delete locks what is
// at the other end of each edge, so all of a batch is locked first. The label says in the same transaction that nobody may
// be using an anchor any more; forget_anchors looks. A message of an import that has begun since keep_shared is seen after
// the import's token is.
// autocommit
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status = 'deleting'
WITH c, coalesce(c.kept_to, 0) AS kept_to,
  coalesce(head(COLLECT {
    MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > 0
    RETURN m.seq ORDER BY m.conversation_id DESC, m.seq DESC LIMIT 1
  }), 0) AS last
UNWIND range(kept_to, last - 1, 200) AS above
CALL (c, above) {
  MATCH (m:Message {conversation_id: c.uuid})
  WHERE m.seq > above AND m.seq <= above + 200
  WITH c, collect(m) AS messages
  CALL (c, messages) {
    CALL (c, messages) {
      UNWIND [c] + messages AS n
      RETURN n
      UNION
      UNWIND messages AS m
      MATCH (m)--(n:Conversation|Summary|Message|ToolCall|Scope|CodeAnchor)
      RETURN n
      UNION
      UNWIND messages AS m
      MATCH (m)-[:MADE_TOOL_CALL]->(:ToolCall)--(n:ToolCall|ToolResult|CodeAnchor)
      RETURN n
      UNION
      UNWIND messages AS m
      MATCH (m)<-[:DERIVED_FROM]-(n:Memory)
      RETURN n
      UNION
      UNWIND messages AS m
      MATCH (m)<-[:DERIVED_FROM]-(:Memory)--(n:User|Message|Memory|CodeAnchor|FactVersion)
      RETURN n
    }
    // include: locks
  }
  WITH c, messages WHERE c['import_token'] IS NULL AND c['status'] = 'deleting'
  UNWIND messages AS m
  FOREACH (anchor IN COLLECT {
    MATCH (m)-[:ANCHORED_AT|USED_CONTEXT]->(a:CodeAnchor)
    RETURN a
    UNION
    MATCH (m)-[:MADE_TOOL_CALL]->(:ToolCall)-[:READ]->(a:CodeAnchor)
    RETURN a
    UNION
    MATCH (m)<-[:DERIVED_FROM]-(:Memory)-[:ABOUT]->(a:CodeAnchor)
    RETURN a
  } | SET anchor:LooseAnchor)
  // What is remembered of these messages alone goes with them, its history too, and so do episodes that were made by
  // themselves of any of them; what it took the place of stays history.
  FOREACH (memory IN COLLECT {
    MATCH (m)<-[:DERIVED_FROM]-(x:Memory)
    WHERE x.source = 'topic' AND x:Episode
      OR NOT EXISTS { MATCH (x)-[:DERIVED_FROM]->(other:Message) WHERE other <> m }
    RETURN x
  } |
    FOREACH (version IN COLLECT { MATCH (memory)-[:HAS_VERSION]->(v:FactVersion) RETURN v } | DETACH DELETE version)
    DETACH DELETE memory)
  WITH m
  OPTIONAL MATCH (m)-[:MADE_TOOL_CALL]->(call:ToolCall)
  OPTIONAL MATCH (call)-[:PRODUCED_RESULT]->(result:ToolResult)
  DETACH DELETE result, call
  WITH DISTINCT m
  DETACH DELETE m
} IN TRANSACTIONS OF 1 ROWS

// name: finish_delete
// at once
// Only what begin_delete marked: a conversation that lives is never deleted by this statement. Of one whose messages
// are still shared the node stays, without its words, and so do the shared texts that receipts of theirs name. It stays
// without a message too while a branch of it lives, since only through it are its branches one family. An insight
// is of the whole conversation: it goes in any case. SET comes first, for its lock: a summary that is just being written
// is there before it, or not at all; and what somebody imports since keep_shared is left alone.
MATCH (c:Conversation {uuid: $uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status = 'deleting'
CALL (c) {
  CALL (c) {
    RETURN c AS n
    UNION
    MATCH (c)-[:HAS_BRANCH|USED_PROMPT|HAS_INSIGHT|MERGED_FROM]-(n)
    RETURN n
    UNION
    MATCH (n:Summary {conversation_id: c.uuid})
    WHERE n.to_seq > coalesce(c.kept_to, 0)
    RETURN n
    UNION
    MATCH (s:Summary {conversation_id: c.uuid})
    WHERE s.to_seq > coalesce(c.kept_to, 0)
    MATCH (s)--(n:Summary|Message)
    RETURN n
  }
  // include: locks
}
SET c.uuid = $uuid
WITH c
WHERE c['import_token'] IS NULL AND c['status'] = 'deleting'
CALL (c) {
  MATCH (s:Summary {conversation_id: c.uuid})
  WHERE s.to_seq > coalesce(c.kept_to, 0)
  DETACH DELETE s
}
CALL (c) {
  MATCH (c)-[:HAS_INSIGHT]->(i:Insight)
  DETACH DELETE i
}
CALL (c) {
  MATCH (c)-[used:USED_PROMPT]->(kept:Prompt)
  WHERE NOT EXISTS {
    MATCH (m:Message {conversation_id: c.uuid})
    WHERE m.seq > 0 AND m.seq <= coalesce(c.kept_to, 0) AND m.receipt CONTAINS kept.uuid
  }
  DELETE used
}
WITH c, coalesce(c.kept_to, 0) > 0 AS shared,
  EXISTS { MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation) WHERE b.status <> 'deleting' } AS has_family
FOREACH (_ IN CASE WHEN shared OR has_family THEN [1] ELSE [] END |
  SET c = c {.uuid, .user_id, .project, .owner_token, .status, .head_seq, .kept_to, .lineage_ids, .lineage_tops,
    .file_path, .created_at, .updated_at}
  SET c.swept_to = c.kept_to)
// What it shared itself may go before it does.
FOREACH (_ IN CASE WHEN has_family AND NOT shared THEN [1] ELSE [] END |
  SET c.lineage_ids = c.lineage_ids[-1..], c.lineage_tops = [part IN c.lineage_ids[-1..] | 0]
  REMOVE c.file_path)
FOREACH (_ IN CASE WHEN shared OR has_family THEN [] ELSE [1] END | DETACH DELETE c)
RETURN count(*) AS deleted

// name: unfinished_deletes
// What a crash left half deleted or half imported, branches before what they came from; and shared parts, and parents
// without a message, whose last branch is gone. An import that still runs says so by a lease.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.status = 'deleting'
  AND (c.import_until IS NULL OR c.import_until < datetime())
  AND (c.swept_to IS NULL OR c.swept_to <> c.kept_to OR NOT EXISTS {
    MATCH (c)-[:HAS_BRANCH*1..]->(b:Conversation)
    WHERE b.status <> 'deleting' AND (c.kept_to = 0 OR any(i IN range(0, size(b.lineage_ids) - 1)
      WHERE b.lineage_ids[i] = c.uuid AND b.lineage_tops[i] = c.kept_to))
  })
RETURN c.uuid AS uuid
ORDER BY COUNT { (:Conversation)-[:HAS_BRANCH*1..]->(c) } DESC

// name: forget_anchors
// at once
// What a delete left loose, and what an import that was undone had made: anchors that nothing is tied to go, the others
// lose the label. SET takes the lock before the look, so that a tie comes before it or finds no anchor and makes one anew.
// One that an import still means to tie is held for it.
MATCH (a:LooseAnchor)
WHERE a.project = $project AND NOT EXISTS {
  MATCH (held:Conversation) WHERE held.uuid IN a.held_for AND held.import_until > datetime()
}
WITH a ORDER BY a.uuid LIMIT $limit
WITH collect(a) AS loose
CALL (loose) {
  CALL (loose) {
    UNWIND loose AS n
    RETURN n
    UNION
    UNWIND loose AS a
    MATCH (a)-[:RESOLVES_TO]->(n:Scope)
    RETURN n
  }
  // include: locks
}
UNWIND loose AS a
WITH a, EXISTS { MATCH (a)<--() } AS used, EXISTS {
  MATCH (held:Conversation) WHERE held.uuid IN a['held_for'] AND held.import_until > datetime()
} AS held
FOREACH (_ IN CASE WHEN used AND NOT held THEN [1] ELSE [] END | REMOVE a:LooseAnchor, a.held_for)
FOREACH (_ IN CASE WHEN used OR held THEN [] ELSE [1] END | DETACH DELETE a)
RETURN count(*) AS settled
