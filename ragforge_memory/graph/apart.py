"""How a statement is awaited: in a task of its own, and of so many at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

# Half of the driver's connections: the question whether the server is there needs one too.
MOST_AT_ONCE = 50

T = TypeVar("T")


class ServerBusy(TimeoutError):
    """A statement was not done in time, though the server answers others."""


async def within(limit: asyncio.Timeout, attempt: Callable[[], Awaitable[T]]) -> T:
    """Awaits ``attempt`` until ``limit``, in a task of its own.

    The driver answers a cancel by cancelling its task again, more than once. Counted on the caller's task that looks
    like somebody's wish to cancel it: no `asyncio.timeout` becomes a TimeoutError there any more.

    Raises:
        TimeoutError: the time is over, or the driver has given itself up.
        Exception: what ``attempt`` raises.
    """

    async def work() -> T:
        return await attempt()

    task = asyncio.create_task(work())
    try:
        async with limit:
            await asyncio.wait([task])
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # asked for: asyncio reports what nobody asks for
    if task.cancelled():
        raise TimeoutError
    return task.result()


class Places:
    """So many statements run at once; others wait until one has ended, and their own time begins then."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._free = asyncio.Semaphore(most)

    @asynccontextmanager
    async def one(self, longest: float) -> AsyncIterator[None]:
        """A place, waited for.

        Raises:
            ServerBusy: there was none for ``longest`` seconds; what hangs gives its place up much earlier.
        """
        try:
            async with asyncio.timeout(longest):
                await self._free.acquire()
        except TimeoutError:
            raise ServerBusy from None
        try:
            yield
        finally:
            self._free.release()
