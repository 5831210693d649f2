"""Agents of any owner on the session's Neo4j."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider

MakeAgent = Callable[..., AsyncConversationAgent]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test, so that journals do not meet."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
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
