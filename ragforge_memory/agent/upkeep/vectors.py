"""Work that no answer waits for: vectors of messages and of scopes, found by their label in the graph."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ragforge_memory.embeddings.pages import PAGE, answers, embed_page
from ragforge_memory.errors import EmbeddingError, RagforgeError, SpaceMoved, foreign
from ragforge_memory.ingest.embed import embed_waiting

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector
    from ragforge_memory.graph.scopes import ScopeStore
    from ragforge_memory.graph.spaces import Space, SpaceInUse
    from ragforge_memory.graph.waiting import WaitingText

log = logging.getLogger(__name__)

_PAUSE_AFTER_FAILURE = 5.0
# So often in a row an embedder may fail until nobody waits for it who has not said how long.
_FAILURES = 3
# So long what a turn wrote rests: its answer is on the way to whoever waits for it, and turns that end together share a
# write.
_REST = 0.25
# Seconds after which a process that lives on looks for what others left to it.
LOOK_AGAIN = 15.0
# A process that ends after one answer leaves this many messages without a vector: loading the model takes it 0.4 s.
LEFT_BY_BRIEF = 64


class _Node(Protocol):
    @property
    def uuid(self) -> str:
        """What it is known by."""


T = TypeVar("T", bound=_Node)


class Waiting(Protocol):
    """What waits for vectors, of one kind.

    ``look``: something may wait that nobody has offered; cleared once the graph was asked and had nothing.
    """

    kind: str
    look: bool

    async def embed(self, embedder: Embedder, stop: Callable[[], bool]) -> int:
        """Embeds some of it, the most urgent first, until ``stop``; returns how many, 0 where nothing waits."""

    async def count(self) -> int:
        """How many wait."""


class PendingStore(Protocol[T]):
    """A store of an owner's of whose nodes some wait for vectors."""

    async def pending(self, limit: int) -> list[T]:
        """Those that wait."""

    async def store(self, space: Space, vectors: Sequence[tuple[T, Sequence[float]]]) -> int:
        """Stores vectors for them."""

    async def fail_embeddings(self, uuids: Sequence[str]) -> None:
        """Counts an attempt that failed."""

    async def count_pending(self) -> int:
        """How many wait."""


class WaitingNodes(Generic[T]):
    """What waits for a vector of one of an owner's stores.

    Args:
        kind: what it is called.
        store: where it is.
        vectors: makes the vectors of some, with an embedder.
        space: where they go; nothing is embedded while that is nowhere.
        at_least: so many must wait before any is embedded; then all are.
    """

    def __init__(
        self,
        kind: str,
        store: PendingStore[T],
        vectors: Callable[[Sequence[T], Embedder], Awaitable[Sequence[Vector]]],
        space: SpaceInUse,
        *,
        at_least: int = 1,
    ) -> None:
        self.kind = kind
        self._store = store
        self._vectors = vectors
        self._use = space
        self._at_least = at_least
        self._offered: list[T] = []
        self.look = True

    def offer(self, some: Sequence[T]) -> None:
        """Has some embedded that this process has just written, without asking the graph for them."""
        if self._at_least > 1 or len(self._offered) + len(some) > PAGE:
            self.look = True  # they have their label
        else:
            self._offered += some

    async def embed(self, embedder: Embedder, stop: Callable[[], bool]) -> int:
        """One page: what was offered, else what waits in the graph where there may be something."""
        space = self._use.space
        if space is None:
            return 0
        try:
            return await self._embed(await self._page(), space, embedder, stop)
        except BaseException:
            self.look = True
            raise

    async def _page(self) -> list[T]:
        if self._offered:
            page, self._offered = self._offered, []
            return page
        if not self.look:
            return []
        self.look = False
        if self._at_least > 1 and await self._store.count_pending() < self._at_least:
            return []
        self._at_least = 1
        page = await self._store.pending(PAGE)
        self.look = self.look or bool(page)
        return page

    async def _embed(self, waiting: list[T], space: Space, embedder: Embedder, stop: Callable[[], bool]) -> int:
        if not waiting:
            return 0

        async def store(made: Sequence[tuple[T, Vector]]) -> int:
            # What has changed meanwhile goes on waiting: it counts, so that it is looked for again.
            await self._store.store(space, made)
            return len(made)

        async def fail(some: Sequence[T]) -> None:
            await self._store.fail_embeddings([each.uuid for each in some])

        async def vectors(some: Sequence[T]) -> Sequence[Vector]:
            return await self._vectors(some, embedder)

        try:
            stored = await embed_page(
                waiting, vectors=vectors, store=store, fail=fail, answers=partial(answers, embedder), stop=stop
            )
        except SpaceMoved:
            await self._use.left(space)
            self.look = True
            return await self.embed(embedder, stop)
        self.look = self.look or stored < len(waiting)
        return stored

    async def count(self) -> int:
        """How many wait."""
        return await self._store.count_pending()


async def text_vectors(some: Sequence[WaitingText], embedder: Embedder) -> Sequence[Vector]:
    """The vectors of texts that wait."""
    return await embedder.embed_passages([each.text for each in some])


