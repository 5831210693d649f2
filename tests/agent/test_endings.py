"""Turns that end early, callers that do not read, tools that misbehave: nothing hangs and nothing is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from ragforge_memory import (
    AgentClosed,
    ModelError,
    TurnCancelled,
    events,
    tool,
)
from ragforge_memory.agent.turns import stream as stream_module
from ragforge_memory.agent.turns.stream import AsyncMessageStream, Channel
from ragforge_memory.agent.turns.tasks import TurnTasks
from ragforge_memory.llm.port import Finished, TextChunk, ToolRequest
from ragforge_memory.llm.scripted import Hang, Pause
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

MANY = [TextChunk(f"{number} ") for number in range(1_000)]


async def test_a_cancel_that_comes_too_late(make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is stored and waits for its reader to be told of: it is whole, and nobody says otherwise."""
    monkeypatch.setattr(stream_module, "CHANNEL_SIZE", 1)
    async with make_agent([TextChunk("Al"), TextChunk("l.")]) as agent:
        conversation = await agent.create_conversation()
        async with conversation.stream_message("Well?") as stream:
            while (await anext(stream)).type != "text_delta":  # a busy machine has more to tell before
                pass
            async with asyncio.timeout(60):
                while (await conversation.get_history())[-1].role != "assistant":
                    pass
            assert await conversation.cancel()
            told = [event.type async for event in stream if event.type != "degraded"]
            assert told == ["text_delta", "message_completed"]
        assert (stream.response.content, stream.response.state) == ("All.", "complete")
        assert conversation.state.error == ""


