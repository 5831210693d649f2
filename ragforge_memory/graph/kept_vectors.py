"""Vectors of long conversations that this process keeps, since a vector index searches them slower and misses more.

They are a copy, made in the background once a long conversation is searched: until it is there the index answers, and
always for what came after it. A vector of a message never changes but by `reembed`, which moves to another space, and
where its conversation was deleted and restored: that it was not, and that the last message of a copy is still where it
was, is asked with every search.
"""

from __future__ import annotations

import asyncio
import logging
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ragforge_memory.errors import GraphUnavailable, foreign
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.models.lineage import Lineage
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragforge_memory.graph.spaces import Space
    from ragforge_memory.retrieval.nearest import NearestVectors

log = logging.getLogger(__name__)

LONG = 5_000
"""Messages from which on a conversation's vectors are kept: up to so many the index found all of the ten nearest."""

MOST_BYTES = 400_000_000
"""What they may take: 320,000 vectors of 384 floats, 107,000 of 1,536."""

PAGE = 2_000
"""Messages that are read at once, in some 40 ms."""

_GROWN = 200
"""Messages by which a conversation grows until its copy does."""

# Times as long as a conversation was when its copy was begun: then what it was fitted to is little of it.
_OUTGROWN = 2
# Seconds until what waits for its vector is looked at again.
_REST = 5.0
# What is still being written, or was just interrupted, is near the end of its conversation.
_UNSETTLED = 20
# A seq and a time, as Python has them.
_TIME_BYTES = 150
_MOST_LINEAGES = 1_000


class Near(NamedTuple):
    """One message, its time as the server wrote it, and its cosine."""

    conversation_id: str
    seq: int
    time: str
    user: bool
    cosine: float


@dataclass(slots=True)
class _Copy:
    """The vectors of one conversation's messages up to and with ``top``."""

    conversation_id: str
    space: Space
    vectors: NearestVectors
    top: int
    known: int
    """The last seq that there was when it was begun."""
    restored: str
    """When its conversation was last restored; empty: never."""
    last: str = ""
    """The uuid of its last message."""
    seqs: list[int] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    users: list[bool] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        return len(self.seqs) * _bytes_of(self.space)


class Kept:
    """What is kept of one lineage at a moment; it does not change while the index is asked for the rest.

    Args:
        copies: of its parts, with the seq up to which each is taken, and its last message.
    """

    def __init__(self, copies: Sequence[tuple[_Copy, int, dict[str, Any]]] = ()) -> None:
        self._copies = copies

    @property
    def tops(self) -> dict[str, int]:
        """Of which conversations, up to and with which seq; empty: nothing is kept."""
        return {copy.conversation_id: top for copy, top, _ in self._copies}

    def up_to(self, floor: int) -> Kept:
        """What is kept of the messages up to and with a seq."""
        return Kept([(copy, min(top, floor), end) for copy, top, end in self._copies])

    @property
    def ends(self) -> dict[str, dict[str, Any]]:
        """The same as the statement takes it, with the last message of each copy."""
        return {copy.conversation_id: {"top": top, **end} for copy, top, end in self._copies}

    def nearest(self, vector: Sequence[float], limit: int) -> list[Near]:
        """The ``limit`` messages that are nearest to a vector, nearest first."""
        found: list[Near] = []
        for copy, top, _ in self._copies:
            numbers, cosines = copy.vectors.nearest(vector, limit, among=bisect_right(copy.seqs, top))
            found += [
                Near(copy.conversation_id, copy.seqs[number], copy.times[number], copy.users[number], cosine)
                for number, cosine in zip(numbers.tolist(), cosines.tolist(), strict=True)
            ]
        return sorted(found, key=lambda near: -near.cosine)[:limit]


class _Wanted(NamedTuple):
    conversation_id: str
    space: Space
    floor: int
    until: int


