"""Files that only their owner reads, and that are there whole or not at all; written beside the event loop."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar
from uuid import uuid4

from ragforge_memory.agent.inputs import path_of
from ragforge_memory.errors import InvalidInput

# A pipe that nobody reads is looked at again after this long (s).
_LOOK_SECONDS = 0.05
# After a failure a file is waited for so long: what a pipe does not take would be waited for for ever.
_END_SECONDS = 2.0

T = TypeVar("T")


async def beside(work: Callable[[], T]) -> T:
    """Does in a thread what may wait for a slow device; a cancel leaves it alone there."""
    from anyio import to_thread

    return await to_thread.run_sync(work, abandon_on_cancel=True)


@asynccontextmanager
async def writing(path: str | os.PathLike[str]) -> AsyncIterator[BinaryIO]:
    """Writes a file beside ``path`` (mode 0600) and puts it in its place at the end; after an error nothing is there.

    Where a link leads to a file that file is replaced, and the link stays. A pipe or a device is written to as it is: a
    file in its place would take it away from everybody; a pipe's reader is waited for. What is written to the file may
    wait too: it is for a thread, with `beside`.

    Raises:
        InvalidInput: it cannot be written there.
    """
    target = path_of(path)
    opened = _replacing(target, await _pipe(target))
    out = await beside(opened.__enter__)
    try:
        yield out
    except BaseException as error:
        end = partial(opened.__exit__, type(error), error, error.__traceback__)
        ending = asyncio.ensure_future(beside(end))
        ending.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        await asyncio.wait((ending,), timeout=_END_SECONDS)
        if ending.done():
            ending.result()
        raise
    await beside(partial(opened.__exit__, None, None, None))


async def _pipe(target: Path) -> int | None:
    """The end of a pipe that has a reader by now; None where there is no pipe."""
    while True:
        try:
            if not stat.S_ISFIFO(target.stat().st_mode):
                return None
            return os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:
                return None  # whoever opens it is told
        await asyncio.sleep(_LOOK_SECONDS)


@contextmanager
def _replacing(target: Path, pipe: int | None) -> Iterator[BinaryIO]:
    try:
        if pipe is not None:
            os.set_blocking(pipe, True)
            with os.fdopen(pipe, "wb") as out:
                yield out
            return
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
