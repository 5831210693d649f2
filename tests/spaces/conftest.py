"""Projects whose vectors move from one hashing model to another, on a server of either line."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig, RagforgeConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.spaces import Space, retire_space
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import home
from tests.graph.conftest import either_config

__all__ = ["either_config", "home"]

OLD, NEW = 24, 32
"""Dimensions of the two models."""


@dataclass(frozen=True)
class Models:
    """The model that a project's vectors come from first, and the next."""

    old: str
    new: str

    @property
    def embedders(self) -> tuple[HashingEmbedder, HashingEmbedder]:
        """Both, made anew."""
        return HashingEmbedder(OLD, model=self.old), HashingEmbedder(NEW, model=self.new)


Plain = Callable[..., list[dict[str, Any]]]
Configured = Callable[..., AsyncConversationAgent]


@pytest.fixture
def plain(either_config: Neo4jConfig) -> Iterator[Plain]:
    """Plain Cypher on the same server, past all of this library."""
    login = (either_config.username or "neo4j", either_config.password)
    driver = neo4j.GraphDatabase.driver(either_config.uri, auth=login, notifications_min_severity="OFF")

    def run(text: str, **parameters: Any) -> list[dict[str, Any]]:
        return [record.data() for record in driver.execute_query(text, parameters, database_="neo4j").records]

    yield run
    driver.close()


@pytest.fixture
def models(owner: Owner, plain: Plain) -> Iterator[Models]:
    """Two models whose spaces are kept, whoever leaves them; what the project has is gone afterwards."""
    yield Models("old", "new")
    _forget(plain, owner)


@pytest.fixture
async def own_models(either_config: Neo4jConfig, owner: Owner, plain: Plain) -> AsyncIterator[Models]:
    """Two models that no other test has; their spaces, and what the project has, are gone afterwards."""
    name = uuid4().hex[:12]
    made = Models(f"old-{name}", f"new-{name}")
    yield made
    _forget(plain, owner)
    client = await connect(either_config)
    for row in plain("MATCH (s:RagforgeMeta) WHERE s.model ENDS WITH $name RETURN s AS s", name=name):
        if "number" in row["s"] and "ready" in row["s"]:
            await retire_space(client, Space(row["s"]["model"], row["s"]["dimension"], row["s"]["number"]))
    await client.aclose()


def _forget(plain: Plain, owner: Owner) -> None:
    plain("MATCH (p:RagforgeMeta {key: $key}) DELETE p", key=f"project/{owner.project}")
    plain("MATCH (n) WHERE n.project = $project DETACH DELETE n", project=owner.project)


@pytest.fixture
def configured(either_config: Neo4jConfig, owner: Owner) -> Configured:
    """Makes agents whose embedder follows from settings, as a process of the command line has it."""

    def make(model: str, dimension: int, **options: Any) -> AsyncConversationAgent:
        embeddings = {"provider": "hashing", "model": model, "dimension": dimension}
        memory = {"embeddings": embeddings, "summarization": {"enabled": False}}
        settings = RagforgeConfig.model_validate({"agent": {"memory": memory}})
        return AsyncConversationAgent.from_settings(
            settings.model_copy(update={"neo4j": either_config}),
            llm_provider=ScriptedProvider(["Noted."] * 50),
            tools=(),
            user_id=options.pop("user_id", owner.user_id),
            project=owner.project,
            **options,
        )

    return make


def in_space(plain: Plain, space: Space, project: str) -> dict[str, int]:
    """How many nodes of each label have a vector in a space."""
    found = {}
    for label in ("Message", "Summary", "Conversation", "Scope"):
        name = space.conversation_property if label == "Conversation" else space.property
        (row,) = plain(
            f"MATCH (n:{label}) WHERE n.project = $project RETURN count(n[$name]) AS found", project=project, name=name
        )
        found[label] = row["found"]
    return found
