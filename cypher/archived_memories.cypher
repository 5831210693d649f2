// name: archive_owned_memories
// What a user remembers here and in every project for long, the oldest first. What is nobody's is in no archive, nor is what
// tools did, which is learned anew.
MATCH (m:Memory)
WHERE m.user_id = $user_id AND m.project IN [$project, ''] AND m.content IS NOT NULL
  AND NOT m.kind STARTS WITH 'tool_' AND coalesce(m.tier, 'long') = 'long'
RETURN m.uuid AS uuid
ORDER BY m.created_at, uuid

// name: archive_memories
// Memories with their history, what took their place, the messages that they come from and the code that they are about.
// Keys are hashes of their owner, and made anew by whoever takes the archive in, as is what they are found by.
UNWIND range(0, size($uuids) - 1) AS place
MATCH (m:Memory {uuid: $uuids[place]})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
WITH m ORDER BY place
RETURN [k IN keys(m) WHERE NOT k STARTS WITH 'embedding' AND NOT k ENDS WITH '_key' AND NOT k IN ['names', 'made_by', 'changed_at'] |
    [k, CASE WHEN valueType(m[k]) STARTS WITH 'ZONED DATETIME' THEN toString(m[k]) ELSE m[k] END,
      valueType(m[k]) STARTS WITH 'ZONED DATETIME']] AS properties,
  m.project = '' AND $project <> '' AS everywhere,
  COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(x:Message)
    WHERE x.user_id = $user_id AND x.project = $project
    RETURN x.uuid ORDER BY x.timestamp, x.uuid
  } AS messages,
  COLLECT {
    MATCH (m)-[:HAS_VERSION]->(v:FactVersion)
    RETURN [k IN keys(v) |
      [k, CASE WHEN valueType(v[k]) STARTS WITH 'ZONED DATETIME' THEN toString(v[k]) ELSE v[k] END,
        valueType(v[k]) STARTS WITH 'ZONED DATETIME']] AS version
    ORDER BY v.changed_at, v.uuid
  } AS versions,
  COLLECT {
    MATCH (m)-[by:SUPERSEDED_BY]->(later:Memory)
    WHERE later.user_id = $user_id AND later.project IN [$project, '']
    RETURN {uuid: later.uuid, how: by.how} AS edge ORDER BY later.created_at, later.uuid
  } AS superseded_by,
  COLLECT {
    MATCH (m)-[:ABOUT]->(a:CodeAnchor)
    WHERE a.project = $project
    RETURN {
      properties: [k IN keys(a) WHERE k <> 'held_for' |
        [k, CASE WHEN valueType(a[k]) STARTS WITH 'ZONED DATETIME' THEN toString(a[k]) ELSE a[k] END,
          valueType(a[k]) STARTS WITH 'ZONED DATETIME']],
      stands: head(COLLECT {
        MATCH (a)-[r:RESOLVES_TO]->(s:Scope)
        WHERE s.project = $project
        RETURN {status: r.status, changed: r.changed, similarity: r.similarity, commit: r.commit,
          checked_at: toString(r.checked_at),
          scope: {file: s.file, key: coalesce(s.key, s.qualified_name, s.name), hash: s.hash}}
      })} AS anchor
    ORDER BY a.file, a.start_line, a.uuid
  } AS anchors

