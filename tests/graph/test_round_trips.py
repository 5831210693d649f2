"""A statement takes one round trip to the server, and another transaction only where that failed in passing."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from neo4j.exceptions import ClientError, ServiceUnavailable, TransientError

from benchmarks.counting import CountingDriver
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphError
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.models.owner import Owner
from tests.graph.failing import failing_first

pytestmark = pytest.mark.anyio


def said() -> NewMessage:
    return NewMessage(uuid=uuid4().hex, role="user", content="said")


@asynccontextmanager
async def client_of(config: Neo4jConfig, make: Callable[..., object]) -> AsyncIterator[GraphClient]:
    client = GraphClient(make(open_driver(config)))  # type: ignore[arg-type]
    try:
        yield client
    finally:
        await client.aclose()


@pytest.mark.parametrize(
    ("error", "after"),
    [
        (TransientError("a deadlock"), False),
        (ServiceUnavailable("the connection was lost"), False),
        (ServiceUnavailable("the connection was lost before the answer"), True),
    ],
)
async def test_what_failed_in_passing_is_repeated_and_stored_once(
    neo4j_config: Neo4jConfig, conversations: ConversationStore, owner: Owner, error: Exception, after: bool
) -> None:
    conversation = (await conversations.create(title="round trips")).uuid
    async with client_of(neo4j_config, lambda driver: failing_first(driver, error, after=after)) as client:
        store = MessageStore(client, owner)
        assert await store.append(conversation, said()) == 1
        assert [message.seq for message in await store.history(conversation)] == [1]


async def test_what_the_server_refuses_is_not_repeated(
    neo4j_config: Neo4jConfig, conversations: ConversationStore, messages: MessageStore, owner: Owner
) -> None:
    conversation = (await conversations.create(title="refused")).uuid
    refused = ClientError("no")
    async with client_of(neo4j_config, lambda driver: failing_first(driver, refused)) as client:
        with pytest.raises(GraphError):
            await MessageStore(client, owner).append(conversation, said())
    assert not await messages.history(conversation)


async def test_a_statement_takes_one_round_trip(
    neo4j_config: Neo4jConfig, conversations: ConversationStore, owner: Owner
) -> None:
    conversation = (await conversations.create(title="one")).uuid
    counted: list[CountingDriver] = []

    def counting(driver: object) -> CountingDriver:
        counted.append(CountingDriver(driver))  # type: ignore[arg-type]
        return counted[0]

    async with client_of(neo4j_config, counting) as client:
        store = MessageStore(client, owner)
        await store.append(conversation, said())
        await store.history(conversation)
    assert counted[0].at_once == Counter({"read": 1, "write": 1}) == counted[0].statements
