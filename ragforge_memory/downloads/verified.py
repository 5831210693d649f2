"""Remembers which files had the right hash, so that a later look costs one ``stat`` a file.

The record is a JSON file inside the folder: path, SHA-256, size and modification time of each file that was hashed.
A file whose size or time differs from the record counts as unknown and is hashed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

_CHUNK = 1 << 20


class VerifiedFiles:
    """The record of one folder; reading it never fails, a damaged record is an empty one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "verified.json"
        self._entries: dict[str, list[Any]] = {}
        self._changed = False
        try:
            entries = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if isinstance(entries, dict):
            self._entries = entries

    def holds(self, path: str, sha256: str) -> bool:
        """Whether ``path`` (below the folder) is, by its stat alone, the file that had this hash."""
        entry = self._entries.get(path)
        return entry is not None and entry == _entry(self._folder / path, sha256)

    def check(self, path: str, sha256: str, size: int) -> bool:
        """Whether ``path`` has this size (bytes) and, hashed now unless the record knows it, this hash."""
        file = self._folder / path
        if self.holds(path, sha256):
            return True
        try:
            if file.stat().st_size != size or sha256_of(file) != sha256:
                return False
        except OSError:
            return False
        self.add(path, sha256)
        return True

    def add(self, path: str, sha256: str) -> None:
        """Record that ``path``, as it is now, has this hash."""
        entry = _entry(self._folder / path, sha256)
        if entry is not None:
            self._entries[path] = entry
            self._changed = True

    def save(self) -> None:
        """Write the record, atomically, if it changed.

        Raises:
            OSError: the folder cannot be written.
        """
        if not self._changed:
            return
        temporary = self._file.with_name(f"{self._file.name}.{os.getpid()}.tmp")
        temporary.write_text(json.dumps(self._entries), encoding="utf-8")
        os.replace(temporary, self._file)
        self._changed = False


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file's content in hex."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _entry(file: Path, sha256: str) -> list[Any] | None:
    try:
        stat = os.stat(file)
    except OSError:
        return None
    return [sha256, stat.st_size, stat.st_mtime_ns]
