// name: add_memory
// What was stated outside of any conversation, under the user's lock. As with messages: what says the same with the same
// words is one with it, and what has the same words in another order gives way to it.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  MATCH (n:Memory {words_key: $words_key})
  // include: locks
}
OPTIONAL MATCH (alike:Memory {words_key: $words_key})
WHERE alike.is_active AND alike.user_id = $user_id AND alike.project = $project
WITH u, head(collect(alike)) AS alike
WITH u, alike, coalesce(alike.order_key = $order_key, false) AS same
FOREACH (_ IN CASE WHEN same THEN [] ELSE [1] END |
  CREATE (u)-[:HAS_MEMORY]->(new:Memory)
  SET new = $properties, new.uuid = $uuid, new.user_id = $user_id, new.project = $project, new.owner_token = $owner_token,
    new.words_key = $words_key, new.order_key = $order_key, new.created_at = datetime(), new.use_count = 0,
    new.is_active = true,
    new:PendingEmbedding
  FOREACH (_ IN CASE WHEN $stands THEN [1] ELSE [] END | SET new:Standing)
  FOREACH (old IN CASE WHEN alike IS NULL THEN [] ELSE [alike] END |
    SET old.is_active = false, old.archived_at = datetime()
    REMOVE old:Standing
    CREATE (old)-[:SUPERSEDED_BY {how: 'corrects'}]->(new))
)
RETURN CASE WHEN same THEN alike.uuid ELSE $uuid END AS uuid

// name: restore_memory
// What was forgotten or taken back holds again, and its history says so; what it had taken the place of gives way again.
// Not where what took its place holds, or something that holds has the same words: `instead` is that. What was said to
// take it back is said no more against it.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    MATCH (n:Memory {uuid: $uuid})
    RETURN n
    UNION
    MATCH (:Memory {uuid: $uuid})-[:SUPERSEDED_BY]-(n:Memory)
    RETURN n
    UNION
    MATCH (m:Memory {uuid: $uuid})
    MATCH (n:Memory {words_key: m.words_key})
    RETURN n
    UNION
    MATCH (:Memory {uuid: $uuid})-[:DERIVED_FROM]->(n:Message)
    RETURN n
    UNION
    MATCH (:Memory {uuid: $uuid})-[:DERIVED_FROM]->(:Message)<-[:CORRECTS]-(n:Message)
    RETURN n
  }
  // include: locks
}
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
WITH m, head(COLLECT {
  MATCH (m)-[:SUPERSEDED_BY]->(x:Memory)
  WHERE x.is_active AND x.user_id = $user_id AND x.project IN [$project, '']
  RETURN x.content AS content
  UNION
  MATCH (x:Memory {words_key: m.words_key})
  WHERE x.is_active AND x <> m AND x.user_id = $user_id AND x.project IN [$project, '']
  RETURN x.content AS content
}) AS instead
WITH m, instead, NOT m['is_active'] AND instead IS NULL AS due
OPTIONAL MATCH (m)-[:DERIVED_FROM]->(x:Message)<-[against:CORRECTS]-(y:Message)
WHERE due AND x.user_id = $user_id AND x.project = $project AND y.user_id = $user_id AND y.project = $project
WITH m, instead, due, collect(against) AS againsts
FOREACH (against IN againsts | DELETE against)
FOREACH (old IN CASE WHEN due THEN COLLECT {
  MATCH (x:Memory)-[:SUPERSEDED_BY]->(m)
  WHERE x.is_active AND x.user_id = $user_id AND x.project IN [$project, '']
  RETURN x ORDER BY x.uuid
} ELSE [] END |
  SET old.is_active = false, old.archived_at = datetime()
  REMOVE old:Standing)
FOREACH (_ IN CASE WHEN due THEN [1] ELSE [] END |
  SET m.is_active = true, m.archived_at = null, m.valid_to = null
  CREATE (m)-[:HAS_VERSION]->(:FactVersion {uuid: $version, old_value: coalesce(m.value, m.content),
    new_value: coalesce(m.value, m.content), reason: 'restore', confidence: m.confidence, changed_at: datetime()})
  FOREACH (_ IN CASE WHEN m.trust = 'user' AND (m.kind = 'rule' OR m.type IN $standing) THEN [1] ELSE [] END | SET m:Standing)
)
RETURN due AS restored, instead

// name: memory_changes
// What a message did to what is remembered: whether it became a memory that holds, and which ones hold no more since it
// took them back or took their place.
MATCH (q:Message {uuid: $uuid})
WHERE q.user_id = $user_id AND q.project = $project
RETURN EXISTS { MATCH (m:Memory {uuid: $uuid}) WHERE m.is_active AND m.user_id = $user_id AND m.project = $project } AS saved,
  COLLECT {
    MATCH (q)-[:CORRECTS]->(x:Message)<-[:DERIVED_FROM]-(m:Memory)
    WHERE x.user_id = $user_id AND x.project = $project
      AND NOT m.is_active AND m.user_id = $user_id AND m.project IN [$project, '']
    RETURN m.uuid AS uuid
    UNION
    MATCH (:FactVersion {uuid: $uuid, reason: 'forget'})<-[:HAS_VERSION]-(m:Memory)
    WHERE NOT m.is_active AND m.user_id = $user_id AND m.project IN [$project, '']
    RETURN m.uuid AS uuid
    UNION
    MATCH (m:Memory)-[:SUPERSEDED_BY]->(:Memory {uuid: $uuid})
    WHERE NOT m.is_active AND m.user_id = $user_id AND m.project IN [$project, '']
    RETURN m.uuid AS uuid
  } AS took

// name: tie_memory
// A memory that no message states is about the code that it names, as that is now; see `tied`. What is locked is not
// changed, whoever's it is.
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project = $project
OPTIONAL MATCH (p:Project)
WHERE p.project = $project
WITH m, p
CALL (m) {
  CALL (m) {
    MATCH (n:Memory {uuid: m.uuid})
    RETURN n
    UNION
    UNWIND $scopes AS uuid
    WITH uuid ORDER BY uuid
    MATCH (n:Scope {uuid: uuid})
    RETURN n
  }
  // include: locks
}
CALL () {
  UNWIND $scopes AS uuid
  MATCH (s:Scope {uuid: uuid})
  WITH DISTINCT s.anchor_key AS key ORDER BY key
  MATCH (n:CodeAnchor {key: key})
  // include: locks
}
UNWIND $scopes AS uuid
MATCH (scope:Scope {uuid: uuid})
WHERE scope.project = $project AND scope.anchor_key IS NOT NULL
WITH m, scope, {head: p.head_commit, commit: CASE WHEN NOT scope.file IN p.uncommitted_files THEN p.head_commit END} AS tie
ORDER BY scope.anchor_key
WITH m, scope, tie, CASE WHEN NOT EXISTS {
    MATCH (t:Scope) WHERE t.project = scope.project AND t.body_hash = scope.body_hash AND t <> scope
  } THEN scope.body_hash END AS alone
FOREACH (key IN [scope.anchor_key] |
  // include: anchor
  MERGE (m)-[:ABOUT]->(anchor)
)
RETURN m.uuid AS uuid, count(*) AS tied
