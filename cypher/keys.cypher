// API keys, and what was done with those that may do more than a user. A key belongs to a project. Its secret is 32 random
// bytes, so that a plain hash of it is enough: nobody guesses what such a hash is of.

// name: create_api_key
// at once
// Nothing comes back where the id is another key's already.
MERGE (k:ApiKey {uuid: $uuid})
ON CREATE SET k.digest = $digest, k.user_id = $user_id, k.project = $project, k.scope = $scope, k.name = $name,
  k.created_at = datetime.realtime()
SET k.uuid = $uuid
WITH k
WHERE k.digest = $digest
RETURN k {
  // include: api_key
} AS key

// part: api_key
// What is told of a key `k`: all but its hash.
  .uuid, .name, .user_id, .project, .scope, created_at: toString(k.created_at), last_used_at: toStringOrNull(k.last_used_at),
  revoked_at: toStringOrNull(k.revoked_at)

// name: api_keys
// A project's keys, the newest first.
MATCH (k:ApiKey)
WHERE k.project = $project AND ($revoked OR k.revoked_at IS NULL)
RETURN k {
  // include: api_key
} AS key
ORDER BY k.created_at DESC, k.uuid

// name: api_key_of
// A key with its hash, and whether its last use is to be written down again: at most once a minute.
MATCH (k:ApiKey {uuid: $uuid})
WHERE k.project = $project
RETURN k.digest AS digest, coalesce(k.last_used_at < datetime.realtime() - duration('PT1M'), true) AS stale, k {
  // include: api_key
} AS key

// name: use_api_key
// at once
MATCH (k:ApiKey {uuid: $uuid})
WHERE k.project = $project
SET k.last_used_at = datetime.realtime()
RETURN k.uuid AS uuid

// name: revoke_api_key
// at once
// A key that was revoked before was revoked then.
MATCH (k:ApiKey {uuid: $uuid})
WHERE k.project = $project
SET k.uuid = $uuid
WITH k
SET k.revoked_at = coalesce(k.revoked_at, datetime.realtime())
RETURN k {
  // include: api_key
} AS key

// name: record_audit
// at once
// Whose data it was is `whose`, not `user_id`: the record outlives an erasure of what a user has, as its certificate does.
MERGE (a:AuditRecord {uuid: $uuid})
ON CREATE SET a.project = $project, a.at = datetime.realtime(), a.action = $action, a.whose = $whose, a.detail = $detail,
  a.key_id = $key_id, a.key_user = $key_user
SET a.uuid = $uuid
RETURN a.uuid AS uuid

// name: audit_records
// What was done in a project, the newest first; $whose null: with whosever data.
MATCH (a:AuditRecord)
WHERE a.project = $project AND coalesce(a.whose = $whose, $whose IS NULL)
RETURN a {.uuid, .key_id, .key_user, .action, .detail, user_id: a.whose, at: toString(a.at)} AS record
ORDER BY a.at DESC, a.uuid LIMIT $limit
