"""Agents on a server of either line."""

from __future__ import annotations

from tests.agent.conftest import cypher, home, make_agent
from tests.graph.conftest import either_config

__all__ = ["cypher", "either_config", "home", "make_agent"]
