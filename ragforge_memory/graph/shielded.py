"""Waiting for work that a cancel must not cut."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def shielded(work: Awaitable[T]) -> T:
    """Waits for ``work`` to end, however often this task is cancelled meanwhile; says so once it has ended."""
    import anyio
    import anyio.lowlevel

    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    # A scope of anyio that is cancelled (a web server's, whose client went away) cancels every wait in it at once: this
    # one it leaves alone, and its cancel is raised by itself afterwards, for it knows no other.
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None:
        raise cancelled from task.exception()
    await anyio.lowlevel.checkpoint_if_cancelled()
    return task.result()
