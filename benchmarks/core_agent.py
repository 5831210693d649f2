"""What the public API adds to the stores: turns, history and search of an agent, awaited and blocking."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from benchmarks.core import ANSWER, DIMENSION, QUESTION, Operation, Written
from ragforge_memory import AsyncConversationAgent, ConversationAgent, tool
from ragforge_memory.config import ConversationConfig, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider

SEARCHED = "Which function makes the short help of a command?"
TARGETS = {
    "a turn of an agent, two tools and vectors": ("empty write", 6.0),
    "the same in the long conversation": ("empty write", 7.0),
    "the same, blocking": ("empty write", 6.0),
    "the same in the long conversation, blocking": ("empty write", 7.0),
    "last 20 of an agent": ("RETURN 1", 2.5),
    "last 20 of an agent, blocking": ("RETURN 1", 3.0),
    "search inside one conversation": ("RETURN 1", 5.5),
    "search inside one conversation, blocking": ("RETURN 1", 6.0),
}
"""The floor of each operation, and the most that it may take of it."""


class DrawnEmbedder(HashingEmbedder):
    """Vectors at no cost, since the embedder's time is its own; in the default embedder's space, so that a benchmark
    makes no indexes of its own."""

    provider = "local"

    def __init__(self) -> None:
        super().__init__(DIMENSION, model="e5-small-v2")
        drawn = np.random.default_rng(7).standard_normal((64, DIMENSION))
        self._drawn = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).tolist()
        self._next = 0

    def vector(self, text: str) -> Vector:
        """The next of 64 that were drawn once."""
        self._next = (self._next + 1) % len(self._drawn)
        return self._drawn[self._next]


@tool
def search_code_for(query: str) -> str:
    """Looks something up.

    Args:
        query: what.
    """
    return f"{query} " + "x" * 1_000


@tool
def read_code_of(name: str) -> str:
    """Reads something.

    Args:
        name: of what.
    """
    return f"{name} " + "y" * 1_000


def _made(kind: type[Any], config: Neo4jConfig, project: str) -> Any:
    asked = [
        ToolRequest("a", "search_code_for", {"query": "make_default_short_help"}),
        ToolRequest("b", "read_code_of", {"name": "make_default_short_help"}),
    ]
    return kind(
        config,
        llm_provider=ScriptedProvider([asked, ANSWER], loop=True),
        embedder=DrawnEmbedder(),
        tools=[search_code_for, read_code_of],
        config=ConversationConfig(enable_summarization=False),
        project=project,
    )


@asynccontextmanager
async def agents(
    config: Neo4jConfig, project: str, written: Written, long_one: str
) -> AsyncIterator[dict[str, Operation]]:
    """The operations of an awaited and of a blocking agent, each warmed up.

    Args:
        config: the server.
        project: whose conversations.
        written: has a conversation whose history is read and searched.
        long_one: a conversation of many messages.
    """
    async with _made(AsyncConversationAgent, config, project) as agent:
        with _made(ConversationAgent, config, project) as blocking:
            new, long = await agent.create_conversation(title="Benchmark"), await agent.load_conversation(long_one)
            read = await agent.load_conversation(written.conversation_id)
            blocking_new = blocking.create_conversation(title="Benchmark")
            blocking_long, blocking_read = (blocking.load_conversation(each) for each in (long_one, read.uuid))

            async def turn() -> None:
                await new.send_message(QUESTION)

            async def long_turn() -> None:
                await long.send_message(QUESTION)

            async def blocking_turn() -> None:
                blocking_new.send_message(QUESTION)

            async def blocking_long_turn() -> None:
                blocking_long.send_message(QUESTION)

            async def last_20() -> None:
                assert len(await read.get_history(20)) == 20

            async def blocking_last_20() -> None:
                assert len(blocking_read.get_history(20)) == 20

            async def search() -> None:
                assert await read.search_history(SEARCHED)

            async def blocking_search() -> None:
                assert blocking_read.search_history(SEARCHED)

            operations: list[Operation] = [
                *(turn, long_turn, blocking_turn, blocking_long_turn),
                *(last_20, blocking_last_20, search, blocking_search),
            ]
            for operation in operations:
                for _ in range(25):
                    await operation()
            yield dict(zip(TARGETS, operations, strict=True))
