"""The folder of the conversations' files: which file is whose, who may write, and the words in them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from filelock import FileLock, Timeout

from ragforge_memory.errors import ConversationFileError, GraphBusy
from ragforge_memory.graph.filed.conversation_file import ConversationFile
from ragforge_memory.graph.filed.words import Ranked, Words, rank
from ragforge_memory.graph.shielded import shielded
from ragforge_memory.project import TEXTS_MARKER

LOCK_SECONDS = 30.0
"""How long a write waits for other processes' writes to the same conversation."""
TURN_LOCK_SECONDS = 5.0
"""How long a turn's does, which is journalled then."""

# Each has its own lock, so that a conversation that goes leaves no lock behind, and few share one.
_LOCKS = 256
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
# Indexes that are kept in memory: about 100 bytes a message, and what was searched some 2 kB.
_OPEN_FILES = 1_000

T = TypeVar("T")


class TextDirectory:
    """The files of one folder.

    Args:
        root: what a relative ``directory`` is relative to.
        directory: the folder; made with the first line (mode 0700), with a ``.gitignore`` for all that is in it.
    """

    def __init__(self, root: Path, directory: str) -> None:
        self.path = root / Path(directory).expanduser()
        self.begun = BegunNotes(self.path / ".begun")
        self._shown = directory.rstrip("/") or "/"
        self._guard = threading.Lock()
        self._files: OrderedDict[str, tuple[ConversationFile, Words]] = OrderedDict()
        self._waiting: dict[str, asyncio.Lock] = {}

    def file_path(self, conversation_id: str) -> str:
        """What ``Conversation.file_path`` says: the file from the root on."""
        return f"{self._shown}/{_name(conversation_id)}"

    def file(self, conversation_id: str) -> ConversationFile:
        """A conversation's file, whether there is one yet or not."""
        return self._opened(conversation_id)[0]

    def rank(self, conversations: Iterable[str], words: Sequence[str]) -> list[Ranked]:
        """The messages of these conversations that have any of the words, most telling first."""
        return rank([(uuid, self._opened(uuid)[1]) for uuid in conversations], words)

    def prepare(self) -> None:
        """Makes the folder and what belongs to it; one that has no other files in it is taken over.

        Raises:
            ConversationFileError: it cannot be made, or it is somebody else's.
        """
        try:
            if not (self.path / TEXTS_MARKER).exists():
                self.path.mkdir(parents=True, mode=0o700, exist_ok=True)
                others = [entry.name for entry in self.path.iterdir() if not _ours(entry.name)]
                if others:
                    raise ConversationFileError(
                        f"{self.path} has other files in it ({min(others)}): it is not a folder of conversations",
                        hint="give agent.memory.persistence.directory a folder of its own",
                    )
                self.path.chmod(0o700)
                (self.path / ".gitignore").write_text("*\n")
                (self.path / TEXTS_MARKER).write_text("Texts of conversations, one a file: docs/persistence.md\n")
            (self.path / ".locks").mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ConversationFileError(
                f"{self.path} cannot be made: {error.strerror or error}",
                hint="agent.memory.persistence.directory says where the files are",
            ) from error

    @contextlib.asynccontextmanager
    async def held(self, conversations: Iterable[str], *, seconds: float = LOCK_SECONDS) -> AsyncIterator[None]:
        """The right to write to these conversations' files, here and among all processes.

        Raises:
            GraphBusy: others wrote there all the time.
        """
        names = sorted({hashlib.sha256(uuid.encode()).digest()[0] % _LOCKS for uuid in conversations})
        await unbroken(self.prepare)
        async with contextlib.AsyncExitStack() as stack:
            for number in names:
                name = f"{number:02x}.lock"
                # Those of this process wait in line; only the first of them asks the others.
                await stack.enter_async_context(self._waiting.setdefault(name, asyncio.Lock()))
                lock = FileLock(self.path / ".locks" / name, mode=0o600, thread_local=False)
                await _acquired(lock, seconds)
                stack.callback(lock.release)
            yield

    def _opened(self, conversation_id: str) -> tuple[ConversationFile, Words]:
        with self._guard:
            if conversation_id not in self._files:
                file = ConversationFile(self.path / _name(conversation_id))
                self._files[conversation_id] = (file, Words(file))
                while len(self._files) > _OPEN_FILES:
                    self._files.popitem(last=False)
            self._files.move_to_end(conversation_id)
            return self._files[conversation_id]


async def unbroken(work: Callable[[], T]) -> T:
    """Runs ``work`` in a thread. A cancellation waits for its end: it may hold what others wait for."""
    return await shielded(asyncio.to_thread(work))


async def _acquired(lock: FileLock, seconds: float) -> None:
    pause = _SHORTEST_PAUSE
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            lock.acquire(blocking=False)
            return
        except Timeout:
            if asyncio.get_running_loop().time() > deadline:
                raise GraphBusy(
                    f"other processes held {lock.lock_file} for {seconds:g} s",
                    hint="one of them may hang while it writes to the same conversation",
                ) from None
        except OSError as error:
            raise ConversationFileError(
                f"{lock.lock_file} cannot be used: {error.strerror or error}", hint="who may write there"
            ) from error
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _name(conversation_id: str) -> str:
    """The name of a conversation's file. What is not a plain word (another tool's uuid) is named by its hash."""
    if conversation_id.isalnum() and conversation_id.isascii() and len(conversation_id) <= 100:
        return f"{conversation_id}.jsonl"
    return f"{hashlib.sha256(conversation_id.encode(errors='replace')).hexdigest()[:32]}.jsonl"


def _ours(name: str) -> bool:
    return name.endswith((".jsonl", ".tmp")) or name in (".gitignore", ".locks", ".begun", TEXTS_MARKER)


@dataclass(frozen=True, slots=True)
class Note:
    """Conversations that one write begins; ``age`` is in seconds."""

    path: Path
    conversations: tuple[str, ...]
    age: float

    def drop(self) -> None:
        """The write is over; a note that the disk keeps says nothing wrong."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


class BegunNotes:
    """The notes in one folder. All of it blocks and belongs into a thread.

    Args:
        folder: made with the first note, mode 0700.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def exists(self) -> bool:
        """Whether any was ever written."""
        return self._folder.is_dir()

    def write(self, birth: str, conversations: Sequence[str]) -> Note:
        """Notes (fsync) that these conversations' lines come before their nodes, in the database with this id.

        Raises:
            OSError: the disk refuses.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / f"{uuid4().hex}.json"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump({"graph": birth, "conversations": list(conversations)}, file)
            file.flush()
            os.fsync(file.fileno())
        return Note(path, tuple(conversations), 0.0)

    def found(self, birth: str) -> list[Note]:
        """The notes about the database with this id; one that was cut off came before any line, and goes in time."""
        notes = []
        for path in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(OSError):
                age = time.time() - path.stat().st_mtime
                try:
                    said = json.loads(path.read_text())
                    if said["graph"] == birth:
                        notes.append(Note(path, tuple(said["conversations"]), age))
                except (ValueError, KeyError, TypeError):
                    if age > _TORN_STAYS:
                        path.unlink(missing_ok=True)
        return notes


# A note that is just being written looks cut off too.
_TORN_STAYS = 86_400
