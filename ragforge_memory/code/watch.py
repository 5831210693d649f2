"""`ragforge ingest --watch`: another ingest whenever files have changed."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.ignore import is_tool_folder
from ragforge_memory.config.load import FILE_NAME

if TYPE_CHECKING:
    import asyncio

    from ragforge_memory.models.code import IngestReport

# An editor writes a file in several steps, and git many files one after another: what comes within this time (ms)
# is one change.
_DEBOUNCE_MS = 1_600
_STEP_MS = 200
_TIMEOUT_MS = 1_000
# Another tool that takes the code out of the graph changes no file: so often (s) it is looked at in any case.
_LOOK_AGAIN = 30.0


async def watch(
    root: Path, ingest: Callable[[], Awaitable[IngestReport]], *, stop: asyncio.Event | None = None
) -> AsyncIterator[IngestReport]:
    """Calls ``ingest`` once, then after every change below ``root`` and every 30 s; yields the reports of those that
    found something, or that skipped another file than before.

    Changes inside folders of tools (``.git``, ``node_modules``, …) are not looked at, but for a configuration there.

    Args:
        root: the project's directory.
        ingest: brings the graph up to date.
        stop: set it to end; without it the iteration ends when its task is cancelled.
    """
    from watchfiles import Change, awatch

    root = root.resolve()

    def concerns(_: Change, path: str) -> bool:
        try:
            parts = Path(path).relative_to(root).parts
        except ValueError:
            return False
        # The configuration may be in a folder of ours.
        return parts[-1:] == (FILE_NAME,) or not any(is_tool_folder(part, frozenset()) for part in parts[:-1])

    report = await ingest()
    yield report
    skipped, caught_up, looked = report.skipped, False, time.monotonic()
    async for changes in awatch(
        root,
        watch_filter=concerns,
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        rust_timeout=_TIMEOUT_MS,
        yield_on_timeout=True,
        stop_event=stop,
        ignore_permission_denied=True,
    ):
        # What changed between the first look and the watcher's start is seen by one more look.
        if changes or not caught_up or time.monotonic() - looked >= _LOOK_AGAIN:
            report = await ingest()
            caught_up, looked = True, time.monotonic()
            # A file that cannot be read any more keeps what was read of it: only that it is skipped is new.
            if report.files_changed or report.removed or report.skipped != skipped:
                yield report
            skipped = report.skipped
