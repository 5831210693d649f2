"""A model that says nothing more is given up, whoever made its provider, and what it had said is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from ragforge_memory.errors import ModelTimeout
from ragforge_memory.llm.port import Finished, ModelChunk, ModelRequest, TextChunk, answers, price_of
from ragforge_memory.llm.timeouts import LimitedProvider, Timeouts
from ragforge_memory.models.conversation import Usage
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

BRIEF = {"model_timeout_seconds": 0.5, "enable_summarization": False}


class Hanging:
    """A provider of somebody's own: it says some words and then nothing for ever, or finishes."""

    name, model, context_window = "mine", "hanging", 100_000
    purposes = ("answer",)

    def __init__(self, *words: str, finishes: bool = False) -> None:
        self._words = words
        self._finishes = finishes
        self.left = 0

    async def price(self, usage: Usage) -> Usage:
        return usage.model_copy(update={"cost_usd": 2.0})

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        try:
            for word in self._words:
                yield TextChunk(word)
            if not self._finishes:
                await asyncio.Event().wait()
            yield Finished("stop")
        finally:
            self.left += 1

    async def aclose(self) -> None:
        raise AssertionError("it was given, and is its giver's to close")


@pytest.mark.parametrize(
    ("said", "words", "states"),
    [((), "did not begin", ["unanswered"]), (("It ", "is"), "fell silent", ["complete", "partial"])],
)
async def test_a_given_provider_that_hangs_is_given_up(
    make_agent: MakeAgent, said: tuple[str, ...], words: str, states: list[str]
) -> None:
    provider = Hanging(*said)
    async with make_agent(provider=provider, settings=BRIEF) as agent:
        conversation = await agent.create_conversation()
        async with asyncio.timeout(60):
            with pytest.raises(ModelTimeout, match=f"mine:hanging {words}.*within 0.5 s") as caught:
                await conversation.send_message("Well?")
        assert "model_timeout_seconds" in (caught.value.hint or "")
        assert caught.value.partial is bool(said)
        assert provider.left == 1
        history = await conversation.get_history()
        assert [message.state for message in history] == states
        assert history[-1].content == ("".join(said) or "Well?")


async def test_a_given_provider_that_answers_is_let_alone(make_agent: MakeAgent) -> None:
    async with make_agent(provider=Hanging("It ", "is.", finishes=True), settings=BRIEF) as agent:
        assert (await (await agent.create_conversation()).send_message("Well?")).content == "It is."


async def test_what_a_provider_has_beside_the_port_is_found() -> None:
    limited = LimitedProvider(Hanging(), Timeouts())
    assert answers(limited, "answer")
    assert not answers(limited, "title")
    assert await price_of(limited, Usage()) == 2.0
    assert (limited.name, limited.model, limited.context_window) == ("mine", "hanging", 100_000)
