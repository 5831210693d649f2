"""The session's graph, and what an agent and the command line have there."""

from __future__ import annotations

from tests.agent.conftest import cypher, home, make_agent
from tests.cli.conftest import bare_environment, project, ragforge
from tests.graph.conftest import client

__all__ = ["bare_environment", "client", "cypher", "home", "make_agent", "project", "ragforge"]
