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

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import Answer, MessageStore, NewMessage
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("at_once", "seq"), [(True, 3), (False, 2)])
async def test_a_halted_client_gives_its_locks_back(
    either_config: Neo4jConfig, either_client: GraphClient, owner: Owner, at_once: bool, seq: int
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
        client = Halting(open_driver(either_config))
        if at_once:
            await answer(client, 2.0)
            return
        # In a transaction of the driver's, which is open until it is committed.
        claim = {"conversation_id": conversation, "key": "k", "token": "t", "refresh": False, "lease": 1_000}
        try:
            await client.write("claim_insight", timeout=2.0, **claim, **owner.parameters)
        finally:
            await client.aclose()

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
        with nullcontext() if at_once else pytest.raises(GraphTimeout):
            await asyncio.wrap_future(other)
