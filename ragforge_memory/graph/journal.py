"""The journal: what a turn has done and the graph does not have yet, on disk.

Each process writes one file of JSON lines in ``RAGFORGE_HOME/journal`` and holds a lock beside it for its life.
A turn begins with a line (handed to the operating system, so it outlives a killed process), each finished tool
call is a line (fsync), and so is an answer that the graph could not take. When the graph has it all, the turn's
lines are dropped. A file whose lock can be taken belongs to a process that is gone: `Journal.claimed`
takes the lock and gives its turns to whoever folds them into the graph.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from filelock import FileLock, Timeout

from ragforge_memory.graph.records import to_json
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.models.conversation import ToolCall


@dataclass(frozen=True, slots=True)
class JournalTurn:
    """What the journal knows of one turn. ``graph`` names the database that the turn belongs to."""

    graph: str
    user_id: str
    project: str
    conversation_id: str
    user_message_id: str
    message_id: str
    model: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    scopes: tuple[ScopeTie, ...] = ()
    answer: dict[str, Any] | None = None


class Journal:
    """This process's journal file; made at the first line, removed when it is closed with nothing open.

    Safe to call from any thread; in a forked child it leaves the file to its parent. Raises OSError where the disk
    refuses; the turn decides what that means.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._pid = os.getpid()
        self._guard = threading.Lock()
        self._file: IO[str] | None = None
        self._lock: FileLock | None = None
        self._path: Path | None = None
        self._open: dict[str, JournalTurn] = {}

    def begin(self, turn: JournalTurn) -> None:
        """The turn starts; written before the graph is asked for anything."""
        with self._guard:
            self._open[turn.message_id] = turn
            self._write(_begin_line(turn))

    def tool(self, message_id: str, call: ToolCall, scopes: tuple[ScopeTie, ...] = ()) -> None:
        """A tool call as far as it is known (fsync); a later line of the same call replaces an earlier one."""
        line = _tool_line(message_id, call, scopes)
        with self._guard:
            turn = self._open.get(message_id)
            if turn is not None:
                self._open[message_id] = _with_call(turn, call, scopes)
            self._write(line, sync=True)

    def answered(self, message_id: str, answer: dict[str, Any]) -> None:
        """The graph could not take this answer; it waits here (fsync)."""
        with self._guard:
            turn = self._open.get(message_id)
            if turn is not None:
                self._open[message_id] = replace(turn, answer=answer)
            self._write(_answer_line(message_id, answer), sync=True)

    def end(self, message_id: str) -> None:
        """The graph has the whole turn: its lines are dropped."""
        with self._guard:
            self._open.pop(message_id, None)
            if self._file is None or os.getpid() != self._pid:
                return
            if not self._open:
                self._file.seek(0)
                self._file.truncate()
            else:
                self._write({"kind": "end", "turn": message_id})

    def forget(self, conversation_id: str) -> None:
        """A conversation was deleted: no word of it stays in the file, of turns that have ended neither.

        The file is written anew beside itself and put in its place, since an ended turn's lines stay in it for as long
        as another turn is open.
        """
        with self._guard:
            self._open = {k: turn for k, turn in self._open.items() if turn.conversation_id != conversation_id}
            if self._file is None or self._path is None or os.getpid() != self._pid:
                return
            rewrite(self._path, list(self._open.values()))
            self._file.close()
            self._file = _appending(self._path)

    def waiting(self, conversation_id: str) -> list[JournalTurn]:
        """This process's own turns of a conversation whose answers wait for the graph."""
        with self._guard:
            turns = list(self._open.values())
        return [turn for turn in turns if turn.answer is not None and turn.conversation_id == conversation_id]

    def close(self) -> None:
        """Lets go of the file; one with nothing open in it is removed."""
        with self._guard:
            if self._file is None or self._lock is None or self._path is None or os.getpid() != self._pid:
                return
            path = self._path
            self._file.close()
            if not self._open:
                path.unlink(missing_ok=True)
            self._lock.release()
            if not self._open:
                _lock_path(path).unlink(missing_ok=True)
            self._file = self._lock = None

    def others(self) -> list[Path]:
        """The files of other processes, oldest first; some of these processes may still live, see `claimed`."""
        if not self._directory.is_dir():
            return []
        files = [path for path in self._directory.glob("*.jsonl") if path != self._path]
        return sorted(files, key=lambda path: path.name)

    @contextlib.contextmanager
    def claimed(self, path: Path) -> Iterator[list[JournalTurn] | None]:
        """The open turns of a process that is gone; None where it lives.

        The file is ours as long as the block runs: a crash in it leaves the file to whoever comes next.
        """
        lock = FileLock(_lock_path(path))
        try:
            lock.acquire(blocking=False)
        except (Timeout, OSError):
            yield None
            return
        try:
            yield read_turns(path) if path.exists() else []
        finally:
            lock.release()
            if not path.exists():
                _lock_path(path).unlink(missing_ok=True)

    def _write(self, line: dict[str, Any], *, sync: bool = False) -> None:
        if os.getpid() != self._pid:
            return
        if self._file is None:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = self._path = self._directory / f"{os.getpid()}-{uuid4().hex[:8]}.jsonl"
            self._lock = FileLock(_lock_path(path))
            self._lock.acquire(blocking=False)
            self._file = _appending(path)
        self._file.write(to_json(line) + "\n")
        self._file.flush()
        if sync:
            os.fsync(self._file.fileno())


