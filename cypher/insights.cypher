// name: known_insights
// Which of these conversations have an insight of this key, and whether they have gone on since it was made.
UNWIND $conversations AS uuid
MATCH (c:Conversation {uuid: uuid})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
MATCH (i:Insight {conversation_id: c.uuid, key: $key})
RETURN i {.uuid, .conversation_id, .user_id, .project, .task, .schema, .data, .to_seq, .model,
  created_at: toStringOrNull(i.created_at)} AS insight, coalesce(i.to_seq, 0) < c.head_seq AS behind

// name: claim_insight
// SET first, which takes the write lock, only then the look at what is there: of many that come at once one gets the
// lease, and none that comes after the insight was written asks for it again. A claim that the driver repeats finds its
// own token. The database's clock decides when a lease is over.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c
OPTIONAL MATCH (i:Insight {conversation_id: c.uuid, key: $key})
WITH c, i, i IS NOT NULL AND NOT ($refresh AND coalesce(i.to_seq, 0) < c.head_seq) AS done,
  c.insight_until IS NULL OR c.insight_token IS NULL OR c.insight_token = $token OR c.insight_until < datetime() AS free
FOREACH (_ IN CASE WHEN free AND NOT done THEN [1] ELSE [] END |
  SET c.insight_token = $token, c.insight_until = datetime() + duration({milliseconds: $lease}))
RETURN free, done, c.head_seq AS head_seq, c.title AS title, CASE WHEN done THEN i {.uuid, .conversation_id, .user_id,
  .project, .task, .schema, .data, .to_seq, .model, created_at: toStringOrNull(i.created_at)} END AS insight

// name: renew_insight_lease
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c
WHERE c['status'] <> 'deleting' AND c.insight_token = $token
SET c.insight_until = datetime() + duration({milliseconds: $lease})
RETURN c.uuid AS uuid

// name: write_insight
// Fenced: a worker whose lease was taken over changes nothing. The insight, its tie and the end of the lease are one
// write; one that was made before of the same key is replaced and stays the same node.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
SET c.uuid = c.uuid
WITH c
WHERE c['status'] <> 'deleting' AND c.insight_token = $token
MERGE (i:Insight {conversation_id: c.uuid, key: $key})
ON CREATE SET i.uuid = $uuid
SET i += $properties, i.user_id = c.user_id, i.project = c.project, i.created_at = datetime()
MERGE (c)-[:HAS_INSIGHT]->(i)
REMOVE c.insight_token, c.insight_until
RETURN i {.uuid, .conversation_id, .user_id, .project, .task, .schema, .data, .to_seq, .model,
  created_at: toStringOrNull(i.created_at)} AS insight

// name: release_insight
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
SET c.uuid = c.uuid
WITH c
WHERE c.insight_token = $token
REMOVE c.insight_token, c.insight_until
RETURN c.uuid AS uuid

// name: list_insights
// An owner's, newest first, by their own index; (created_at, uuid) is the cursor. Hidden where its conversation is.
MATCH (i:Insight)
WHERE i.user_id = $user_id AND i.project = $project AND i.created_at <= datetime($before_time)
  AND (i.created_at < datetime($before_time) OR i.uuid < $before_uuid) AND ($task IS NULL OR i.task = $task)
MATCH (c:Conversation {uuid: i.conversation_id})
WHERE c.status <> 'deleting'
RETURN i {.uuid, .conversation_id, .user_id, .project, .task, .schema, .data, .to_seq, .model,
  created_at: toStringOrNull(i.created_at)} AS insight
ORDER BY i.created_at DESC, i.uuid DESC
LIMIT $limit

// name: conversation_insights
// Those of one conversation, by their tie; ordered as list_insights.
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND c.status <> 'deleting'
MATCH (c)-[:HAS_INSIGHT]->(i:Insight)
WHERE i.created_at <= datetime($before_time)
  AND (i.created_at < datetime($before_time) OR i.uuid < $before_uuid) AND ($task IS NULL OR i.task = $task)
RETURN i {.uuid, .conversation_id, .user_id, .project, .task, .schema, .data, .to_seq, .model,
  created_at: toStringOrNull(i.created_at)} AS insight
ORDER BY i.created_at DESC, i.uuid DESC
LIMIT $limit
