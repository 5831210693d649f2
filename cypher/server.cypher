// name: server_answers
// The smallest statement there is: a server that answers it on the database is ready for any other.
RETURN 1 AS one

// name: count_connections
// Who still uses a server that seems idle; the connection that asks is told apart by its user agent.
CALL dbms.listConnections() YIELD userAgent
WHERE userAgent <> $own_agent
RETURN count(*) AS connections

// name: database_birth
// Which database this is, whatever its address: what a journal holds of a conversation that is not here was deleted,
// or belongs to another database. No owner: a database is everybody's.
CALL db.info() YIELD id
RETURN id

// name: schema_state
// One read at every start: a check of every index costs half a second. No owner: the schema belongs to the server.
OPTIONAL MATCH (meta:RagforgeMeta {key: 'schema'})
RETURN meta.schema_version AS schema_version, meta.min_library_version AS min_library_version

// name: claim_schema
// Who makes it, as long as nobody has. The lease is fenced by a token and the database's clock, so clients' clocks do
// not matter. MERGE on a unique key takes its lock, so two starters never both hold it.
MERGE (meta:RagforgeMeta {key: 'schema'})
SET meta.key = 'schema'
WITH meta, datetime() AS now
SET meta.lease_token = CASE WHEN meta.schema_version IS NULL AND (meta.lease_until IS NULL OR meta.lease_until < now)
  THEN $token ELSE meta.lease_token END
WITH meta, now
SET meta.lease_until = CASE WHEN meta.lease_token = $token THEN now + duration({seconds: $seconds}) ELSE meta.lease_until END
RETURN meta.lease_token = $token AS claimed, meta.schema_version AS schema_version,
  meta.min_library_version AS min_library_version

// name: record_schema
// The schema is made. Fenced: whoever has lost the lease changes nothing.
MATCH (meta:RagforgeMeta {key: 'schema'})
WHERE meta.lease_token = $token
SET meta.schema_version = $version, meta.min_library_version = $min_library_version
REMOVE meta.lease_token, meta.lease_until
RETURN meta.schema_version AS schema_version

// name: release_schema
// It could not be made: the next one need not wait for the lease's end.
MATCH (meta:RagforgeMeta {key: 'schema'})
WHERE meta.lease_token = $token
REMOVE meta.lease_token, meta.lease_until
RETURN meta.key AS key

// name: await_indexes
// autocommit
CALL db.awaitIndexes(120)

// name: schema_indexes
// autocommit
// Of everybody, to see whether another tool has one of our names. No owner: indexes are the server's.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint
WHERE labelsOrTypes IS NOT NULL AND properties IS NOT NULL
RETURN name, type, labelsOrTypes AS labels, properties, owningConstraint AS constraint

// name: schema_constraints
// autocommit
SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
RETURN name, type, labelsOrTypes AS labels, properties
