// name: reembedding_state
// Where a project's vectors are, where they are moving to, and how far that is. No user: a space is the project's.
OPTIONAL MATCH (p:RagforgeMeta {key: 'project/' + $project})
RETURN p.model AS model, p.dimension AS dimension, p.next_model AS next_model, p.next_dimension AS next_dimension,
  p.reembed_total AS total, coalesce(p.clearing, []) AS clearing, coalesce(p.reembed_until > datetime(), false) AS running,
  COUNT { MATCH (n:PendingReembedding) WHERE n.project = $project } AS left

// name: claim_reembedding
// The lock first, then the look. Where it is free the claim is taken and the target set, in one write; from then on
// whoever stores a vector labels it for the next space too. A target that was given up is to be cleared first.
MATCH (p:RagforgeMeta {key: 'project/' + $project})
SET p.touched = datetime()
WITH p, p.reembed_token IS NULL OR p.reembed_token = $token OR p.reembed_until < datetime() AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET p.reembed_token = $token, p.reembed_until = datetime() + duration({milliseconds: $lease}))
FOREACH (_ IN CASE WHEN free AND [p.next_model, p.next_dimension] <> [$model, $dimension] THEN [1] ELSE [] END |
  SET p.clearing = coalesce(p.clearing, []) + ('space/' + p.next_model + '/' + p.next_dimension)
  REMOVE p.next_model, p.next_dimension, p.reembed_listed, p.reembed_total)
FOREACH (_ IN CASE WHEN free AND [p.model, p.dimension] <> [$model, $dimension] THEN [1] ELSE [] END |
  SET p.next_model = $model, p.next_dimension = $dimension)
RETURN free, p.next_model AS next_model, p.next_dimension AS next_dimension, coalesce(p.clearing, []) AS clearing,
  coalesce(p.reembed_listed, false) AS listed

// name: renew_reembedding
MATCH (p:RagforgeMeta {key: 'project/' + $project})
SET p.touched = datetime()
WITH p
WHERE p.reembed_token = $token
SET p.reembed_until = datetime() + duration({milliseconds: $lease})
RETURN p.model AS model

// name: release_reembedding
MATCH (p:RagforgeMeta {key: 'project/' + $project})
SET p.touched = datetime()
WITH p
WHERE p.reembed_token = $token
REMOVE p.reembed_token, p.reembed_until
RETURN p.model AS model

// part: parts_of_project
// All that has vectors in a project, in parts that one transaction takes: of a conversation 500 messages each, those `above`
// a seq, with the first of them the conversation and its summaries; the scopes of a `file`; and 500 `memories`, or chunks of documents, by uuid.
// Messages are reached by their conversation: there is no index of a project's messages. Memories of every project are in
// no project's space alone, see pending_memory_embeddings.
CALL () {
  MATCH (c:Conversation)
  WHERE c.project = $project
  WITH c ORDER BY c.uuid
  WITH c, head(COLLECT { MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > 0
    RETURN m.seq ORDER BY m.conversation_id DESC, m.seq DESC LIMIT 1 }) AS last
  UNWIND range(0, CASE WHEN last > 1 THEN last - 1 ELSE 0 END, 500) AS above
  RETURN c.uuid AS conversation, above, null AS file, [] AS memories
  UNION ALL
  WITH $project AS project
  MATCH (s:Scope)
  WHERE s.project = project
  WITH DISTINCT s.file AS file
  RETURN null AS conversation, 0 AS above, file, [] AS memories
  UNION ALL
  MATCH (y:Memory)
  WHERE y.project = $project
  WITH y.uuid AS uuid ORDER BY uuid
  WITH collect(uuid) AS uuids
  UNWIND range(0, size(uuids) - 1, 500) AS first
  RETURN null AS conversation, 0 AS above, null AS file, uuids[first..first + 500] AS memories
  UNION ALL
  MATCH (k:Chunk)
  WHERE k.project = $project
  WITH k.uuid AS uuid ORDER BY uuid
  WITH collect(uuid) AS uuids
  UNWIND range(0, size(uuids) - 1, 500) AS first
  RETURN null AS conversation, 0 AS above, null AS file, uuids[first..first + 500] AS memories
}

