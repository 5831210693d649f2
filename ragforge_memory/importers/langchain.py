"""LangChain's messages as ``messages_to_dict`` writes them: a list of ``{"type", "data": {…}}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.importers.openai import call_of, calls_of, metadata_of
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.transcript import TranscriptCall, TranscriptMessage

NAME = "LangChain messages"

# A chunk is a message that was streamed; `chat` says its role itself.
_TYPES = {
    **dict.fromkeys(("human", "HumanMessageChunk"), "user"),
    **dict.fromkeys(("ai", "AIMessageChunk"), "assistant"),
    **dict.fromkeys(("system", "SystemMessageChunk"), "system"),
    **dict.fromkeys(("tool", "ToolMessageChunk", "function", "FunctionMessageChunk"), "tool"),
    **dict.fromkeys(("chat", "ChatMessageChunk"), ""),
}
_CHAT = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}
# Blocks of a content that are not text: what was thought, and calls that `tool_calls` repeats.
_THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking"})
_CALLS = frozenset({"tool_use", "tool_call", "function_call", "input_json_delta"})


def recognises(record: object) -> bool:
    """Whether this is such a record."""
    if not isinstance(record, Mapping):
        return False
    return fields.is_one_of(record.get("type"), _TYPES) and isinstance(record.get("data"), Mapping)


def taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    """The messages that are complete with one more; see `exchanged`."""
    record = fields.mapping(value, "a message")
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise ValueError(f"there is no message of type {kind!r}")
    data = fields.mapping(record.get("data"), "the data of a message")
    role = _TYPES[kind] or _CHAT.get(str(data.get("role")).lower(), "system")
    if role == "assistant":
        yield from exchange.answer(_answer(data, place))
    elif role == "tool":
        failed = data.get("status") == "error"
        result = fields.joined(data.get("content"), "its content", most=fields.MAX_RESULT_CHARACTERS)
        yield from exchange.result(
            place,
            fields.call_id(data.get("tool_call_id"), "its tool_call_id"),
            result=result,
            failed=failed,
            tool_name=fields.optional_text(data.get("name"), "its name", most=200),
        )
    else:
        yield from exchange.say(
            TranscriptMessage(
                role="user" if role == "user" else "system",
                content=fields.joined(data.get("content"), "its content"),
                uuid=fields.unique(fields.foreign_id(data.get("id"), "its id")),
                metadata=metadata_of(data),
                place=place,
            )
        )


def _answer(data: Mapping[str, Any], place: str) -> Answer:
    blocks = data.get("content")
    thought: list[str] = []
    if isinstance(blocks, (list, tuple)):
        thought = [found for block in blocks if (found := _thought(block))]
        blocks = [block for block in blocks if _kind(block) not in _THOUGHTS | _CALLS]
    content = fields.joined(blocks, "its content")
    extra = data.get("additional_kwargs")
    extra = extra if isinstance(extra, Mapping) else {}
    if isinstance(extra.get("reasoning_content"), str):
        thought.append(fields.text(extra["reasoning_content"], "its reasoning", most=fields.MAX_RESULT_CHARACTERS))
    response = data.get("response_metadata")
    response = response if isinstance(response, Mapping) else {}
    model = response.get("model_name") or response.get("model")
    return Answer(
        place,
        uuid=fields.unique(fields.foreign_id(data.get("id"), "its id")),
        model=model if isinstance(model, str) else None,
        usage=_usage(data.get("usage_metadata")),
        metadata=metadata_of(data),
        texts=[content] if content else [],
        reasoning=thought,
        calls=_calls(data, extra),
    )


def _calls(data: Mapping[str, Any], extra: Mapping[str, Any]) -> list[TranscriptCall]:
    """LangChain's own list; where it is empty (older versions), the vendor's."""
    found: list[TranscriptCall] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = data.get(key) or []
        if not isinstance(calls, (list, tuple)):
            raise ValueError(f"its {key} are a list, not {type(calls).__name__}")
        for value in calls:
            call = fields.mapping(value, "a tool call")
            found.append(
                TranscriptCall(
                    tool_name=fields.text(call.get("name") or "unknown", "the name of a tool", most=200),
                    arguments=fields.arguments(call.get("args")),
                    call_id=fields.call_id(call.get("id"), "the id of its tool call"),
                )
            )
    return found or [call_of(call) for call in calls_of(extra)]


def _kind(block: object) -> str:
    return str(block.get("type")) if isinstance(block, Mapping) else ""


def _thought(block: object) -> str | None:
    if not isinstance(block, Mapping) or _kind(block) not in _THOUGHTS:
        return None
    found = block.get("thinking") or block.get("reasoning") or block.get("summary") or block.get("text")
    if found is None or (isinstance(found, (list, tuple)) and not found):
        return None
    return fields.joined(found, "its reasoning", most=fields.MAX_RESULT_CHARACTERS)


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    given, made = value.get("input_tokens"), value.get("output_tokens")
    if not isinstance(given, int) or not isinstance(made, int):
        return None
    cached = value.get("input_token_details")
    read = cached.get("cache_read") if isinstance(cached, Mapping) else None
    return Usage(input_tokens=given, output_tokens=made, cached_tokens=read if isinstance(read, int) else 0)
