// part: mine
// Whether the memory `m` is one that the owner reads: the user's own or nobody's, of this project or of every one.
  m.user_id IN [$user_id, ''] AND m.project IN [$project, ''] AND m.is_active
    AND (m.expires_at IS NULL OR m.expires_at > datetime())

// part: memory
// The memory `m` with where it comes from and what became of the code that it is about.
  m {.uuid, .kind, .tier, .category, .content, .importance, .confidence, .tags, .trust, .source, .type, .key, .value,
    .topic, .summary, .emotional_valence, .use_count, .is_active, .user_id, .project,
    created_at: toStringOrNull(m.created_at), last_used_at: toStringOrNull(m.last_used_at),
    archived_at: toStringOrNull(m.archived_at), expires_at: toStringOrNull(m.expires_at),
    valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
    superseded_by: head(COLLECT { MATCH (m)-[:SUPERSEDED_BY]->(later:Memory) RETURN later.uuid ORDER BY later.created_at DESC LIMIT 1 }),
    sources: COLLECT {
      MATCH (m)-[:DERIVED_FROM]->(said:Message)
      WHERE said.user_id = $user_id AND (said.project = $project OR m.project = '')
      RETURN [said.uuid, said.conversation_id] ORDER BY said.timestamp DESC, said.uuid
    }[..CASE WHEN m:Episode THEN 200 ELSE 5 END],
    code: COLLECT {
      MATCH (m)-[:ABOUT]->(a:CodeAnchor)
      WHERE a.project = $project
      OPTIONAL MATCH (a)-[:RESOLVES_TO]->(s:Scope)
      WHERE s.project = $project
      WITH a, s,
      // include: became
      RETURN {anchor: a {.name, .qualified_name, .file, .start_line, .commit}, scope: s {.uuid, .startLine}, became: became}
      ORDER BY a.file, a.start_line LIMIT 8
    }} AS memory

// name: pending_memories
// Messages that say that they are a note, a decision, a rule or something to do, or that take one back, and are no
// memories yet; the oldest first.
MATCH (m:PendingMemory)
WHERE m.user_id = $user_id AND m.project = $project AND ($uuid IS NULL OR m.uuid = $uuid) AND NOT m.uuid IN $without
MATCH (c:Conversation {uuid: m.conversation_id})
WHERE c.import_token IS NULL AND (c.status <> 'deleting' OR c.swept_to = c.kept_to)
WITH m ORDER BY m.timestamp, m.conversation_id, m.seq LIMIT $limit
RETURN m {.uuid, .conversation_id, .seq, .role, .content, .kind, .trust, .importance, timestamp: toStringOrNull(m.timestamp)} AS message,
  head(COLLECT { MATCH (m)-[against:CORRECTS]->(x:Message) RETURN {uuid: x.uuid, how: against.how} }) AS corrects