async def test_a_turn_that_is_cancelled_waits_for_its_reader_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a stored answer two things may be left to say: the embedder was late, and the answer is whole."""
    monkeypatch.setattr(stream_module, "CHANNEL_SIZE", 1)
    channel, tasks = Channel(), TurnTasks()

    async def turn() -> Any:
        for text in ("said", "late", "whole"):
            with contextlib.suppress(asyncio.CancelledError):
                await channel.send(events.TextDelta(text=text))

    tasks.start("c", turn, channel)
    await channel.receive()
    async with asyncio.timeout(10):
        assert await tasks.cancel("c")
    told = [await channel.receive() for _ in range(3)]
    assert [getattr(event, "text", None) for event in told] == ["late", "whole", None]


async def test_a_stream_that_another_thread_loses_ends_its_turn() -> None:
    loop = asyncio.get_running_loop()
    debug, begun = loop.get_debug(), list[asyncio.Task[Any]]()
    loop.set_debug(True)  # asyncio tells then whose thread touches what is the loop's
    try:

        def start(channel: Channel) -> asyncio.Task[Any]:
            async def endless() -> None:
                while True:
                    await channel.send(events.TextDelta(text="more"))

            begun.append(asyncio.create_task(endless()))
            return begun[0]

        held = [AsyncMessageStream(start)]
        await anext(held[0])
        await asyncio.to_thread(held.clear)
        async with asyncio.timeout(10):
            await asyncio.wait(begun)
        assert begun[0].cancelled()
    finally:
        loop.set_debug(debug)


async def test_closing_the_agent_does_not_wait_for_a_reader(make_agent: MakeAgent) -> None:
    agent = make_agent(MANY)
    conversation = await agent.create_conversation()
    stream = conversation.stream_message("Count.")
    await anext(stream)
    await agent.aclose()
    assert stream.response.content.endswith("999 ")


async def test_a_close_that_was_cut_short_is_gone_on_with_by_the_next(make_agent: MakeAgent) -> None:
    closed = list[str]()
    agent = make_agent([TextChunk("part"), Pause(1), TextChunk("end")])
    conversation = await agent.create_conversation()
    services = await agent.open()
    services.background.opened.callback(lambda: closed.append("all"))
    turn = asyncio.create_task(conversation.send_message("Well?"))
    await asyncio.sleep(0.3)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await agent.aclose()
    with pytest.raises(AgentClosed):
        await agent.create_conversation()
    assert not closed
    await agent.aclose()
    assert closed == ["all"]
    assert (await turn).content == "partend"
    await agent.aclose()
    assert closed == ["all"]


async def test_a_close_while_it_opens_closes_what_is_opened(make_agent: MakeAgent) -> None:
    others = asyncio.all_tasks()
    agent = make_agent()
    opening = [asyncio.create_task(agent.open()) for _ in range(2)]
    await asyncio.sleep(0)
    await agent.aclose()
    late = await asyncio.gather(*opening, agent.open(), return_exceptions=True)
    assert [type(each) for each in late] == [AgentClosed] * 3
    assert asyncio.all_tasks() == others


async def test_the_count_of_messages_is_right_after_turns_that_ended_badly(make_agent: MakeAgent) -> None:
    steps = [[TextChunk("part"), Hang()], ModelError("no"), "Yes.", "Other.", ModelError("no")]
    async with make_agent(*steps) as agent:
        conversation = await agent.create_conversation()

        async def counts() -> list[int]:
            now = await agent.load_conversation(conversation.uuid)
            return [each for one in (conversation, now) for each in (one.message_count, one.info.head_seq)]

        stream = conversation.stream_message("Well?")
        while (await anext(stream)).type != "text_delta":
            pass
        await conversation.cancel()
        with pytest.raises(TurnCancelled):
            [event async for event in stream]
        assert await counts() == [2] * 4
        assert conversation.title == "Well?"
        with pytest.raises(ModelError):
            await conversation.send_message("And?")
        assert await counts() == [3] * 4
        await conversation.send_message("Really?")
        assert await counts() == [5] * 4
        answer = (await conversation.get_history())[-1]
        branch = await conversation.regenerate(answer.uuid)
        assert (branch.message_count, branch.info.head_seq) == (1, 5)
        with pytest.raises(ModelError):
            await branch.send_message("So?")
        assert (branch.message_count, branch.info.head_seq) == (2, 6)
        assert (await branch.refresh()).message_count == 2


@pytest.mark.parametrize(("who", "spoken"), [("here", True), ("elsewhere", False)])
async def test_of_a_conversation_that_is_deleted_nothing_is_said_to_be_kept(
    make_agent: MakeAgent, who: str, spoken: bool
) -> None:
    async with make_agent([TextChunk("part"), Hang()] if spoken else Hang()) as agent, make_agent() as other:
        conversation = await agent.create_conversation()
        stream = conversation.stream_message("Well?")
        assert (await anext(stream)).type == "message_started"
        if spoken:
            assert (await anext(stream)).type == "text_delta"
        if who == "here":
            await conversation.delete()
        else:
            await (await other.load_conversation(conversation.uuid)).delete()
            await conversation.cancel()
        with pytest.raises(TurnCancelled) as cancelled:
            [event async for event in stream]
        assert not cancelled.value.kept
        assert "deleted" in str(cancelled.value.hint)


async def test_a_cancel_at_any_moment_ends_the_stream_and_keeps_the_question(make_agent: MakeAgent) -> None:
    async with make_agent(*[[TextChunk("part"), Hang()]] * 12) as agent:
        conversation = await agent.create_conversation()
        for steps in range(12):
            stream = conversation.stream_message(f"question {steps}")
            await stream.__aenter__()
            for _ in range(steps):
                await asyncio.sleep(0)
            await conversation.cancel()
            with pytest.raises(TurnCancelled):
                [event async for event in stream]
        questions = [message for message in await conversation.get_history() if message.role == "user"]
        assert {message.state for message in questions} <= {"unanswered"}


@tool
async def leave_too() -> str:
    """Ends the process, or would."""
    raise SystemExit(3)


class Panic(BaseException):
    """As extensions written in Rust raise."""


@tool
async def panic_too() -> str:
    """Panics."""
    raise Panic("all is lost")


@tool
async def give_up() -> str:
    """Waits for what was given up."""
    work = asyncio.ensure_future(asyncio.sleep(60))
    asyncio.get_running_loop().call_soon(work.cancel)
    await work
    return "done"


@pytest.mark.parametrize(
    ("function", "said"),
    [(leave_too, "SystemExit"), (panic_too, "Panic: all is lost"), (give_up, "CancelledError")],
)
async def test_a_tool_ends_neither_the_process_nor_the_turn(
    make_agent: MakeAgent, function: Callable[..., Any], said: str
) -> None:
    async with make_agent([ToolRequest("c", function.__name__, {})], "Still here.", tools=[function]) as agent:
        response = await (await agent.create_conversation()).send_message("Go?")
        assert response.content == "Still here."
        assert said in (response.tool_calls[0].error or "")


async def test_a_reader_whose_stream_is_closed_by_somebody_else(make_agent: MakeAgent) -> None:
    async with make_agent([TextChunk("part"), Hang()]) as agent:
        conversation = await agent.create_conversation()
        stream = conversation.stream_message("Well?")
        await anext(stream)
        await anext(stream)
        reading = [asyncio.ensure_future(_rest(stream)) for _ in range(2)]
        await asyncio.sleep(0)
        await stream.aclose()
        for ended in await asyncio.gather(*reading, return_exceptions=True):
            assert isinstance(ended, TurnCancelled)
        assert (await conversation.get_history())[-1].state == "partial"


async def _rest(stream: Any) -> list[Any]:
    return [event async for event in stream]


async def test_half_a_character_in_a_tool_call_is_no_error(make_agent: MakeAgent) -> None:
    @tool
    def echo(text: str) -> dict[str, str]:
        """Says it again.

        Args:
            text: what
        """
        return {text: text}

    odd = ToolRequest("call\ud83d", "echo", {"text": "\ud83d", "\udc00": [float("nan")]})
    unknown = ToolRequest("b", "ec\ud83dho", {}, error="no JSON: \ud83d")
    finished = Finished("tool_calls", provider_parts={"kept": ["\ud83d"]})
    async with make_agent(["Before. ", odd, unknown, finished], "After.", tools=[echo]) as agent:
        conversation = await agent.create_conversation()
        response = await conversation.send_message("Say it.")
        assert (response.content, response.state) == ("Before. \n\nAfter.", "complete")
        _, answer = await conversation.get_history()
        assert [call.arguments for call in answer.tool_calls] == [
            {"text": "?", "?": [None]},
            {"unreadable": "no JSON: ?"},
        ]


@pytest.mark.parametrize(
    ("step", "content"),
    [(["Half an ans", Finished("length")], "Half an ans"), ([Finished("stop")], "")],
    ids=["the model's limit", "no word"],
)
async def test_an_answer_that_is_no_whole_one_says_so(make_agent: MakeAgent, step: list[Any], content: str) -> None:
    async with make_agent(step) as agent:
        conversation = await agent.create_conversation()
        response = await conversation.send_message("What is it?")
        assert (response.content, response.state) == (content, "partial")
        question, answer = await conversation.get_history()
        assert (question.state, answer.content, answer.state) == ("complete", content, "partial")