// part: nodes_of_part
// The nodes `n` of one such part.
    MATCH (n:Conversation {uuid: conversation})
    WHERE above = 0
    RETURN n
    UNION
    MATCH (:Conversation {uuid: conversation})-[:HAS_SUMMARY]->(n:Summary)
    WHERE above = 0
    RETURN n
    UNION
    MATCH (n:Message {conversation_id: conversation})
    WHERE n.seq > above AND n.seq <= above + 500
    RETURN n
    UNION
    MATCH (n:Scope)
    WHERE n.project = $project AND n.file = file
    RETURN n
    UNION
    UNWIND memories AS uuid
    MATCH (n:Memory {uuid: uuid})
    RETURN n
    UNION
    UNWIND memories AS uuid
    MATCH (n:Chunk {uuid: uuid})
    RETURN n

// name: label_reembedding
// autocommit
// What has a vector, waits for one or could not get one, of every user of the project: what is stored from now on
// labels itself. What waits may be getting its vector at this moment from somebody who began before.
// include: parts_of_project
CALL (conversation, above, file, memories) {
  CALL (conversation, above, file, memories) {
    // include: nodes_of_part
  }
  WITH n, CASE WHEN n:Conversation THEN [$old_conversation_property, $conversation_property]
    ELSE [$old_property, $property] END AS names
  WHERE n[names[1]] IS NULL AND (n[names[0]] IS NOT NULL OR n:PendingEmbedding OR n:FailedEmbedding)
  WITH collect(n) AS found
  CALL (found) {
    UNWIND found AS n
    // include: locks
  }
  FOREACH (n IN found | SET n:PendingReembedding)
  RETURN size(found) AS labels
} IN TRANSACTIONS OF 1 ROWS
RETURN sum(labels) AS labelled

// name: reembedding_listed
// Only now may an empty list mean that nothing is missing.
MATCH (p:RagforgeMeta {key: 'project/' + $project})
SET p.touched = datetime()
WITH p
WHERE p.reembed_token = $token
SET p.reembed_listed = true, p.reembed_total = coalesce(p.reembed_total,
  COUNT { MATCH (n:PendingReembedding) WHERE n.project = $project })
RETURN p.reembed_total AS total

// name: pending_reembedding
// What still lacks a vector of the next space, with what is embedded of it, whatever it is.
MATCH (n:PendingReembedding)
WHERE n.project = $project
WITH n LIMIT $limit
RETURN n.uuid AS uuid,
  head([label IN ['Message', 'Summary', 'Conversation', 'Memory', 'Chunk', 'Scope'] WHERE label IN labels(n)]) AS label,
  n.conversation_id AS conversation_id, CASE WHEN n:Chunk THEN n.heading + '\n\n' + n.content ELSE n.content END AS content, n {.name, .qualified_name, .signature, .docstring,
    .hash, source: CASE WHEN n.source IS :: STRING THEN left(n.source, 2000) END} AS scope,
  coalesce(n.title, '') AS title, coalesce(n.summary, '') AS summary,
  CASE WHEN n:Conversation THEN COLLECT {
    MATCH (m:Message {conversation_id: n.uuid})
    WHERE m.seq > n.head_seq - n.message_count AND m.seq <= n.head_seq - n.message_count + 4
    WITH m ORDER BY m.seq
    RETURN [m.role, CASE WHEN m.content IS :: STRING THEN left(m.content, 600) ELSE m.content END, m.uuid]
  } ELSE [] END AS first