class KeptVectors(OwnerStore):
    """What one process keeps of one owner's long conversations; the least recently searched goes first.

    Args:
        least: messages of a conversation of which a copy is made.
        most_bytes: memory that the copies take together.
    """

    def __init__(self, client: GraphClient, owner: Owner, *, least: int = LONG, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(client, owner)
        self._least = least
        self._most_bytes = most_bytes
        self._copies: OrderedDict[str, _Copy] = OrderedDict()
        self._lineages: OrderedDict[str, Lineage] = OrderedDict()
        self._refused: set[tuple[str, Space]] = set()
        self._resting: dict[str, float] = {}
        self._wanted: dict[str, _Wanted] = {}
        self._task: asyncio.Task[None] | None = None

    def of(self, space: Space, conversation_id: str) -> Kept:
        """What is kept of a conversation's lineage."""
        found = []
        for part in self._lineages.get(conversation_id, ()):
            copy = self._copies.get(part.conversation_id)
            if copy is not None and copy.space == space and copy.seqs:
                self._copies.move_to_end(part.conversation_id)
                end = {"seq": copy.seqs[-1], "last": copy.last, "restored": copy.restored}
                found.append((copy, min(part.top, copy.top), end))
        return Kept(found)

    def notice(self, space: Space, lineage: Lineage, head: int) -> None:
        """A lineage was searched: makes or continues the copies of what is long in it, in the background.

        Args:
            head: its last seq.
        """
        floor = 0
        for part in lineage:
            name, top = part.conversation_id, min(part.top, head)
            if top - floor >= self._least and (name, space) not in self._refused:
                self._remember(lineage)
                copy = self._copies.get(name)
                if copy is not None and (copy.space != space or top - floor > _OUTGROWN * (copy.known - floor)):
                    self._copies.pop(name)
                    copy = None
                known = copy.top if copy is not None else floor
                grown = top - _UNSETTLED - known >= min(_GROWN, self._least)
                if grown and self._resting.get(name, 0.0) <= time.monotonic():
                    self._wanted[name] = _Wanted(name, space, floor, top - _UNSETTLED)
            floor = max(floor, top)
        if self._wanted and self._task is None:
            self._task = asyncio.create_task(self._copy_all(), name="ragforge-kept-vectors")

    def forget(self, conversation_id: str) -> None:
        """A conversation is gone."""
        for part in self._lineages.pop(conversation_id, ()):
            self._copies.pop(part.conversation_id, None)

    def clear(self) -> None:
        """All vectors have moved."""
        self._copies.clear()

    async def settled(self) -> None:
        """Waits until every copy is made."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def aclose(self) -> None:
        """Ends what is being copied, and lets the copies go."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._copies.clear()
        self._lineages.clear()

    def _remember(self, lineage: Lineage) -> None:
        self._lineages[lineage[-1].conversation_id] = lineage
        self._lineages.move_to_end(lineage[-1].conversation_id)
        while len(self._lineages) > _MOST_LINEAGES:
            self._lineages.popitem(last=False)

    async def _copy_all(self) -> None:
        try:
            while self._wanted:
                wanted = self._wanted.pop(next(iter(self._wanted)))
                try:
                    await self._copy(wanted)
                except GraphUnavailable as error:
                    log.debug("the vectors of %s are copied later: %s", wanted.conversation_id, error)
                except Exception as error:  # a task that nobody asks for its result
                    log.debug("a copy failed", exc_info=foreign(error))
                    self._refuse(wanted, error)
        finally:
            self._task = None

    def _refuse(self, wanted: _Wanted, why: object) -> None:
        log.info("%s is searched by the index alone: %s", wanted.conversation_id, why)
        self._refused.add((wanted.conversation_id, wanted.space))
        self._copies.pop(wanted.conversation_id, None)

    async def _copy(self, wanted: _Wanted) -> None:
        name = wanted.conversation_id
        copy = self._copies.get(name) or await self._begun(wanted)
        while copy is not None and copy.top < wanted.until and self._copies.get(name) is copy:
            until = min(copy.top + PAGE, wanted.until)
            page = await self._page(wanted, copy.top, until)
            if page is None or page["restored"] != copy.restored:
                self._copies.pop(name, None)
                return
            taken, matrix = await asyncio.to_thread(_unit, page["vectors"], wanted.space.dimension)
            await asyncio.to_thread(copy.vectors.add, matrix)
            for column in ("seqs", "times", "users"):
                getattr(copy, column).extend(page[column][at] for at in taken)
            copy.last = page["uuids"][taken[-1]] if taken else copy.last
            waiting = page["waiting"]
            copy.top = until if waiting is None else waiting - 1
            if waiting is not None:
                self._resting[name] = time.monotonic() + _REST
                return

    async def _page(self, wanted: _Wanted, above: int, until: int, step: int = 1) -> dict[str, Any] | None:
        rows = await self._read(
            "vectors_of_history",
            timeout=PATIENT_TIMEOUT,
            recover=False,
            conversation_id=wanted.conversation_id,
            above=above,
            up_to=until,
            step=step,
            property=wanted.space.property,
            dimension=wanted.space.dimension,
        )
        return rows[0] if rows else None

    async def _begun(self, wanted: _Wanted) -> _Copy | None:
        """A new copy, for which others make room; None: it would take too much, or too little has a vector yet."""
        from ragforge_memory.retrieval.nearest import NearestVectors

        count = wanted.until - wanted.floor
        room = self._most_bytes - count * _bytes_of(wanted.space)
        if room < 0:
            self._refuse(wanted, f"its {count:,} vectors take more than {self._most_bytes:,} bytes")
            return None
        page = await self._page(wanted, wanted.floor, wanted.until, step=-(-count // PAGE))
        if page is None:
            return None
        _, sample = await asyncio.to_thread(_unit, page["vectors"], wanted.space.dimension)
        if len(sample) < min(_GROWN, self._least):  # too few to know where the others lie
            self._resting[wanted.conversation_id] = time.monotonic() + _REST
            return None
        while sum(other.bytes for other in self._copies.values()) > room:
            self._copies.popitem(last=False)
        vectors = await asyncio.to_thread(NearestVectors, sample, count)
        copy = _Copy(wanted.conversation_id, wanted.space, vectors, wanted.floor, wanted.until, page["restored"])
        self._copies[wanted.conversation_id] = copy
        return copy


def _unit(packed: Sequence[bytes], dimension: int) -> tuple[list[int], NDArray[np.float32]]:
    """Which of some vectors have a direction, since others are near to nothing; and these at length 1, one a row."""
    import numpy as np

    rows = np.frombuffer(b"".join(packed), dtype=">f4").reshape(-1, dimension).astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    unit = rows[usable] / lengths[usable, None]
    return np.flatnonzero(usable).tolist(), unit.astype(np.float32)


def _bytes_of(space: Space) -> int:
    from ragforge_memory.retrieval.nearest import bytes_of

    return bytes_of(space.dimension) + _TIME_BYTES
