"""A process that analyses until it is done or killed, and says where it is."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from typing import Any

from ragforge_memory.agent import opening
from ragforge_memory.graph.insights import Claimed, InsightStore
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.insight import Insight
from tests.agent.elsewhere import agent_at
from tests.insights.talks import FIELDS, TASK, answered, topic_of

SETTINGS = json.loads(sys.argv[1])
RANDOM = random.Random(SETTINGS["seed"])


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def at(point: str) -> None:
    """Tells the parent where we are, and gives it a moment to strike."""
    say(point)
    await asyncio.sleep(RANDOM.random() * 0.02)


class MarkedStore(InsightStore):
    """The store, saying where the work is."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments, lease=SETTINGS["lease"])

    async def claim(self, *arguments: Any, **options: Any) -> Claimed:
        claimed = await super().claim(*arguments, **options)
        if claimed.lease is not None:
            await at("claimed")
        return claimed

    async def write(self, *arguments: Any, **options: Any) -> Insight | None:
        await at("before the write")
        writing = asyncio.ensure_future(super().write(*arguments, **options))
        await asyncio.sleep(0)
        say("during the write")
        written = await writing
        await at("after the write")
        return written


async def answer(request: ModelRequest) -> str:
    """A model that takes a moment."""
    say(f"asked {topic_of(request)}")
    await at("the model is asked")
    return answered(request)


async def main() -> None:
    opening.InsightStore = MarkedStore  # type: ignore[misc]
    async with agent_at(
        SETTINGS, ScriptedProvider(purposes={"insight": [answer]}, loop=True), enable_summarization=False
    ) as agent:
        found = await agent.batch_analyze(None, TASK, FIELDS, concurrency=SETTINGS["concurrency"])
        say(f"done {len(found)}")


asyncio.run(main())
