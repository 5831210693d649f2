"""From rows of the graph to models, and back: JSON properties, owners, None and ''."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.conversation import ConversationInfo, Message, ToolCall, Usage
from ragforge_memory.models.insight import Insight
from ragforge_memory.models.shape import Shape
from ragforge_memory.models.summary import Summary

M = TypeVar("M", bound=Shape)

# Of what says no time of its own.
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Roles as other tools name them.
_ROLES = {"human": "user", "ai": "assistant"}


def to_json(value: Any) -> str:
    """A value as the JSON string that the graph keeps; what JSON does not know becomes its text."""
    return _encode(value)


# json.dumps makes an encoder for each value.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def as_text(value: Any) -> str:
    """A tool's result as a model sees it: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else to_json(value)


def utc_text(time: datetime | None) -> str | None:
    """A time as statements take it: in UTC, for Neo4j tells equal moments of different zones apart."""
    if time is None:
        return None
    with suppress(OverflowError):  # the first and the last day that there are
        time = time.astimezone(UTC)
    return time.isoformat()


def from_json(text: Any, default: Any = None) -> Any:
    """The value behind a JSON property; what is not JSON text (another tool's graph) comes back as it is."""
    if text is None:
        return default
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return text


def conversation_info(row: dict[str, Any]) -> ConversationInfo:
    """A conversation from its properties; what another tool's graph lacks gets its default."""
    values = {
        **given(ConversationInfo, row),
        "metadata": _mapping(row.get("metadata")),
        "branch_of": (row.get("lineage_ids") or [None])[-1],
        "from_seq": (row.get("lineage_tops") or [None])[-1],
    }
    return readable(ConversationInfo, values, created_at=_EPOCH, updated_at=_EPOCH)


def message(row: dict[str, Any], *, include_reasoning: bool = True) -> Message:
    """A message from its properties, with the tool calls and references that came with it."""
    usage = from_json(row.get("usage"))
    role = row["role"]
    values = {
        **given(Message, row),
        "role": _ROLES.get(str(role), role),
        "content": content_text(row.get("content")),
        "reasoning": row.get("reasoning") if include_reasoning else None,
        "usage": readable(Usage, usage) if isinstance(usage, dict) else None,
        "provider_parts": from_json(row.get("provider_parts")),
        "echo": bool(row.get("echo")),
        "metadata": _mapping(row.get("metadata")),
        "tool_calls": tuple(tool_call(call) for call in row.get("tool_calls") or ()),
        "references": tuple(_reference(reference) for reference in row.get("references") or ()),
    }
    # What an unknown role said (a tool's message, say) is never taken for the user's word or for an instruction.
    return readable(Message, values, uuid="", role="assistant", timestamp=_EPOCH)


def known_message(row: dict[str, Any], known: Message) -> Message:
    """A message that was read before, with what may have changed since: its place, its state and its importance."""
    changed = {"seq": row["seq"], "state": row.get("state") or "complete", "importance": row.get("importance")}
    if all(getattr(known, name) == value for name, value in changed.items()):
        return known
    return readable(Message, {**dict(known), **changed})


def tool_call(row: dict[str, Any]) -> ToolCall:
    """A tool call with its result; arguments and result are JSON strings in the graph."""
    arguments = from_json(row.get("arguments"), {})
    values = {
        **given(ToolCall, row),
        "arguments": arguments if isinstance(arguments, dict) else {"unreadable": arguments},
        "success": bool(row["success"]),
        "result": from_json(row.get("result")),
        "truncated": bool(row.get("truncated")),
    }
    return readable(ToolCall, values, uuid="", message_id="", timestamp=_EPOCH, tool_name="")


def insight(row: dict[str, Any]) -> Insight:
    """An insight from its properties; schema and data are JSON strings in the graph."""
    values = {**given(Insight, row), "schema": _mapping(row.get("schema")), "data": from_json(row.get("data"))}
    return readable(Insight, values, uuid="", conversation_id="", task="", schema={}, created_at=_EPOCH)


_OF_CALLS = ("uuid", "message_id", "index", "tool_name", "timestamp", "duration_ms", "success", "iteration")
_OF_RESULTS = ("success", "error", "timestamp", "result_size_bytes", "truncated")


