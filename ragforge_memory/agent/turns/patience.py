"""Waiting for the end of work that is given up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, TypeVar

from ragforge_memory.graph.shielded import shielded

T = TypeVar("T")

RESTART_PATIENCE = 15.0
"""Seconds that a turn waits for a managed server that has gone, where it would answer without knowing anything of the
conversation. A killed server is back after some 10 s here."""


# What was left alone: it ends by itself, and asyncio keeps no task for us.
_left: set[asyncio.Task[Any]] = set()


def left_alone(task: asyncio.Task[Any]) -> None:
    """Lets a task end that nobody waits for any more: a read that is cut off costs its connection."""

    def ended(task: asyncio.Task[Any]) -> None:
        _left.discard(task)
        if not task.cancelled():
            task.exception()  # asked for: asyncio reports what nobody asks for

    _left.add(task)
    task.add_done_callback(ended)


async def abandoned(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for its end, whatever becomes of it."""
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled():
        task.exception()


async def outcome(task: asyncio.Task[T]) -> T:
    """What a task gives; whoever waits here and is cancelled cancels the task, and goes on when that has ended."""
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        # A cancel scope of anyio cancels again at every wait.
        with suppress(asyncio.CancelledError):
            await shielded(abandoned(task))
        raise