// name: restore_memories
// at once
// Memories of an archive, one after another under the user's lock, each once. One that is known here, by its uuid or as
// the fact of that type and key, stays as it is, unless that of the archive was changed after it: then it becomes like
// that, and what it was before is its history. One that says what a memory here says with the same words is one with it;
// of two with the same words in another order the later one holds. A uuid that another has is replaced, always by the
// same. Messages that it comes from need not become memories any more.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    UNWIND $memories AS row
    UNWIND row.messages AS uuid
    MATCH (n:Message {uuid: uuid})
    RETURN n
    UNION
    UNWIND $memories AS row
    UNWIND [row.uuid, row.other] AS uuid
    MATCH (n:Memory {uuid: uuid})
    RETURN n
    UNION
    UNWIND $memories AS row
    MATCH (n:Memory {fact_key: row.fact_key})
    RETURN n
    UNION
    UNWIND $memories AS row
    MATCH (n:Memory {words_key: row.words_key})
    RETURN n
    UNION
    UNWIND $memories AS row
    UNWIND row.anchors AS key
    MATCH (n:CodeAnchor {key: key})
    RETURN n
  }
  // include: locks
}
UNWIND $memories AS row
CALL (u, row) {
  OPTIONAL MATCH (taken:Memory {uuid: row.uuid})
  WHERE NOT (taken.user_id = $user_id AND taken.project IN [$project, ''])
  WITH CASE WHEN taken IS NULL THEN row.uuid ELSE row.other END AS uuid
  OPTIONAL MATCH (own:Memory {uuid: uuid})
  OPTIONAL MATCH (fact:Memory {fact_key: row.fact_key})
  OPTIONAL MATCH (alike:Memory {words_key: row.words_key})
  WHERE alike.is_active AND row.properties.is_active AND alike.user_id = $user_id AND alike.project = row.project
  WITH uuid, coalesce(fact, own) AS n, head(collect(alike)) AS alike
  WITH uuid, n, CASE WHEN n IS NULL THEN alike END AS alike, datetime(row.changed_at) AS changed
  WITH uuid, n, changed, coalesce(n, CASE WHEN alike.order_key = row.order_key THEN alike END) AS known,
    CASE WHEN alike.order_key <> row.order_key THEN alike END AS turned,
    coalesce(n.fact_key, '') = coalesce(row.fact_key, '') AND changed >
      coalesce(n.changed_at, n.archived_at, n.valid_from, n.created_at) AS later
  WITH uuid, known, changed, turned, later, turned.created_at >= datetime(row.created_at) AS outdated
  FOREACH (_ IN CASE WHEN known IS NULL THEN [1] ELSE [] END |
    CREATE (u)-[:HAS_MEMORY]->(new:Memory)
    SET new = row.properties, new.uuid = uuid, new.user_id = $user_id, new.project = row.project,
      new.owner_token = row.owner_token, new.fact_key = row.fact_key, new.words_key = row.words_key,
      new.order_key = row.order_key, new.created_at = coalesce(datetime(row.created_at), datetime()),
      new.last_used_at = datetime(row.last_used_at), new.archived_at = datetime(row.archived_at),
      new.expires_at = datetime(row.expires_at), new.valid_from = datetime(row.valid_from),
      new.valid_to = datetime(row.valid_to), new.changed_at = changed, new.due_at = datetime(row.due_at),
      new:PendingEmbedding
    FOREACH (_ IN CASE WHEN row.due_at IS NULL THEN [] ELSE [1] END | SET new:AgingMemory)
    FOREACH (_ IN CASE WHEN uuid = row.uuid THEN [] ELSE [1] END | SET new.source_uuid = row.uuid)
    FOREACH (_ IN CASE WHEN row.fact_key IS NULL THEN [] ELSE [1] END | SET new:Fact)
    FOREACH (_ IN CASE WHEN row.properties.kind = 'episode' THEN [1] ELSE [] END | SET new:Episode)
    FOREACH (_ IN CASE WHEN row.stands AND NOT coalesce(outdated, false) THEN [1] ELSE [] END | SET new:Standing)
    FOREACH (now IN CASE WHEN outdated THEN [turned] ELSE [] END |
      SET new.is_active = false, new.archived_at = now.created_at
      CREATE (new)-[:SUPERSEDED_BY {how: 'corrects'}]->(now))
    FOREACH (old IN CASE WHEN outdated THEN [] WHEN turned IS NULL THEN [] ELSE [turned] END |
      SET old.is_active = false, old.archived_at = new.created_at
      REMOVE old:Standing
      CREATE (old)-[:SUPERSEDED_BY {how: 'corrects'}]->(new))
  )
  FOREACH (old IN CASE WHEN later THEN [known] ELSE [] END |
    FOREACH (_ IN CASE WHEN coalesce(old.value, old.content) IN row.before THEN [] ELSE [1] END |
      CREATE (old)-[:HAS_VERSION]->(:FactVersion {uuid: row.version, old_value: coalesce(old.value, old.content),
        new_value: row.now, reason: CASE WHEN row.now IS NULL THEN 'forget' ELSE 'update' END,
        confidence: old.confidence, changed_at: changed}))
    REMOVE old:Standing
    SET old += row.properties, old.archived_at = datetime(row.archived_at), old.expires_at = datetime(row.expires_at),
      old.valid_from = datetime(row.valid_from), old.valid_to = datetime(row.valid_to), old.changed_at = changed,
      old.due_at = datetime(row.due_at), old:PendingEmbedding
    REMOVE old:AgingMemory
    FOREACH (_ IN CASE WHEN row.due_at IS NULL THEN [] ELSE [1] END | SET old:AgingMemory)
    FOREACH (_ IN CASE WHEN row.stands THEN [1] ELSE [] END | SET old:Standing)
  )
  WITH coalesce(known.uuid, uuid) AS here, known IS NULL AS new
  MATCH (m:Memory {uuid: here})
  CALL (m, row) {
    UNWIND row.versions AS each
    OPTIONAL MATCH (taken:FactVersion {uuid: each.uuid})
    WHERE NOT EXISTS { (taken)<-[:HAS_VERSION]-(m) }
    WITH m, each, CASE WHEN taken IS NULL THEN each.uuid ELSE each.other END AS uuid
    MERGE (m)-[:HAS_VERSION]->(v:FactVersion {uuid: uuid})
    ON CREATE SET v += each.properties, v.changed_at = datetime(each.changed_at)
    RETURN count(*) AS versions
  }
  CALL (m, row) {
    UNWIND row.messages AS message
    MATCH (x:Message {uuid: message})
    WHERE x.user_id = $user_id AND x.project = $project
    REMOVE x:PendingMemory
    MERGE (m)-[:DERIVED_FROM]->(x)
    RETURN count(*) AS sources
  }
  CALL (m, row) {
    UNWIND row.anchors AS key
    MATCH (a:CodeAnchor {key: key})
    WHERE a.project = $project
    MERGE (m)-[:ABOUT]->(a)
    RETURN count(*) AS anchors
  }
  RETURN here, new
}
RETURN row.uuid AS uuid, here, new

// name: restore_superseded
// What took the place of memories; only where both are here, which the numbers of the rows say, and where it still holds.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    UNWIND $rows AS row
    UNWIND [row.uuid, row.later] AS uuid
    MATCH (n:Memory {uuid: uuid})
    RETURN n
  }
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Memory {uuid: row.uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
MATCH (later:Memory {uuid: row.later})
WHERE later.user_id = $user_id AND later.project IN [$project, ''] AND later <> m
FOREACH (_ IN CASE WHEN m.is_active THEN [] ELSE [1] END |
  MERGE (m)-[by:SUPERSEDED_BY]->(later)
  ON CREATE SET by.how = row.how)
RETURN collect(row.number) AS numbers
