"""An agent on the session's Neo4j, with a scripted model and nothing embedded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import neo4j
import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

MakeAgent = Callable[..., AsyncConversationAgent]
Cypher = Callable[..., list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def home(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A home of its own for each test, so that journals do not meet."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def make_agent(neo4j_config: Neo4jConfig, owner: Owner) -> MakeAgent:
    """Makes agents of the test's owner; ``steps`` is what the model says."""

    def make(*steps: Any, tools: Any = (), user_id: str | None = None, **options: Any) -> AsyncConversationAgent:
        # A server that plans a statement for the first time takes a second.
        settings = {"embed_messages": False, "recall_deadline_ms": 10_000, **options.pop("settings", {})}
        return AsyncConversationAgent(
            options.pop("neo4j", neo4j_config),
            llm_provider=options.pop("provider", None) or ScriptedProvider(steps),
            tools=tools,
            config=ConversationConfig(**settings),
            user_id=user_id or owner.user_id,
            project=options.pop("project", owner.project),
            **options,
        )

    return make


@pytest.fixture
def cypher(neo4j_config: Neo4jConfig) -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Plain Cypher on the same server, past all of this library."""
    driver = neo4j.GraphDatabase.driver(neo4j_config.uri, auth=(neo4j_config.username, neo4j_config.password))

    def run(text: str, **parameters: Any) -> list[dict[str, Any]]:
        return [record.data() for record in driver.execute_query(text, parameters, database_="neo4j").records]

    yield run
    driver.close()
