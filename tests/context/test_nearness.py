"""What bears on a question by its meaning: found beside read 1, left out where it is late or fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import EmbeddingError
from ragforge_memory.graph.search import SearchStore
from ragforge_memory.llm.scripted import Pause
from ragforge_memory.models.conversation import ScoredMessage
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

SETTINGS = {"embed_messages": True, "max_context_messages": 2, "recall_deadline_ms": 20_000}


class Told(HashingEmbedder):
    """Does with questions what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.wait: asyncio.Event | None = None
        self.fails = False

    async def embed_query(self, text: str) -> Sequence[float]:
        self.asked.append(text)
        if self.wait is not None:
            await self.wait.wait()
        if self.fails:
            raise EmbeddingError("out of order")
        # Another wording of what was said: no word of it is the same.
        return await super().embed_query("bananas are yellow" if "colour" in text else text)


async def test_a_paraphrase_is_found_by_its_meaning(make_agent: MakeAgent) -> None:
    embedder = Told()
    async with make_agent(*["So."] * 6, embedder=embedder, settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("t")
        for text in ("bananas are yellow", "one", "two", "three"):
            await conversation.send_message(text)
        await agent.drain()
        answer = await conversation.send_message("what colour has this fruit?")
        assert "bananas are yellow" in [one.message.content for one in answer.context_used.relevant_messages]
        then = await conversation.as_of(answer.message_id)
        assert then.exact
        assert then.context is not None
        assert _why(then.context.relevant_messages) == _why(answer.context_used.relevant_messages)
        found = {one.message.content: one for one in answer.context_used.relevant_messages}
        assert found["bananas are yellow"].matched_by == ("meaning",)
        assert found["bananas are yellow"].similarity == pytest.approx(1.0)


async def _broken(*_: Any, **__: Any) -> None:
    raise ValueError("a mistake of ours")


@pytest.mark.parametrize("how", ["late", "failing", "broken"])
async def test_what_is_late_or_fails_is_left_out(
    make_agent: MakeAgent, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Told()
    settings = {**SETTINGS, "recall_deadline_ms": 20_000 if how == "broken" else 1}
    async with make_agent(*["So."] * 6, embedder=embedder, settings=settings) as agent:
        conversation = await agent.create_conversation("t")
        for text in ("bananas are yellow", "one", "two", "three"):
            await conversation.send_message(text)
        await agent.drain()
        embedder.wait = asyncio.Event() if how == "late" else None
        embedder.fails = how == "failing"
        if how == "broken":
            monkeypatch.setattr(SearchStore, "near", _broken)
        async with conversation.stream_message("what colour has this fruit?") as stream:
            told = [event async for event in stream]
        answer = stream.response
        assert answer.content == "So."
        assert [event.what for event in told if event.type == "degraded"] == list(answer.degraded)
        # What is remembered may be late within the same millisecond; what means something like it is late in silence.
        assert set(answer.degraded) - {"recall"} == ({"embeddings"} if how == "failing" else set())
        assert "bananas are yellow" not in [one.message.content for one in answer.context_used.relevant_messages]
        if embedder.wait is not None:
            embedder.wait.set()
    assert embedder.asked


async def test_what_is_relevant_says_how_it_was_found(make_agent: MakeAgent) -> None:
    texts = ["the parser reads tokens", "we must never log passwords", "two", "three", "what of the parser's tokens?"]
    async with make_agent(*["So."] * 5, embedder=HashingEmbedder(), settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("t")
        for text in texts:
            answer = await conversation.send_message(text)
            await agent.drain()
        told = {one.message.content: one for one in answer.context_used.relevant_messages}
        built = await conversation.build_context(recent_messages=2)
        [same] = [one for one in built.relevant_messages if one.message.content == texts[0]]
        assert told[texts[0]].matched_by == same.matched_by == ("text", "meaning")
        assert told[texts[0]].similarity == pytest.approx(same.similarity, abs=1e-6)
        # Important, and not found by what it has of the question.
        assert "text" not in told[texts[1]].matched_by
        assert "important" not in told[texts[1]].matched_by
        then = await conversation.as_of(answer.message_id)
        assert then.exact
        assert then.context is not None
        assert _why(then.context.relevant_messages) == _why(answer.context_used.relevant_messages)


def _why(found: Sequence[ScoredMessage]) -> list[Any]:
    return [(one.message.uuid, one.score, one.matched_by, one.similarity) for one in found]


async def test_an_embedder_that_fails_later_than_it_is_waited_for_is_told_of(make_agent: MakeAgent) -> None:
    embedder = Told()
    settings = {**SETTINGS, "recall_deadline_ms": 1}
    pause = Pause(0.3)
    async with make_agent(*["So."] * 4, [pause, "So."], embedder=embedder, settings=settings) as agent:
        conversation = await agent.create_conversation("t")
        for text in ("bananas are yellow", "one", "two", "three"):
            await conversation.send_message(text)
        await agent.drain()
        embedder.wait, embedder.fails = asyncio.Event(), True
        asyncio.get_running_loop().call_later(0.1, embedder.wait.set)
        answer = await conversation.send_message("what colour has this fruit?")
        assert "embeddings" in answer.degraded
