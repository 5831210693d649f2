"""Agents of any owner on the session's Neo4j."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.graph.conftest import client

__all__ = ["client"]

MakeAgent = Callable[..., AsyncConversationAgent]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """One event loop for the agents that the tests of a module share."""
    return "asyncio"


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of these tests' own."""
    home = tmp_path_factory.mktemp("owners") / "home"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAGFORGE_HOME", str(home))
        yield home


@pytest.fixture(scope="module")
def agent_of(neo4j_config: Neo4jConfig) -> MakeAgent:
    """Makes agents of an owner (None: no user, no project); ``steps`` is what the model says."""

    def make(user_id: str | None, project: str | None, *steps: Any, tools: Any = ()) -> AsyncConversationAgent:
        return AsyncConversationAgent(
            neo4j_config,
            llm_provider=ScriptedProvider(steps),
            tools=tools,
            config=ConversationConfig(embed_messages=False),
            user_id=user_id,
            project=project,
        )

    return make
