"""Work that no answer waits for: vectors of messages and of scopes, found by their label in the graph."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from ragforge_memory.errors import EmbeddingError, RagforgeError

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.messages import MessageStore
    from ragforge_memory.graph.spaces import Space

log = logging.getLogger(__name__)

_BATCH = 32
_PAUSE_AFTER_FAILURE = 5.0


class Background:
    """One task that embeds what waits, woken after each turn; what a crash leaves is found again by its label.

    Args:
        messages: the store of the owner's messages.
        embedder: makes the vectors; None: nothing is ever due.
        space: where the project's vectors are; None: nothing is ever due.
    """

    def __init__(self, messages: MessageStore, embedder: Embedder | None, space: Space | None) -> None:
        self._messages = messages
        self._embedder = embedder
        self._space = space
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins, with whatever an earlier process left."""
        if self._embedder is not None and self._task is None:
            self._wake.set()
            self._task = asyncio.create_task(self._run(), name="ragforge-background")

    def wake(self) -> None:
        """There is something new."""
        self._idle.clear()
        self._wake.set()

    async def drain(self, timeout: float | None = None) -> dict[str, int]:
        """Waits until nothing is due; returns what is left after ``timeout`` seconds, by kind (empty: nothing)."""
        if self._embedder is None or self._task is None:
            return {}
        self.wake()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._idle.wait()
                return {}
        left = await self._messages.count_pending()
        return {"embeddings": left} if left else {}

    async def aclose(self) -> None:
        """Ends the task; what it has not done stays labelled in the graph."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                while await self._embed_batch():
                    pass
            except RagforgeError as error:
                log.warning("embedding in the background failed, trying again: %s", error)
                await asyncio.sleep(_PAUSE_AFTER_FAILURE)
                self._wake.set()
                continue
            if not self._wake.is_set():
                self._idle.set()

    async def _embed_batch(self) -> bool:
        """Embeds a batch; whether there was one."""
        assert self._embedder is not None
        assert self._space is not None
        waiting = await self._messages.pending(_BATCH)
        if not waiting:
            return False
        uuids = [uuid for uuid, _ in waiting]
        try:
            vectors = await self._embedder.embed_passages([content or " " for _, content in waiting])
        except EmbeddingError:
            await self._messages.fail_embeddings(uuids)
            raise
        self._space.check(vectors)
        await self._messages.store_embeddings(self._space.property, dict(zip(uuids, vectors, strict=True)))
        return True
