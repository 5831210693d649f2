// name: taken_nodes
// Which uuids somebody has, and nothing about who: what another owner holds is given a new one without a word.
UNWIND $uuids AS uuid
CALL (uuid) {
  MATCH (n:Conversation {uuid: uuid}) RETURN n.uuid AS taken
  UNION
  MATCH (n:Message {uuid: uuid}) RETURN n.uuid AS taken
  UNION
  MATCH (n:ToolCall {uuid: uuid}) RETURN n.uuid AS taken
  UNION
  MATCH (n:ToolResult {uuid: uuid}) RETURN n.uuid AS taken
  UNION
  MATCH (n:Summary {uuid: uuid}) RETURN n.uuid AS taken
  UNION
  MATCH (n:Insight {uuid: uuid}) RETURN n.uuid AS taken
}
RETURN taken AS uuid

// name: taken_anchors
// Which of these uuids are those of anchors on something else than what they shall be anchors on.
UNWIND $anchors AS row
MATCH (a:CodeAnchor {uuid: row.uuid})
WHERE a.key <> row.key
RETURN a.uuid AS uuid

// name: restore_state
// What is here already of conversations that shall be restored: which they are, what is left of those that were deleted,
// whether somebody restores them just now, and the messages by which they are known to be the same.
UNWIND $conversations AS row
MATCH (c:Conversation {uuid: row.uuid})
WHERE c.user_id = $user_id AND c.project = $project
RETURN c.uuid AS uuid, c.status = 'deleting' AS hidden, coalesce(c.kept_to, 0) AS kept_to,
  coalesce(c.swept_to = c.kept_to, false) AS shared,
  coalesce(c.import_until > datetime(), false) AS restoring, c.import_holder AS holder, c.import_token AS token,
  [i IN range(0, size(coalesce(c.lineage_ids, [])) - 1) | {id: c.lineage_ids[i], top: c.lineage_tops[i]}] AS lineage,
  head(COLLECT { MATCH (m:Message {conversation_id: c.uuid, seq: row.seq}) RETURN m.uuid }) AS last_message_id,
  head(COLLECT { MATCH (m:Message {conversation_id: c.uuid, seq: c.kept_to}) RETURN m.uuid }) AS kept_message_id

// name: copies_here
// This owner's conversations that came in under another uuid than these, the last updated last. Only asked of uuids that
// somebody else holds: a conversation that was copied on purpose is in nobody's way.
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.updated_at IS NOT NULL AND c.status <> 'deleting'
  AND c.source_uuid IN $uuids
WITH c ORDER BY c.updated_at
RETURN c.source_uuid AS source_uuid, c.uuid AS uuid

// name: session_holders
UNWIND $session_ids AS session_id
MATCH (c:Conversation)
WHERE c.user_id = $user_id AND c.project = $project AND c.session_id = session_id AND c.status <> 'deleting'
RETURN session_id, c.uuid AS uuid

// name: begin_restore
// at once
// What is being restored is hidden as what is being deleted is: a sweep takes away what a crash leaves of it, once the
// lease is over. Of one whose first part is here still, shared by branches, only the rest is written; one that somebody
// has begun to delete since it was looked at is refused. As in all that follows, many small conversations are one
// statement: to ask for each by itself takes ten times as long as to write it.
UNWIND $uuids AS uuid
WITH uuid ORDER BY uuid
MERGE (c:Conversation {uuid: uuid})
ON CREATE SET c.user_id = $user_id, c.project = $project, c.owner_token = $owner_token, c.status = 'deleting',
  c.head_seq = 0, c.created_at = datetime(), c.updated_at = datetime(), c.import_step = 0
WITH c
WHERE c.user_id = $user_id AND c.project = $project AND c.status = 'deleting'
WITH c, c.uuid AS uuid
SET c.uuid = uuid
WITH c
WHERE c['status'] = 'deleting' AND (c['import_until'] IS NULL OR c['import_until'] < datetime() OR c['import_token'] = $token)
  AND (c['import_step'] = 0 OR NOT EXISTS {
    MATCH (m:Message {conversation_id: c.uuid}) WHERE m.seq > coalesce(c['kept_to'], 0)
  })
