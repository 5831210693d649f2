"""Whether a server that takes long is slow, hangs or has gone: it is asked on another connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import neo4j
from neo4j import exceptions as driver_errors

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


# A turn must not hang: the driver's own defaults wait 34 to 121 s (measured on a stopped server). A server that has
# just started compiles its first statements for seconds: one that takes longer than this is asked whether it is there,
# and if it says so within ALIVE_TIMEOUT it is slow and not hanging, and given SLOW_TIMEOUT. Most of the 2.6 s is for
# the question: on a machine that is busy the answer to it takes its time too.
ASKED_AFTER = 1.2
ALIVE_TIMEOUT = 1.4
STATEMENT_TIMEOUT = ASKED_AFTER + ALIVE_TIMEOUT
SLOW_TIMEOUT = 15.0
# A managed server that takes this long is asked whether it is still there: it comes back by itself, so that waiting
# for it can begin at once. Others are left to the driver's retries, which survive a change of leader.
GONE_AFTER = 0.4
# An attempt that is refused in the same moment as the question ends by itself: to cancel it just then would leave the
# driver's refused connection unread, which asyncio reports as an error of its own (before Python 3.12).
REFUSED_TOO = 0.05

# Where the time-out itself comes so late, this process was held up (it computes, or the machine does something else):
# the answer may have been there, and the server is asked again.
_LATE = 0.2
_ASKED_AT_MOST = 3

_LOST = (driver_errors.ServiceUnavailable, driver_errors.SessionExpired, OSError)


def is_lost(error: BaseException | None) -> bool:
    """Whether this exception of the driver's says that nobody is there; one that hangs is a TimeoutError."""
    return isinstance(error, _LOST) and not isinstance(error, TimeoutError)


async def refusal(driver: neo4j.AsyncDriver, timeout: float = ALIVE_TIMEOUT) -> Exception | None:
    """Why the server does not answer: a TimeoutError where it hangs; None where it answers."""
    loop = asyncio.get_running_loop()
    for _ in range(_ASKED_AT_MOST):
        began = loop.time()
        try:
            await within(asyncio.timeout(timeout), driver.get_server_info)
        except TimeoutError as error:
            refused: Exception = error
            if loop.time() - began < timeout + _LATE:
                break
        except (driver_errors.DriverError, driver_errors.Neo4jError, OSError) as error:
            return error
        else:
            return None
    return refused


async def unless_hanging(driver: neo4j.AsyncDriver, attempt: Callable[[], Awaitable[T]], *, managed: bool) -> T:
    """Awaits ``attempt`` for 2.6 s, and for up to 15 s where the server is slow.

    Args:
        driver: the server's.
        attempt: what is done there.
        managed: whether the server is looked after by a supervisor; then it is found out within a second that it
            has gone.

    Raises:
        TimeoutError: the server hangs; a ServerBusy where it answers and is too slow.
        Exception: what ``attempt`` raises; or what the driver says of a server that has gone.
    """
    loop = asyncio.get_running_loop()
    due = loop.time() + ASKED_AFTER
    watcher: asyncio.Task[None] | None = None
    refused: Exception | None = None
    answered = False

    async def watch() -> None:
        nonlocal refused, answered
        while True:
            early = loop.time() < due - GONE_AFTER
            refused = await refusal(driver, due - loop.time() if early else ALIVE_TIMEOUT)
            answered = refused is None
            if is_lost(refused) or (refused is not None and not early):
                break
            await asyncio.sleep(due - loop.time() if early else STATEMENT_TIMEOUT)
        limit.reschedule(loop.time() + REFUSED_TOO)

    def begin_watching() -> None:
        nonlocal watcher
        watcher = loop.create_task(watch())

    limit = asyncio.timeout(SLOW_TIMEOUT)
    timer = loop.call_later(GONE_AFTER if managed else ASKED_AFTER, begin_watching)
    try:
        return await within(limit, attempt)
    except TimeoutError:
        if refused is not None and is_lost(refused):
            raise refused from None
        if answered:
            raise ServerBusy from None
        raise
    finally:
        timer.cancel()
        if watcher is not None:
            watcher.cancel()
