"""Changes below a directory, for `ragforge ingest --watch`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path


@contextlib.asynccontextmanager
async def changes_below(root: Path, watch: bool) -> AsyncIterator[AsyncIterator[object]]:
    """What changes below the root from now on, without an end; nothing where that is not to be watched.

    Watching begins before the files are read, so that no change falls between the two.
    """
    stop = asyncio.Event()

    async def nothing() -> AsyncIterator[object]:
        return
        yield

    if not watch:
        yield nothing()
        return

    from watchfiles import awatch

    watcher = awatch(root, stop_event=stop)
    first = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)  # now it watches

    async def changes() -> AsyncIterator[object]:
        yield await first
        async for change in watcher:
            yield change

    try:
        yield changes()
    finally:
        stop.set()
        with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
            await first
