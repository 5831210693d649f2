"""Statements that fail on what others do at that moment, or on a server that is short of something, are run again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from neo4j import exceptions as driver_errors

T = TypeVar("T")

# Each time somebody else must have deleted a node between our statement's look at it and its lock: under one writer and
# two deleters of the same node that did nothing else, every second statement was hit, so eight in a row are 1 in 256.
_ATTEMPTS = 8
_PAUSE = 0.01
# What fails in passing (a lock, a change of leader, memory) is run again at once, then after pauses that grow from
# 5 ms to 200 ms, for so long in all. The driver's own retries, which begin with a second's pause, are off.
RETRY_TIME = 1.0
_PAUSES = {"wait_initial": 0.005, "wait_max": 0.2, "wait_jitter": 0.01}


def met_a_deleted_node(error: BaseException | None) -> bool:
    """Whether a statement failed because a node that it had found was deleted before it got its lock."""
    return _failed_on(error, "EntityNotFound")


def passes(error: BaseException | None) -> bool:
    """Whether a statement failed on what others did at that moment: a deadlock, or a node that was deleted."""
    return (
        isinstance(error, driver_errors.TransientError)
        or _failed_on(error, "DeadlockDetected")
        or met_a_deleted_node(error)
    )


def _failed_on(error: BaseException | None, what: str) -> bool:
    """Whether the server says so, of the statement or of a procedure that it called: there the code says no more than
    that it failed, and the message why."""
    if not isinstance(error, driver_errors.Neo4jError):
        return False
    code = error.code or ""
    return code.endswith(f".{what}") or (code.endswith(".ProcedureCallFailed") and what in str(error.message))


def unless_vanished(attempt: Callable[[], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
    """``attempt``, made again where it met a node that was being deleted.

    The driver repeats deadlocks by itself and takes this for the caller's fault. Every statement is idempotent and
    finds the next time what is there then.
    """

    async def repeated() -> T:
        for number in range(1, _ATTEMPTS):
            try:
                return await attempt()
            except driver_errors.Neo4jError as error:
                if not met_a_deleted_node(error):
                    raise
            await asyncio.sleep(_PAUSE * number)
        return await attempt()

    return repeated


def in_passing(error: Exception) -> bool:
    """Whether the same statement may succeed a moment later."""
    if isinstance(error, (driver_errors.DriverError, driver_errors.Neo4jError)):
        return error.is_retryable() or passes(error)
    return False


async def again(once: Callable[[], Awaitable[T]]) -> T:
    """Runs a statement that has failed in passing until it does not, for `RETRY_TIME` at most."""
    import stamina

    async for attempt in stamina.retry_context(on=in_passing, attempts=None, timeout=RETRY_TIME, **_PAUSES):
        with attempt:
            return await once()
    raise AssertionError("a retry ends with a result or an error")
