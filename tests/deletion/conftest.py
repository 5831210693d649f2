"""An agent on the session's Neo4j, and what an owner has there by plain Cypher."""

from tests.agent.conftest import cypher, home, make_agent
from tests.archive.conftest import either_place, elsewhere, graph

__all__ = ["cypher", "either_place", "elsewhere", "graph", "home", "make_agent"]
