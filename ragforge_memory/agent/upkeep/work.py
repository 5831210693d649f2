"""All that no answer waits for, each sort in a task of its own: a slow model holds up no vector."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from ragforge_memory.errors import GraphTimeout, GraphUnavailable, foreign

if TYPE_CHECKING:
    from ragforge_memory.agent.upkeep.summaries import Summaries
    from ragforge_memory.agent.upkeep.vectors import VectorTask, WaitingNodes
    from ragforge_memory.agent.upkeep.woken import WokenWork
    from ragforge_memory.graph.waiting import WaitingText
    from ragforge_memory.models.conversation import ConversationInfo

log = logging.getLogger(__name__)

_PAUSE_AFTER_FAILURE = 5.0
# What another process has, or what rests after a failure, is looked at again after this long at most.
_LONGEST_REST = 1.0
_SHORTEST_REST = 0.05


class SummaryTask:
    """One task that makes summaries and titles, found by their label in the graph, one conversation after another.

    Args:
        summaries: does the work.
        written: called after something was written that needs a vector.
        brief: this process ends after one answer: what was due before is made beside it, and what it makes due itself
            is left to the next, since a model that is asked at the end would be asked in vain; until it is drained.
    """

    kind = "summaries"

    def __init__(self, summaries: Summaries, written: Callable[[], None], *, brief: bool = False) -> None:
        self._summaries = summaries
        self._written = written
        self._brief = brief
        self._hurried = False
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._quiet = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def started(self) -> bool:
        """Whether it was ever woken."""
        return self._task is not None

    def wake(self) -> None:
        """There may be something due."""
        self._idle.clear()
        self._quiet.clear()
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="ragforge-summaries")

    async def drain(self, timeout: float | None = None) -> int:
        """Waits until nothing is due, what other processes have included; returns how much is left after ``timeout``
        seconds (None: as long as it takes)."""
        self._brief = self._hurried = False
        self.wake()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._idle.wait()
                return 0
        return len(await self._summaries.store.due())

    async def quiet(self, timeout: float | None) -> None:
        """Waits until there is nothing that we ourselves are doing, for at most ``timeout`` seconds (None: as long as
        it takes)."""
        if self._task is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await self._quiet.wait()

    async def aclose(self) -> None:
        """Ends the task; what it has in hand is given back to the graph."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            self._quiet.clear()
            try:
                rest = await self._work()
                self._hurried = self._brief
            except Exception as error:  # nothing may end the task, a user's own model included
                log.warning("summaries in the background failed, trying again: %s", error, exc_info=foreign(error))
                rest = _PAUSE_AFTER_FAILURE
            if self._wake.is_set():
                continue
            self._quiet.set()
            if rest is None:
                self._idle.set()
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(rest):
                    await self._wake.wait()
            self._wake.set()

    async def _work(self) -> float | None:
        """Does all that is free; returns the seconds until something more may be, None where nothing is due."""
        done: set[str] = set()
        failed = False
        while due := await self._summaries.store.due():
            free = [each.conversation_id for each in due if each.wait <= 0]
            if failed and done.issuperset(free):
                return _PAUSE_AFTER_FAILURE
            if not free or done.issuperset(free):
                # Somebody else's, or resting after a failure; or at once due again, which is no reason to hurry.
                soonest = min((each.wait for each in due if each.wait > 0), default=_LONGEST_REST)
                return min(max(soonest, _SHORTEST_REST), _LONGEST_REST)
            for conversation_id in free:
                try:
                    if await self._summaries.bring_up_to_date(conversation_id, hurried=self._hurried):
                        self._written()
                except Exception as error:  # one conversation holds up no other
                    if isinstance(error, GraphUnavailable) and not isinstance(error, GraphTimeout):
                        raise
                    failed = True
                    log.warning("the summary of %s is made later: %s", conversation_id, error, exc_info=foreign(error))
            done.update(free)
        return None


