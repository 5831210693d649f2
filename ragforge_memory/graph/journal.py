"""The journal: what a turn has done and the graph does not have yet, on disk.

Each process writes one file of JSON lines in ``RAGFORGE_HOME/journal`` and holds a lock beside it for its life.
A turn begins with a line (handed to the operating system, so it outlives a killed process), each finished tool
call is a line (fsync), and so is everything that the graph could not take: a conversation, a question, an answer. When
the graph has it all, the turn's lines are dropped. A file whose lock can be taken belongs to a process that is gone:
`Journal.claimed` takes the lock and gives the file to whoever stores what it holds. What cannot be stored is set aside
in a file of its own (``*.aside``), which nobody reads but people.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout

from ragforge_memory.graph.journal_lines import (
    JournalCreation,
    Journalled,
    JournalTurn,
    as_bytes,
    conversations_of,
    dumped,
    forget_aside,
    read_journal,
)
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.models.conversation import ToolCall


class JournalFile:
    """A journal file that is ours to write, and what in it is open.

    Safe to call from any thread; in a forked child it leaves the file to its parent. Every method that writes raises
    OSError where the disk refuses.

    Args:
        path: the file.
        held: what it holds already.
    """

    def __init__(self, path: Path, held: Journalled | None = None) -> None:
        self._path = path
        self._pid = os.getpid()
        self._guard = threading.Lock()
        self._descriptor: int | None = None
        self._size = 0
        self._held = held or Journalled()
        # What nobody could store or set aside: it stays in the file, and is not tried again here.
        self._left = Journalled()
        # Turns whose first line is in the file; one that the disk refused is written with the next line.
        self._begun = set(self._held.turns)

    def begin(self, turn: JournalTurn) -> None:
        """The turn starts; written before the graph is asked for anything."""
        with self._guard:
            self._held.turns[turn.message_id] = turn
            self._of_turn(turn.message_id)

    def question(self, message_id: str, question: dict[str, Any], *, base: int, expected: int) -> None:
        """The graph could not take this turn's question; it waits here (fsync)."""
        with self._guard:
            turn = replace(self._held.turns[message_id], question=question, base=base, expected=expected)
            self._of_turn(message_id, turn.question_line(), sync=True)
            self._held.turns[message_id] = turn

    def tool(self, message_id: str, call: ToolCall, scopes: tuple[ScopeTie, ...] = ()) -> None:
        """A tool call as far as it is known (fsync); a later line of the same call replaces an earlier one."""
        with self._guard:
            if turn := self._held.turns.get(message_id):
                self._held.turns[message_id] = turn.with_call(call, scopes)
            line = {"kind": "tool", "turn": message_id, "call": dumped(call), "scopes": scopes}
            self._of_turn(message_id, line, sync=True)

    def answered(self, message_id: str, answer: dict[str, Any]) -> None:
        """The graph could not take this answer; it waits here (fsync)."""
        with self._guard:
            self._of_turn(message_id, {"kind": "answer", "turn": message_id, "answer": answer}, sync=True)
            if turn := self._held.turns.get(message_id):
                self._held.turns[message_id] = replace(turn, answer=answer)

    def stored(self, message_id: str, seq: int) -> None:
        """The graph has this turn's question by now, at that place."""
        with self._guard:
            if turn := self._held.turns.get(message_id):
                self._held.turns[message_id] = replace(turn, question=None, landed=seq)
                self._of_turn(message_id, {"kind": "stored", "turn": message_id, "seq": seq})

    def end(self, message_id: str) -> None:
        """The graph has the whole turn, or nobody wants it any more: its lines are dropped."""
        with self._guard:
            if self._held.turns.pop(message_id, None) is not None:
                self._dropped({"kind": "end", "turn": message_id}, written=message_id in self._begun)
                self._begun.discard(message_id)

    def ended(self, message_id: str) -> None:
        """As `end`, of which the dearer half is left to `tidy`: somebody waits for the answer."""
        with self._guard:
            if self._held.turns.pop(message_id, None) is not None and message_id in self._begun:
                self._begun.discard(message_id)
                self._write({"kind": "end", "turn": message_id})

    def tidy(self) -> None:
        """Empties the file where nothing in it is open any more; what the disk refuses is done when it is closed."""
        with self._guard, contextlib.suppress(OSError):
            # One that was closed meanwhile is not opened again.
            if self._descriptor is not None and self._size and not (self._held or self._left):
                self._emptied()

    def created(self, creation: JournalCreation) -> None:
        """A conversation was begun that the graph could not take (fsync); nobody knows it where the disk refuses."""
        with self._guard:
            self._write(*creation.lines(), sync=True)
            self._held.creations[creation.conversation_id] = creation

    def exists(self, conversation_id: str) -> None:
        """The graph has this conversation by now."""
        with self._guard:
            if self._held.creations.pop(conversation_id, None) is not None:
                self._dropped({"kind": "exists", "conversation": conversation_id})

    def forget(self, conversation_id: str) -> bool:
        """Drops all of a conversation; returns whether only the journal knew it.

        No word of it stays in the file, of turns that have ended neither: their lines are there for as long as another
        turn is open. Nor in the file beside it with what was set aside.
        """
        with self._guard:
            known = False
            for kept in (self._held, self._left):
                known |= kept.creations.pop(conversation_id, None) is not None
                for turn in [turn for turn in kept.turns.values() if turn.conversation_id == conversation_id]:
                    del kept.turns[turn.message_id]
                    self._begun.discard(turn.message_id)
            self._rewrite()
            if os.getpid() == self._pid:
                forget_aside(self._path.with_suffix(".aside"), conversation_id)
            return known

    def compact(self) -> None:
        """Leaves nothing in the file but what is open (fsync); whole, or as it was."""
        with self._guard:
            self._rewrite()

    def leave(self, what: JournalCreation | JournalTurn) -> None:
        """Thinks no more of what can be neither stored nor set aside; its lines stay for the next process."""
        with self._guard:
            if isinstance(what, JournalTurn):
                if turn := self._held.turns.pop(what.message_id, None):
                    self._left.turns[what.message_id] = turn
            elif creation := self._held.creations.pop(what.conversation_id, None):
                self._left.creations[what.conversation_id] = creation

    def set_aside(self, what: JournalCreation | JournalTurn, why: str) -> None:
        """Takes out what cannot be stored and keeps its lines in a file beside this one."""
        aside = self._path.with_suffix(".aside")
        said = {"kind": "aside", "why": why, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        if os.getpid() != self._pid:
            return
        with self._guard:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                _write_all(descriptor, as_bytes(said, *what.lines()))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        if isinstance(what, JournalTurn):
            self.end(what.message_id)
        else:
            self.exists(what.conversation_id)

    def place(self, message_id: str) -> int:
        """The place that a question was given which had waited here; 0 where it was given none."""
        with self._guard:
            turn = self._held.turns.get(message_id)
            return turn.landed if turn is not None else 0

    @property
    def held(self) -> Journalled:
        """All that is open, as it is now."""
        with self._guard:
            return Journalled(dict(self._held.creations), dict(self._held.turns))

    def waiting(self, conversation_id: str | None = None, *, besides: Collection[str] = ()) -> Journalled:
        """What is complete and waits for the graph: of a conversation, or of all ``besides`` some; turns in the order
        they began."""
        with self._guard:
            return Journalled(
                {
                    key: each
                    for key, each in self._held.creations.items()
                    if conversation_id in (None, key) and key not in besides
                },
                {
                    key: turn
                    for key, turn in self._held.turns.items()
                    if turn.waits
                    and conversation_id in (None, turn.conversation_id)
                    and turn.conversation_id not in besides
                },
            )

    def close(self) -> None:
        """Lets go of the file; one with nothing open in it is removed."""
        with self._guard:
            if os.getpid() != self._pid:
                return
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
            if not (self._held or self._left):
                self._path.unlink(missing_ok=True)

    def _of_turn(self, message_id: str, *lines: dict[str, Any], sync: bool = False) -> None:
        if message_id not in self._begun and message_id in self._held.turns:
            lines = (self._held.turns[message_id].first_line(), *lines)
        self._write(*lines, sync=sync)
        self._begun.add(message_id)

    def _dropped(self, line: dict[str, Any], *, written: bool = True) -> None:
        """Something has ended: a line says so, or the file is emptied where it was the last."""
        if self._descriptor is None and not self._path.exists():
            return
        if not (self._held or self._left):
            self._emptied()
        elif written:
            self._write(line)

    def _emptied(self) -> None:
        if os.getpid() == self._pid:
            os.ftruncate(self._opened(), 0)
            self._size = 0

    def _rewrite(self) -> None:
        """The file with what is open alone."""
        if os.getpid() != self._pid or (self._descriptor is None and not self._path.exists()):
            return
        text = as_bytes(*(line for some in (self._left, self._held) for line in some.lines()))
        beside = self._path.with_suffix(".new")
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        try:
            _write_all(descriptor, text)
            os.fsync(descriptor)
            os.replace(beside, self._path)
        except OSError:
            os.close(descriptor)
            beside.unlink(missing_ok=True)
            raise
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._size = descriptor, len(text)
        self._begun = set(self._held.turns)

    def _opened(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            self._size = os.fstat(self._descriptor).st_size
            if self._size and os.pread(self._descriptor, 1, self._size - 1) != b"\n":
                # Its process died in the middle of a line: what comes next is a line of its own.
                _write_all(self._descriptor, b"\n")
                self._size += 1
        return self._descriptor

    def _write(self, *lines: dict[str, Any], sync: bool = False) -> None:
        if os.getpid() != self._pid or not lines:
            return
        descriptor = self._opened()
        text = as_bytes(*lines)
        try:
            _write_all(descriptor, text)
            if sync:
                os.fsync(descriptor)
        except OSError:
            # Half a line would spoil the next one.
            os.ftruncate(descriptor, self._size)
            raise
        self._size += len(text)


class Journal(JournalFile):
    """This process's journal file; made at the first line, removed when it is closed with nothing open."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory / f"{os.getpid()}-{uuid4().hex[:8]}.jsonl")
        self._directory = directory
        self._lock: FileLock | None = None

    def close(self) -> None:
        """Lets go of the file; one with nothing open in it is removed."""
        super().close()
        if self._lock is None or os.getpid() != self._pid:
            return
        self._lock.release()
        if not self._path.exists():
            _lock_path(self._path).unlink(missing_ok=True)
        self._lock = None

    def forget(self, conversation_id: str) -> bool:
        """As `JournalFile.forget`; also of what processes that are gone have set aside."""
        known = super().forget(conversation_id)
        if os.getpid() != self._pid or not self._directory.is_dir():
            return known
        for aside in sorted(self._directory.glob("*.aside")):
            journal = aside.with_suffix(".jsonl")
            if journal != self._path:
                with contextlib.suppress(Timeout), FileLock(_lock_path(journal)).acquire(blocking=False):
                    forget_aside(aside, conversation_id)
                    if not journal.exists():
                        _lock_path(journal).unlink(missing_ok=True)
        return known

    def conversations_of(self, user_id: str, graph: str) -> set[str]:
        """The conversations of a user that this process's journal, or a file with what was set aside, has lines of."""
        return conversations_of(self.held, self._directory, user_id, graph)

    def others(self) -> list[Path]:
        """The files of other processes, oldest first; some of these processes may still live, see `claimed`."""
        return [path for path in journal_files(self._directory) if path != self._path]

    @contextlib.contextmanager
    def claimed(self, path: Path) -> Iterator[JournalFile | None]:
        """The file of a process that is gone; None where it lives, or where somebody else has claimed it.

        The file is ours as long as the block runs: a crash in it leaves the file to whoever comes next. With nothing
        open in it at the end it is removed.
        """
        lock = FileLock(_lock_path(path))
        try:
            lock.acquire(blocking=False)
        except (Timeout, OSError):
            yield None
            return
        file = None
        try:
            file = JournalFile(path, read_journal(path)) if path.exists() else None
            yield file
        finally:
            if file is not None:
                file.close()
            lock.release()
            if not path.exists():
                _lock_path(path).unlink(missing_ok=True)

    def _opened(self) -> int:
        if self._lock is None:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = FileLock(_lock_path(self._path))
            lock.acquire(blocking=False)
            self._lock = lock
        return super()._opened()


class NoJournal(Journal):
    """Writes nothing: what is not remembered needs no recovery."""

    def __init__(self) -> None:
        super().__init__(Path(os.devnull))

    def close(self) -> None:
        """There is no file."""

    def forget(self, conversation_id: str) -> bool:
        """Nothing of it is known here."""
        return False

    def _write(self, *lines: dict[str, Any], sync: bool = False) -> None:
        return


def journal_files(directory: Path) -> list[Path]:
    """All journal files there; by name, which says nothing of their age."""
    return sorted(directory.glob("*.jsonl")) if directory.is_dir() else []


def is_claimable(path: Path) -> bool:
    """Whether the process that wrote this file is gone; claims nothing."""
    try:
        with FileLock(_lock_path(path)).acquire(blocking=False):
            return True
    except (Timeout, OSError):
        return False


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