class WaitingScopes:
    """A project's scopes that wait for a vector, those that are used most first."""

    kind = "scopes"

    def __init__(self, scopes: ScopeStore, project: str) -> None:
        self._scopes = scopes
        self._project = project
        self.look = True

    async def embed(self, embedder: Embedder, stop: Callable[[], bool]) -> int:
        """One page, batch by batch."""
        if not self.look:
            return 0
        self.look = False
        try:
            stored = await embed_waiting(self._scopes, self._project, embedder, limit=PAGE, stop=stop)
        except SpaceMoved:
            self.look = True
            return await self.embed(embedder, stop)
        except BaseException:
            self.look = True
            raise
        self.look = self.look or bool(stored) or stop()
        return stored

    async def count(self) -> int:
        """How many wait."""
        return await self._scopes.count_pending(self._project)


class VectorTask:
    """One task that embeds what waits, woken after each turn; what a crash leaves is found again by its label.

    Args:
        embedder: makes the vectors; None: nothing is ever due.
        waiting: what is embedded; the first kind goes before the second, batch by batch.
        looks: whether it looks every 15 s for what other processes left.
    """

    def __init__(self, embedder: Embedder | None, waiting: Sequence[Waiting], *, looks: bool = True) -> None:
        self._embedder = embedder
        self._looks = looks
        self._waiting = tuple(waiting)
        self._wake = asyncio.Event()
        self._idle = {each.kind: asyncio.Event() for each in waiting}
        self._failures = 0
        self._looked = 0.0
        self._hopeless = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._resting: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """At opening: a process that lives on looks from time to time for what others left."""
        if self._looks and self._embedder is not None and self._task is None:
            for idle in self._idle.values():
                idle.set()
            self._task = asyncio.create_task(self._run(), name="ragforge-background")

    def wake(self, kinds: Sequence[str] | None = None) -> None:
        """There may be something new: of these kinds in the graph (None: of all; none: what was offered)."""
        if self._embedder is None:
            return
        self._waits(kinds)
        self._rest_no_more()
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="ragforge-background")

    def wake_soon(self, kinds: Sequence[str] = ()) -> None:
        """As `wake`, a moment later."""
        if self._embedder is None:
            return
        self._waits(kinds)
        if self._resting is None:
            self._resting = asyncio.get_running_loop().call_later(_REST, self.wake, ())

    async def drain(self, timeout: float | None = None, *, kinds: Sequence[str] | None = None) -> dict[str, int]:
        """Waits until nothing is due.

        Args:
            timeout: seconds; None: as long as it takes, or until the embedder has failed three times in a row.
            kinds: only what is of these kinds.

        Returns:
            How much is left, by kind; empty: nothing.
        """
        if self._embedder is None:
            return {}
        self.wake()
        self._failures = 0
        self._hopeless.clear()
        wanted = [each for each in self._waiting if kinds is None or each.kind in kinds]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                if await self._all_idle(wanted, patient=timeout is not None):
                    return {}
        left = {each.kind: await each.count() for each in wanted}
        return {kind: count for kind, count in left.items() if count}

    async def aclose(self) -> None:
        """Ends the task; what it has not done stays labelled in the graph."""
        self._rest_no_more()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    def _rest_no_more(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None

    def _waits(self, kinds: Sequence[str] | None) -> None:
        for each in self._waiting:
            each.look = each.look or kinds is None or each.kind in kinds
        for idle in self._idle.values():
            idle.clear()

    async def _all_idle(self, wanted: Sequence[Waiting], *, patient: bool) -> bool:
        """Waits until nothing is due; False where the embedder goes on failing and nobody is ``patient``."""

        async def idle() -> bool:
            for each in wanted:
                await self._idle[each.kind].wait()
            return True

        waits = [asyncio.create_task(idle())]
        if not patient:
            waits.append(asyncio.create_task(self._hopeless.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return waits[0].done()
        finally:
            for each in waits:
                each.cancel()

    async def _run(self) -> None:
        self._looked = asyncio.get_running_loop().time()
        while True:
            await self._woken()
            self._wake.clear()
            try:
                await self._embed_all()
                self._failures = 0
            except Exception as error:  # nothing may end the task: what waits would wait for ever
                log.warning("embedding in the background failed, trying again: %s", error, exc_info=foreign(error))
                self._failures += isinstance(error, EmbeddingError)
                if self._failures >= _FAILURES:
                    self._hopeless.set()
                await asyncio.sleep(_PAUSE_AFTER_FAILURE)
                self._wake.set()

    async def _woken(self) -> None:
        """Waits until there may be something: somebody says so, or others have left something."""
        loop = asyncio.get_running_loop()
        while self._looks:
            rest = self._looked + LOOK_AGAIN - loop.time()
            if rest > 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(rest):
                        await self._wake.wait()
                        return
            self._looked = loop.time()
            # A server that is away, or was stopped, is not started for this.
            with contextlib.suppress(RagforgeError):
                for each in self._waiting:
                    each.look = each.look or bool(await each.count())
                if any(each.look for each in self._waiting):
                    return
        await self._wake.wait()

    async def _embed_all(self) -> None:
        """Embeds until nothing waits; what is more urgent goes first each time somebody wakes us."""
        assert self._embedder is not None
        for each in self._waiting:
            while await each.embed(self._embedder, self._wake.is_set):
                if self._wake.is_set():
                    return
            if not self._wake.is_set() and self._resting is None:
                self._idle[each.kind].set()
