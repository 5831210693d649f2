"""The task that applies retention: at opening, and from time to time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ragforge_memory.errors import foreign

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ConversationInfo

log = logging.getLogger(__name__)

EVERY = 3_600.0
"""Seconds between two looks of a process that lives on."""


class RetentionTask:
    """Applies what the configuration says at opening, and every hour as long as the process lives.

    Args:
        apply: deletes what has expired and returns it.
    """

    def __init__(self, apply: Callable[[], Awaitable[list[ConversationInfo]]]) -> None:
        self._apply = apply
        self._resting = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Starts the task, once."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="ragforge-retention")

    async def quiet(self, timeout: float | None) -> None:
        """Waits until it rests, for at most ``timeout`` seconds (None: as long as it takes)."""
        if self._task is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await self._resting.wait()

    async def aclose(self) -> None:
        """Ends the task; what it has hidden and not removed yet, a sweep finishes."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
            self._task = None

    async def _run(self) -> None:
        while True:
            self._resting.clear()
            try:
                deleted = await self._apply()
            except Exception as error:  # nothing may end the task: a full disk, a file that is another's
                log.warning("retention is applied later: %s", error, exc_info=foreign(error))
            else:
                if deleted:
                    log.info("retention deleted %s conversations", len(deleted))
            self._resting.set()
            await asyncio.sleep(EVERY)