SET c.import_token = $token, c.import_until = datetime() + duration({seconds: $seconds}), c.import_step = 0,
  c.import_holder = $holder
REMOVE c.swept_to
RETURN c.uuid AS uuid

// part: restored
// What a restored conversation has beside the properties of its `row`: whose it is, and times as times. A pause after a
// failure that is longer than any of ours is ended. `restored_at` tells a process that keeps vectors of it that its
// messages may say something else now.
      restored_at: datetime(), uuid: row.uuid, user_id: $user_id, project: $project, owner_token: $owner_token,
      created_at: datetime(row.created_at), updated_at: datetime(row.updated_at), branched_at: datetime(row.branched_at),
      summary_until: CASE WHEN datetime(row.summary_until) < datetime() + duration({seconds: $seconds})
        THEN datetime(row.summary_until) END

// name: begin_new_restore
// at once
// As begin_restore, of conversations that come in whole and of which nothing was looked for: where one is here, whoever's,
// none is begun. They are made as they shall be, so that finish_restore has only to show them: each property that is set
// later takes the indexes as long as all of them at once. A session's name is theirs when they are seen.
UNWIND $conversations AS row
OPTIONAL MATCH (known:Conversation {uuid: row.uuid})
WITH collect(row) AS rows, count(known) AS here, count(CASE WHEN known.import_token = $token THEN 1 END) AS begun
FOREACH (row IN CASE WHEN here = 0 THEN rows ELSE [] END |
  FOREACH (p IN [row.properties] |
    CREATE (c:Conversation)
    SET c = p {.*, status: 'deleting', session_id: null, import_token: $token, import_step: 0, import_holder: $holder,
      import_until: datetime() + duration({seconds: $seconds}),
      // include: restored
      }
  )
)
RETURN here = 0 OR begun = size(rows) AS begun