// name: remember_messages
// at once
// What messages state becomes memories, one after another under the user's lock. A memory that says the same with the
// same words is one with it; one with the same words in another order is taken back by it ("tabs over spaces"), as is
// what the message was said against. What that had taken back itself holds again, unless something else is against it.
// The user ($user) is the key of the lock. What is locked is not changed, whoever's it is.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL (u) {
  CALL (u) {
    UNWIND $memories AS row
    MATCH (n:Message {uuid: row.message})
    RETURN n
    UNION
    UNWIND $memories AS row
    MATCH (n:Memory {words_key: row.words_key})
    RETURN n
    UNION
    UNWIND $memories AS row
    MATCH (x:Message {uuid: row.against})<-[:DERIVED_FROM]-(n:Memory)
    RETURN n
    UNION
    UNWIND $memories AS row
    MATCH (x:Message {uuid: row.against})-[:CORRECTS]->(:Message)<-[:DERIVED_FROM]-(n:Memory)
    RETURN n
    UNION
    UNWIND $memories AS row
    MATCH (:Message {uuid: row.message})-[:ANCHORED_AT]->(n:CodeAnchor)
    RETURN n
  }
  // include: locks
}
UNWIND $memories AS row
CALL (u, row) {
  MATCH (m:Message {uuid: row.message})
  WHERE m.user_id = $user_id AND m.project = $project
  REMOVE m:PendingMemory
  WITH m
  OPTIONAL MATCH (alike:Memory {words_key: row.words_key})
  WHERE alike.is_active AND alike.user_id = $user_id AND alike.project = row.project
    AND NOT EXISTS { (alike)-[:DERIVED_FROM]->(m) }
  WITH m, head(collect(alike)) AS alike
  WITH m, alike, alike.order_key = row.order_key AS same, row.properties IS NOT NULL
    AND NOT EXISTS { MATCH (:Memory {uuid: row.uuid}) } AS due
  FOREACH (_ IN CASE WHEN due AND same THEN [1] ELSE [] END | CREATE (alike)-[:DERIVED_FROM]->(m))
  FOREACH (_ IN CASE WHEN due AND NOT coalesce(same, false) THEN [1] ELSE [] END |
    CREATE (u)-[:HAS_MEMORY]->(new:Memory)-[:DERIVED_FROM]->(m)
    SET new = row.properties, new.uuid = row.uuid, new.user_id = $user_id, new.project = row.project,
      new.owner_token = row.owner_token, new.words_key = row.words_key, new.order_key = row.order_key,
      new.created_at = m.timestamp, new.use_count = 0, new.is_active = true, new:PendingEmbedding
    FOREACH (_ IN CASE WHEN row.stands THEN [1] ELSE [] END | SET new:Standing)
    FOREACH (old IN CASE WHEN alike IS NULL THEN [] ELSE [alike] END |
      SET old.is_active = false, old.archived_at = m.timestamp
      REMOVE old:Standing
      CREATE (old)-[:SUPERSEDED_BY {how: 'corrects'}]->(new))
  )
  WITH m, CASE WHEN due AND same THEN alike.content END AS known,
    CASE WHEN due AND NOT same THEN [alike.content] ELSE [] END AS turned
  OPTIONAL MATCH (m)<-[:DERIVED_FROM]-(mine:Memory {uuid: row.uuid})
  FOREACH (a IN COLLECT { MATCH (m)-[:ANCHORED_AT]->(x:CodeAnchor) RETURN DISTINCT x ORDER BY x.uuid } |
    FOREACH (memory IN CASE WHEN mine IS NULL THEN [] ELSE [mine] END | MERGE (memory)-[:ABOUT]->(a)))
  WITH m, mine, known, turned
  OPTIONAL MATCH (x:Message {uuid: row.against})<-[:DERIVED_FROM]-(old:Memory)
  WHERE x.user_id = $user_id AND x.project = $project AND old <> coalesce(mine, m) AND old.is_active
    AND NOT EXISTS { (old)-[:DERIVED_FROM]->(m) }
  FOREACH (each IN CASE WHEN old IS NULL THEN [] ELSE [old] END |
    SET each.is_active = false, each.archived_at = m.timestamp
    REMOVE each:Standing
    FOREACH (later IN CASE WHEN mine IS NULL THEN [] ELSE [mine] END |
      CREATE (each)-[:SUPERSEDED_BY {how: row.how}]->(later)))
  WITH m, mine, known, turned, collect(DISTINCT old.content) AS olds, head(collect(x)) AS x
  WITH m, mine, known, turned + olds AS took, x
  OPTIONAL MATCH (x)-[:CORRECTS]->(y:Message)<-[:DERIVED_FROM]-(again:Memory)
  WHERE row.how = 'retracts' AND y.user_id = $user_id AND y.project = $project AND NOT EXISTS {
    MATCH (y)<-[:CORRECTS]-(against:Message)
    WHERE NOT EXISTS { (against)<-[:CORRECTS {how: 'retracts'}]-(:Message) }
  }
  FOREACH (each IN CASE WHEN again IS NULL THEN [] ELSE [again] END |
    SET each.is_active = true, each.archived_at = null
    FOREACH (_ IN CASE WHEN each.kind = 'rule' AND each.trust = 'user' THEN [1] ELSE [] END | SET each:Standing))
  RETURN DISTINCT mine IS NOT NULL AS stored, known, took
}
RETURN row.message AS message, stored, known, took

