"""A turn with a model of somebody's own: its mistakes are ModelErrors, and what it had said is kept as what it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from ragforge_memory.errors import ModelError, ModelMalformed
from ragforge_memory.llm.port import Finished, ModelRequest, TextChunk, ToolRequest, ToolRequestChunk
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio


class Own:
    """Says in each round what it was given for it; an exception is raised."""

    name, model, context_window = "own", "one", 100_000
    purposes = ("answer",)

    def __init__(self, *rounds: tuple[Any, ...]) -> None:
        self._rounds = list(rounds)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        for each in self._rounds.pop(0):
            if isinstance(each, BaseException):
                raise each
            yield each

    async def aclose(self) -> None:
        """Nothing is open."""


def shelf(article: str) -> str:
    """Where an article is."""
    return f"{article} is on 3"


async def test_a_round_without_an_end_cuts_the_answer_and_its_tools_run(make_agent: MakeAgent) -> None:
    asked = ToolRequestChunk(ToolRequest("c", "shelf", {"article": "lamp"}))
    provider = Own((TextChunk("I loo"), asked), (TextChunk("On 3."), Finished("stop")))
    async with make_agent(provider=provider, tools=[shelf]) as agent:
        conversation = await agent.create_conversation()
        response = await conversation.send_message("Where is the lamp?")
        assert [call.result for call in response.tool_calls] == ["lamp is on 3"]
        assert (response.content, response.state) == ("I loo\n\nOn 3.", "partial")
        assert [message.state for message in await conversation.get_history()] == ["complete", "partial"]


@pytest.mark.parametrize(
    ("mistake", "kind", "told"),
    [
        ("text", ModelMalformed, "not a chunk"),
        (Finished("stop", None), ModelMalformed, "usage is a Usage"),  # type: ignore[arg-type]
        (ToolRequestChunk(ToolRequest("c", "shelf", '{"article": 1}')), ModelMalformed, "arguments are a dict"),  # type: ignore[arg-type]
        (asyncio.CancelledError(), ModelError, "failed: CancelledError"),
        (RuntimeError("odd"), ModelError, "failed: RuntimeError: odd"),
    ],
)
async def test_a_mistake_fails_the_turn_with_what_it_was(
    make_agent: MakeAgent, mistake: Any, kind: type[ModelError], told: str
) -> None:
    async with make_agent(provider=Own((TextChunk("So far "), mistake)), tools=[shelf]) as agent:
        conversation = await agent.create_conversation()
        with pytest.raises(kind, match=told):
            await conversation.send_message("Well?")
        history = await conversation.get_history()
        assert [(message.state, message.content) for message in history] == [
            ("complete", "Well?"),
            ("partial", "So far "),
        ]
