"""Opened graphs of both server lines, and plain drivers beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.models.owner import Owner
from tests.neo4j_servers import LINES


@pytest.fixture
async def client(neo4j_config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    """The session's graph, with its schema."""
    opened = await connect(neo4j_config)
    yield opened
    await opened.aclose()


@pytest.fixture
def conversations(client: GraphClient, owner: Owner) -> ConversationStore:
    """The test's owner's conversations."""
    return ConversationStore(client, owner)


@pytest.fixture
def messages(client: GraphClient, owner: Owner) -> MessageStore:
    """The test's owner's messages."""
    return MessageStore(client, owner)


@pytest.fixture
async def old_client(old_neo4j_config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    """A graph on the older server line, with its schema."""
    opened = await connect(old_neo4j_config)
    yield opened
    await opened.aclose()


@pytest.fixture(params=LINES)
def either_config(request: pytest.FixtureRequest) -> Neo4jConfig:
    """A server of either line, one after the other."""
    name = "neo4j_config" if request.param == "current" else "old_neo4j_config"
    config: Neo4jConfig = request.getfixturevalue(name)
    return config


@pytest.fixture
async def either_client(either_config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    """A graph of either line, with its schema."""
    opened = await connect(either_config)
    yield opened
    await opened.aclose()


@pytest.fixture
async def driver(either_config: Neo4jConfig) -> AsyncIterator[neo4j.AsyncDriver]:
    """A plain driver to the server of `either_client`."""
    async with plain_driver(either_config) as opened:
        yield opened


def plain_driver(config: Neo4jConfig) -> neo4j.AsyncDriver:
    """A driver past all of this library. Of the server's notes only those on what is deprecated come through."""
    return neo4j.AsyncGraphDatabase.driver(
        config.uri,
        auth=(config.username or "neo4j", config.password),
        notifications_disabled_classifications=["UNRECOGNIZED", "GENERIC", "HINT", "PERFORMANCE", "UNSUPPORTED"],
    )