// name: restore_messages
// at once
// A batch, once: a repeated write finds that its step was taken. SET comes first, for the lock; only whose token is there
// makes the time longer. Labels of work to do are made anew. Every node gets its
// properties in one SET: a SET for each took the indexes twice as long.
UNWIND $batches AS batch
MATCH (c:Conversation {uuid: batch.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
WITH *, batch.conversation_id AS uuid ORDER BY uuid, batch.step
SET c.uuid = uuid
FOREACH (_ IN CASE WHEN c['import_token'] = $token THEN [1] ELSE [] END |
  SET c.import_until = datetime() + duration({seconds: $seconds}))
WITH c, batch, c['import_token'] = $token AND c['import_step'] = batch.step AS due
FOREACH (_ IN CASE WHEN due THEN [1] ELSE [] END |
  SET c.import_step = batch.step + 1
  FOREACH (row IN batch.messages |
    FOREACH (p IN [row.properties] |
      CREATE (c)-[:HAS_MESSAGE]->(m:Message)
      SET m = p {.*, conversation_id: batch.conversation_id, user_id: $user_id, project: $project, owner_token: $owner_token,
        timestamp: datetime(row.timestamp)}
      FOREACH (_ IN CASE WHEN row.important THEN [1] ELSE [] END | SET m:Important)
      FOREACH (_ IN CASE WHEN p.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
      FOREACH (_ IN CASE WHEN row.stated THEN [1] ELSE [] END | SET m:PendingMemory)
      FOREACH (_ IN CASE WHEN row.worded THEN [1] ELSE [] END | SET m:PendingEmbedding)
      FOREACH (step IN row.tool_calls |
        FOREACH (q IN [step.properties] |
          CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)
          SET call = q {.*, message_id: m.uuid, timestamp: datetime(step.timestamp)}
          FOREACH (result IN step.results |
            FOREACH (r IN [result.properties] |
              CREATE (call)-[:PRODUCED_RESULT]->(x:ToolResult)
              SET x = r {.*, tool_call_id: q.uuid, timestamp: datetime(result.timestamp)}))))))
)
RETURN c.uuid AS uuid, c.import_token = $token AS mine

// name: restore_messages_with_vectors
// at once
// As restore_messages, of messages that bring their vectors: looking for them again afterwards takes longer than to
// write both at once. Not the same statement, since a procedure cannot be called in FOREACH. Where the project's vectors
// are another model's by now, or are being moved, as store_message_embeddings.
OPTIONAL MATCH (q:RagforgeMeta {key: 'project/' + $project})
FOREACH (_ IN CASE WHEN q.next_model IS NULL THEN [] ELSE [1] END | SET q.touched = datetime())
WITH q.next_model IS NOT NULL AS moving,
  coalesce([q.model, q.dimension] <> [$space_model, $space_dimension], false) AS moved
UNWIND $batches AS batch
MATCH (c:Conversation {uuid: batch.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
WITH *, batch.conversation_id AS uuid ORDER BY uuid, batch.step
SET c.uuid = uuid
FOREACH (_ IN CASE WHEN c['import_token'] = $token THEN [1] ELSE [] END |
  SET c.import_until = datetime() + duration({seconds: $seconds}))
WITH c, batch, moving, moved, c['import_token'] = $token AND c['import_step'] = batch.step AS due
CALL (c, batch, due, moving, moved) {
  WITH c, batch, due, moving, moved WHERE due
  SET c.import_step = batch.step + 1
  WITH c, batch, moving, moved
  UNWIND batch.messages AS row
  WITH c, row, row.properties AS p, moving, moved
  CREATE (c)-[:HAS_MESSAGE]->(m:Message)
  SET m = p {.*, conversation_id: c.uuid, user_id: c.user_id, project: c.project, owner_token: c.owner_token,
    timestamp: datetime(row.timestamp)}
  FOREACH (_ IN CASE WHEN row.important THEN [1] ELSE [] END | SET m:Important)
  FOREACH (_ IN CASE WHEN p.kind IS NULL THEN [] ELSE [1] END | SET m:Decision)
  FOREACH (_ IN CASE WHEN row.stated THEN [1] ELSE [] END | SET m:PendingMemory)
  FOREACH (step IN row.tool_calls |
    FOREACH (q IN [step.properties] |
      CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)
      SET call = q {.*, message_id: m.uuid, timestamp: datetime(step.timestamp)}
      FOREACH (result IN step.results |
        FOREACH (r IN [result.properties] |
          CREATE (call)-[:PRODUCED_RESULT]->(x:ToolResult)
          SET x = r {.*, tool_call_id: q.uuid, timestamp: datetime(result.timestamp)}))))
  FOREACH (_ IN CASE WHEN moved AND row.worded THEN [1] ELSE [] END | SET m:PendingEmbedding)
  FOREACH (_ IN CASE WHEN moving AND NOT moved THEN [1] ELSE [] END | SET m:PendingReembedding)
  WITH m, row.vector AS vector, moved
  WHERE NOT moved
  CALL db.create.setNodeVectorProperty(m, $property, vector)
  RETURN count(*) AS written
}
RETURN c.uuid AS uuid, c.import_token = $token AS mine

// name: restore_anchors
// An anchor that is here already, of other messages on the same code, stays as it is. A new one stands where it stood,
// if the code there is what it was; what became of it otherwise is found out afterwards. Until its messages are tied to it,
// it is held for their conversation: forget_anchors leaves it alone as long as that is being written.
CALL () {
  UNWIND $anchors AS row
  WITH row, $project AS project
  MATCH (n:Scope)
  WHERE n.project = project AND n.file = row.scope.file AND coalesce(n.key, n.qualified_name, n.name) = row.scope.key
    AND n.hash = row.scope.hash
  // include: locks
}
CALL () {
  UNWIND $anchors AS row
  WITH DISTINCT row.key AS key ORDER BY key
  MATCH (n:CodeAnchor {key: key})
  // include: locks
}
UNWIND $anchors AS row
WITH row ORDER BY row.key
MERGE (a:CodeAnchor {key: row.key})
ON CREATE SET a = row.properties, a.key = row.key, a.uuid = row.uuid, a.project = $project,
  a.first_seen = datetime(row.first_seen), a.checked_at = datetime(row.checked_at)
WITH a, row
WHERE a.project = $project
SET a:LooseAnchor,
  a.held_for = [one IN coalesce(a.held_for, []) WHERE one <> row.conversation_id] + row.conversation_id
FOREACH (_ IN CASE WHEN a.candidates IS NULL THEN [] ELSE [1] END | SET a:UndecidedAnchor)
FOREACH (_ IN CASE WHEN a.been IS NULL THEN [] ELSE [1] END | SET a:MovedAnchor)
WITH a, row
OPTIONAL MATCH (s:Scope)
WHERE s.project = $project AND s.file = row.scope.file AND coalesce(s.key, s.qualified_name, s.name) = row.scope.key
  AND s.hash = row.scope.hash AND NOT EXISTS { MATCH (a)-[:RESOLVES_TO]->(:Scope) }
FOREACH (_ IN CASE WHEN s IS NULL THEN [] ELSE [1] END |
  MERGE (a)-[now:RESOLVES_TO]->(s)
  ON CREATE SET now = row.stands, now.checked_at = datetime(row.stood_at))
RETURN a.key AS key, a.file AS file, EXISTS { MATCH (a)-[:RESOLVES_TO]->(:Scope) } AS stands, a.status = 'orphaned' AS orphaned

// name: restore_ties
// A batch's edges to code, once. A reference leads to the scope in the place that it led to, if that is what it was, and
// to where the anchor stands.
UNWIND $batches AS batch
MATCH (c:Conversation {uuid: batch.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
WITH *, batch.conversation_id AS uuid ORDER BY uuid, batch.step
SET c.uuid = uuid
FOREACH (_ IN CASE WHEN c['import_token'] = $token THEN [1] ELSE [] END |
  SET c.import_until = datetime() + duration({seconds: $seconds}))
WITH c, batch, c['import_token'] = $token AND c['import_step'] = batch.step AS due
FOREACH (_ IN CASE WHEN due THEN [1] ELSE [] END | SET c.import_step = batch.step + 1)
WITH collect({c: c, batch: batch, due: due}) AS parts
CALL (parts) {
  CALL (parts) {
    UNWIND parts AS part
    UNWIND part.batch.references + part.batch.anchored + part.batch.reads AS row
    MATCH (n:Message {uuid: row.message})
    WHERE part.due
    RETURN n
    UNION
    UNWIND parts AS part
    UNWIND part.batch.reads AS row
    MATCH (n:ToolCall {uuid: row.call})
    WHERE part.due
    RETURN n
    UNION
    UNWIND parts AS part
    UNWIND part.batch.references AS row
    MATCH (n:Scope)
    WHERE part.due AND n.project = part.c.project AND n.file = row.scope.file
      AND coalesce(n.key, n.qualified_name, n.name) = row.scope.key AND n.hash = row.scope.hash
    RETURN n
    UNION
    UNWIND parts AS part
    UNWIND part.batch.anchored + part.batch.reads AS row
    MATCH (n:CodeAnchor {key: row.key})
    WHERE part.due
    RETURN n
    UNION
    UNWIND parts AS part
    UNWIND part.batch.anchored AS row
    MATCH (:CodeAnchor {key: row.key})-[:RESOLVES_TO]->(n:Scope)
    WHERE part.due
    RETURN n
  }
  // include: locks
}
UNWIND parts AS part
WITH part.c AS c, part.batch AS batch, part.due AS due
CALL (batch, due) {
  WITH batch, due WHERE due
  UNWIND batch.references AS row
  MATCH (m:Message {uuid: row.message})
  WHERE m.user_id = $user_id AND m.project = $project
  MATCH (s:Scope)
  WHERE s.project = $project AND s.file = row.scope.file AND coalesce(s.key, s.qualified_name, s.name) = row.scope.key
    AND s.hash = row.scope.hash
  CREATE (m)-[r:REFERENCES_CODE]->(s)
  SET r = row.properties
  RETURN count(*) AS referenced
}
CALL (batch, due) {
  WITH batch, due WHERE due
  UNWIND batch.anchored AS row
  MATCH (m:Message {uuid: row.message})
  WHERE m.user_id = $user_id AND m.project = $project
  MATCH (a:CodeAnchor {key: row.key})
  WHERE a.project = $project
  CREATE (m)-[tie:ANCHORED_AT]->(a)
  SET tie = row.properties
  WITH m, a, row
  MATCH (a)-[:RESOLVES_TO]->(s:Scope)
  MERGE (m)-[r:REFERENCES_CODE {kind: row.properties.kind}]->(s)
  ON CREATE SET r.scope_hash = row.properties.scope_hash, r.commit = row.properties.commit
  RETURN count(*) AS anchored
}
CALL (batch, due) {
  WITH batch, due WHERE due
  UNWIND batch.reads AS row
  MATCH (m:Message {uuid: row.message})-[:MADE_TOOL_CALL]->(call:ToolCall {uuid: row.call})
  WHERE m.user_id = $user_id AND m.project = $project
  MATCH (a:CodeAnchor {key: row.key})
  WHERE a.project = $project
  CREATE (call)-[r:READ]->(a)
  SET r.hash = row.hash
  RETURN count(*) AS read
}
RETURN c.uuid AS uuid, c.import_token = $token AS mine

// name: restore_summaries
// Of a conversation whose first part was here still, the summaries of that part are too.
UNWIND $batches AS batch
MATCH (c:Conversation {uuid: batch.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
WITH *, batch.conversation_id AS uuid ORDER BY uuid, batch.step
SET c.uuid = uuid
FOREACH (_ IN CASE WHEN c['import_token'] = $token THEN [1] ELSE [] END |
  SET c.import_until = datetime() + duration({seconds: $seconds}))
WITH c, batch, c['import_token'] = $token AND c['import_step'] = batch.step AS due
FOREACH (_ IN CASE WHEN due THEN [1] ELSE [] END | SET c.import_step = batch.step + 1)
WITH collect({c: c, batch: batch, due: due}) AS parts
CALL (parts) {
  CALL (parts) {
    UNWIND parts AS part
    UNWIND part.batch.summaries AS row
    MATCH (n:Summary {conversation_id: part.c.uuid, kind: row.kind, level: row.level, from_seq: row.from_seq})
    WHERE part.due
    RETURN n
    UNION
    UNWIND parts AS part
    UNWIND part.batch.summaries AS row
    UNWIND row.summaries AS uuid
    MATCH (n:Summary {uuid: uuid})
    WHERE part.due
    RETURN n
    UNION
    UNWIND parts AS part
    UNWIND part.batch.summaries AS row
    UNWIND row.messages AS uuid
    MATCH (n:Message {uuid: uuid})
    WHERE part.due
    RETURN n
  }
  // include: locks
}
UNWIND parts AS part
WITH part.c AS c, part.batch AS batch, part.due AS due
CALL (c, batch, due) {
  WITH c, batch, due WHERE due
  UNWIND batch.summaries AS row
  MERGE (s:Summary {conversation_id: c.uuid, kind: row.kind, level: row.level, from_seq: row.from_seq})
  ON CREATE SET s += row.properties, s.uuid = row.uuid, s.user_id = c.user_id, s.project = c.project,
    s.created_at = datetime(row.created_at)
  MERGE (c)-[:HAS_SUMMARY]->(s)
  SET s:PendingEmbedding
  WITH s, row
  CALL (s, row) {
    UNWIND row.messages AS uuid
    MATCH (m:Message {uuid: uuid})
    WHERE m.user_id = $user_id AND m.project = $project
    MERGE (s)-[:SUMMARIZES]->(m)
    RETURN count(*) AS messages
  }
  CALL (s, row) {
    UNWIND row.summaries AS uuid
    MATCH (below:Summary {uuid: uuid})
    WHERE below.user_id = $user_id AND below.project = $project
    MERGE (s)-[:SUMMARIZES]->(below)
    RETURN count(*) AS below
  }
  RETURN count(*) AS written
}
RETURN c.uuid AS uuid, c.import_token = $token AS mine, written

// name: restore_insights
// What analyses found, once.
UNWIND $batches AS batch
MATCH (c:Conversation {uuid: batch.conversation_id})
WHERE c.user_id = $user_id AND c.project = $project
WITH *, batch.conversation_id AS uuid ORDER BY uuid, batch.step
SET c.uuid = uuid
FOREACH (_ IN CASE WHEN c['import_token'] = $token THEN [1] ELSE [] END |
  SET c.import_until = datetime() + duration({seconds: $seconds}))
WITH c, batch, c['import_token'] = $token AND c['import_step'] = batch.step AS due
FOREACH (_ IN CASE WHEN due THEN [1] ELSE [] END | SET c.import_step = batch.step + 1)
WITH c, batch, due
CALL (c, batch, due) {
  WITH c, batch, due WHERE due
  UNWIND batch.insights AS row
  CREATE (c)-[:HAS_INSIGHT]->(i:Insight)
  SET i = row.properties, i.uuid = row.uuid, i.conversation_id = c.uuid, i.user_id = c.user_id, i.project = c.project,
    i.created_at = datetime(row.created_at)
  RETURN count(*) AS written
}
RETURN c.uuid AS uuid, c.import_token = $token AS mine, written

// name: restore_prompts
// A text is given once, with all conversations that have it.
CALL () {
  UNWIND $prompts AS row
  UNWIND row.conversations AS uuid
  WITH DISTINCT uuid ORDER BY uuid
  MATCH (n:Conversation {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND $prompts AS row
  WITH row ORDER BY row.uuid
  MATCH (n:Prompt {uuid: row.uuid})
  // include: locks
}
UNWIND $prompts AS row
MATCH (c:Conversation)
WHERE c.uuid IN row.conversations AND c.user_id = $user_id AND c.project = $project
WITH c, row ORDER BY row.uuid
MERGE (kept:Prompt {uuid: row.uuid})
ON CREATE SET kept.user_id = c.user_id, kept.project = c.project, kept.text = row.text, kept.created_at = datetime(row.created_at)
SET kept.uuid = row.uuid
MERGE (c)-[:USED_PROMPT]->(kept)
RETURN count(*) AS kept

// name: finish_restore
// at once
// All of an archive's conversations appear in one write, or none: each must still be the one that was begun, with as many
// messages as were written. SET comes before the look, because it takes the locks. Labels of work to do are made anew.
// `as_begun`: begin_new_restore made it as it shall be.
CALL () {
  UNWIND $conversations AS row
  UNWIND [row.uuid, row.branch.parent] AS uuid
  WITH DISTINCT uuid ORDER BY uuid
  MATCH (n:Conversation {uuid: uuid})
  // include: locks
}
UNWIND $conversations AS row
MATCH (c:Conversation {uuid: row.uuid})
WHERE c.user_id = $user_id AND c.project = $project
WITH collect({node: c, row: row}) AS begun
WHERE size(begun) = size($conversations) AND all(one IN begun WHERE one.node['import_token'] = $token
  AND COUNT { MATCH (m:Message {conversation_id: one.row.uuid}) WHERE m.seq > 0 } = one.row.messages)
UNWIND begun AS one
WITH one.node AS c, one.row AS row
FOREACH (_ IN CASE WHEN row.as_begun THEN [1] ELSE [] END |
  SET c.status = row.properties.status, c.session_id = row.properties.session_id,
    c.file_path = row.properties.file_path
  REMOVE c.import_token, c.import_until, c.import_step, c.import_holder
)
FOREACH (_ IN CASE WHEN row.as_begun THEN [] ELSE [1] END |
  FOREACH (p IN [row.properties] |
    SET c = p {.*,
      // include: restored
      }
  )
)
FOREACH (_ IN CASE WHEN c.status <> 'deleting' AND (row.messages > 0 OR c.summary IS NOT NULL) THEN [1] ELSE [] END |
  SET c:PendingEmbedding)
FOREACH (_ IN CASE WHEN c.status <> 'deleting' AND (c.head_seq - coalesce(c.summarized_seq, 0) >= $summarize_every
    OR c.title_source = 'provisional' OR (c.summary IS NULL AND c.summarized_seq > 0)) THEN [1] ELSE [] END |
  SET c:PendingSummary)
WITH c, row
OPTIONAL MATCH (parent:Conversation {uuid: row.branch.parent})
WHERE parent.user_id = $user_id AND parent.project = $project
FOREACH (_ IN CASE WHEN parent IS NULL THEN [] ELSE [1] END |
  MERGE (parent)-[edge:HAS_BRANCH]->(c)
  SET edge = row.branch.properties)
RETURN c.uuid AS uuid

// name: restore_used_messages
// What answers were given; only where the other end is here, which the numbers of the rows say. Repeated, it changes
// nothing. A statement for each kind of end: one for all took three times as long.
CALL () {
  UNWIND $rows AS row
  UNWIND [row.message] + [end IN row.ends | end.uuid] AS uuid
  WITH DISTINCT uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})
WHERE m.user_id = $user_id AND m.project = $project
UNWIND row.ends AS end
MATCH (x:Message {uuid: end.uuid})
WHERE x.user_id = $user_id AND x.project = $project
  AND NOT EXISTS { MATCH (m)-[known:USED_CONTEXT]->(x) WHERE known.rank = end.properties.rank }
CREATE (m)-[u:USED_CONTEXT]->(x)
SET u = end.properties
RETURN collect(end.number) AS numbers

// name: restore_used_summaries
// As restore_used_messages.
CALL () {
  UNWIND $rows AS row
  UNWIND row.ends AS end
  WITH DISTINCT end.uuid AS uuid ORDER BY uuid
  MATCH (n:Summary {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND $rows AS row
  WITH DISTINCT row.message AS uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})
WHERE m.user_id = $user_id AND m.project = $project
UNWIND row.ends AS end
MATCH (x:Summary {uuid: end.uuid})
WHERE x.user_id = $user_id AND x.project = $project
  AND NOT EXISTS { MATCH (m)-[known:USED_CONTEXT]->(x) WHERE known.rank = end.properties.rank }
CREATE (m)-[u:USED_CONTEXT]->(x)
SET u = end.properties
RETURN collect(end.number) AS numbers

// name: restore_used_anchors
// As restore_used_messages.
CALL () {
  UNWIND $rows AS row
  WITH DISTINCT row.message AS uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND $rows AS row
  UNWIND row.ends AS end
  WITH DISTINCT end.uuid AS uuid ORDER BY uuid
  MATCH (n:CodeAnchor {key: uuid})
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})
WHERE m.user_id = $user_id AND m.project = $project
UNWIND row.ends AS end
MATCH (x:CodeAnchor {key: end.uuid})
WHERE x.project = $project
  AND NOT EXISTS { MATCH (m)-[known:USED_CONTEXT]->(x) WHERE known.rank = end.properties.rank }
CREATE (m)-[u:USED_CONTEXT]->(x)
SET u = end.properties
RETURN collect(end.number) AS numbers

// name: restore_used_memories
// As restore_used_messages. The same may come twice: see `archive.memories.Waiting`. As a turn's receipt, what is nobody's too.
CALL () {
  CALL () {
    UNWIND $rows AS row
    MATCH (n:Message {uuid: row.message})
    RETURN n
    UNION
    UNWIND $rows AS row
    UNWIND row.ends AS end
    MATCH (n:Memory {uuid: end.uuid})
    RETURN n
  }
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})
WHERE m.user_id = $user_id AND m.project = $project
UNWIND row.ends AS end
MATCH (x:Memory {uuid: end.uuid})
WHERE x.user_id IN [$user_id, ''] AND x.project IN [$project, '']
MERGE (m)-[u:USED_CONTEXT {rank: coalesce(end.properties.rank, -1)}]->(x)
ON CREATE SET u = end.properties
RETURN collect(end.number) AS numbers

// name: restore_merges
// What was brought in by which message; only where both ends are here, as restore_used_messages.
CALL () {
  UNWIND $rows AS row
  WITH DISTINCT row.uuid AS uuid ORDER BY uuid
  MATCH (n:Conversation {uuid: uuid})
  // include: locks
}
CALL () {
  UNWIND $rows AS row
  WITH DISTINCT row.message AS uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})
WHERE m.user_id = $user_id AND m.project = $project
MATCH (x:Conversation {uuid: row.uuid})
WHERE x.user_id = $user_id AND x.project = $project
MERGE (m)-[brought:MERGED_FROM]->(x)
SET brought += row.properties
RETURN collect(row.number) AS numbers

// name: restore_corrections
// What messages are said against; only where both ends are here, as restore_used_messages. Where that came late, what is
// remembered of both is looked at again.
CALL () {
  UNWIND $rows AS row
  UNWIND [row.message, row.uuid] AS uuid
  WITH DISTINCT uuid ORDER BY uuid
  MATCH (n:Message {uuid: uuid})
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})
WHERE m.user_id = $user_id AND m.project = $project
MATCH (x:Message {uuid: row.uuid})
WHERE x.user_id = $user_id AND x.project = $project
MERGE (m)-[against:CORRECTS]->(x)
SET against += row.properties
FOREACH (_ IN CASE WHEN row.stated THEN [1] ELSE [] END | SET m:PendingMemory)
RETURN collect(row.number) AS numbers

// name: restore_reuse
// Calls carry no owner of their own: by the messages that made them.
CALL () {
  UNWIND $rows AS row
  UNWIND [row.call, row.uuid] AS uuid
  WITH DISTINCT uuid ORDER BY uuid
  MATCH (n:ToolCall {uuid: uuid})
  // include: locks
}
UNWIND $rows AS row
MATCH (m:Message {uuid: row.message})-[:MADE_TOOL_CALL]->(call:ToolCall {uuid: row.call})
WHERE m.user_id = $user_id AND m.project = $project
MATCH (owner:Message)-[:MADE_TOOL_CALL]->(earlier:ToolCall {uuid: row.uuid})
WHERE owner.user_id = $user_id AND owner.project = $project
MERGE (call)-[:REUSED_FROM]->(earlier)
RETURN collect(row.number) AS numbers

// name: borrow_ingest_lease
// For a look at anchors alone: nothing of the code changes, so the project stays complete, or not, as it was.
MATCH (p:Project)
WHERE p.project = $project AND p.revision > 0
SET p.uuid = p.uuid
WITH p
WHERE p['ingest_token'] IS NULL OR p['ingest_until'] < datetime() OR p['ingest_token'] = $token
SET p.ingest_token = $token, p.ingest_holder = $holder, p.ingest_until = datetime() + duration({seconds: $seconds})
RETURN p.head_commit AS commit, coalesce(p.root, p.rootPath) AS root

// name: look_at_anchors_again
// Somebody ingests just now, or the look failed: the next ingest looks at every anchor, not only at those in files
// that changed.
MATCH (p:Project)
WHERE p.project = $project AND p.revision > 0
SET p.ingest_incomplete = true
RETURN p.uuid AS uuid
