"""Anthropic's messages: a role and typed blocks, calls in the assistant's, results in the user's.

As its Messages API takes and gives them, and as programs keep them that talk to it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from datetime import datetime
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.transcript import TranscriptCall, TranscriptMessage

NAME = "Anthropic messages"

_ROLES = frozenset({"user", "assistant", "system"})
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})


def recognises(record: object) -> bool:
    """Whether only such a message looks like this: one with text alone does not show it."""
    if not isinstance(record, Mapping) or not fields.is_one_of(record.get("role"), _ROLES):
        return False
    content = record.get("content")
    if not isinstance(content, (list, tuple)):
        return False
    return any(map(is_no_text, content))


def is_no_text(block: object) -> bool:
    """Whether a block of a content is a call, the result of one, or thinking."""
    kind = block.get("type") if isinstance(block, Mapping) else None
    return fields.is_one_of(kind, _CALLS | _THOUGHTS) or _is_result(kind)


def taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    """The messages that are complete with one more; see `exchanged`."""
    message = fields.mapping(value, "a message")
    role = message.get("role")
    if not fields.is_one_of(role, _ROLES):
        raise ValueError(f"there is no role {role!r} ({', '.join(sorted(_ROLES))})")
    when = fields.time(message.get("timestamp") or message.get("created_at"))
    uuid = message.get("uuid") or message.get("id")
    uuid = fields.unique(fields.foreign_id(uuid, "its id")) if isinstance(uuid, str) else None
    blocks = blocks_of(message.get("content"))
    if role == "assistant":
        model = fields.optional_text(message.get("model"), "its model", most=200)
        answer = Answer(place, uuid=uuid, timestamp=when, model=model, usage=usage_of(message.get("usage")))
        yield from exchange.answer(answer)
        add_blocks(answer, exchange, blocks, when)
        return
    said, results = yield from take_results(exchange, blocks, place, when)
    if said or not results:
        content = fields.joined(said, "its content")
        yield from exchange.say(
            TranscriptMessage("user" if role == "user" else "system", content, when, uuid, place=place)
        )


def blocks_of(content: object) -> list[Mapping[str, Any]]:
    """The blocks of a content; text is one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, (list, tuple)):
        raise ValueError(f"its content is text or a list of blocks, not {type(content).__name__}")
    return [fields.mapping(block, "a block of its content") for block in content]


def add_blocks(answer: Answer, exchange: Exchange, blocks: list[Mapping[str, Any]], when: datetime | None) -> None:
    """Adds what an assistant's blocks say to its answer; results of tools that the vendor runs stand among them."""
    for block in blocks:
        kind = block.get("type")
        if fields.is_one_of(kind, _CALLS):
            answer.calls.append(
                TranscriptCall(
                    tool_name=fields.text(block.get("name"), "the name of a tool", most=200),
                    arguments=fields.arguments(block.get("input")),
                    call_id=fields.call_id(block.get("id"), "the id of its tool call"),
                    timestamp=when,
                )
            )
        elif kind == "thinking":
            thought = fields.joined(block.get("thinking"), "its reasoning", most=fields.MAX_RESULT_CHARACTERS)
            if thought:
                answer.reasoning.append(thought)
        elif kind == "redacted_thinking":
            continue
        elif _is_result(kind):
            _take_result(exchange, block, answer.place, when)
        elif said := fields.joined([block], "its content"):
            answer.texts.append(said)


def take_results(
    exchange: Exchange, blocks: list[Mapping[str, Any]], place: str, when: datetime | None, *, duration_ms: int = 0
) -> Generator[TranscriptMessage, None, tuple[list[Mapping[str, Any]], int]]:
    """Takes the results among a user's blocks; returns the other blocks, and how many results there were."""
    said = []
    results = 0
    for block in blocks:
        if not _is_result(block.get("type")):
            said.append(block)
            continue
        results += 1
        yield from _result(exchange, block, place, when, duration_ms)
    return said, results


def usage_of(value: object) -> Usage | None:
    """The tokens that the vendor counted."""
    if not isinstance(value, Mapping):
        return None

    def count(key: str) -> int:
        found = value.get(key)
        return found if isinstance(found, int) and found > 0 else 0

    cached = count("cache_read_input_tokens")
    given = count("input_tokens") + count("cache_creation_input_tokens") + cached
    return Usage(input_tokens=given, output_tokens=count("output_tokens"), cached_tokens=cached)


def _is_result(kind: object) -> bool:
    return isinstance(kind, str) and kind.endswith("tool_result")


def _take_result(exchange: Exchange, block: Mapping[str, Any], place: str, when: datetime | None) -> None:
    for _ in _result(exchange, block, place, when, 0):
        raise ValueError("a result stands before its call")


def _result(
    exchange: Exchange, block: Mapping[str, Any], place: str, when: datetime | None, duration_ms: int
) -> Iterator[TranscriptMessage]:
    content = block.get("content")
    blocks = content if isinstance(content, (list, tuple)) else [content]
    kinds = [each.get("type") for each in blocks if isinstance(each, Mapping)]
    yield from exchange.result(
        place,
        fields.call_id(block.get("tool_use_id"), "its tool_use_id"),
        result=fields.text(_outcome(content), "the result of its tool", most=fields.MAX_RESULT_CHARACTERS),
        failed=bool(block.get("is_error")) or any(isinstance(kind, str) and kind.endswith("_error") for kind in kinds),
        timestamp=when,
        duration_ms=duration_ms,
    )


def _outcome(content: object) -> str:
    """What a tool gave: its text; the page that was fetched or found, under its title; all else as JSON."""
    if isinstance(content, (list, tuple)):
        return "\n".join(filter(None, map(_outcome, content)))
    if not isinstance(content, Mapping) or isinstance(content.get("text"), str):
        return fields.joined(content, "the result of its tool", most=fields.MAX_RESULT_CHARACTERS)
    kind, source, inner = content.get("type"), content.get("source"), content.get("content")
    if isinstance(kind, str) and kind.endswith("_error"):
        return str(content.get("error_code") or content.get("error_message") or kind)
    if isinstance(source, Mapping):
        if not fields.is_one_of(source.get("type"), ("text", "content")):
            return fields.joined(content, "the result of its tool")
        inner = source.get("data") or source.get("content")
    if inner and "stdout" not in content:
        heads = (content.get(key) for key in ("title", "url", "source"))
        return "\n".join([*(head for head in heads if isinstance(head, str)), _outcome(inner)])
    return fields.outcome(
        {key: content[key] for key in content if key != "encrypted_content"}, "the result of its tool"
    )
