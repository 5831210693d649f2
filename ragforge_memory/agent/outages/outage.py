"""An outage: from the first turn that the graph fails until all that was said meanwhile is in it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection
from contextvars import Context

from ragforge_memory.errors import GraphUnavailable, RagforgeError
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.journal import Journal

log = logging.getLogger(__name__)

# Seconds between two looks whether the graph is back: the first ones soon, for most outages are short.
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0
# Seconds to store what waits when the agent is closed. Only a graph that answers is given them.
_LAST_CHANCE = 10.0


class Outage:
    """Opens the graph's breaker, looks in the background whether the graph is back, and closes it once it answers.

    Args:
        graph: the graph.
        journal: what waits in it of a conversation is stored before turns of that conversation use the graph again.
        replay: stores all that waits; raises GraphUnavailable where the graph is still away.

    Attributes:
        held_up: conversations of which something waits in the journal: the graph has just come back, was too busy to
            take it, or their files do not take it (they are lost, say). Their turns go to the journal as long as that
            lasts; all others go on.
        unwritable: those of them whose files do not take it.
    """

    def __init__(self, graph: GraphClient, journal: Journal, replay: Callable[[], Awaitable[None]]) -> None:
        self._graph = graph
        self._journal = journal
        self._replay = replay
        self._mending: asyncio.Task[None] | None = None
        self._pause = _FIRST_PAUSE
        self._closed = False
        self._soon = asyncio.Event()
        self.replaying = asyncio.Lock()
        self.held_up: set[str] = set()
        self.unwritable: set[str] = set()
        self._looked = asyncio.Event()
        graph.breaker.on_open = self._opened

    @property
    def is_on(self) -> bool:
        """Whether turns go to the journal at once."""
        return self._graph.breaker.is_open

    @property
    def waiting(self) -> int:
        """How many turns, and conversations without any, wait on disk."""
        waiting = self._journal.waiting()
        turns = {turn.conversation_id for turn in waiting.turns.values()}
        return len(waiting.turns) + len(waiting.creations.keys() - turns)

    async def drain(self, timeout: float | None) -> int:
        """Waits until nothing waits on disk but for files that cannot be written; returns how much is left.

        Args:
            timeout: seconds; None: as long as it takes.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while self._journal.waiting(besides=self.unwritable) and not self._mended_all:
                    await self._looked.wait()
        return self.waiting

    @property
    def _mended_all(self) -> bool:
        return self._mending is None or self._mending.done()

    def begin(self, error: GraphUnavailable) -> None:
        """The graph has failed a turn. One that is busy is there all the same."""
        self._graph.breaker.trip(error)

    def waits(self, conversation_id: str) -> None:
        """Something of a conversation was journalled just now: where the graph is there, it is stored before other
        turns of that conversation use the graph."""
        if not self.is_on:
            self.held_up.add(conversation_id)
            self._mend_soon()

    def stored(self, conversation_id: str | None, *, besides: Collection[str] = ()) -> None:
        """Nothing waits any more of a conversation, or of any ``besides`` some."""
        if conversation_id is None:
            self.held_up.intersection_update(besides)
            self.unwritable.intersection_update(besides)
        else:
            self.held_up.discard(conversation_id)
            self.unwritable.discard(conversation_id)

    def soon(self) -> None:
        """The graph has answered somebody just now: it is looked at once more at once."""
        self._soon.set()

    async def over(self) -> None:
        """Waits until the graph is back and has all that was said meanwhile; at once where it is there."""
        if self._mending is not None:
            await asyncio.wait((self._mending,))

    async def aclose(self) -> None:
        """Looks once more whether the graph is back, and stores what waits where it is; starts no server.

        What waits then stays in the journal, for the next process.
        """
        self._closed = True
        if self._mending is not None:
            self._mending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._mending
        if self.is_on or self._journal.waiting():
            with contextlib.suppress(RagforgeError, TimeoutError):
                async with asyncio.timeout(_LAST_CHANCE):
                    await self._mended(restart=False)
            if left := self.waiting:
                log.warning("%s turns wait on disk for the next process with this graph", left)

    def _opened(self, error: GraphUnavailable) -> None:
        log.warning("turns go to the journal: %s", error)
        self._mend_soon()

    def _mend_soon(self) -> None:
        if not self._mended_all:
            self.soon()
        elif not self._closed:
            self._pause = _FIRST_PAUSE
            # In a context of its own: it is not a part of the turn that found the graph away, and is in no hurry.
            self._mending = asyncio.get_running_loop().create_task(
                self._mend(), name="ragforge-outage", context=Context()
            )

    async def _mended(self, *, restart: bool) -> bool:
        """Whether the graph is back and has all that was said."""
        if not await self._graph.answers(restart=restart):
            return False
        if self.is_on:
            # Nothing is awaited between this look and the closing: a turn either waits in the journal by now, and holds
            # up its conversation, or goes on.
            waiting = self._journal.waiting()
            self.held_up.update(waiting.creations, (turn.conversation_id for turn in waiting.turns.values()))
            self._graph.breaker.close()
            log.warning("the graph is back")
        await self._replay()
        return not self.held_up

    async def _mend(self) -> None:
        while True:
            self._soon.clear()
            try:
                if await self._mended(restart=True):
                    return
            except GraphUnavailable as error:
                self._graph.breaker.trip(error)
                self._soon.clear()
                log.info("the graph is not back yet: %s", error)
            except RagforgeError as error:
                log.info("the graph is not back yet: %s", error)
            except Exception:
                log.exception("what waits in the journal could not be stored; trying again")
            finally:
                looked, self._looked = self._looked, asyncio.Event()
                looked.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pause):
                    await self._soon.wait()
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)
