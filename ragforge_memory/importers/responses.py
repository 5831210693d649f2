"""Items of OpenAI's Responses API: messages, reasoning, calls and their outputs, each an item of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from datetime import datetime
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.models.transcript import TranscriptCall, TranscriptMessage

NAME = "OpenAI Responses items"

LEFT_OUT = frozenset(
    {
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "item_reference",
        "compaction",
        "compaction_trigger",
    }
)
"""The types of items that say nothing: what a vendor's machinery told itself."""

# What a call is named by, where its item has no name of its own.
_CALLS = {
    "function_call": None,
    "custom_tool_call": None,
    "mcp_call": None,
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "tool_search_call": "tool_search",
}
# Where a call has what it was given; where it has none of these, all is that but what is said about it and its outcome.
_GIVEN = ("arguments", "input", "action", "operation")
_OUTCOME = ("output", "results", "outputs", "result")
_ABOUT = frozenset(
    {"id", "type", "status", "call_id", "name", "error", "timestamp", "created_at", "container_id", "server_label"}
    | {"internal_chat_message_metadata_passthrough", *_OUTCOME}
)
_FAILED = ("failed", "incomplete")
# Calls that the vendor runs: what came of them stands in the item, or nowhere.
_HOSTED = frozenset(
    {"mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"}
)
_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file"})


def recognises(record: object) -> bool:
    """Whether only such an item looks like this."""
    if not isinstance(record, Mapping):
        return False
    kind = record.get("type")
    if fields.is_one_of(kind, _CALLS) or _is_output(kind):
        return True
    if kind == "reasoning":
        return isinstance(record.get("summary"), (list, tuple))
    content = record.get("content")
    parts = content if isinstance(content, (list, tuple)) else ()
    return "role" in record and any(
        isinstance(part, Mapping) and fields.is_one_of(part.get("type"), _PARTS) for part in parts
    )


def taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    """The messages that are complete with one more item; see `exchanged`."""
    item = fields.mapping(value, "an item")
    yield from take_item(exchange, item, place, fields.time(item.get("created_at") or item.get("timestamp")), None)


def take_item(
    exchange: Exchange, item: Mapping[str, Any], place: str, when: datetime | None, model: str | None
) -> Iterator[TranscriptMessage]:
    """Takes an item; gives the messages that are complete now.

    Raises:
        ValueError: it is none.
    """
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind == "message":
        yield from _message(exchange, item, place, when, model)
    elif kind == "reasoning":
        pieces = (fields.joined(item.get(key), "its reasoning") for key in ("summary", "content"))
        if thought := "\n\n".join(filter(None, pieces)):
            answer = yield from _open_answer(exchange, place, when, model)
            answer.reasoning.append(thought)
    elif fields.is_one_of(kind, _CALLS):
        yield from _call(exchange, item, str(kind), place, when, model)
    elif _is_output(kind):
        call_id = item.get("call_id") or (item.get("id") if kind == "local_shell_call_output" else None)
        text, failed = _result(item.get("tools") if kind == "tool_search_output" else item.get("output"))
        yield from exchange.result(
            place,
            fields.call_id(call_id, "its call_id"),
            result=text,
            failed=failed or fields.is_one_of(item.get("status"), _FAILED),
            timestamp=when,
        )
    else:
        raise ValueError(f"there is no item of type {kind!r}")


def _message(
    exchange: Exchange, item: Mapping[str, Any], place: str, when: datetime | None, model: str | None
) -> Iterator[TranscriptMessage]:
    role, content = item.get("role"), fields.joined(item.get("content"), "its content")
    uuid = item.get("id")
    uuid = fields.unique(fields.foreign_id(uuid, "its id")) if isinstance(uuid, str) else None
    if role == "assistant":
        answer = yield from _open_answer(exchange, place, when, model)
        answer.uuid = answer.uuid or uuid
        if content:
            answer.texts.append(content)
    elif fields.is_one_of(role, ("user", "system", "developer")):
        yield from exchange.say(
            TranscriptMessage("user" if role == "user" else "system", content, when, uuid, place=place)
        )
    else:
        raise ValueError(f"there is no role {role!r} (user, assistant, system, developer)")


def _call(
    exchange: Exchange, item: Mapping[str, Any], kind: str, place: str, when: datetime | None, model: str | None
) -> Iterator[TranscriptMessage]:
    answer = yield from _open_answer(exchange, place, when, model)
    whole = {key: value for key, value in item.items() if key not in _ABOUT}
    given: object = next((item[key] for key in _GIVEN if item.get(key) is not None), whole)
    name = item.get("name") or _CALLS[kind]
    answer.calls.append(
        TranscriptCall(
            tool_name=fields.text(name, "the name of a tool", most=200),
            arguments=fields.arguments(given),
            call_id=fields.call_id(item.get("call_id") or item.get("id"), "its call_id"),
            timestamp=when,
        )
    )
    if kind in _HOSTED:
        status = item.get("status")
        why = item.get("error") or (status if fields.is_one_of(status, _FAILED) else None)
        came: object = next((item[key] for key in _OUTCOME if item.get(key)), None)
        if kind == "image_generation_call" and came is not None:
            came = "[image]"  # it is in the item itself
        text, failed = _result(item.get("error") or came or why)
        yield from exchange.result(
            place, answer.calls[-1].call_id, result=text, failed=failed or bool(why), timestamp=when
        )


def _open_answer(
    exchange: Exchange, place: str, when: datetime | None, model: str | None
) -> Generator[TranscriptMessage, None, Answer]:
    """The answer that items of one turn belong to: it goes on until its words were said, or somebody else speaks."""
    answer = exchange.last
    if answer is None or answer.texts:
        answer = Answer(place, timestamp=when, model=model)
        yield from exchange.answer(answer)
    return answer


def _is_output(kind: object) -> bool:
    return isinstance(kind, str) and (kind.endswith("_call_output") or kind == "tool_search_output")


def _result(value: object) -> tuple[str, bool]:
    """What came of a call, as text, and whether it says itself that it failed."""
    worked = value.get("success") if isinstance(value, Mapping) and "content" in value else None
    said = value["content"] if isinstance(value, Mapping) and isinstance(worked, bool) else value
    return fields.outcome(said, "its output"), worked is False
