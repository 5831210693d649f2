"""The only room that knows Cypher and the Neo4j driver: client, named queries, the schema, stores."""
