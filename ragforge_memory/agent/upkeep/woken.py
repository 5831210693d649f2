"""Work that is done whenever somebody says that there may be some, once more where that is said meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ragforge_memory.errors import foreign

log = logging.getLogger(__name__)


class WokenWork:
    """One kind of work; what fails is left to the next time, and to the next process: it is labelled in the graph.

    Args:
        name: as the log calls it.
        work: does all of it.
    """

    def __init__(self, name: str, work: Callable[[], Awaitable[object]]) -> None:
        self._name = name
        self._work = work
        self._wanted = False
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """There may be something to do."""
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name=f"ragforge-{self._name}")

    async def quiet(self, timeout: float | None) -> None:
        """Waits until nothing of it is being done, for at most ``timeout`` seconds (None: as long as it takes)."""
        if self._task is not None:
            await asyncio.wait((self._task,), timeout=timeout)

    async def aclose(self) -> None:
        """Ends it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _run(self) -> None:
        while self._wanted:
            self._wanted = False
            try:
                await self._work()
            except Exception as error:  # nobody asks a task in the background for its result
                log.warning("%s: left for later: %s", self._name, error, exc_info=foreign(error))
