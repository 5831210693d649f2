"""One conversation's file: appended to, looked up by uuid, rewritten to erase.

Appending, taking back and rewriting are done under the file's lock, which whoever calls them holds; reading needs none:
what was written stays where it is until the file is replaced as a whole. All of it blocks and belongs into a thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO
from uuid import uuid4

from ragforge_memory.errors import ConversationFileError
from ragforge_memory.graph.filed.writing import Line, from_bytes, to_bytes, uuid_of

# Of a line, enough to tell it from others: it begins with its uuid.
_BEGINNING = 64


class ConversationFile:
    """The lines of one conversation, with an index of where each is; the index follows the file as it grows.

    Args:
        path: the file; made with the first line, mode 0600.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._guard = threading.RLock()
        # Which file was read (device, number), up to where, and where its last line begins and how.
        self._identity: tuple[int, int] | None = None
        self._end = 0
        self._last: tuple[int, bytes] = (0, b"")
        self._places: dict[str, tuple[int, int]] = {}
        self._unchecked: dict[str, None] = {}
        self._generation = 0

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self.path.exists()

    def unchecked(self) -> list[str]:
        """The messages whose nodes nobody here has seen or made yet, in order."""
        with self._guard:
            self._refresh()
            return list(self._unchecked)

    def confirm(self, uuids: Iterable[str]) -> None:
        """Says that these messages have their nodes."""
        with self._guard:
            for uuid in uuids:
                self._unchecked.pop(uuid, None)

    def get(self, uuids: Collection[str]) -> dict[str, Line]:
        """The lines of these messages; those that are not there are missing."""
        with self._guard:
            found = self._look_up(uuids)
            if found is None:  # the file was replaced between two looks at it
                self._forget()
                found = self._look_up(uuids)
            return found or {}

    def sizes(self, uuids: Collection[str]) -> dict[str, int]:
        """How many bytes the lines of these messages have."""
        with self._guard:
            self._refresh()
            return {uuid: self._places[uuid][1] for uuid in uuids if uuid in self._places}

    def since(self, position: int, generation: int) -> tuple[list[Line], int, int]:
        """The lines behind a position, the position behind them, and the file's generation.

        Positions of another generation count from the beginning: the file was replaced since.
        """
        with self._guard:
            self._refresh()
            if generation != self._generation:
                position = 0
            if self._identity is None or position >= self._end:
                return [], self._end, self._generation
            with open(self.path, "rb") as file:
                file.seek(position)
                raw = file.read(self._end - position)
            lines = [line for text in raw.splitlines(keepends=True) if (line := from_bytes(text)) is not None]
            return lines, self._end, self._generation

    def append(self, lines: Sequence[Line], *, again: bool = False) -> int | None:
        """Appends lines (fsync) and returns where they begin, for `take_back`; None where all were there already.

        Args:
            lines: of messages that are not there yet; the others are left out.
            again: writes also those that are there: the last of a message counts.

        Raises:
            ConversationFileError: the disk refuses; nothing of the lines is left.
        """
        with self._guard, _told(self.path):
            is_new = not self.path.exists()
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                self._refresh()
                self._repair(descriptor)
                begin = self._end
                wanted = [line for line in lines if again or line["uuid"] not in self._places]
                if not wanted:
                    return None
                try:
                    _write_all(descriptor, b"".join(map(to_bytes, wanted)))
                    os.fsync(descriptor)
                    if is_new:
                        _sync_folder(self.path.parent)
                except OSError:
                    os.ftruncate(descriptor, begin)
                    raise
            finally:
                os.close(descriptor)
            self._refresh()
            return begin

    def take_back(self, begin: int) -> None:
        """Removes the lines from ``begin`` on, which the graph refused; a file without lines goes."""
        with self._guard, _told(self.path):
            if begin == 0:
                self.remove()
                return
            descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            try:
                os.ftruncate(descriptor, begin)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            self._forget()

    def replace(self, changed: Mapping[str, Line]) -> None:
        """Puts other lines in the place of these messages'; of the old ones no word stays."""
        with self._guard:
            self._refresh()
            self.keep_only(self._places.keys(), changed)

    def keep_only(self, uuids: Collection[str], changed: Mapping[str, Line] = MappingProxyType({})) -> None:
        """Erases all other lines: a new file with what stays takes this one's place, synced with its folder.

        With nothing that stays the file is removed. A line that is ``changed`` stays so.
        """
        with self._guard, _told(self.path):
            self._refresh()
            if self._identity is None:
                return
            kept = set(uuids)
            stay = [(*place, uuid) for uuid, place in self._places.items() if uuid in kept]
            if not stay:
                self.remove()
                return
            temporary = self.path.with_name(f".{self.path.name}.{uuid4().hex[:8]}.tmp")
            try:
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                with os.fdopen(descriptor, "wb") as new, open(self.path, "rb") as old:
                    for begin, length, uuid in sorted(stay):
                        old.seek(begin)
                        new.write(to_bytes(changed[uuid]) if uuid in changed else old.read(length))
                    new.flush()
                    os.fsync(new.fileno())
                os.replace(temporary, self.path)
            finally:
                temporary.unlink(missing_ok=True)
            _sync_folder(self.path.parent)
            checked = self._places.keys() - self._unchecked.keys()
            self._forget()
            self._refresh()
            self.confirm(checked)

    def remove(self) -> None:
        """Removes the file, and what a crash has left of a rewriting of it."""
        with self._guard, _told(self.path):
            for left in (self.path, *self.path.parent.glob(f".{self.path.name}.*.tmp")):
                left.unlink(missing_ok=True)
            if self.path.parent.is_dir():
                _sync_folder(self.path.parent)
            self._forget()

    def _look_up(self, uuids: Collection[str]) -> dict[str, Line] | None:
        """The lines of these messages; None where one is not where it was."""
        self._refresh()
        found: dict[str, Line] = {}
        places = {uuid: self._places[uuid] for uuid in uuids if uuid in self._places}
        if not places:
            return found
        with _told(self.path), open(self.path, "rb") as file:
            for uuid, (begin, length) in places.items():
                file.seek(begin)
                line = from_bytes(file.read(length))
                if line is None or line["uuid"] != uuid:
                    return None
                found[uuid] = line
        return found

    def _refresh(self) -> None:
        """Reads what was appended since; all of it where the file is another one."""
        try:
            file = open(self.path, "rb")  # noqa: SIM115
        except FileNotFoundError:
            self._forget()
            return
        except OSError as error:
            raise _refused(self.path, error) from error
        with file, _told(self.path):
            status = os.fstat(file.fileno())
            identity = (status.st_dev, status.st_ino)
            if identity != self._identity or status.st_size < self._end or not self._continues(file):
                self._forget()
                self._identity = identity
            if status.st_size == self._end:
                return
            file.seek(self._end)
            for raw in file:
                if not raw.endswith(b"\n"):
                    return  # being written, or cut off
                uuid = uuid_of(raw)
                if uuid is not None:
                    if uuid not in self._places:
                        self._unchecked[uuid] = None
                    self._places[uuid] = (self._end, len(raw))
                self._last = (self._end, raw[:_BEGINNING])
                self._end += len(raw)

    def _continues(self, file: BinaryIO) -> bool:
        """Whether the last line known is where it was: lines may have been taken back and others have come since."""
        begin, beginning = self._last
        file.seek(begin)
        if file.read(len(beginning)) != beginning:
            return False
        file.seek(max(self._end - 1, 0))
        return self._end == 0 or file.read(1) == b"\n"

    def _repair(self, descriptor: int) -> None:
        """Takes away a last line that was cut off; one that lacks nothing but its end gets it."""
        size = os.fstat(descriptor).st_size
        if size <= self._end:
            return
        if from_bytes(os.pread(descriptor, size - self._end, self._end)) is not None:
            _write_all(descriptor, b"\n")
            self._refresh()
        else:
            os.ftruncate(descriptor, self._end)

    def _forget(self) -> None:
        self._identity = None
        self._end = 0
        self._last = (0, b"")
        self._places = {}
        self._unchecked = {}
        self._generation += 1


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> ConversationFileError:
    return ConversationFileError(
        f"{path} cannot be used: {error.strerror or error}", hint="the disk, or who may read and write there"
    )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refused(path, error) from error
