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
