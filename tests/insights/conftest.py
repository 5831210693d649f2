"""Agents on the session's Neo4j, conversations to analyse, and models that are asked for insights."""

from __future__ import annotations

from tests.agent.conftest import cypher, home, make_agent

__all__ = ["cypher", "home", "make_agent"]
