"""Locks on files that the operating system lets go of when their holder dies."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from ragforge_memory.errors import ServerStartError

_POLL = 0.02


class Lock:
    """A lock that is held until ``release`` or until the process (and what it forked) is gone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Let go; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def take(file: Path, *, shared: bool = False, wait: float = 0.0, left: threading.Event | None = None) -> Lock | None:
    """Lock ``file``, which is made if missing; None if others still hold it after ``wait`` seconds, or when
    ``left`` is set.

    Args:
        file: its folder must exist.
        shared: any number of processes may hold it together, but none of them beside an exclusive one.
        wait: seconds; ``math.inf`` waits as long as it takes.
        left: set by a caller who waits no longer.

    Raises:
        OSError: the file cannot be opened for writing.
        ServerStartError: this system has no such locks.
    """
    if sys.platform == "win32":
        raise ServerStartError(
            "The managed server runs on Linux and macOS only.",
            hint="On Windows use WSL, or set NEO4J_URI to a Neo4j server.",
        )
    import fcntl

    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    kind = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    deadline = time.monotonic() + wait
    left = left or threading.Event()
    while True:
        try:
            fcntl.flock(descriptor, kind)
        except BlockingIOError:
            if time.monotonic() < deadline and not left.wait(_POLL):
                continue
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        return Lock(descriptor)


def nobody_waits() -> ServerStartError:
    """The error for who has left while he waited."""
    return ServerStartError("Nobody waits for the managed Neo4j any more.")


def is_held(file: Path) -> bool:
    """Whether some process holds an exclusive lock on ``file``; False if there is no such file."""
    if not file.exists():
        return False
    lock = take(file, shared=True)
    if lock is None:
        return True
    lock.release()
    return False
