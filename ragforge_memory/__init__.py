"""ragforge-memory: the memory of a code agent, kept in a Neo4j graph."""
