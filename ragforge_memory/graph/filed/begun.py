"""Notes of conversations whose lines are written before the graph knows them: what a crash leaves of them is found."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4


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
