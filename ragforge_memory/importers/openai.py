"""OpenAI's chat messages: roles, content parts, tool calls, and results as messages of role ``tool``.

As chat completion requests hold them, and the fine-tuning files whose lines are ``{"messages": […]}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.importers.fields import (
    MAX_RESULT_CHARACTERS,
    arguments,
    call_id,
    foreign_id,
    identifier,
    is_one_of,
    joined,
    mapping,
    optional_text,
    text,
    time,
    unique,
)
from ragforge_memory.importers.records import Record
from ragforge_memory.models.transcript import TranscriptCall, TranscriptMessage

NAME = "OpenAI chat messages"

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_CALLS = frozenset({"tool_calls", "tool_call_id", "function_call"})
_KEYS = _CALLS | {"refusal", "audio", "annotations", "reasoning_content", "name", "weight"}


def recognises(record: object) -> bool:
    """Whether only such a message looks like this: plain ones of role and content do not show it."""
    if not isinstance(record, Mapping) or not is_one_of(record.get("role"), _ROLES):
        return False
    content = record.get("content")
    return (
        record["role"] == "developer"
        or not _KEYS.isdisjoint(record)
        or (
            isinstance(content, (list, tuple)) and all(isinstance(part, Mapping) and "type" in part for part in content)
        )
    )


def read(records: Iterable[Record]) -> Iterator[TranscriptMessage]:
    """The messages; a result stands with its call.

    Raises:
        InvalidInput: a record is no message; the error names its place.
    """
    exchange = Exchange()
    for record in records:
        yield from record.messages(partial(_taken, exchange))
    yield from exchange.finish()


def _taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    message = mapping(value, "a message")
    role = message.get("role")
    if not is_one_of(role, _ROLES):
        raise ValueError(f"there is no role {role!r} ({', '.join(sorted(_ROLES))})")
    when = time(message.get("timestamp") or message.get("created_at"))
    if role == "assistant":
        yield from exchange.answer(_answer(message, place))
    elif role in ("tool", "function"):
        asked = message.get("tool_call_id")
        named = call_id(asked, "its tool_call_id")
        name = optional_text(message.get("name"), "its name", most=200)
        if asked is None and name is None:
            raise ValueError("a result names its call in tool_call_id")
        result = joined(message.get("content"), "its content", most=MAX_RESULT_CHARACTERS)
        yield from exchange.result(place, named, result=result, tool_name=name, timestamp=when)
    else:
        yield from exchange.say(
            TranscriptMessage(
                role="user" if role == "user" else "system",
                content=joined(message.get("content"), "its content"),
                timestamp=when,
                uuid=_uuid(message),
                metadata=_metadata(message),
                place=place,
            )
        )


def _answer(message: Mapping[str, Any], place: str) -> Answer:
    spoken = message.get("content")
    audio = message.get("audio")
    if spoken is None and isinstance(audio, Mapping):
        spoken = audio.get("transcript")
    content = joined(spoken, "its content") or optional_text(message.get("refusal"), "its refusal")
    reasoning = optional_text(
        message.get("reasoning_content") or message.get("reasoning"), "its reasoning", most=MAX_RESULT_CHARACTERS
    )
    when = time(message.get("timestamp") or message.get("created_at"))
    return Answer(
        place,
        uuid=_uuid(message),
        timestamp=when,
        model=optional_text(message.get("model"), "its model", most=200),
        metadata=_metadata(message),
        texts=[content] if content else [],
        reasoning=[reasoning] if reasoning else [],
        calls=[call_of(call) for call in calls_of(message)],
    )


def calls_of(message: Mapping[str, Any]) -> list[Any]:
    """The calls of an assistant's message, the older ``function_call`` too."""
    calls = message.get("tool_calls") or []
    if not isinstance(calls, (list, tuple)):
        raise ValueError(f"its tool_calls are a list, not {type(calls).__name__}")
    older = message.get("function_call")
    return [*calls, {"function": older}] if isinstance(older, Mapping) and not calls else list(calls)


def call_of(value: object) -> TranscriptCall:
    """A call as OpenAI writes it: a ``function`` with arguments as JSON text, or a ``custom`` tool with its input."""
    call = mapping(value, "a tool call")
    asked = mapping(call.get("function") or call.get("custom"), "the function of a tool call")
    return TranscriptCall(
        tool_name=text(asked.get("name"), "the name of a tool", most=200),
        arguments=arguments(asked.get("arguments") if "arguments" in asked else asked.get("input")),
        call_id=call_id(call.get("id"), "the id of its tool call"),
    )


def _uuid(message: Mapping[str, Any]) -> str | None:
    if (given := message.get("uuid")) is not None:
        return identifier(given)
    found = message.get("id")
    return unique(foreign_id(found, "its id")) if isinstance(found, str) else None


def _metadata(message: Mapping[str, Any]) -> dict[str, Any]:
    name = optional_text(message.get("name"), "its name", most=200)
    return {"name": name} if name else {}
