"""The process that is killed: two conversations at once, turn after turn; it says where it is and what it was promised.

It is forked from a server that has imported everything before, so that a round costs no start of Python.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationConfig, Neo4jConfig, events, tool
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.summaries import SummaryStore
from ragforge_memory.llm.port import ModelRequest, ToolRequest
from ragforge_memory.llm.scripted import Pause, ScriptedProvider
from tests.summaries.desk import stretch

EVERY = 4
"""Messages of a summary: every second turn makes one."""

Say = Callable[[str, str], None]


def run(settings: dict[str, Any], pipe: Connection) -> None:
    """Works until it is killed.

    Args:
        settings: uri, username, password, user_id, project, home, conversations and seed.
        pipe: takes pairs: what, and where or which.
    """
    os.environ["RAGFORGE_HOME"] = settings["home"]
    logging.disable(logging.ERROR)  # of the outages that are made
    guard = threading.Lock()

    def say(what: str, detail: str) -> None:
        with guard:
            pipe.send((what, detail))

    asyncio.run(_Work(settings, say).run())


class _Work:
    def __init__(self, settings: dict[str, Any], say: Say) -> None:
        self._settings = settings
        self._say = say
        self._random = random.Random(settings["seed"])
        self._agent: AsyncConversationAgent | None = None
        self._replaying: asyncio.Lock | None = None

    async def run(self) -> None:
        """Opens an agent and talks in all conversations at once."""
        settings = self._settings
        embedder = _marked_embedder(self._at)
        agent = AsyncConversationAgent(
            Neo4jConfig(settings["uri"], username=settings["username"], password=settings["password"]),
            llm_provider=ScriptedProvider(script(), purposes={"summary": [stretch]}, loop=True),
            embedder=embedder,
            tools=[self._tool()],
            config=ConversationConfig(summarize_every=EVERY),
            user_id=settings["user_id"],
            project=settings["project"],
        )
        self._mark_stores()
        services = await agent.open()
        self._replaying = services.background.outage.replaying
        async with asyncio.TaskGroup() as group:
            for uuid in settings["conversations"]:
                group.create_task(self._talk(await agent.load_conversation(uuid)))

    async def _talk(self, conversation: AsyncConversation) -> None:
        number = 0
        while True:
            number += 1
            async with conversation.stream_message(f"question {number}") as stream:
                async for event in stream:
                    if isinstance(event, events.MessageStarted) and event.kept:
                        self._say("acknowledged", event.user_message_id)
                        await self._at("after write 1")
                    elif isinstance(event, events.TextDelta):
                        await self._at("mid-stream")
                    elif isinstance(event, events.MessageCompleted):
                        if {"graph", "journal"} - set(event.response.degraded):
                            self._say("acknowledged", event.response.message_id)
                        if "graph" in event.response.degraded:
                            await self._at("kept on disk")

    async def _at(self, point: str) -> None:
        """Says where it is, and lingers for a moment in which the parent may strike."""
        self._say("at", point)
        await asyncio.sleep(self._random.random() * 0.01)

    def _tool(self) -> Callable[..., Any]:
        @tool(side_effects=True)
        async def slow_tool(number: int) -> dict[str, int]:
            """Takes its time.

            Args:
                number: comes back.
            """
            await self._at("in tool")
            return {"number": number}

        return slow_tool

    def _mark_stores(self) -> None:
        """The stores say where they are: of turns, of replays, and of summaries."""
        work = self
        append, complete, summarize = MessageStore.append, MessageStore.complete_turn, SummaryStore.write

        def replaying() -> bool:
            return work._replaying is not None and work._replaying.locked()

        async def marked_append(self: MessageStore, *arguments: Any, **options: Any) -> int:
            if replaying():
                await work._at("in replay")
            return await append(self, *arguments, **options)

        async def marked_complete(self: MessageStore, *arguments: Any, **options: Any) -> int:
            await work._at("in replay" if replaying() else "before write 2")
            writing = asyncio.ensure_future(complete(self, *arguments, **options))
            await asyncio.sleep(0)
            work._say("at", "in replay" if replaying() else "during write 2")
            seq = await writing
            await work._at("after write 2")
            return seq

        async def marked_summary(self: SummaryStore, *arguments: Any, **options: Any) -> Any:
            await work._at("before a summary")
            writing = asyncio.ensure_future(summarize(self, *arguments, **options))
            await asyncio.sleep(0)
            work._say("at", "during a summary")
            return await writing

        for store, name, marked in (
            (MessageStore, "append", marked_append),
            (MessageStore, "complete_turn", marked_complete),
            (SummaryStore, "write", marked_summary),
        ):
            setattr(store, name, marked)


def _marked_embedder(at: Callable[[str], Any]) -> HashingEmbedder:
    class MarkedEmbedder(HashingEmbedder):
        async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            await at("in background work")
            return await super().embed_passages(texts)

    return MarkedEmbedder(dimension=64)


def script() -> list[Any]:
    """A model that asks for two tools, then answers in pieces; whatever conversation asks it."""

    def step(request: ModelRequest) -> list[Any]:
        if request.messages[-1].role == "tool":
            return [piece for word in range(6) for piece in (Pause(0.001), f"word {word} ")]
        asked = [ToolRequest(name, "slow_tool", {"number": number}) for number, name in enumerate("ab")]
        return [Pause(0.002), *asked]

    return [step]
