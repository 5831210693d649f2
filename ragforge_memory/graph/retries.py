"""Statements that fail on what others do at that moment, or on a server that is short of something, are run again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypedDict, TypeVar

from neo4j import exceptions as driver_errors

T = TypeVar("T")

# It tells of each attempt, on the standard error where the program has set up no logging.
logging.getLogger("stamina").addHandler(logging.NullHandler())

# What fails in passing (a lock, a change of leader, memory) is run again for so long in all. The driver's own retries,
# which begin with a second's pause, are off.
RETRY_TIME = 1.0


class Pauses(TypedDict):
    """Seconds between two attempts, doubled each time; some of ``wait_jitter`` is added."""

    wait_initial: float
    wait_max: float
    wait_jitter: float


SHORT: Pauses = {"wait_initial": 0.005, "wait_max": 0.2, "wait_jitter": 0.01}
"""For what others do at that moment: from 5 ms to 200 ms."""

# Each time somebody else must have deleted a node between our statement's look at it and its lock: under one writer and
# two deleters of the same node that did nothing else, every second statement was hit, so eight in a row are 1 in 256.
_DELETES = 8


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


def in_passing(error: Exception) -> bool:
    """Whether the same statement may succeed a moment later."""
    if isinstance(error, (driver_errors.DriverError, driver_errors.Neo4jError)):
        return error.is_retryable() or passes(error)
    return False


async def repeat(
    once: Callable[[], Awaitable[T]],
    *,
    on: Callable[[Exception], bool],
    attempts: int | None = None,
    seconds: float | None = None,
    pauses: Pauses = SHORT,
) -> T:
    """Runs something until it does not fail, or for no more ``attempts`` or ``seconds``; what fails then stands.

    Args:
        once: what is run; the second time it finds what is there then.
        on: whether a failure is worth another attempt.
        attempts: at most, behind the first; None: as many as there is time for.
        seconds: after which none is begun; None: as many attempts as may be.
        pauses: between them.
    """
    try:
        return await once()
    except Exception as error:
        if not on(error):
            raise
    import stamina

    async for attempt in stamina.retry_context(on=on, attempts=attempts, timeout=seconds, **pauses):
        with attempt:
            return await once()
    raise AssertionError("a retry ends with a result or an error")


async def outlast_deletes(once: Callable[[], Awaitable[T]]) -> T:
    """Runs a statement again where it met a node that was being deleted, which the driver takes for the caller's
    fault."""
    return await repeat(once, on=met_a_deleted_node, attempts=_DELETES)


async def outlast(once: Callable[[], Awaitable[T]]) -> T:
    """Runs a statement again that failed in passing, for `RETRY_TIME` at most."""
    return await repeat(once, on=in_passing, seconds=RETRY_TIME)