def read_turns(path: Path) -> list[JournalTurn]:
    """The turns in a journal file that have no end, in order; a last line that was cut off is left out."""
    turns: dict[str, JournalTurn] = {}
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        kind, turn_id = line.pop("kind", ""), line.pop("turn", "")
        if kind == "begin":
            turns[turn_id] = JournalTurn(**line)
            continue
        turn = turns.get(turn_id)
        if turn is None:
            continue
        if kind == "tool":
            turns[turn_id] = _with_call(turn, ToolCall.model_validate(line["call"]), _scopes(line.get("scopes", ())))
        elif kind == "answer":
            turns[turn_id] = replace(turn, answer=line["answer"])
        elif kind == "end":
            del turns[turn_id]
    return list(turns.values())


def rewrite(path: Path, turns: Sequence[JournalTurn]) -> None:
    """Leaves nothing but these turns in a journal file that is ours (fsync); whole, or as it was."""
    lines: list[dict[str, Any]] = []
    for turn in turns:
        lines.append(_begin_line(turn))
        for number, call in enumerate(turn.tool_calls):
            lines.append(_tool_line(turn.message_id, call, () if number else turn.scopes))
        if turn.answer is not None:
            lines.append(_answer_line(turn.message_id, turn.answer))
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}.tmp")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.writelines(to_json(line) + "\n" for line in lines)
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def waiting_files(directory: Path) -> list[Path]:
    """The journal files with open turns whose processes are gone; claims nothing."""
    waiting = []
    for path in sorted(directory.glob("*.jsonl")) if directory.is_dir() else ():
        with contextlib.suppress(Timeout, OSError), FileLock(_lock_path(path)).acquire(blocking=False):
            if read_turns(path):
                waiting.append(path)
    return waiting


def _begin_line(turn: JournalTurn) -> dict[str, Any]:
    names = ("graph", "user_id", "project", "conversation_id", "user_message_id", "message_id", "model")
    return {"kind": "begin", "turn": turn.message_id, **{name: getattr(turn, name) for name in names}}


def _tool_line(message_id: str, call: ToolCall, scopes: tuple[ScopeTie, ...]) -> dict[str, Any]:
    return {"kind": "tool", "turn": message_id, "call": call.model_dump(mode="json"), "scopes": scopes}


def _answer_line(message_id: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "answer", "turn": message_id, "answer": answer}


def _appending(path: Path) -> IO[str]:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+", encoding="utf-8")


def _with_call(turn: JournalTurn, call: ToolCall, scopes: tuple[ScopeTie, ...]) -> JournalTurn:
    others = (known for known in turn.tool_calls if known.uuid != call.uuid)
    return replace(turn, tool_calls=(*others, call), scopes=(*turn.scopes, *scopes))


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _scopes(written: Sequence[Any]) -> tuple[ScopeTie, ...]:
    """Ties as they were written: pairs; an older release wrote the uuid alone, of what was read."""
    return tuple(ScopeTie(each) if isinstance(each, str) else ScopeTie(*each) for each in written)
