// name: create_episode
// at once
// What a stretch of talk was about, once: the same words in the same order are an episode that is known.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  UNWIND $messages AS uuid
  WITH DISTINCT uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
CALL () {
  CALL () {
    MATCH (n:Memory {uuid: $uuid})
    RETURN n
    UNION
    MATCH (n:Memory {words_key: $words_key})
    RETURN n
  }
  // include: locks
}
OPTIONAL MATCH (alike:Memory {words_key: $words_key})
WHERE alike:Episode AND alike.is_active AND alike.order_key = $order_key AND alike.user_id = $user_id
  AND alike.project = $project
WITH u, head(collect(alike)) AS alike
FOREACH (_ IN CASE WHEN alike IS NULL AND NOT EXISTS { MATCH (:Memory {uuid: $uuid}) } THEN [1] ELSE [] END |
  CREATE (u)-[:HAS_MEMORY]->(new:Memory:Episode)
  SET new = $properties, new.uuid = $uuid, new.user_id = $user_id, new.project = $project,
    new.owner_token = $owner_token, new.words_key = $words_key, new.order_key = $order_key,
    new.created_at = datetime(), new.changed_at = datetime.realtime(), new.use_count = 0, new.is_active = true,
    new:PendingEmbedding)
WITH coalesce(alike.uuid, $uuid) AS uuid
CALL (uuid) {
  MATCH (e:Memory {uuid: uuid})
  UNWIND $messages AS message
  MATCH (m:Message {uuid: message})
  WHERE m.user_id = $user_id AND m.project = $project
  MERGE (e)-[:DERIVED_FROM]->(m)
  RETURN count(m) AS messages
}
RETURN uuid, uuid = $uuid AS stored, messages

// name: update_episode
// at once
// What is known of an episode now; what it said before is a version.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
MATCH (e:Memory {uuid: $uuid})
WHERE e.user_id = $user_id AND e.project IN [$project, ''] AND e:Episode
SET e.uuid = $uuid
WITH e, e['summary'] AS old, EXISTS { (e)-[:HAS_VERSION]->(:FactVersion {uuid: $operation}) } AS applied
FOREACH (_ IN CASE WHEN applied THEN [] ELSE [1] END |
  SET e += $properties, e.terms = coalesce($properties.terms + ' ' + e['words'], $properties.terms), e.changed_at = datetime.realtime(), e:PendingEmbedding
  CREATE (e)-[:HAS_VERSION]->(:FactVersion {uuid: $operation, old_value: old,
    new_value: coalesce($properties.summary, old), reason: 'update', confidence: e.confidence, changed_at: datetime()})
)
RETURN e.uuid AS uuid

// name: mark_important
// at once
// How important messages are, by who knows better than their words; what is remembered of them is so too.
CALL () {
  CALL () {
    UNWIND $uuids AS uuid
    WITH uuid ORDER BY uuid
    MATCH (n:Message {uuid: uuid})
    RETURN n
    UNION
    UNWIND $uuids AS uuid
    WITH uuid ORDER BY uuid
    MATCH (:Message {uuid: uuid})<-[:DERIVED_FROM]-(n:Memory)
    RETURN n
  }
  // include: locks
}
UNWIND $uuids AS uuid
MATCH (m:Message {uuid: uuid})
WHERE m.user_id = $user_id AND m.project = $project
SET m.importance = $importance
FOREACH (_ IN CASE WHEN m.kind IS NULL AND $importance >= 0.8 THEN [1] ELSE [] END | SET m:Important)
FOREACH (_ IN CASE WHEN $importance < 0.8 THEN [1] ELSE [] END | REMOVE m:Important)
FOREACH (memory IN COLLECT { MATCH (m)<-[:DERIVED_FROM]-(x:Memory) WHERE x.user_id = $user_id AND x.project IN [$project, ''] RETURN x } |
  SET memory.importance = $importance)
RETURN count(DISTINCT m) AS marked

// name: closed_topics
// Talks of which nobody has said anything for a while, and from where on no episode tells of them. What a branch shares is
// its parent's to tell. $filed: whether texts in files can be read here; $without: those of which they are lost.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL AND c.status <> 'deleting'
  AND c.import_token IS NULL AND ($filed OR c.file_path IS NULL) AND NOT c.uuid IN $without
  AND c.head_seq > coalesce(c.episode_seq, last(c.lineage_tops), 0)
MATCH (m:Message {conversation_id: c.uuid, seq: c.head_seq})
WHERE m.timestamp < datetime() - duration({seconds: $seconds})
RETURN c.uuid AS uuid, coalesce(c.episode_seq, last(c.lineage_tops), 0) AS after, c.head_seq AS head,
  coalesce(c.topic_token, '') AS token
ORDER BY c.updated_at, c.uuid LIMIT $limit

// name: close_topics
// at once
// Episodes of stretches of a talk, and up to where it is told by that: once, whoever else was about to, and not where a
// text of it was erased since it was read. Of what was said again in the same words there is one episode.
WITH 1 AS _ WHERE EXISTS { MATCH (:Conversation {uuid: $conversation_id}) }
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    MATCH (n:Conversation {uuid: $conversation_id})
    RETURN n
    UNION
    UNWIND $episodes AS row
    UNWIND row.messages AS uuid
    WITH DISTINCT uuid ORDER BY uuid
    MATCH (n:Message {uuid: uuid})
    RETURN n
    UNION
    UNWIND $episodes AS row
    MATCH (n:Memory {words_key: row.words_key})
    RETURN n
  }
  // include: locks
}
MATCH (c:Conversation {uuid: $conversation_id})
WHERE c.user_id = $user_id AND c.project = $project AND coalesce(c['episode_seq'], last(c.lineage_tops), 0) = $after
  AND c['status'] <> 'deleting' AND coalesce(c['topic_token'], '') = $topic_token
SET c.episode_seq = $to_seq
WITH u
CALL (u) {
  UNWIND $episodes AS row
  CALL (u, row) {
    OPTIONAL MATCH (alike:Memory {words_key: row.words_key})
    WHERE alike:Episode AND alike.order_key = row.order_key AND alike.user_id = $user_id AND alike.project = $project
    WITH u, row, head(collect(alike)) AS alike
    FOREACH (_ IN CASE WHEN alike IS NULL THEN [1] ELSE [] END |
      CREATE (u)-[:HAS_MEMORY]->(new:Memory:Episode:PendingEmbedding)
      SET new = row.properties, new.uuid = row.uuid, new.user_id = $user_id, new.project = $project,
        new.owner_token = $owner_token, new.words_key = row.words_key, new.order_key = row.order_key,
        new.created_at = datetime(row.said_at), new.changed_at = datetime.realtime(), new.use_count = 0,
        new.is_active = true)
    WITH row, alike, coalesce(alike.uuid, row.uuid) AS uuid
    MATCH (e:Memory {uuid: uuid})
    UNWIND row.messages AS message
    MATCH (m:Message {uuid: message})
    WHERE m.user_id = $user_id AND m.project = $project
    MERGE (e)-[:DERIVED_FROM]->(m)
    RETURN alike IS NULL AS stored, count(m) AS messages
  }
  RETURN sum(CASE WHEN stored THEN 1 ELSE 0 END) AS stored, sum(messages) AS messages
}
RETURN stored, messages