// name: recall
// What is remembered that bears on a question, by four tiers at once: what stands in every prompt (rules and preferences,
// the most important), facts whose type, key or value is named, what is about the code that names mean (at half weight
// about what is in it, calls it, or is called by it), and what shares words with it. The owner stands inside the clauses
// of full text too, see turn_context. A memory is told once, with its tiers. What $tools failed at last stands too; which
// tools worked is told where they are named.
CALL () {
  UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
  WITH DISTINCT of
  CALL (of) {
    MATCH (m:Standing)
    WHERE m.user_id = of[0] AND m.project = of[1] AND m.importance > 0 AND m.is_active
      AND (m.expires_at IS NULL OR m.expires_at > datetime())
    RETURN m ORDER BY m.importance DESC, m.created_at DESC LIMIT $standing
  }
  WITH m ORDER BY m.importance DESC, m.created_at DESC LIMIT $standing
  RETURN m, m.importance AS score, 'standing' AS tier
  UNION ALL
  CALL () {
    MATCH (m:ToolFailure)
    WHERE m.user_id = $user_id AND m.project = $project AND m.created_at IS NOT NULL
    RETURN m ORDER BY m.user_id DESC, m.project DESC, m.created_at DESC LIMIT $failures
  }
  WITH m WHERE m.tool IN $tools AND m.is_active AND m.expires_at > datetime()
  WITH m ORDER BY m.created_at DESC LIMIT $standing
  RETURN m, 0.0 AS score, 'standing' AS tier
  UNION ALL
  UNWIND $clauses AS asked
  CALL db.index.fulltext.queryNodes('memory_text_index', asked.clause, {limit: $candidates}) YIELD node AS m, score
  WHERE score > 0 AND (m.kind <> 'tool_use' OR asked.tier = 'key') AND
  // include: mine
  WITH asked, m, score ORDER BY score DESC, m.created_at DESC
  WITH asked, collect([m, score])[..$limit] AS best
  UNWIND best AS one
  RETURN one[0] AS m, one[1] AS score, asked.tier AS tier
  UNION ALL
  UNWIND CASE WHEN size($mentions) = 0 THEN [] ELSE [{mentions: $mentions, files: $files, read: []}] END AS part
  CALL (part) {
    // include: meant
    RETURN collect(DISTINCT s)[..$scopes] AS named
  }
  CALL (named) {
    UNWIND named AS s
    RETURN s, 1.0 AS weight
    UNION
    UNWIND named AS one
    CALL (one) {
      MATCH (one)-[:HAS_PARENT]-(s:Scope)
      RETURN s LIMIT $near
      UNION
      MATCH (one)-[:CONSUMES]-(s:Scope)
      RETURN s LIMIT $near
      UNION
      MATCH (one)<-[:HAS_PARENT]-(:Scope)-[:CONSUMES]->(s:Scope)
      RETURN s LIMIT $near
    }
    RETURN s, 0.5 AS weight
  }
  MATCH (s)<-[:RESOLVES_TO]-(:CodeAnchor)<-[:ABOUT]-(m:Memory)
  WHERE m.kind <> 'tool_use' AND
  // include: mine
  WITH m, max(weight) AS score ORDER BY score DESC, m.importance DESC, m.created_at DESC LIMIT $limit
  RETURN m, score, 'code' AS tier
}
WITH m, collect({tier: tier, score: score}) AS found
RETURN found,
// include: memory

// name: memory_contents
// What memories, and summaries of other conversations, say that a prompt held, whatever became of them since.
UNWIND $uuids AS uuid
CALL (uuid) {
  MATCH (m:Memory {uuid: uuid})
  WHERE m.user_id IN [$user_id, ''] AND m.project IN [$project, '']
  RETURN m.content AS content
  UNION
  MATCH (s:Summary {uuid: uuid})
  WHERE s.user_id = $user_id AND s.project = $project
  RETURN s.content AS content
}
RETURN uuid, content

