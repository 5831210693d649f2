"""From rows of the graph to models, and back: JSON properties, owners, None and ''."""

from __future__ import annotations

import json
from typing import Any

from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.conversation import ConversationInfo, Message, ToolCall, Usage


def to_json(value: Any) -> str:
    """A value as the JSON string that the graph keeps; what JSON does not know becomes its text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def from_json(text: str | None, default: Any = None) -> Any:
    """The value behind a JSON property; text that is no JSON (another tool's graph) comes back as it is."""
    if text is None:
        return default
    try:
        return json.loads(text)
    except ValueError:
        return text


def conversation_info(row: dict[str, Any]) -> ConversationInfo:
    """A conversation from its properties; what another tool's graph lacks gets its default."""
    return ConversationInfo(
        uuid=row["uuid"],
        session_id=row.get("session_id"),
        title=row.get("title"),
        summary=row.get("summary"),
        tags=tuple(row.get("tags") or ()),
        status=row.get("status") or "active",
        message_count=row.get("message_count") or 0,
        head_seq=row.get("head_seq") or 0,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        user_id=row.get("user_id") or None,
        project=row.get("project") or None,
        summarized_seq=row.get("summarized_seq") or 0,
        extracted_seq=row.get("extracted_seq") or 0,
        file_path=row.get("file_path"),
        metadata=_mapping(row.get("metadata")),
    )


def message(row: dict[str, Any], *, include_reasoning: bool = True) -> Message:
    """A message from its properties, with the tool calls and references that came with it."""
    usage = from_json(row.get("usage"))
    return Message(
        uuid=row["uuid"],
        conversation_id=row["conversation_id"],
        seq=row["seq"],
        role=row["role"],
        content=row.get("content") or "",
        reasoning=row.get("reasoning") if include_reasoning else None,
        timestamp=row["timestamp"],
        token_count=row.get("token_count"),
        state=row.get("state") or "complete",
        in_reply_to=row.get("in_reply_to"),
        model=row.get("model"),
        usage=Usage(**usage) if isinstance(usage, dict) else None,
        provider_parts=from_json(row.get("provider_parts")),
        importance=row.get("importance"),
        trust=row.get("trust"),
        metadata=_mapping(row.get("metadata")),
        user_id=row.get("user_id") or None,
        project=row.get("project") or None,
        tool_calls=tuple(tool_call(call) for call in row.get("tool_calls") or ()),
        references=tuple(CodeReference(**reference) for reference in row.get("references") or ()),
    )


def tool_call(row: dict[str, Any]) -> ToolCall:
    """A tool call with its result; arguments and result are JSON strings in the graph."""
    return ToolCall(
        uuid=row["uuid"],
        message_id=row["message_id"],
        index=row.get("index") or 0,
        timestamp=row["timestamp"],
        tool_name=row["tool_name"],
        arguments=_mapping(row.get("arguments")),
        success=bool(row["success"]),
        result=from_json(row.get("result")),
        error=row.get("error"),
        result_size_bytes=row.get("result_size_bytes") or 0,
        truncated=bool(row.get("truncated")),
        duration_ms=row.get("duration_ms") or 0,
        iteration=row.get("iteration") or 1,
    )


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


def _mapping(text: Any) -> dict[str, Any]:
    value = from_json(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}
