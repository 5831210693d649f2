"""From rows of the graph to models, and back: JSON properties, owners, None and ''."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import ValidationError

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
    """The value behind a JSON property; what is no JSON text (another tool's graph) comes back as it is."""
    if text is None:
        return default
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return text


def conversation_info(row: dict[str, Any]) -> ConversationInfo:
    """A conversation from its properties; what another tool's graph lacks gets its default."""
    values = {
        "uuid": row["uuid"],
        "session_id": row.get("session_id"),
        "title": row.get("title"),
        "summary": row.get("summary"),
        "tags": row.get("tags") or (),
        "status": row.get("status") or "active",
        "message_count": row.get("message_count") or 0,
        "head_seq": row.get("head_seq") or 0,
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
        "user_id": row.get("user_id") or None,
        "project": row.get("project") or None,
        "summarized_seq": row.get("summarized_seq") or 0,
        "extracted_seq": row.get("extracted_seq") or 0,
        "file_path": row.get("file_path"),
        "metadata": _mapping(row.get("metadata")),
        "branch_of": (row.get("lineage_ids") or [None])[-1],
        "from_seq": (row.get("lineage_tops") or [None])[-1],
    }
    return _readable(ConversationInfo, values, created_at=_EPOCH, updated_at=_EPOCH)


def message(row: dict[str, Any], *, include_reasoning: bool = True) -> Message:
    """A message from its properties, with the tool calls and references that came with it."""
    usage = from_json(row.get("usage"))
    role = row["role"]
    values = {
        "uuid": row["uuid"],
        "conversation_id": row["conversation_id"],
        "seq": row["seq"],
        "role": _ROLES.get(str(role), role),
        "content": content_text(row.get("content")),
        "reasoning": row.get("reasoning") if include_reasoning else None,
        "timestamp": row["timestamp"],
        "token_count": row.get("token_count"),
        "state": row.get("state") or "complete",
        "in_reply_to": row.get("in_reply_to"),
        "model": row.get("model"),
        "usage": _readable(Usage, usage) if isinstance(usage, dict) else None,
        "provider_parts": from_json(row.get("provider_parts")),
        "importance": row.get("importance"),
        "trust": row.get("trust"),
        "kind": row.get("kind"),
        "echo": bool(row.get("echo")),
        "metadata": _mapping(row.get("metadata")),
        "user_id": row.get("user_id") or None,
        "project": row.get("project") or None,
        "tool_calls": tuple(tool_call(call) for call in row.get("tool_calls") or ()),
        "references": tuple(_reference(reference) for reference in row.get("references") or ()),
    }
    # What an unknown role said (a tool's message, say) is never taken for the user's word or for an instruction.
    return _readable(Message, values, uuid="", role="assistant", timestamp=_EPOCH)


def known_message(row: dict[str, Any], known: Message) -> Message:
    """A message that was read before, with what may have changed since: its place, its state and its importance."""
    changed = {"seq": row["seq"], "state": row.get("state") or "complete", "importance": row.get("importance")}
    if all(getattr(known, name) == value for name, value in changed.items()):
        return known
    return _readable(Message, {**dict(known), **changed})


def tool_call(row: dict[str, Any]) -> ToolCall:
    """A tool call with its result; arguments and result are JSON strings in the graph."""
    arguments = from_json(row.get("arguments"), {})
    values = {
        "uuid": row["uuid"],
        "message_id": row["message_id"],
        "index": row.get("index") or 0,
        "timestamp": row["timestamp"],
        "tool_name": row["tool_name"],
        "arguments": arguments if isinstance(arguments, dict) else {"unreadable": arguments},
        "success": bool(row["success"]),
        "result": from_json(row.get("result")),
        "error": row.get("error"),
        "result_size_bytes": row.get("result_size_bytes") or 0,
        "truncated": bool(row.get("truncated")),
        "duration_ms": row.get("duration_ms") or 0,
        "iteration": row.get("iteration") or 1,
    }
    return _readable(ToolCall, values, uuid="", message_id="", timestamp=_EPOCH, tool_name="")


def insight(row: dict[str, Any]) -> Insight:
    """An insight from its properties; schema and data are JSON strings in the graph."""
    values = {
        "uuid": row["uuid"],
        "conversation_id": row["conversation_id"],
        "user_id": row.get("user_id") or None,
        "project": row.get("project") or None,
        "task": row.get("task") or "",
        "schema": _mapping(row.get("schema")),
        "data": from_json(row.get("data")),
        "to_seq": row.get("to_seq") or 0,
        "created_at": row["created_at"],
        "model": row.get("model"),
    }
    return _readable(Insight, values, uuid="", conversation_id="", task="", schema={}, created_at=_EPOCH)


def tool_call_rows(call: ToolCall, *, result_uuid: str) -> dict[str, dict[str, Any]]:
    """A tool call as the two nodes that it becomes: ``call`` and ``result``."""
    result = None if call.result is None else to_json(call.result)
    return {
        "call": {
            "uuid": call.uuid,
            "message_id": call.message_id,
            "index": call.index,
            "tool_name": call.tool_name,
            "arguments": to_json(call.arguments),
            "timestamp": call.timestamp,
            "duration_ms": call.duration_ms,
            "success": call.success,
            "iteration": call.iteration,
        },
        "result": {
            "uuid": result_uuid,
            "tool_call_id": call.uuid,
            "success": call.success,
            "result": result,
            "error": call.error,
            "timestamp": call.timestamp,
            "result_size_bytes": call.result_size_bytes,
            "truncated": call.truncated,
        },
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
    return _readable(CodeReference, values, name="", qualified_name="", file="", start_line=1, kind="discussed")


def summary_of(row: dict[str, Any]) -> Summary:
    """A summary as a query projects it."""
    return Summary(**{**row, "user_id": row["user_id"] or None, "project": row["project"] or None})


def _readable(model: type[M], values: dict[str, Any], **instead: Any) -> M:
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