// name: remember_facts
// at once
// Facts of a user, one after another under the user's lock. Of one type and key there is one: another value is a version
// of it, and the value before is its history. What was forgotten comes back only if it is said anew: not from a message
// that is older than the forgetting. An operation changes a fact once, however often it is run, and none that was asked
// for before the fact changed last. The key is a hash of its owner too.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    UNWIND $facts AS row
    MATCH (n:Message {uuid: row.message})
    RETURN n
    UNION
    UNWIND $facts AS row
    MATCH (n:Memory {fact_key: row.fact_key})
    RETURN n
  }
  // include: locks
}
UNWIND $facts AS row
CALL (u, row) {
  OPTIONAL MATCH (f:Memory {fact_key: row.fact_key})
  WITH f, head(COLLECT { MATCH (f)-[:HAS_VERSION]->(v:FactVersion {uuid: row.operation}) RETURN v }) AS done
  WITH f, done, done IS NOT NULL OR coalesce(f.made_by = row.operation, false) AS applied
  WITH f, applied, CASE WHEN done IS NULL THEN f.value ELSE done.old_value END AS old, CASE
    WHEN f IS NULL THEN 'stored'
    WHEN applied THEN CASE WHEN done IS NULL THEN 'stored' ELSE 'updated' END
    WHEN datetime(row.asked_at) < f.changed_at THEN 'older'
    WHEN NOT f.is_active AND datetime(row.said_at) <= f.archived_at THEN 'forgotten'
    WHEN f.is_active AND f.value = row.properties.value THEN 'same'
    ELSE 'updated' END AS outcome
  FOREACH (_ IN CASE WHEN outcome = 'stored' AND NOT applied THEN [1] ELSE [] END |
    CREATE (u)-[:HAS_MEMORY]->(new:Memory:Fact)
    SET new = row.properties, new.uuid = row.fact_key, new.fact_key = row.fact_key, new.user_id = $user_id,
      new.project = row.project, new.owner_token = row.owner_token, new.created_at = datetime(),
      new.changed_at = coalesce(datetime(row.asked_at), datetime.realtime()), new.made_by = row.operation,
      new.valid_from = coalesce(datetime(row.said_at), datetime()), new.use_count = 0, new.is_active = true,
      new:PendingEmbedding
    FOREACH (_ IN CASE WHEN row.stands THEN [1] ELSE [] END | SET new:Standing)
  )
  FOREACH (known IN CASE WHEN outcome = 'updated' AND NOT applied THEN [f] ELSE [] END |
    CREATE (known)-[:HAS_VERSION]->(v:FactVersion {uuid: row.operation, old_value: old,
      new_value: row.properties.value, reason: row.reason, confidence: row.properties.confidence, changed_at: datetime()})
    SET known += row.properties, known.is_active = true, known.archived_at = null, known.valid_to = null,
      known.changed_at = coalesce(datetime(row.asked_at), datetime.realtime()),
      known.valid_from = coalesce(datetime(row.said_at), datetime()), known:PendingEmbedding
    FOREACH (_ IN CASE WHEN row.stands THEN [1] ELSE [] END | SET known:Standing)
  )
  WITH outcome, old, coalesce(f.uuid, row.fact_key) AS uuid
  OPTIONAL MATCH (m:Message {uuid: row.message})
  WHERE m.user_id = $user_id AND m.project = $project
  OPTIONAL MATCH (kept:Memory {uuid: uuid})
  FOREACH (_ IN CASE WHEN m IS NULL OR outcome IN ['forgotten', 'older'] THEN [] ELSE [1] END |
    MERGE (kept)-[:DERIVED_FROM]->(m))
  RETURN outcome, old, uuid
}
RETURN uuid, outcome, old

// name: recall_facts
// An owner's facts, the most certain and the newest first; with a clause those that have its words.
CALL () {
  WITH 1 AS _ WHERE $clause IS NULL
  UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
  WITH DISTINCT of
  MATCH (m:Fact)
  WHERE m.user_id = of[0] AND m.project = of[1] AND m.created_at IS NOT NULL
  RETURN m, 1.0 AS score
  UNION
  WITH 1 AS _ WHERE $clause IS NOT NULL
  CALL db.index.fulltext.queryNodes('memory_text_index', $clause, {limit: $candidates}) YIELD node AS m, score
  WHERE score > 0 AND m:Fact AND m.user_id IN [$user_id, ''] AND m.project IN [$project, '']
  RETURN m, score
}
WITH m, score
WHERE ($types IS NULL OR m.type IN $types) AND m.confidence >= $min_confidence AND ($include_inactive OR m.is_active)
  AND (m.expires_at IS NULL OR m.expires_at > datetime())
WITH m, score ORDER BY score DESC, m.confidence DESC, m.created_at DESC, m.uuid LIMIT $limit
RETURN score,
// include: memory

// name: memories
// An owner's memories, the newest first, from behind a place on.
UNWIND [[$user_id, $project], [$user_id, ''], ['', $project], ['', '']] AS of
WITH DISTINCT of
CALL (of) {
  MATCH (m:Memory)
  WHERE m.user_id = of[0] AND m.project = of[1] AND m.created_at <= datetime($before)
    AND (m.created_at < datetime($before) OR m.uuid < $before_uuid)
    AND ($kinds IS NULL OR m.kind IN $kinds) AND ($include_inactive OR m.is_active)
  RETURN m ORDER BY m.user_id DESC, m.project DESC, m.created_at DESC, m.uuid DESC LIMIT $limit
}
WITH m ORDER BY m.created_at DESC, m.uuid DESC LIMIT $limit
RETURN
// include: memory

