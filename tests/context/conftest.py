"""An agent on the session's Neo4j, as in the agent's own tests."""

from tests.agent.conftest import cypher, home, make_agent

__all__ = ["cypher", "home", "make_agent"]
