"""Our messages as Gemini's JSON contents, and back. Pure: no SDK, no I/O.

Thought signatures come on parts and must go back on the very same parts; so what the model sent is returned
as it came. What another model said is told anew, without its signatures.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

from ragforge_memory.llm.port import ChatMessage, ToolOutcome, ToolRequest
from ragforge_memory.llm.transcript import in_order

# Gemini 3 refuses a step of the current turn whose first function call has no signature; this documented value
# stands in where the call was another model's (ai.google.dev/gemini-api/docs/thought-signatures, FAQ).
FOREIGN_SIGNATURE = base64.b64encode(b"skip_thought_signature_validator").decode()

_BLOCKED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "ESCALATION",
        "PUP_LIMITED_DISABLED",
        "MODEL_ARMOR",
    }
)
_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"})


def contents(messages: Iterable[ChatMessage], *, model_key: str) -> list[dict[str, Any]]:
    """The ``contents`` of a request.

    Args:
        messages: the conversation, oldest first.
        model_key: ``gemini:model`` of the model that is asked; parts of others are told anew.
    """
    told: list[dict[str, Any]] = []
    ids: list[str | None] = []
    for message in in_order(messages):
        match message.role:
            case "user":
                # An empty part is refused; a user who said nothing still holds the turn's place.
                told.append({"role": "user", "parts": [{"text": message.content or " "}]})
            case "assistant":
                parts = _own_parts(message, model_key) or _told_parts(message)
                ids = [part["functionCall"].get("id") for part in parts if "functionCall" in part]
                told.append({"role": "model", "parts": parts})
            case "tool":
                pairs = zip(message.tool_outcomes, ids, strict=True)
                told.append({"role": "user", "parts": [_response(outcome, id_) for outcome, id_ in pairs]})
    return told


def kept_parts(parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts of an answer that go back, verbatim: all but empty texts that carry nothing."""
    return [part for part in parts if part and part != {"text": ""}]


def finish_kind(reason: str) -> str:
    """``blocked``, ``malformed``, ``refused``, ``length``, ``other`` or ``stop`` for a finish reason."""
    if reason in _BLOCKED:
        return "blocked"
    if reason in _MALFORMED:
        return "malformed"
    return {"STOP": "stop", "MAX_TOKENS": "length", "MISSING_THOUGHT_SIGNATURE": "refused"}.get(reason, "other")


def _own_parts(message: ChatMessage, model_key: str) -> list[dict[str, Any]] | None:
    """The parts as this model sent them, where they fit what the message says was asked for."""
    parts = message.provider_parts
    if message.parts_model != model_key or not isinstance(parts, list) or not parts:
        return None
    if not all(isinstance(part, dict) for part in parts):
        return None
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    asked = [request.name for request in message.tool_requests]
    return parts if [call.get("name") for call in calls] == asked else None


def _told_parts(message: ChatMessage) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": message.content}] if message.content else []
    for position, request in enumerate(message.tool_requests):
        part = _call(request)
        if position == 0:
            part["thoughtSignature"] = FOREIGN_SIGNATURE
        parts.append(part)
    return parts


def _call(request: ToolRequest) -> dict[str, Any]:
    return {"functionCall": {"id": request.id, "name": request.name, "args": request.arguments}}


def _response(outcome: ToolOutcome, id_: str | None) -> dict[str, Any]:
    """The answer to a call; a call that came without an id is answered without one."""
    answer = {"name": outcome.name, "response": {"error" if outcome.is_error else "output": outcome.content}}
    return {"functionResponse": {"id": id_, **answer} if id_ is not None else answer}
