// name: server_answers
// The smallest statement there is: a server that answers it on the database is ready for any other.
RETURN 1 AS one

// name: count_connections
// Who still uses a server that seems idle; the connection that asks is told apart by its user agent.
CALL dbms.listConnections() YIELD userAgent
WHERE userAgent <> $own_agent
RETURN count(*) AS connections
