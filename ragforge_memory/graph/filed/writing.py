"""What is written, cut in two: the texts for the lines, everything else for the graph."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


def rewritten(line: Line, row: Mapping[str, Any]) -> Line:
    """A line with other texts: those of a message's properties, and of its calls by their uuid.

    How its node is made, which may have words of the old texts, it says no more: the node is there.
    """
    kept = {name: value for name, value in line.items() if name not in (*MESSAGE_TEXTS, "append")}
    kept |= {name: row["properties"][name] for name in MESSAGE_TEXTS if row["properties"].get(name) is not None}
    calls = {each["uuid"]: {**each["call"], **each["result"]} for each in row["calls"]}
    if "tool_calls" in line:
        kept["tool_calls"] = [{**call, **calls.get(call["uuid"], {})} for call in line["tool_calls"]]
    return kept


def row_without_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same texts as the node has them."""
    return {**row, "properties": without_texts(row["properties"]), "calls": []}


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
    """The uuid of a whole line, without reading the rest of it where its form allows; None where it is not a line."""
    if raw.startswith(_FIRST_KEY) and raw.endswith(b"}\n"):
        end = raw.find(b'"', len(_FIRST_KEY))
        uuid = raw[len(_FIRST_KEY) : end]
        if end > 0 and b"\\" not in uuid:
            return uuid.decode(errors="replace")
    line = from_bytes(raw)
    return None if line is None else str(line["uuid"])


Parameters = dict[str, Any]
_OWNER = ("user_id", "project")

APPENDS = ("append_message", "complete_turn", "merge_branch")
"""The statements that make one message; its line says how, should the node be missing."""


@dataclass(frozen=True, slots=True)
class Parted:
    """Lines by conversation, and the statement's parameters without the texts.

    ``fresh``: the conversations that the statement makes; ``joined``: those that it finds, and adds to.
    ``again``: a line that is there already is written once more, for it may be that of an attempt that was given up.
    """

    lines: dict[str, list[Line]]
    parameters: Parameters
    again: bool = False
    fresh: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()


def appended(statement: str, given: Mapping[str, Any]) -> Parted:
    """A message, or an answer with its calls. The line has all that makes its node, but whose it is."""
    calls = given.get("tool_calls", ())
    line = line_of(
        {**given["message"], "uuid": given["uuid"]}, [call_of(each["call"], each["result"]) for each in calls]
    )
    parameters = {**given, "message": without_texts(given["message"])}
    if "tool_calls" in given:
        parameters["tool_calls"] = [_step(each) for each in calls]
    line["append"] = {
        "statement": statement,
        "given": {name: value for name, value in parameters.items() if name not in (*_OWNER, "owner_token")},
    }
    return Parted({given["conversation_id"]: [line]}, parameters)


def append_of(line: Line, owner: Mapping[str, Any]) -> tuple[str, Parameters] | None:
    """The statement that a line without a node asks for, and its parameters; None where it asks for none."""
    append = line.get("append")
    if not isinstance(append, dict) or append.get("statement") not in APPENDS:
        return None
    given = dict(append["given"])
    given["message"] = {**given["message"], "timestamp": given["message"].get("timestamp") or line.get("at")}
    if "tool_calls" in given:
        given["tool_calls"] = [{name: _timed(node) for name, node in step.items()} for step in given["tool_calls"]]
    return append["statement"], {**given, **{name: owner[name] for name in _OWNER}}


def imported(given: Mapping[str, Any], file_path: Callable[[str], str]) -> Parted:
    """Batches of conversations that come from elsewhere; those that a batch begins are told where their file is."""
    lines: dict[str, list[Line]] = {}
    batches = []
    for batch in given["batches"]:
        uuid = batch["conversation_id"]
        rows = batch["messages"]
        lines.setdefault(uuid, []).extend(
            line_of(row, [call_of(each["call"], each["result"]) for each in row.get("tool_calls") or ()])
            for row in rows
        )
        batches.append(
            {
                **batch,
                "fresh": [{**properties, "file_path": file_path(uuid)} for properties in batch["fresh"]],
                "messages": [
                    {**without_texts(row), "tool_calls": [_step(each) for each in row.get("tool_calls") or ()]}
                    for row in rows
                ],
            }
        )
    fresh = tuple(batch["conversation_id"] for batch in batches if batch["fresh"])
    joined = tuple(each["conversation_id"] for each in batches if not each["fresh"] and each["token"] is None)
    again = all(batch["after"] is not None for batch in batches)
    return Parted(lines, {**given, "batches": batches}, again=again, fresh=fresh, joined=joined)


def completed(line: Line, row: Mapping[str, Any]) -> Line:
    """A line that says all that a row of ``complete_imported`` says; calls that it has keep their uuids."""
    kept = {name: value for name, value in line.items() if name not in (*MESSAGE_TEXTS, "append")}
    kept["role"] = row["properties"].get("role")
    kept |= {name: row["properties"][name] for name in MESSAGE_TEXTS if row["properties"].get(name) is not None}
    calls = [call_of(each["call"], each["result"]) for each in row["tool_calls"]]
    for index, known in enumerate(line.get("tool_calls") or ()):
        if index < len(calls):
            calls[index]["uuid"] = known["uuid"]
    return kept | ({"tool_calls": calls} if calls else {})


def completed_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same row as nodes have it."""
    return {
        **row,
        "properties": without_texts(row["properties"]),
        "tool_calls": [_step(each) for each in row["tool_calls"]],
    }


def restored(given: Mapping[str, Any]) -> Parted:
    """Batches of an archive's messages."""
    lines: dict[str, list[Line]] = {}
    batches = []
    for batch in given["batches"]:
        lines.setdefault(batch["conversation_id"], []).extend(_restored_line(row) for row in batch["messages"])
        batches.append({**batch, "messages": [_restored_row(row) for row in batch["messages"]]})
    return Parted(lines, {**given, "batches": batches}, again=True)


def _restored_line(row: Mapping[str, Any]) -> Line:
    calls = [
        call_of(
            {"uuid": call.get("uuid"), **call["properties"]},
            call["results"][0]["properties"] if call["results"] else {},
        )
        for call in row["tool_calls"]
    ]
    return line_of(row["properties"], calls)


def _restored_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "properties": without_texts(row["properties"]),
        "tool_calls": [
            {
                **call,
                "properties": _less(call["properties"], ("arguments",)),
                "results": [
                    {**each, "properties": _less(each["properties"], RESULT_TEXTS)} for each in call["results"]
                ],
            }
            for call in row["tool_calls"]
        ],
    }


def shown_again(given: Mapping[str, Any], file_path: Callable[[str], str]) -> Parameters:
    """An archive's conversations as they appear: their properties replace what was there, so they name the file too."""
    rows = [
        row
        if row["properties"].get("status") == "deleting"
        else {**row, "properties": {**row["properties"], "file_path": file_path(row["uuid"])}}
        for row in given["conversations"]
    ]
    return {**given, "conversations": rows}


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    return {**step, "call": _less(step["call"], ("arguments",)), "result": _less(step["result"], RESULT_TEXTS)}


def _less(properties: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in names}


def _timed(node: Mapping[str, Any]) -> dict[str, Any]:
    """A call's or a result's properties with its time as one."""
    time = node.get("timestamp")
    return {**node, "timestamp": datetime.fromisoformat(time)} if isinstance(time, str) else dict(node)
