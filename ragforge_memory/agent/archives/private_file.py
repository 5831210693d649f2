"""Files that only their owner reads, and that are there whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from ragforge_memory.agent.inputs import path_of
from ragforge_memory.errors import InvalidInput


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Writes a file beside ``path`` (mode 0600) and puts it in its place at the end; after an error nothing is there.

    Where a link leads to a file that file is replaced, and the link stays. A pipe or a device is written to as it is: a
    file in its place would take it away from everybody.

    Raises:
        InvalidInput: it cannot be written there.
    """
    target = path_of(path)
    try:
        if _is_special(target):
            with open(target, "wb") as out:
                yield out
            return
        target = target.resolve()
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
        temporary = target.with_name(f".{target.name}.{uuid4().hex[:8]}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as new:
                yield new
                new.flush()
                os.fsync(new.fileno())
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror or error}") from error


def _is_special(target: Path) -> bool:
    """Whether there is something there that is neither a file nor a folder."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
