"""Files that only their owner reads, and that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from ragforge_memory.errors import InvalidInput


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Writes a file beside ``path`` (mode 0600) and puts it in its place at the end; after an error nothing is there.

    Raises:
        InvalidInput: it cannot be written there.
    """
    target = Path(path).expanduser()
    temporary = target.with_name(f".{target.name}.{uuid4().hex[:8]}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _refused(target, error) from error
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise _refused(target, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _refused(target: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"{target} cannot be written: {error.strerror or error}")
