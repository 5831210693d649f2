"""Work that no answer waits for: vectors of messages and of scopes, found by their label in the graph."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ragforge_memory.code.rows import embedding_text
from ragforge_memory.errors import EmbeddingError, RagforgeError

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.messages import MessageStore
    from ragforge_memory.graph.scopes import ScopeStore
    from ragforge_memory.graph.spaces import Space

log = logging.getLogger(__name__)

_BATCH = 32
_PAUSE_AFTER_FAILURE = 5.0


class Waiting(Protocol):
    """What waits for vectors, of one kind."""

    kind: str

    async def take(self, limit: int) -> list[tuple[str, str]]:
        """Some of what waits, the most urgent first: uuid and text."""

    async def store(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """Stores vectors by uuid; they wait no longer."""

    async def fail(self, uuids: Sequence[str]) -> None:
        """Counts a failed attempt."""


class WaitingMessages:
    """An owner's messages that wait for a vector."""

    kind = "messages"

    def __init__(self, messages: MessageStore, space: Space) -> None:
        self._messages = messages
        self._space = space

    async def take(self, limit: int) -> list[tuple[str, str]]:
        """See `Waiting`."""
        return [(uuid, content or " ") for uuid, content in await self._messages.pending(limit)]

    async def store(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """See `Waiting`."""
        self._space.check(vectors.values())
        await self._messages.store_embeddings(self._space.property, vectors)

    async def fail(self, uuids: Sequence[str]) -> None:
        """See `Waiting`."""
        await self._messages.fail_embeddings(uuids)


class WaitingScopes:
    """A project's scopes that wait for a vector, those that are used most first."""

    kind = "scopes"

    def __init__(self, scopes: ScopeStore, project: str) -> None:
        self._scopes = scopes
        self._project = project

    async def take(self, limit: int) -> list[tuple[str, str]]:
        """See `Waiting`."""
        return [(row["uuid"], embedding_text(row)) for row in await self._scopes.pending(self._project, limit)]

    async def store(self, vectors: Mapping[str, Sequence[float]]) -> None:
        """See `Waiting`."""
        await self._scopes.store_embeddings(self._project, vectors)

    async def fail(self, uuids: Sequence[str]) -> None:
        """See `Waiting`."""
        await self._scopes.fail_embeddings(self._project, uuids)


class Background:
    """One task that embeds what waits, woken after each turn; what a crash leaves is found again by its label.

    Args:
        embedder: makes the vectors; None: nothing is ever due.
        waiting: what is embedded; the first kind goes before the second, batch by batch.
    """

    def __init__(self, embedder: Embedder | None, waiting: Sequence[Waiting]) -> None:
        self._embedder = embedder
        self._waiting = tuple(waiting)
        self._wake = asyncio.Event()
        self._idle = {each.kind: asyncio.Event() for each in waiting}
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """There may be something new."""
        if self._embedder is None:
            return
        for idle in self._idle.values():
            idle.clear()
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="ragforge-background")

    async def drain(self, timeout: float | None = None, *, kinds: Sequence[str] | None = None) -> dict[str, int]:
        """Waits until nothing is due.

        Args:
            timeout: seconds; None: as long as it takes.
            kinds: only what is of these kinds.

        Returns:
            How much is left, by kind, at most 1,000 of each counted; empty: nothing.
        """
        if self._embedder is None:
            return {}
        if self._task is None or all(idle.is_set() for idle in self._idle.values()):
            self.wake()
        wanted = [each for each in self._waiting if kinds is None or each.kind in kinds]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                for each in wanted:
                    await self._idle[each.kind].wait()
                return {}
        left = {each.kind: len(await each.take(1_000)) for each in wanted}
        return {kind: count for kind, count in left.items() if count}

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
                await self._embed_all()
            except RagforgeError as error:
                log.warning("embedding in the background failed, trying again: %s", error)
                await asyncio.sleep(_PAUSE_AFTER_FAILURE)
                self._wake.set()

    async def _embed_all(self) -> None:
        """Embeds batch by batch until nothing waits; what is more urgent goes first each time."""
        while True:
            for each in self._waiting:
                waiting = await each.take(_BATCH)
                if waiting:
                    await self._embed(each, waiting)
                    break
                if not self._wake.is_set():
                    self._idle[each.kind].set()
            else:
                return

    async def _embed(self, kind: Waiting, waiting: list[tuple[str, str]]) -> None:
        assert self._embedder is not None
        uuids = [uuid for uuid, _ in waiting]
        try:
            vectors = await self._embedder.embed_passages([text for _, text in waiting])
        except EmbeddingError:
            await kind.fail(uuids)
            raise
        await kind.store(dict(zip(uuids, vectors, strict=True)))
