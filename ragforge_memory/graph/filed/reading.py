"""Rows that come from the graph without their texts: which texts each wants, and where they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ragforge_memory.errors import ConversationFileError
from ragforge_memory.graph.filed.directory import TextDirectory
from ragforge_memory.graph.filed.writing import MESSAGE_TEXTS, RESULT_TEXTS, Line

Rows = list[dict[str, Any]]
_EXCERPT = 200  # characters, as the statement answered_message cuts them
_LOST = (
    "put the file back from a backup; or delete the conversation (where the file is lost for good, put an empty one "
    "there first), and import it from an export if you have one. agent.memory.persistence.directory is their folder"
)
_BEGINNING = 600  # likewise of pending_conversation_embeddings


@dataclass(frozen=True, slots=True)
class Want:
    """A text that a row lacks: of which message, in whose file it should be, and what takes it.

    ``put`` is given the message's line and says whether the text was in it.
    """

    message_id: str
    conversation_id: str | None
    put: Callable[[Line], bool]


def wants(name: str, rows: Rows, given: Mapping[str, Any]) -> list[Want]:
    """What the rows of a statement lack; what an older message has in the graph still is left as it is."""
    conversation_id = given.get("conversation_id")
    match name:
        case "archive_messages":
            return [want for row in rows for want in _archived(row, conversation_id)]
        case "pending_conversation_embeddings":
            return [
                Want(uuid, row["uuid"], partial(_put, part, 1, _BEGINNING))
                for row in rows
                for part in row["first"]
                for _, text, uuid in (part,)
                if text is None
            ]
        case "pending_reembedding":
            messages = (row for row in rows if row["label"] == "Message" and row["content"] is None)
            beginnings = wants("pending_conversation_embeddings", rows, given)
            return [
                Want(row["uuid"], row["conversation_id"], partial(_put, row, "content", None)) for row in messages
            ] + beginnings
        case "answered_message":
            excerpts = [
                Want(used["uuid"], used["conversation_id"], partial(_put, used, "excerpt", _EXCERPT))
                for row in rows
                for used in row["used"]
                if "Message" in used["labels"] and used["excerpt"] is None
            ]
            return excerpts + list(_lacking(rows, conversation_id))
        case "stretch_messages":
            return list(_lacking(rows, conversation_id, given["characters"]))
        case _:
            return list(_lacking(rows, conversation_id))


def serve(texts: TextDirectory, wanted: Sequence[Want], where: Mapping[str, str] | None = None) -> list[Want]:
    """Gives each what it wants, as far as it is there; returns the others.

    Args:
        texts: the files.
        wanted: who wants what.
        where: message → conversation, instead of what the rows say.
    """
    files: dict[str, list[Want]] = {}
    left: list[Want] = []
    for want in wanted:
        conversation_id = want.conversation_id if where is None else where.get(want.message_id)
        if conversation_id is None:
            left.append(want)
        else:
            files.setdefault(conversation_id, []).append(want)
    for conversation_id, some in files.items():
        lines = texts.file(conversation_id).get({want.message_id for want in some})
        left += [want for want in some if want.message_id not in lines or not want.put(lines[want.message_id])]
    return left


def missing(texts: TextDirectory, want: Want, conversation_id: str | None) -> ConversationFileError:
    """The graph has a node whose text is nowhere."""
    if conversation_id is not None and not texts.file(conversation_id).exists():
        return file_lost(texts, conversation_id)
    where = texts.path if conversation_id is None else texts.file(conversation_id).path
    return ConversationFileError(
        f"{where} has no line of the message {want.message_id}, which the graph knows", hint=_LOST
    )


def file_lost(texts: TextDirectory, conversation_id: str) -> ConversationFileError:
    """The graph has messages whose texts were in a file that is not there."""
    return ConversationFileError(
        f"{texts.file(conversation_id).path} is missing: it has the texts of a conversation that the graph knows",
        hint=_LOST,
    )


def _lacking(value: Any, conversation_id: str | None, characters: int | None = None) -> Iterator[Want]:
    """The messages and calls in a value that the graph gave without their texts."""
    if isinstance(value, list):
        for each in value:
            if isinstance(each, (dict, list)):
                yield from _lacking(each, conversation_id, characters)
        return
    conversation_id = value.get("conversation_id") or conversation_id
    if "content" in value and value["content"] is None and "uuid" in value and "level" not in value:
        yield Want(value["uuid"], conversation_id, partial(_put_message, value, characters))
    if "tool_name" in value and "arguments" in value and value["arguments"] is None:
        yield Want(value["message_id"], conversation_id, partial(_put_call, value, characters))
    for each in value.values():
        if isinstance(each, (dict, list)):
            yield from _lacking(each, conversation_id, characters)


def _put_message(row: dict[str, Any], characters: int | None, line: Line) -> bool:
    for name in MESSAGE_TEXTS:
        if name in row:
            row[name] = _cut(line.get(name), characters)
    return True


def _put(row: Any, at: str | int, characters: int | None, line: Line) -> bool:
    row[at] = _cut(line.get("content"), characters) or ""
    return True


def _put_call(row: dict[str, Any], characters: int | None, line: Line) -> bool:
    call = _call(line, row["uuid"])
    if call is None:
        return False
    row["arguments"] = call.get("arguments")
    row["result"] = _cut(call.get("result"), characters)
    row["error"] = call.get("error")
    return True


def _archived(row: dict[str, Any], conversation_id: str | None) -> Iterator[Want]:
    """The properties of an archive are pairs with a mark for times."""
    message = {name: value for name, value, _ in row["properties"]}
    if message.get("content") is None:
        yield Want(message["uuid"], conversation_id, partial(_put_pairs, row["properties"]))
    for call in row["tool_calls"]:
        found = {name: value for name, value, _ in call["properties"]}
        if found.get("arguments") is None:
            yield Want(message["uuid"], conversation_id, partial(_put_call_pairs, call, found["uuid"]))


def _put_pairs(pairs: list[Any], line: Line) -> bool:
    pairs += [[name, line[name], False] for name in MESSAGE_TEXTS if line.get(name) is not None]
    return True


def _put_call_pairs(row: dict[str, Any], uuid: str, line: Line) -> bool:
    call = _call(line, uuid)
    if call is None:
        return False
    if call.get("arguments") is not None:
        row["properties"].append(["arguments", call["arguments"], False])
    if row["result"] is not None:
        row["result"] += [[name, call[name], False] for name in RESULT_TEXTS if call.get(name) is not None]
    return True


def _call(line: Line, uuid: str) -> dict[str, Any] | None:
    return next((call for call in line.get("tool_calls", ()) if call["uuid"] == uuid), None)


def _cut(text: Any, characters: int | None) -> Any:
    return text[:characters] if isinstance(text, str) else text
