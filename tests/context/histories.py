"""Histories of any kind, and what was found of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from hypothesis import strategies as st

from ragforge_memory.agent.context.compression import extracted, rendered
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.llm.port import ToolSpec
from ragforge_memory.models.conversation import Message, ScoredMessage, ToolCall
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.summary import Summary
from tests.context.told import filler

START = datetime(2026, 1, 1, tzinfo=UTC)


READING = ToolSpec("read_tool_result", "Reads a result again.", {"type": "object"})


TODAY = date(2026, 1, 2)


OWNER = Owner("user", "project")


def uuid_of(number: int) -> str:
    return UUID(int=number).hex


def call_of(message_id: str, number: int, size: int, iteration: int, success: bool) -> ToolCall:
    result = f"result {number} " + "x" * size
    return ToolCall(
        uuid=uuid_of(10_000 + number),
        message_id=message_id,
        index=number % 10,
        timestamp=START,
        tool_name="look",
        arguments={"number": number},
        success=success,
        result=result if success else None,
        error=None if success else result,
        result_size_bytes=len(result),
        iteration=iteration,
    )


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Questions, answers with tool calls, questions without an answer, overlapping turns, system messages, imports."""
    messages: list[Message] = []
    waiting: list[str] = []
    for number in range(1, draw(st.integers(0, 24)) + 1):
        role = draw(st.sampled_from(["user", "assistant", "assistant", "user", "user", "system"]))
        uuid = uuid_of(number)
        reply = None
        calls: tuple[ToolCall, ...] = ()
        if role == "assistant":
            reply = draw(st.sampled_from(waiting)) if waiting and draw(st.booleans()) else None
            if reply is None and draw(st.booleans()):
                reply = uuid_of(99_999)  # its question is older than what was read
            calls = tuple(
                call_of(
                    uuid, number * 10 + at, draw(st.integers(0, 9_000)), draw(st.integers(1, 2)), draw(st.booleans())
                )
                for at in range(draw(st.integers(0, 3)))
            )
        text = f"message {number}: {filler(draw(st.integers(0, 400)), number)}."
        messages.append(
            Message(
                uuid=uuid,
                conversation_id="c",
                seq=number,
                role=role,
                content=text,
                timestamp=START + timedelta(minutes=number),
                in_reply_to=reply,
                importance=draw(st.sampled_from([None, None, 0.8, 1.0])),
                tool_calls=calls,
            )
        )
        if role == "user":
            waiting.append(uuid)
    return messages


def context_of(messages: list[Message], split: int, compressed: bool, summary: str | None) -> TurnContext:
    """The newest as what was read, the older ones as what was found."""
    old, recent = messages[:split], messages[split:]
    compression = None
    if compressed and old:
        content = rendered(extracted(old), 4_000)
        compression = Summary(
            uuid=uuid_of(77), conversation_id="c", kind="compression", from_seq=1, to_seq=split, content=content,
            created_at=START,
        )  # fmt: skip
    found = tuple(ScoredMessage(message=each, score=1.0, conversation_id="c") for each in reversed(old))
    important = tuple(each for each in old if (each.importance or 0) > 0.7)
    return TurnContext(summary, tuple(recent), compression, important, found, summary_seq=split)


def message_of(text: str) -> Message:
    return Message(uuid=uuid_of(1), conversation_id="c", seq=1, role="user", timestamp=START, content=text)


def found_again(*messages: Message) -> TurnContext:
    found = tuple(ScoredMessage(message=each, score=0.5, conversation_id="c") for each in messages)
    return replace(context_of([], 0, False, None), found=found)
