"""The lines of a journal file: what each kind says, and how a file is read back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragforge_memory.graph.records import to_json
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.models.conversation import ToolCall


@dataclass(frozen=True, slots=True)
class JournalCreation:
    """A conversation that was begun while the graph was away. ``begun`` is the client's clock and orders nothing."""

    graph: str
    birth: str
    user_id: str
    project: str
    conversation_id: str
    title: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    begun: str = ""

    def lines(self) -> list[dict[str, Any]]:
        """The lines that say it."""
        return [{"kind": "created", **_named(self, JournalCreation)}]


@dataclass(frozen=True, slots=True)
class JournalTurn:
    """What the journal knows of one turn.

    ``graph`` names the database that the turn belongs to, ``birth`` is that database's own id, ``begun`` the client's
    clock when it began, which orders nothing. ``question`` is there where the graph did not take it; ``base`` is then
    the last place in the conversation that was known to be taken, ``expected`` the place that the turn took the
    question to have, and ``landed`` the one that it was given in the end (0: not yet).
    """

    graph: str
    user_id: str
    project: str
    conversation_id: str
    user_message_id: str
    message_id: str
    model: str = ""
    birth: str = ""
    begun: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    scopes: tuple[ScopeTie, ...] = ()
    question: dict[str, Any] | None = None
    base: int = 0
    expected: int = 0
    landed: int = 0
    answer: dict[str, Any] | None = None

    @property
    def waits(self) -> bool:
        """Whether something of it is complete and not in the graph."""
        return self.question is not None or self.answer is not None

    def lines(self) -> list[dict[str, Any]]:
        """The lines that say all that is known of it."""
        found: list[dict[str, Any]] = [self.first_line()]
        if self.expected:
            found.append(self.question_line())
        if self.landed:
            found.append({"kind": "stored", "turn": self.message_id, "seq": self.landed})
        found += [{"kind": "tool", "turn": self.message_id, "call": dumped(call)} for call in self.tool_calls]
        if self.scopes:
            found.append({"kind": "scopes", "turn": self.message_id, "scopes": self.scopes})
        if self.answer is not None:
            found.append({"kind": "answer", "turn": self.message_id, "answer": self.answer})
        return found

    def first_line(self) -> dict[str, Any]:
        """The line that the turn begins with."""
        return {"kind": "begin", "turn": self.message_id, **_named(self, JournalTurn)}

    def question_line(self) -> dict[str, Any]:
        """The line of its question."""
        return {
            "kind": "question",
            "turn": self.message_id,
            "question": self.question,
            "base": self.base,
            "expected": self.expected,
        }

    def with_call(self, call: ToolCall, scopes: Sequence[ScopeTie]) -> JournalTurn:
        """The turn with a tool call as it is known now."""
        others = (known for known in self.tool_calls if known.uuid != call.uuid)
        return replace(self, tool_calls=(*others, call), scopes=(*self.scopes, *scopes))


@dataclass(slots=True)
class Journalled:
    """What a journal file holds that has no end: conversations, and turns in the order in which they began."""

    creations: dict[str, JournalCreation] = field(default_factory=dict)
    turns: dict[str, JournalTurn] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.creations or self.turns)

    def lines(self) -> Iterator[dict[str, Any]]:
        """The lines that say all of it."""
        for creation in self.creations.values():
            yield from creation.lines()
        for turn in self.turns.values():
            yield from turn.lines()

    def take(self, line: dict[str, Any]) -> None:
        """Takes one line in; one that belongs to nothing that is open changes nothing."""
        kind, turn_id = line.pop("kind", ""), line.pop("turn", "")
        if kind == "begin":
            self.turns[turn_id] = JournalTurn(**_known(line, JournalTurn))
        elif kind == "created":
            creation = JournalCreation(**_known(line, JournalCreation))
            self.creations[creation.conversation_id] = replace(creation, tags=tuple(creation.tags))
        elif kind == "exists":
            self.creations.pop(line["conversation"], None)
        elif turn_id in self.turns:
            self._of_turn(kind, turn_id, line)

    def _of_turn(self, kind: str, turn_id: str, line: dict[str, Any]) -> None:
        turn = self.turns[turn_id]
        if kind == "tool":
            self.turns[turn_id] = turn.with_call(ToolCall.model_validate(line["call"]), _scopes(line.get("scopes", ())))
        elif kind == "scopes":
            self.turns[turn_id] = replace(turn, scopes=(*turn.scopes, *_scopes(line["scopes"])))
        elif kind == "question":
            self.turns[turn_id] = replace(turn, question=line["question"], base=line["base"], expected=line["expected"])
        elif kind == "stored":
            self.turns[turn_id] = replace(turn, question=None, landed=line.get("seq", 0))
        elif kind == "answer":
            self.turns[turn_id] = replace(turn, answer=line["answer"])
        elif kind == "end":
            del self.turns[turn_id]


