"""Agents that keep texts in the graph or in files, with vectors by hashing, in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig, tool
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import cypher, home
from tests.archive.conftest import Graph, graph

__all__ = ["Graph", "Keeping", "cypher", "graph", "home", "weigh"]

Keeping = Callable[..., AsyncConversationAgent]


@tool
def weigh(thing: str) -> dict[str, Any]:
    """Weighs a thing."""
    if thing == "nothing":
        raise ValueError("there is nothing to weigh")
    return {"thing": thing, "grams": 7, "note": f"zebra {thing}"}


@pytest.fixture
def keeping(neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path) -> Keeping:
    """Makes agents of the test's owner: ``keeping("files", *steps)``."""

    def make(kind: str, *steps: Any, **options: Any) -> AsyncConversationAgent:
        settings = {"enable_summarization": False, "recall_deadline_ms": 10_000, **options.pop("settings", {})}
        return AsyncConversationAgent(
            options.pop("neo4j", neo4j_config),
            llm_provider=options.pop("provider", None) or ScriptedProvider(steps),
            tools=options.pop("tools", [weigh]),
            embedder=HashingEmbedder(64),
            config=ConversationConfig(persistence=kind, **settings),
            user_id=options.pop("user_id", owner.user_id),
            project=options.pop("project", owner.project),
            root=options.pop("root", tmp_path),
        )

    return make
