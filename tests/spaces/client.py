"""A process of its own that moves a project's vectors, or searches until it is told to end, and says where it is."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from ragforge_memory import AsyncConversationAgent, RagforgeConfig
from ragforge_memory.agent.upkeep import reembedding
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.reembedding import ReembeddingStore
from ragforge_memory.llm.scripted import ScriptedProvider

GIVEN = json.loads(sys.argv[1])


def say(*words: Any) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Told(HashingEmbedder):
    """Says how often it was asked; a reader that goes no further holds it up."""

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        say("embeds", len(texts))
        await asyncio.to_thread(sys.stdin.readline)
        return await super().embed_passages(texts)


def agent() -> AsyncConversationAgent:
    embeddings = {"provider": "hashing", "model": GIVEN["old"][0], "dimension": GIVEN["old"][1]}
    memory = {"embeddings": embeddings, "summarization": {"enabled": False}}
    settings = RagforgeConfig.model_validate({"agent": {"memory": memory}})
    return AsyncConversationAgent.from_settings(
        settings.model_copy(update={"neo4j": Neo4jConfig(**GIVEN["neo4j"])}),
        llm_provider=ScriptedProvider([]),
        tools=(),
        user_id=GIVEN["user_id"],
        project=GIVEN["project"],
    )


async def move() -> None:
    reembedding.ReembeddingStore = partial(ReembeddingStore, lease=1.0)  # type: ignore[misc, assignment]
    reembedding._BATCH = 20  # type: ignore[misc]
    model, dimension = GIVEN["new"]
    async with agent() as opened:
        report = await opened.reembed(Told(dimension, model=model))
        say("done", report.messages)


async def search() -> None:
    async with agent() as opened:
        while await asyncio.to_thread(sys.stdin.readline):
            found = await opened.search_messages("a note on lighthouses")
            services = await opened.open()
            assert services.models.embedder is not None
            say(services.models.embedder.model, *found.answered)


asyncio.run({"move": move, "search": search}[GIVEN["does"]]())
