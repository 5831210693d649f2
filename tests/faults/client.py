"""A process that talks until it is killed: it says where it is, and fsyncs every id that was acknowledged to it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig, events, tool
from ragforge_memory.agent.upkeep.vectors import VectorTask, WaitingNodes, text_vectors
from ragforge_memory.agent.upkeep.work import BackgroundWork
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.spaces import open_space
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import Pause, ScriptedProvider

SETTINGS = json.loads(sys.argv[1])
RANDOM = random.Random(SETTINGS["seed"])


def mark(point: str) -> None:
    """Tells the parent where we are."""
    sys.stdout.write(point + "\n")
    sys.stdout.flush()


def acknowledge(uuid: str) -> None:
    """Keeps an id that the product has acknowledged, so that it outlives this process."""
    with open(SETTINGS["acknowledged"], "a", encoding="ascii") as file:
        file.write(uuid + "\n")
        file.flush()
        os.fsync(file.fileno())


async def linger() -> None:
    """A moment in which the parent may strike."""
    await asyncio.sleep(RANDOM.random() * 0.02)


@tool(side_effects=True)
async def slow_tool(number: int) -> dict[str, int]:
    """Takes its time.

    Args:
        number: comes back.
    """
    mark("in tool")
    await linger()
    return {"number": number}


class MarkedMessages(MessageStore):
    """The store, saying where write 2 is."""

    async def complete_turn(self, *arguments: Any, **options: Any) -> int:
        mark("before write 2")
        await linger()
        writing = asyncio.ensure_future(super().complete_turn(*arguments, **options))
        await asyncio.sleep(0)
        mark("during write 2")
        seq = await writing
        mark("after write 2")
        await linger()
        return seq


class MarkedEmbedder(HashingEmbedder):
    """The embedder, saying that the background works."""

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        mark("in background work")
        await linger()
        return await super().embed_passages(texts)


def script() -> list[Any]:
    """A slow model: it asks for two tools, then answers in pieces."""
    return [
        [Pause(0.005), ToolRequest("a", "slow_tool", {"number": 1}), ToolRequest("b", "slow_tool", {"number": 2})],
        [piece for word in range(12) for piece in (Pause(0.002), f"word {word} ")],
    ]


async def main() -> None:
    embedder = MarkedEmbedder(dimension=64)
    agent = AsyncConversationAgent(
        Neo4jConfig(SETTINGS["uri"], username=SETTINGS["username"], password=SETTINGS["password"]),
        llm_provider=ScriptedProvider(script(), loop=True),
        embedder=embedder,
        tools=[slow_tool],
        config=ConversationConfig(),
        user_id=SETTINGS["user_id"],
        project=SETTINGS["project"],
    )
    services = await agent.open()
    messages = MarkedMessages(services.stores.graph, services.place.owner)
    space = await open_space(services.stores.graph, services.place.owner.project, "hashing:hashing", 64)
    background = BackgroundWork(VectorTask(embedder, [WaitingNodes("messages", messages, text_vectors, space)]))
    agent._services = replace(
        services,
        stores=replace(services.stores, messages=messages),
        background=replace(services.background, work=background),
    )
    conversation = await agent.load_conversation(SETTINGS["conversation"])
    number = 0
    while True:
        number += 1
        async with conversation.stream_message(f"question {number}") as stream:
            async for event in stream:
                if isinstance(event, events.MessageStarted):
                    acknowledge(event.user_message_id)
                    mark("after write 1")
                    await linger()
                elif isinstance(event, events.TextDelta):
                    mark("mid-stream")
                elif isinstance(event, events.MessageCompleted):
                    acknowledge(event.response.message_id)


asyncio.run(main())
