"""Agents on the session's Neo4j, conversations to analyse, and models that are asked for insights."""

from __future__ import annotations

import pytest

from tests.agent.conftest import cypher, home, make_agent

__all__ = ["cypher", "home", "make_agent"]


@pytest.fixture(autouse=True)
def claims_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the server is; else one that is busy leaves them to end by themselves."""
    monkeypatch.setattr("ragforge_memory.graph.insights._BRIEF_TIMEOUT", 60.0)
