"""Agents that embed by hashing, on a server of either line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import cypher, home, make_agent
from tests.graph.conftest import either_config

__all__ = ["cypher", "either_config", "home", "make_agent"]

Searching = Callable[..., AsyncConversationAgent]


@pytest.fixture
def searching(neo4j_config: Neo4jConfig, owner: Owner) -> Searching:
    """Makes agents of the test's owner whose messages get vectors; words that are shared make texts near."""

    def make(*steps: Any, config: Neo4jConfig | None = None, **options: Any) -> AsyncConversationAgent:
        return AsyncConversationAgent(
            config or neo4j_config,
            llm_provider=ScriptedProvider(steps),
            tools=options.pop("tools", ()),
            embedder=options.pop("embedder", HashingEmbedder(64)),
            config=ConversationConfig(enable_summarization=False),
            user_id=options.pop("user_id", owner.user_id),
            project=options.pop("project", owner.project),
        )

    return make