@dataclass(eq=False)
class BackgroundWork:
    """The tasks of one agent.

    Args:
        vectors: embeds what waits.
        summaries: makes summaries and titles; None: there are none.
        deletes: finishes the deletes that a crash cut off; None: there are none.
        retention: deletes what is too old; None: everything is kept.
        messages: takes what was said just now; None: it is looked for in the graph.
        memories: makes memories of what was stated; None: nothing is remembered.
        tool_memories: makes memories of tool calls.
        operations: does what tools of memory could not do in time.
        extraction: looks at what was said, for more; None: it is off.
        topics: makes episodes of talks that rest; None: it does not.
        leaves: what turns make due for it is left to the next process, since a model that is asked at the end would be
            asked in vain; until it is drained.
    """

    vectors: VectorTask
    summaries: SummaryTask | None = None
    deletes: Callable[[], Awaitable[int]] | None = None
    retention: RetentionTask | None = None
    _: KW_ONLY
    messages: WaitingNodes[WaitingText] | None = None
    memories: WokenWork | None = None
    tool_memories: WokenWork | None = None
    operations: WokenWork | None = None
    extraction: WokenWork | None = None
    topics: WokenWork | None = None
    leaves: bool = False
    _deleting: asyncio.Task[None] | None = field(default=None, init=False)

    def begin(self) -> None:
        """At opening: finishes, once, the deletes that others have left undone, looks for what has no vector, and for
        what is too old."""
        self.vectors.begin()
        if self.deletes is not None and self._deleting is None:
            self._deleting = asyncio.create_task(self._finish_deletes(self.deletes), name="ragforge-deletes")
        if self.retention is not None:
            self.retention.begin()
        self._look()

    def wake(self, *, due: bool = False) -> None:
        """There may be something new to embed; ``due``: and a conversation waits for a summary or a title."""
        self.vectors.wake()
        self._look()
        if due:
            self.due()

    def remember(self) -> None:
        """Something waits to become a memory, or to be done."""
        for woken in self._remembering:
            woken.wake()

    def used_tools(self) -> None:
        """An answer with tool calls was stored."""
        if self.tool_memories is not None:
            self.tool_memories.wake()

    def due(self) -> None:
        """A conversation waits for a summary or a title."""
        if self.summaries is not None:
            self.summaries.wake()

    def extract(self) -> None:
        """A turn may have said something to be remembered."""
        if self.extraction is not None and not self.leaves:
            self.extraction.wake()

    def close_topics(self) -> None:
        """A talk may have come to rest."""
        if self.topics is not None:
            self.topics.wake()

    def topic(self) -> None:
        """A conversation waits for the vector of what it is about."""
        self.vectors.wake_soon(("conversation_vectors",))

    def said(self, texts: Sequence[WaitingText]) -> None:
        """These messages were written just now and wait for their vectors."""
        if self.messages is None:
            self.vectors.wake(("messages",))
        else:
            self.messages.offer(texts)
            self.vectors.wake_soon()

    def sweep(self) -> None:
        """Looks once in the life of a process for what others have left undone."""
        if self.summaries is not None and not self.summaries.started:
            self.summaries.wake()

    async def drain(self, timeout: float | None = None, *, kinds: Sequence[str] | None = None) -> dict[str, int]:
        """Waits until nothing is due: summaries first, since they need vectors too.

        Args:
            timeout: seconds; None: as long as it takes.
            kinds: only what is of these kinds.

        Returns:
            How much is left, by kind (``messages``, ``scopes``, ``summaries`` …); empty: nothing.
        """
        remaining = countdown(timeout)
        await self._deleted(remaining)
        works = self._woken if kinds is None else self._remembering
        for woken in works:
            woken.wake()
        for woken in works:
            await woken.quiet(remaining())
        left = 0
        if self.summaries is not None and (kinds is None or SummaryTask.kind in kinds):
            left = await self.summaries.drain(remaining())
        others = await self.vectors.drain(remaining(), kinds=kinds)
        return {SummaryTask.kind: left, **others} if left else others

    async def finish(self, timeout: float) -> dict[str, int]:
        """Before closing: waits for at most ``timeout`` seconds for what is being written, and for no other process.

        Returns:
            The messages and memories that are left without a vector, as `drain` does.
        """
        remaining = countdown(timeout)
        await self._deleted(remaining)
        for woken in self._woken:
            if woken is not self.topics:  # a backlog of talks is the next process's as well
                await woken.quiet(remaining())
        if self.summaries is not None:
            await self.summaries.quiet(remaining())
        return await self.vectors.drain(remaining(), kinds=("messages", "memories"))

    async def aclose(self) -> None:
        """Ends all tasks; what they have not done stays labelled in the graph."""
        if self.retention is not None:
            await self.retention.aclose()
        if self._deleting is not None:
            self._deleting.cancel()
            await asyncio.wait((self._deleting,))
        for woken in self._woken:
            await woken.aclose()
        if self.summaries is not None:
            await self.summaries.aclose()
        await self.vectors.aclose()

    def operations_wait(self) -> None:
        """A tool of memory has left something for later."""
        if self.operations is not None:
            self.operations.wake()

    def _look(self) -> None:
        for woken in self._woken:
            woken.wake()

    @property
    def _remembering(self) -> tuple[WokenWork, ...]:
        """What everything else that is remembered comes from."""
        return tuple(each for each in (self.memories, self.tool_memories, self.operations) if each is not None)

    @property
    def _woken(self) -> tuple[WokenWork, ...]:
        return (*self._remembering, *(each for each in (self.extraction, self.topics) if each is not None))

    async def _deleted(self, remaining: Callable[[], float | None]) -> None:
        if self._deleting is not None:
            await asyncio.wait((self._deleting,), timeout=remaining())
        if self.retention is not None:
            await self.retention.quiet(remaining())

    @staticmethod
    async def _finish_deletes(deletes: Callable[[], Awaitable[int]]) -> None:
        try:
            finished = await deletes()
        except Exception as error:  # a task that nobody asks for its result
            log.warning("deletes that were cut off are left for the next process: %s", error, exc_info=foreign(error))
        else:
            if finished:
                log.info("finished %s deletes that were cut off", finished)


def countdown(timeout: float | None) -> Callable[[], float | None]:
    """What is left of so many seconds from now on, whenever it is asked; None: there is no limit."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    return lambda: None if timeout is None else max(0.0, timeout - (loop.time() - start))


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
