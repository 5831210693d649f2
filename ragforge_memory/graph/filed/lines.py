"""One line of a conversation's file: what a message says, and what the graph still has to be told of it.

A line is a JSON object whose first key is ``uuid``, the message's. ``content``, ``reasoning`` and ``provider_parts``
are the message's; ``tool_calls`` has ``uuid``, ``tool_name``, ``arguments``, ``result`` and ``error`` of each call.
``provider_parts``, ``arguments`` and ``result`` are JSON in a text, letter by letter what a graph would keep.
``append`` is the statement that makes the message's node, with its parameters: whoever finds a line without a node
runs it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ragforge_memory.graph.records import to_json

Line = dict[str, Any]

MESSAGE_TEXTS = ("content", "reasoning", "provider_parts")
"""What a message's node does not have where its texts are in a file; nor has it ``terms``, which come of them."""

RESULT_TEXTS = ("result", "error")
"""What the node of a tool's result does not have."""

_FIRST_KEY = b'{"uuid":"'


def line_of(message: Mapping[str, Any], calls: Sequence[Mapping[str, Any]] = ()) -> Line:
    """The line of a message's properties and of its calls, each as `call_of` makes it."""
    line: Line = {"uuid": message["uuid"], "role": message.get("role"), "at": datetime.now(UTC).isoformat()}
    line |= {name: message[name] for name in MESSAGE_TEXTS if message.get(name) is not None}
    if calls:
        line["tool_calls"] = list(calls)
    return line


def call_of(call: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """What a line has of a tool call and its result, from their properties."""
    kept = {"uuid": call["uuid"], "tool_name": call.get("tool_name"), "arguments": call.get("arguments")}
    return kept | {name: result[name] for name in RESULT_TEXTS if result.get(name) is not None}


def without_texts(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message's properties as its node has them; ``has_text`` says that there is something to be read."""
    content = message.get("content")
    kept = {name: value for name, value in message.items() if name not in MESSAGE_TEXTS and name != "terms"}
    return kept | {"has_text": bool(content.strip()) if isinstance(content, str) else content is not None}


def to_bytes(line: Line) -> bytes:
    """The line as it is written, with its end. A lone surrogate, which UTF-8 does not know, is escaped."""
    try:
        return to_json(line).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(line, separators=(",", ":"), default=str).encode() + b"\n"


def from_bytes(raw: bytes) -> Line | None:
    """The line behind these bytes; None where they are none."""
    try:
        line = json.loads(raw)
    except ValueError:
        return None
    return line if isinstance(line, dict) and isinstance(line.get("uuid"), str) else None


def uuid_of(raw: bytes) -> str | None:
    """The uuid of a whole line, without reading the rest of it where its form allows; None where it is no line."""
    if raw.startswith(_FIRST_KEY) and raw.endswith(b"}\n"):
        end = raw.find(b'"', len(_FIRST_KEY))
        uuid = raw[len(_FIRST_KEY) : end]
        if end > 0 and b"\\" not in uuid:
            return uuid.decode(errors="replace")
    line = from_bytes(raw)
    return None if line is None else str(line["uuid"])
