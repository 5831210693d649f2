"""Our messages as those of chat completions, and tool calls that arrive in pieces. Pure: no SDK, no I/O."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolRequest, ToolSpec
from ragforge_memory.llm.transcript import in_order

# What the API takes for a function's name; a model may have invented another one, which is echoed to it.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_NAME_LENGTH = 64


# Thinking models of DeepSeek and Moonshot answer 400 where a message with tool calls comes back without it
# (api-docs.deepseek.com/guides/thinking_mode#tool-calls). OpenAI knows no such field and never sends it.
REASONING_FIELD = "reasoning_content"


def messages(request: ModelRequest, *, model_key: str) -> list[dict[str, Any]]:
    """The ``messages`` of a request: the system prompt first, one ``tool`` message an outcome.

    Args:
        request: what is asked.
        model_key: ``openai:model`` of the model that is asked; reasoning goes back to the model it came from.
    """
    told: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
    for message in in_order(request.messages):
        match message.role:
            case "user":
                told.append({"role": "user", "content": message.content})
            case "assistant":
                told.append(_assistant(message, model_key))
            case "tool":
                told += [
                    {"role": "tool", "tool_call_id": outcome.id, "content": outcome.content}
                    for outcome in message.tool_outcomes
                ]
    return told


def tools(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """The ``tools`` of a request."""
    return [
        {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
        }
        for spec in specs
    ]


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


class ToolCallAssembly:
    """Puts tool calls together from the pieces of a stream.

    Pieces belong together by their index. Some local servers send several whole calls under one index: a piece
    with another id begins another call.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, index: int, id_: str | None, name: str | None, arguments: str | None) -> None:
        """Takes one piece in."""
        call = self._by_index.get(index)
        if call is None or (id_ and call.id and id_ != call.id):
            call = self._by_index[index] = _Call()
            self._calls.append(call)
        call.id = call.id or id_ or ""
        call.name += name or ""
        call.arguments += arguments or ""

    def requests(self) -> list[ToolRequest]:
        """The calls as tool requests; one whose arguments are not a JSON object carries an error for the model."""
        return [_request(call) for call in self._calls]


def _assistant(message: ChatMessage, model_key: str) -> dict[str, Any]:
    told: dict[str, Any] = {"role": "assistant", "content": message.content or None}
    if message.tool_requests:
        parts = message.provider_parts
        if message.parts_model == model_key and isinstance(parts, dict) and REASONING_FIELD in parts:
            told[REASONING_FIELD] = str(parts[REASONING_FIELD])
        told["tool_calls"] = [
            {
                "id": request.id,
                "type": "function",
                # Arguments that were bad JSON go back as {}: local servers parse what they are given.
                "function": {
                    "name": _NOT_IN_NAMES.sub("_", request.name)[:_NAME_LENGTH] or "_",
                    "arguments": json.dumps(request.arguments, ensure_ascii=False),
                },
            }
            for request in message.tool_requests
        ]
    return told


def _request(call: _Call) -> ToolRequest:
    id_ = call.id or f"call_{uuid.uuid4().hex[:16]}"
    try:
        arguments = json.loads(call.arguments) if call.arguments.strip() else {}
    except ValueError as error:
        return ToolRequest(id_, call.name, error=f"the arguments are not valid JSON ({error}): {call.arguments[:200]}")
    if not isinstance(arguments, dict):
        return ToolRequest(id_, call.name, error=f"the arguments must be a JSON object, not {call.arguments[:200]}")
    return ToolRequest(id_, call.name, arguments)
