"""OpenAI's chat messages: roles, content parts, tool calls, and results as messages of role ``tool``.

As chat completion requests hold them, and the fine-tuning files whose lines are ``{"messages": […]}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.anthropic import add_blocks, is_no_text
from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.models.transcript import TranscriptCall, TranscriptMessage

NAME = "OpenAI chat messages"

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_CALLS = frozenset({"tool_calls", "tool_call_id", "function_call"})
_KEYS = _CALLS | {"refusal", "audio", "annotations", "reasoning_content", "name", "weight"}


def recognises(record: object) -> bool:
    """Whether only such a message looks like this: plain ones of role and content do not show it."""
    if not isinstance(record, Mapping) or not fields.is_one_of(record.get("role"), _ROLES):
        return False
    content = record.get("content")
    return (
        record["role"] == "developer"
        or not _KEYS.isdisjoint(record)
        or (
            isinstance(content, (list, tuple)) and all(isinstance(part, Mapping) and "type" in part for part in content)
        )
    )


def has_calls(record: object) -> bool:
    """Whether this has the calls of such a message or is the result of one, whatever else is in it."""
    if not isinstance(record, Mapping) or not fields.is_one_of(record.get("role"), _ROLES):
        return False
    return record["role"] in ("tool", "function") or any(record.get(key) for key in _CALLS)


def taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    """The messages that are complete with one more; see `exchanged`."""
    message = fields.mapping(value, "a message")
    role = message.get("role")
    if not fields.is_one_of(role, _ROLES):
        raise ValueError(f"there is no role {role!r} ({', '.join(sorted(_ROLES))})")
    when = fields.time(message.get("timestamp") or message.get("created_at"))
    if role == "assistant":
        answer, blocks = _answer(message, place)
        yield from exchange.answer(answer)
        add_blocks(answer, exchange, blocks, when)
    elif role in ("tool", "function"):
        asked = message.get("tool_call_id")
        named = fields.call_id(asked, "its tool_call_id")
        name = fields.optional_text(message.get("name"), "its name", most=200)
        if asked is None and name is None:
            raise ValueError("a result names its call in tool_call_id")
        result = fields.joined(message.get("content"), "its content", most=fields.MAX_RESULT_CHARACTERS)
        yield from exchange.result(place, named, result=result, tool_name=name, timestamp=when)
    else:
        yield from exchange.say(
            TranscriptMessage(
                role="user" if role == "user" else "system",
                content=fields.joined(message.get("content"), "its content"),
                timestamp=when,
                uuid=_uuid(message),
                metadata=metadata_of(message),
                place=place,
            )
        )


def _answer(message: Mapping[str, Any], place: str) -> tuple[Answer, list[Mapping[str, Any]]]:
    """The answer that a message is, and what stands in it as other vendors write it: thinking, calls."""
    spoken = message.get("content")
    calls = [call_of(call) for call in calls_of(message)]
    known = {call.call_id for call in calls}
    blocks = []
    if isinstance(spoken, (list, tuple)):
        blocks = [part for part in spoken if is_no_text(part)]
        spoken = [part for part in spoken if not is_no_text(part)]
    audio = message.get("audio")
    pieces = [
        fields.joined(spoken, "its content"),
        fields.optional_text(message.get("refusal"), "its refusal"),
        fields.optional_text(audio.get("transcript"), "its transcript") if isinstance(audio, Mapping) else None,
    ]
    reasoning = fields.optional_text(
        message.get("reasoning_content") or message.get("reasoning"), "its reasoning", most=fields.MAX_RESULT_CHARACTERS
    )
    answer = Answer(
        place,
        uuid=_uuid(message),
        timestamp=fields.time(message.get("timestamp") or message.get("created_at")),
        model=fields.optional_text(message.get("model"), "its model", most=200),
        metadata=metadata_of(message),
        texts=list(dict.fromkeys(filter(None, pieces))),
        reasoning=[reasoning] if reasoning else [],
        calls=calls,
    )
    # Some programs write a call in both ways.
    return answer, [block for block in blocks if block.get("id") not in known or block.get("id") is None]


def calls_of(message: Mapping[str, Any]) -> list[Any]:
    """The calls of an assistant's message, the older ``function_call`` too."""
    calls = message.get("tool_calls") or []
    if not isinstance(calls, (list, tuple)):
        raise ValueError(f"its tool_calls are a list, not {type(calls).__name__}")
    older = message.get("function_call")
    return [*calls, {"function": older}] if isinstance(older, Mapping) and not calls else list(calls)


def call_of(value: object) -> TranscriptCall:
    """A call as OpenAI writes it: a ``function`` with arguments as JSON text, or a ``custom`` tool with its input."""
    call = fields.mapping(value, "a tool call")
    asked = fields.mapping(call.get("function") or call.get("custom"), "the function of a tool call")
    return TranscriptCall(
        tool_name=fields.text(asked.get("name"), "the name of a tool", most=200),
        arguments=fields.arguments(asked.get("arguments") if "arguments" in asked else asked.get("input")),
        call_id=fields.call_id(call.get("id"), "the id of its tool call"),
    )


def _uuid(message: Mapping[str, Any]) -> str | None:
    if (given := message.get("uuid")) is not None:
        return fields.identifier(given)
    found = message.get("id")
    return fields.unique(fields.foreign_id(found, "its id")) if isinstance(found, str) else None


def metadata_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """What its metadata keeps of a message: who said it, where that has a name."""
    name = fields.optional_text(message.get("name"), "its name", most=200)
    return {"name": name} if name else {}
