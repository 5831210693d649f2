"""A process that is halted (Ctrl-Z, a debugger, a sleeping laptop) in the middle of a statement holds up nobody for
good: a statement is committed by the server with its last row, and a transaction that is open is given up."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any
from uuid import uuid4

import pytest
from neo4j.exceptions import TransientError

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import Answer, MessageStore, NewMessage
from ragforge_memory.models.owner import Owner
from tests.graph.failing import failing_first

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("repeated", "seq"), [(False, 3), (True, 2)])
async def test_a_halted_client_gives_its_locks_back(
    either_config: Neo4jConfig, either_client: GraphClient, owner: Owner, repeated: bool, seq: int
) -> None:
    halted, goes_on = threading.Event(), threading.Event()

    class Halting(GraphClient):
        @staticmethod
        async def _collect(result: Any) -> list[dict[str, Any]]:
            rows = await GraphClient._collect(result)
            halted.set()
            goes_on.wait(60)  # blocks its whole loop, its time-outs too
            return rows

    async def answer(client: GraphClient, timeout: float) -> None:
        said = NewMessage(uuid=uuid4().hex, role="assistant", content="so it is")
        try:
            await MessageStore(client, owner).complete_turn(conversation, Answer(said), timeout=timeout)
        finally:
            if client is not either_client:
                await client.aclose()

    async def halting() -> None:
        driver = open_driver(either_config)
        # What failed in passing is repeated in a transaction of the driver's, which is open until it is committed.
        await answer(Halting(failing_first(driver, TransientError("for a moment")) if repeated else driver), 2.0)

    conversation = (await ConversationStore(either_client, owner).create(title="halted")).uuid
    await answer(either_client, 60)  # the server has planned the statement
    with ThreadPoolExecutor(1) as pool:
        try:
            other = pool.submit(asyncio.run, halting())
            assert await asyncio.to_thread(halted.wait, 60)
            question = NewMessage(uuid=uuid4().hex, role="user", content="said")
            assert await MessageStore(either_client, owner).append(conversation, question) == seq
            assert not other.done()
        finally:
            goes_on.set()
        with pytest.raises(GraphTimeout) if repeated else nullcontext():
            await asyncio.wrap_future(other)