// name: memory_by_uuid
// Memories by the beginning of their uuid, whatever became of them.
MATCH (m:Memory)
WHERE (m.uuid STARTS WITH $uuid OR m.fact_key = $uuid) AND m.user_id IN [$user_id, ''] AND m.project IN [$project, '']
WITH m ORDER BY m.uuid LIMIT $limit
RETURN
// include: memory

// name: memory_versions
// What a memory was before, the oldest first: its versions, and what it took the place of.
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
RETURN COLLECT {
  MATCH (m)-[:HAS_VERSION]->(v:FactVersion)
  RETURN v {.uuid, .old_value, .new_value, .reason, .confidence, changed_at: toStringOrNull(v.changed_at)}
  ORDER BY v.changed_at, v.uuid
} + COLLECT {
  MATCH (older:Memory)-[how:SUPERSEDED_BY]->(m)
  WHERE older.user_id = $user_id AND older.project IN [$project, '']
  RETURN {uuid: older.uuid, old_value: older.content, new_value: m.content, reason: how.how, confidence: older.confidence,
    changed_at: toStringOrNull(older.archived_at)} AS v ORDER BY older.archived_at, older.uuid
} AS versions

// name: forget_memory
// at once
// Hidden from every read but history, which says why; its version is the audit. Nothing is deleted. An operation forgets
// once, and nothing that has changed since it was asked for.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
MATCH (m:Memory {uuid: $uuid})
WHERE m.user_id = $user_id AND m.project IN [$project, '']
SET m.uuid = $uuid
WITH m, EXISTS { (m)-[:HAS_VERSION]->(:FactVersion {uuid: $operation}) } AS applied
WITH m, applied, NOT applied AND m['is_active'] AND NOT coalesce(datetime($asked_at) < m['changed_at'], false) AS due
FOREACH (_ IN CASE WHEN due THEN [1] ELSE [] END |
  REMOVE m:Standing
  SET m.is_active = false, m.archived_at = datetime(), m.valid_to = datetime(), m.changed_at = datetime.realtime()
  CREATE (m)-[:HAS_VERSION]->(:FactVersion {uuid: $operation, old_value: coalesce(m.value, m.content), new_value: null,
    reason: 'forget', detail: $reason, confidence: m.confidence, changed_at: datetime()})
)
RETURN m.uuid AS uuid, due OR applied AS was

// name: merge_facts
// at once
// Facts that say one thing become one: the first keeps its type and key and takes the value, the others are taken back by
// it. It is as sure as the surest of them.
MERGE (u:User {user_id: $user})
ON CREATE SET u.created_at = datetime()
SET u.user_id = $user
WITH u
CALL () {
  CALL () {
    UNWIND $uuids AS uuid
    WITH uuid ORDER BY uuid
    MATCH (n:Memory {uuid: uuid})
    RETURN n
  }
  // include: locks
}
MATCH (kept:Memory {uuid: head($uuids)})
WHERE kept:Fact AND kept.user_id = $user_id AND kept.project IN [$project, '']
WITH kept, kept.value AS old, kept.confidence AS sure,
  EXISTS { (kept)-[:HAS_VERSION]->(:FactVersion {uuid: $operation}) } AS applied
CALL (kept, applied) {
  UNWIND tail($uuids) AS uuid
  MATCH (other:Memory {uuid: uuid})
  WHERE NOT applied AND other:Fact AND other <> kept AND other.is_active AND other.user_id = $user_id
    AND other.project IN [$project, '']
  WITH kept, other, other.confidence AS confidence
  REMOVE other:Standing
  SET other.is_active = false, other.archived_at = datetime(), other.valid_to = datetime(),
    other.changed_at = datetime.realtime()
  CREATE (other)-[:SUPERSEDED_BY {how: 'merge'}]->(kept)
  RETURN count(other) AS merged, max(confidence) AS surest
}
FOREACH (_ IN CASE WHEN merged = 0 THEN [] ELSE [1] END |
  SET kept += $properties, kept.is_active = true, kept.archived_at = null, kept.valid_to = null,
    kept.changed_at = datetime.realtime(), kept.confidence = CASE WHEN surest > sure THEN surest ELSE sure END, kept:PendingEmbedding
  CREATE (kept)-[:HAS_VERSION]->(:FactVersion {uuid: $operation, old_value: old, new_value: $properties.value,
    reason: 'merge', confidence: sure, changed_at: datetime()})
)
RETURN kept.uuid AS uuid, merged, applied