// part: locks_of_rows
// Locks the nodes of $rows, label by label.
CALL () {
  UNWIND [row IN $rows WHERE row.label = 'Conversation' | row.uuid] AS uuid
  WITH uuid ORDER BY uuid
  MATCH (n:Conversation {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND [row IN $rows WHERE row.label = 'Summary' | row.uuid] AS uuid
  WITH uuid ORDER BY uuid
  MATCH (n:Summary {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND [row IN $rows WHERE row.label = 'Message' | row.uuid] AS uuid
  WITH uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND [row IN $rows WHERE row.label = 'Memory' | row.uuid] AS uuid
  WITH uuid ORDER BY uuid
  MATCH (n:Memory {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND [row IN $rows WHERE row.label = 'Chunk' | row.uuid] AS uuid
  WITH uuid ORDER BY uuid
  MATCH (n:Chunk {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND [row IN $rows WHERE row.label = 'Scope' | row.uuid] AS uuid
  WITH uuid ORDER BY uuid
  MATCH (n:Scope {uuid: uuid})
  // include: locks
}

// name: store_reembedded
// Fenced: whose claim was taken over stores nothing. What has changed since it was read keeps its label and is read
// again. One statement for every label.
MATCH (p:RagforgeMeta {key: 'project/' + $project})
WHERE p.reembed_token = $token AND p.next_model = $model AND p.next_dimension = $dimension
// include: locks_of_rows
CALL () {
  UNWIND $rows AS row
  CALL (row) {
    WITH row WHERE row.label = 'Message'
    MATCH (n:Message {uuid: row.uuid})
    RETURN n
    UNION
    WITH row WHERE row.label = 'Summary'
    MATCH (n:Summary {uuid: row.uuid})
    RETURN n
    UNION
    WITH row WHERE row.label = 'Conversation'
    MATCH (n:Conversation {uuid: row.uuid})
    RETURN n
    UNION
    WITH row WHERE row.label = 'Memory'
    MATCH (n:Memory {uuid: row.uuid})
    RETURN n
    UNION
    WITH row WHERE row.label = 'Chunk'
    MATCH (n:Chunk {uuid: row.uuid})
    RETURN n
    UNION
    WITH row WHERE row.label = 'Scope'
    MATCH (n:Scope {uuid: row.uuid})
    RETURN n
  }
  WITH n, row
  WHERE n.project = $project AND CASE
    WHEN n:Scope THEN coalesce(n.hash, '') = row.version[0]
    WHEN n:Memory THEN n.content = row.version[0]
    WHEN n:Conversation THEN coalesce(n.title, '') = row.version[0] AND coalesce(n.summary, '') = row.version[1]
      AND row.version[2] = COUNT {
        MATCH (m:Message {conversation_id: n.uuid})
        WHERE m.seq > n.head_seq - n.message_count AND m.seq <= n.head_seq - n.message_count + 4
      }
    ELSE true END
  CALL db.create.setNodeVectorProperty(n, CASE WHEN n:Conversation THEN $conversation_property ELSE $property END,
    row.vector)
  REMOVE n:PendingReembedding:FailedEmbedding
  RETURN count(*) AS stored
}
RETURN stored

// name: fail_reembedding
// What the model refuses is found by its words alone from then on; doctor counts it.
// include: locks_of_rows
UNWIND $rows AS row
MATCH (n:PendingReembedding {uuid: row.uuid})
WHERE n.project = $project AND row.label IN labels(n)
REMOVE n:PendingReembedding
SET n:FailedEmbedding
RETURN count(*) AS failed

// name: switch_space
// The lock first: whoever is storing a vector now is waited for, so that its label is seen. One write: the project has
// the next space, and the old one is to be cleared. One that is repeated finds that it is done.
MATCH (p:RagforgeMeta {key: 'project/' + $project})
SET p.touched = datetime()
WITH p, p.next_model IS NULL AND p.model = $model AND p.dimension = $dimension AS done
WHERE p.reembed_token = $token AND (done OR p.next_model = $model AND p.next_dimension = $dimension AND p.reembed_listed
  AND NOT EXISTS { MATCH (n:PendingReembedding) WHERE n.project = $project })
FOREACH (_ IN CASE WHEN done THEN [] ELSE [1] END |
  SET p.clearing = coalesce(p.clearing, []) + ('space/' + p.model + '/' + p.dimension), p.model = $model,
    p.dimension = $dimension
  REMOVE p.next_model, p.next_dimension, p.reembed_listed, p.reembed_total
)
RETURN p.model AS model

// name: clear_space
// autocommit
// The vectors of a space that the project has left, and labels of a move that was given up.
// include: parts_of_project
CALL (conversation, above, file, memories) {
  CALL (conversation, above, file, memories) {
    // include: nodes_of_part
  }
  WITH n
  WHERE n:PendingReembedding OR n[CASE WHEN n:Conversation THEN $conversation_property ELSE $property END] IS NOT NULL
  WITH collect(n) AS found
  CALL (found) {
    UNWIND found AS n
    // include: locks
  }
  UNWIND found AS n
  WITH n, CASE WHEN n:Conversation THEN $conversation_property ELSE $property END AS name
  REMOVE n[name]
  REMOVE n:PendingReembedding
  RETURN count(n) AS nodes
} IN TRANSACTIONS OF 1 ROWS
RETURN sum(nodes) AS cleared

// name: space_cleared
MATCH (p:RagforgeMeta {key: 'project/' + $project})
SET p.touched = datetime()
WITH p
WHERE p.reembed_token = $token
SET p.clearing = [key IN p.clearing WHERE key <> $space_key]
FOREACH (_ IN CASE WHEN p.clearing = [] THEN [1] ELSE [] END | REMOVE p.clearing)
RETURN p.model AS model

// name: space_by_key
MATCH (s:RagforgeMeta {key: $space_key})
RETURN s.model AS model, s.dimension AS dimension, s.number AS number
