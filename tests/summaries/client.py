"""A process that talks and summarises until it is killed, and says where it is."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from contextlib import suppress
from typing import Any

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.summaries import Lease, SummaryStore
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.models.owner import Owner
from tests.summaries.desk import Desk, sent, stretch

SETTINGS = json.loads(sys.argv[1])
SENT = os.open(SETTINGS["sent"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
RANDOM = random.Random(SETTINGS["seed"])


async def at(point: str) -> None:
    """Tells the parent where we are, and gives it a moment to strike."""
    sys.stdout.write(point + "\n")
    sys.stdout.flush()
    await asyncio.sleep(RANDOM.random() * 0.02)


class MarkedStore(SummaryStore):
    """The store, saying where the work is."""

    async def claim(self, conversation_id: str, *, eager: bool = False) -> Lease | None:
        lease = await super().claim(conversation_id, eager=eager)
        await at("claimed")
        return lease

    async def write(self, *arguments: Any, **options: Any) -> Lease | None:
        await at("before the write")
        writing = asyncio.ensure_future(super().write(*arguments, **options))
        await asyncio.sleep(0)
        sys.stdout.write("during the write\n")
        sys.stdout.flush()
        lease = await writing
        await at("after the write")
        return lease

    async def release(self, *arguments: Any, **options: Any) -> None:
        await at("before the release")
        await super().release(*arguments, **options)


async def answer(request: ModelRequest) -> str:
    """A model that takes a moment."""
    # Not lost by a kill: what a process has handed to the system stays.
    os.write(SENT, (" ".join(sent(request)) + "\n").encode())
    await at("the model is asked")
    return stretch(request)


async def main() -> None:
    config = Neo4jConfig(SETTINGS["uri"], username=SETTINGS["username"], password=SETTINGS["password"])
    owner = Owner(SETTINGS["user_id"], SETTINGS["project"])
    client = await connect(config)
    desk = Desk(client, owner, SETTINGS["every"], [answer], lease=SETTINGS["lease"])
    desk.use(MarkedStore(client, owner, every=desk.every, lease=SETTINGS["lease"]))
    while True:
        state = await desk.state(SETTINGS["conversation"])
        # Talking is faster than summarising: one waits for the other.
        if state["head"] - state["watermark"] < 4 * desk.every:
            await desk.say(SETTINGS["conversation"], RANDOM.randint(1, 2 * desk.every))
        with suppress(GraphTimeout):  # a short lease asks for short answers; the background tries again, too
            await desk.work()


asyncio.run(main())
