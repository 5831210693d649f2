"""Agents on a server of either line."""

from __future__ import annotations

from tests.agent.conftest import cypher, home, make_agent
from tests.graph.conftest import either_config
from tests.persistence.conftest import keeping

__all__ = ["cypher", "either_config", "home", "keeping", "make_agent"]