def as_bytes(*lines: dict[str, Any]) -> bytes:
    """Lines as they are written."""
    return "".join(to_json(line) + "\n" for line in lines).encode("utf-8", "backslashreplace")


def dumped(call: ToolCall) -> dict[str, Any]:
    """A tool call as JSON."""
    return call.model_dump(mode="json")


def read_journal(path: Path) -> Journalled:
    """What a journal file holds that has no end; a line that was cut off is left out.

    Raises:
        ValueError: a line says something that this release does not know.
    """
    found = Journalled()
    for line in read_lines(path):
        try:
            found.take(line)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name} has a line that cannot be read: {error!r}") from error
    return found


def read_lines(path: Path) -> Iterable[dict[str, Any]]:
    """The lines of a file that are whole."""
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


_IN_LINES_OF_THEIR_OWN = {"tool_calls", "scopes", "question", "base", "expected", "landed", "answer"}


def _named(value: Any, kind: type) -> dict[str, Any]:
    return {name: getattr(value, name) for name in _fields(kind)}


def _known(line: dict[str, Any], kind: type) -> dict[str, Any]:
    return {name: line[name] for name in _fields(kind) if name in line}


def _fields(kind: type) -> list[str]:
    return [name for name in kind.__dataclass_fields__ if name not in _IN_LINES_OF_THEIR_OWN]  # type: ignore[attr-defined]


def _scopes(written: Sequence[Any]) -> tuple[ScopeTie, ...]:
    return tuple(ScopeTie(*each) for each in written)


def conversations_of(held: Journalled, directory: Path, user_id: str, graph: str) -> set[str]:
    """The conversations of a user of this database that are ``held``, or set aside in a file of the directory."""
    open_ones: list[JournalCreation | JournalTurn] = [*held.creations.values(), *held.turns.values()]
    found = {each.conversation_id for each in open_ones if (each.user_id, each.graph) == (user_id, graph)}
    for aside in directory.glob("*.aside") if directory.is_dir() else ():
        said = [_said(line) for line in aside.read_bytes().splitlines(keepends=True)]
        mine = [line for line in said if (line.get("user_id"), line.get("graph")) == (user_id, graph)]
        found |= {str(line["conversation_id"]) for line in mine if "conversation_id" in line}
    return found


def _groups(lines: Iterable[bytes]) -> list[list[bytes]]:
    groups: list[list[bytes]] = []
    for line in lines:
        if not groups or _said(line).get("kind") == "aside":
            groups.append([])
        groups[-1].append(line)
    return groups


def forget_aside(path: Path, conversation_id: str) -> None:
    """Drops a conversation's groups of lines (fsync); the file goes with the last of all groups.

    Whoever calls it has the lock of the journal beside it.

    Raises:
        OSError: the disk refuses; the file is as it was.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return
    groups = _groups(lines)
    stay = [group for group in groups if all(_said(line).get("conversation_id") != conversation_id for line in group)]
    if len(stay) == len(groups):
        return
    if not stay:
        path.unlink()
        return
    beside = path.with_suffix(".aside.new")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(line for group in stay for line in group)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _said(line: bytes) -> dict[str, object]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
