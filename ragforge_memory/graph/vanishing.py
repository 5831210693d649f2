"""Statements that meet a node which somebody else is deleting at that moment are run again."""

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
