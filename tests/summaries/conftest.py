"""An agent on the session's Neo4j, and a desk: the stores of one owner with a scripted model that summarises."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import cypher, home, make_agent
from tests.summaries.desk import Desk

__all__ = ["cypher", "home", "make_agent"]


@pytest.fixture(autouse=True)
def claims_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the server is; else one that is busy leaves them to end by themselves."""
    monkeypatch.setattr("ragforge_memory.graph.summaries._BRIEF_TIMEOUT", 60.0)


@pytest.fixture
async def make_desk(neo4j_config: Neo4jConfig, owner: Owner) -> AsyncIterator[Callable[..., Desk]]:
    """Makes desks of the test's owner, on one graph."""
    client = await connect(neo4j_config)

    def make(every: int, *steps: Any, **options: Any) -> Desk:
        return Desk(client, owner, every, steps, **options)

    yield make
    await client.aclose()
