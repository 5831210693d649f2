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