def tool_call_rows(call: ToolCall, *, result_uuid: str) -> dict[str, dict[str, Any]]:
    """A tool call as the two nodes that it becomes: ``call`` and ``result``."""
    result: dict[str, Any] = {"uuid": result_uuid, "tool_call_id": call.uuid}
    result["result"] = None if call.result is None else to_json(call.result)
    return {
        "call": {"arguments": to_json(call.arguments)} | {name: getattr(call, name) for name in _OF_CALLS},
        "result": result | {name: getattr(call, name) for name in _OF_RESULTS},
    }


def _reference(row: dict[str, Any]) -> CodeReference:
    """A tie to code; a scope that another tool made may lack its qualified name, its file or its line."""
    name = row.get("name") or ""
    values = {
        **row,
        "name": name,
        "qualified_name": row.get("qualified_name") or name,
        "file": row.get("file") or "",
        "start_line": row.get("start_line") or 1,
    }
    return readable(CodeReference, values, name="", qualified_name="", file="", start_line=1, kind="discussed")


def summary_of(row: dict[str, Any]) -> Summary:
    """A summary as a query projects it."""
    return Summary(**given(Summary, row))


def given(model: type[Shape], row: dict[str, Any]) -> dict[str, Any]:
    """What a row has of a model's fields; '' stands for no user and no project."""
    given = {name: value for name in model.model_fields if (value := row.get(name)) is not None}
    return {name: value for name, value in given.items() if value or name not in ("user_id", "project")}


def readable(model: type[M], values: dict[str, Any], **instead: Any) -> M:
    """A model of these values; one that does not fit gives way to the field's default, else to ``instead``.

    Other tools write into the same graph: one odd property must not make a whole history unreadable.
    """
    try:
        return model(**values)
    except ValidationError as error:
        odd = {str(each["loc"][0]) for each in error.errors()}
        kept = {name: value for name, value in values.items() if name not in odd}
        return model(**kept, **{name: instead[name] for name in odd if name in instead})


def content_text(value: Any) -> str:
    """Content as text; given as blocks (a list, as some tools store it), their texts below each other."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (list, tuple)):
        blocks = [from_json(item) if isinstance(item, str) else item for item in value]
        return "\n".join(str(block.get("text", "")) if isinstance(block, dict) else str(block) for block in blocks)
    return str(value)


def _mapping(text: Any) -> dict[str, Any]:
    value = from_json(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}


Listed = Literal["conversations", "decisions", "documents", "insights", "memories"]

FIRST = ("9999-01-01T00:00:00Z", "~")
"""The place before the first page: nothing is newer than this, and no uuid sorts behind it."""


def make_cursor(listed: Listed, time: str, uuid: str) -> str:
    """The last row's place; its time as the server wrote it, since ours would round its nanoseconds."""
    return base64.urlsafe_b64encode(json.dumps([listed, time, uuid]).encode()).decode()


def next_cursor(listed: Listed, rows: Sequence[Mapping[str, Any]], limit: int, time: str) -> str | None:
    """Where a page of ``limit`` rows ends, of which one more was read than it has; ``time`` is the order's property."""
    return make_cursor(listed, rows[limit - 1][time], rows[limit - 1]["uuid"]) if len(rows) > limit else None


def read_cursor(listed: Listed, cursor: str | None, *, first: tuple[str, str] = FIRST) -> tuple[str, str]:
    """The time and the uuid of a cursor of a list; of None those before the ``first`` page. A list that goes by names
    begins with an empty one.

    Raises:
        InvalidInput: it is none of ours, or another list's.
    """
    if cursor is None:
        return first
    if not isinstance(cursor, str):
        raise InvalidInput(f"a cursor is text, not {type(cursor).__name__}", hint="use Page.next_cursor as it came")
    try:
        of, time, uuid = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if first == FIRST and datetime.fromisoformat(time).tzinfo is None:
            raise ValueError(f"{time} is of no time zone")
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput("this cursor is not one of ours", hint="use Page.next_cursor as it came") from error
    if of != listed:
        raise InvalidInput(f"this cursor is one of {of}, not of {listed}", hint="a page goes on with its own list's")
    return str(time), str(uuid)
