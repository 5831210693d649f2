// What a tool of memory could not do in time waits here, of one owner in the order in which it was asked for: one worker at
// a time has the queue of an owner. What it does, it does once, whoever begins it again (see remember_facts).

// name: queue_operation
// at once
// Takes an operation in, unless as many wait as may.
MERGE (q:MemoryQueue {owner_token: $owner_token})
ON CREATE SET q.number = 0, q.user_id = $user_id, q.project = $project
SET q.owner_token = $owner_token
WITH q, COUNT {
  MATCH (o:PendingOperation) WHERE o.user_id = $user_id AND o.project = $project
} AS waiting, EXISTS { MATCH (:MemoryOperation {uuid: $uuid}) } AS known
FOREACH (_ IN CASE WHEN known OR waiting >= $most THEN [] ELSE [1] END |
  SET q.number = q.number + 1
  CREATE (:MemoryOperation:PendingOperation {uuid: $uuid, user_id: $user_id, project: $project, number: q.number,
    tool: $tool, arguments: $arguments, source: $source, memory_id: $memory_id, status: 'queued', attempts: 0,
    created_at: datetime.realtime()}))
RETURN known OR waiting < $most AS taken, waiting

// name: waiting_operations
// What waits of an owner, and who has it: nobody, or a process until its lease is over.
MATCH (o:PendingOperation)
WHERE o.user_id = $user_id AND o.project = $project
WITH o ORDER BY o.number
WITH count(o) AS waiting, collect(o)[0] AS first
RETURN waiting, CASE WHEN first.lease_until > datetime.realtime() THEN first.holder END AS holder,
  CASE WHEN first.rests_until > datetime.realtime()
    THEN duration.inSeconds(datetime.realtime(), first.rests_until).milliseconds / 1000.0 ELSE 0.0 END AS rests

// name: claim_operations
// at once
// The next operations of an owner for one worker. One that dies is found by its holder ($dead), or by the end of its lease.
MERGE (q:MemoryQueue {owner_token: $owner_token})
ON CREATE SET q.number = 0, q.user_id = $user_id, q.project = $project
SET q.owner_token = $owner_token
WITH datetime.realtime() AS now
CALL (now) {
  MATCH (o:PendingOperation)
  WHERE o.user_id = $user_id AND o.project = $project
  WITH now, o ORDER BY o.number LIMIT $limit
  WITH now, collect(o) AS next
  WHERE NOT any(o IN next WHERE coalesce(o.lease_until > now AND o.holder <> coalesce($dead, ''), false))
    AND NOT coalesce(next[0].rests_until > now, false)
  UNWIND next AS o
  WITH o, now, o.uuid AS uuid ORDER BY uuid
  SET o.uuid = uuid
  WITH o, now
  SET o.status = 'running', o.token = $token, o.holder = $holder, o.lease_until = now + duration({seconds: $seconds})
  RETURN o
}
RETURN o {.uuid, .tool, .arguments, .source, .memory_id, .attempts, .number, created_at: toString(o.created_at)} AS operation
ORDER BY operation.number

// name: end_operation
// at once
// An operation ends once, and for the worker that has it. The others that it has, it has for as long again.
MERGE (q:MemoryQueue {owner_token: $owner_token})
ON CREATE SET q.number = 0, q.user_id = $user_id, q.project = $project
SET q.owner_token = $owner_token
WITH q
CALL () {
  MATCH (n:PendingOperation {token: $token})
  WITH n, n.uuid AS uuid ORDER BY uuid
  SET n.uuid = uuid
  RETURN count(n) AS ours
}
MATCH (o:MemoryOperation {uuid: $uuid})
WHERE o:PendingOperation AND o.user_id = $user_id AND o.project = $project AND o['token'] = $token
  AND o['status'] = 'running'
REMOVE o:PendingOperation
SET o.status = $status, o.result = $result, o.error = $error, o.attempts = o.attempts + 1, o.ended_at = datetime(),
  o.token = null, o.holder = null, o.lease_until = null, o.arguments = null, o.source = null
WITH o
CALL () {
  MATCH (other:PendingOperation)
  WHERE other.user_id = $user_id AND other.project = $project AND other.token = $token
  SET other.lease_until = datetime.realtime() + duration({seconds: $seconds})
  RETURN count(other) AS others
}
RETURN o.uuid AS uuid, others

// name: rest_operations
// at once
// Gives back what a worker has: the first is tried again after a while, unless it was tried often enough.
MERGE (q:MemoryQueue {owner_token: $owner_token})
ON CREATE SET q.number = 0, q.user_id = $user_id, q.project = $project
SET q.owner_token = $owner_token
WITH q
MATCH (o:PendingOperation)
WHERE o.user_id = $user_id AND o.project = $project AND o.token = $token
WITH o, o.uuid AS uuid ORDER BY uuid
SET o.uuid = uuid
WITH o
SET o.status = 'queued', o.token = null, o.holder = null, o.lease_until = null
FOREACH (_ IN CASE WHEN o.uuid = $uuid THEN [1] ELSE [] END |
  SET o.attempts = o.attempts + 1, o.rests_until = datetime.realtime() + duration({milliseconds: $rest_ms}))
RETURN count(o) AS given

// name: memory_operation
// An operation and what has become of it.
MATCH (o:MemoryOperation {uuid: $uuid})
WHERE o.user_id = $user_id AND o.project = $project
RETURN o {.uuid, .tool, .status, .attempts, .result, .error, .memory_id} AS operation

// name: drop_ended_operations
// at once
// What ended long ago is not kept.
MATCH (o:MemoryOperation)
WHERE o.user_id = $user_id AND o.project = $project AND o.ended_at < datetime() - duration({days: 7})
WITH o LIMIT 1000
WITH o, o.uuid AS uuid ORDER BY uuid
SET o.uuid = uuid
DELETE o
RETURN count(*) AS dropped

// name: count_memory_calls
// at once
// Adds to what the tools of memory have done for an owner. The keys are hashes of the owner too, and come in order.
UNWIND $counts AS row
MERGE (x:MemoryCount {key: row.key})
ON CREATE SET x.user_id = $user_id, x.project = $project, x.metric = row.metric, x.label = row.label, x.number = 0
SET x.key = row.key
WITH x, row.number AS number
SET x.number = x.number + number

// name: memory_counts
// What the tools of memory have done for an owner.
MATCH (x:MemoryCount)
WHERE x.user_id = $user_id AND x.project = $project
RETURN x.metric AS metric, x.label AS label, x.number AS number

// name: project_memory_counts
// What the tools of memory have done for all users of a project, and how many operations wait; for those who watch it.
MATCH (x:MemoryCount)
WHERE x.project = $project
WITH x.metric AS metric, x.label AS label, sum(x.number) AS number
WITH collect({metric: metric, label: label, number: number}) AS counts
RETURN counts, COUNT { MATCH (o:PendingOperation) WHERE o.project = $project } AS waiting
