"""What is deleted while its vector is made is not a failure: nobody is told, and nobody tries it again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ragforge_memory.embeddings.hashing import HashingEmbedder
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio


SUMMARY = "They looked for a barn."
TALK = [{"role": "user", "content": "Where is the barn?"}, {"role": "assistant", "content": "Behind the hill."}]


class Waiting(HashingEmbedder):
    """Waits at each call that has what this kind is embedded by, until it may go on."""

    def __init__(self, kind: str) -> None:
        super().__init__(64)
        self._kind = kind
        self.asked = 0
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        together = any("hill" in text and "barn?" in text for text in texts)
        if self._kind == ("topic" if together else "messages" if TALK[1]["content"] in texts else "summary"):
            self.asked += 1
            self.begun.set()
            await self.go.wait()
        return await super().embed_passages(texts)


@pytest.mark.parametrize(("kind", "persistence"), [("summary", "neo4j"), ("topic", "neo4j"), ("messages", "files")])
async def test_a_conversation_that_is_deleted_meanwhile(
    kind: str, persistence: str, make_agent: MakeAgent, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = Waiting(kind)
    settings = {"embed_messages": True, "persistence": persistence, "summarize_every": 2}
    async with make_agent(SUMMARY, SUMMARY, embedder=embedder, settings=settings) as agent:
        talk = await agent.import_conversation(TALK)
        async with asyncio.timeout(30):
            await embedder.begun.wait()
        await talk.delete()
        asked = embedder.asked
        embedder.go.set()
        async with asyncio.timeout(30):
            assert await agent.drain() == {}
        assert embedder.asked == asked
    assert caplog.messages == []
