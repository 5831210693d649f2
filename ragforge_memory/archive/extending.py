"""Going on with a conversation that is here: what is new comes behind what is stored, in a branch where both part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ragforge_memory.agent import branches
from ragforge_memory.archive.identity import Name, has_grown, says_the_same
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.imports import ImportBatch, ImportStore, Known, renamed
from ragforge_memory.graph.messages import CodeTies
from ragforge_memory.text.titles import title_of

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.archive.transcript_messages import Batch

Row = Mapping[str, Any]

OLDER = "older than what is here"
"""How messages are counted that stand before stored ones and are not among them."""


@dataclass(frozen=True, slots=True)
class Place:
    """The last message that a source and a conversation have both: ``seq`` of ``head_seq`` there."""

    conversation_id: str
    message_id: str
    seq: int
    head_seq: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """What a batch and the graph have both: up to and with the row ``last``. ``names`` are the uuids of what is stored
    under another one; ``missing`` rows before ``last`` are not here."""

    place: Place
    last: int
    missing: int
    grown: Sequence[tuple[Known, Row]]
    names: Mapping[str, str]


def meeting(batch: Batch, known: Mapping[str, Known]) -> Meeting | None:
    """Where a batch leaves what is stored; None where nothing of it is.

    The newest message that is here decides: whatever was said before it in its source is behind it already.
    """
    here = {
        index: found
        for index, row in enumerate(batch.rows)
        if (found := _stored(batch.names[row["uuid"]], row, known)) is not None
    }
    if not here:
        return None
    last = max(here)
    end = here[last]
    names = {batch.rows[index]["uuid"]: found.uuid for index, found in here.items()}
    names = {given: now for given, now in names.items() if given != now}
    rows = renamed(batch.rows, names)
    return Meeting(
        place=Place(str(end.conversation_id), end.uuid, end.seq, end.head_seq),
        last=last,
        missing=last + 1 - len(here),
        grown=[
            (found, rows[index])
            for index, found in here.items()
            if found.source_hash is not None and has_grown(found.source_hash, batch.rows[index])
        ],
        names=names,
    )


def _stored(name: Name, row: Row, known: Mapping[str, Known]) -> Known | None:
    """The stored message that a row is."""
    for uuid in (name.uuid, *name.others):
        found = known.get(uuid)
        if found is None or found.conversation_id is None or found.hidden:
            continue
        if (name.given and uuid == name.uuid) or says_the_same(found.source_hash, row):
            return found
    return None


class Extension:
    """One conversation that is here and goes on, batch by batch.

    Attributes:
        place: where it stands now; None as long as nothing of it was found here.
        root: the conversation that its first message is of, and what it is called.
        branched: whether a branch was made for what is new.
        completed: messages of which more was said.
        missing: messages that are not here, before some that are.
    """

    def __init__(self, services: Services, store: ImportStore) -> None:
        self._services = services
        self._store = store
        self._names: dict[str, str] = {}
        self._is_open = False
        self.place: Place | None = None
        self.root: tuple[str, str | None] | None = None
        self.branched = False
        self.messages = self.tool_calls = self.completed = self.missing = 0

    async def take(self, batch: Batch, known: Mapping[str, Known]) -> Mapping[str, CodeTies] | None:
        """Adds what is new of a batch; returns what it mentions, or None where nothing of the conversation is here.

        Raises:
            UuidTaken: somebody else has gone on with it meanwhile; `again` and a new look set that right.
            InvalidInput: its texts are in files that this agent does not read.
        """
        met = meeting(batch, known)
        if met is None and self.place is None:
            return None
        rest = batch.rows
        if met is not None:
            if batch.after == 0 and (first := _stored(batch.names[rest[0]["uuid"]], rest[0], known)) is not None:
                self.root = (str(first.conversation_id), first.title)
            self.place, self._is_open = met.place, False
            self._names |= met.names
            self.missing += met.missing
            self.completed += await self._store.complete(met.grown)
            rest = rest[met.last + 1 :]
        ties = await self._append(batch, rest, known) if rest else {}
        moved = self._names.get(batch.question or "")
        self._names = {batch.question: moved} if batch.question and moved else {}
        return ties

    async def again(self) -> None:
        """Looks anew where its conversation ends."""
        if self.place is not None:
            info = await self._services.stores.conversations.get(self.place.conversation_id)
            place = self.place
            self.place = Place(place.conversation_id, place.message_id, place.seq, info.head_seq)
            self._is_open = False

    async def _append(self, batch: Batch, rest: Sequence[Row], known: Mapping[str, Known]) -> Mapping[str, CodeTies]:
        made, place = await self._opened()
        for row in rest:
            if row["uuid"] in known:
                self._names[row["uuid"]] = self._free(batch.names[row["uuid"]], known)
        rows = renamed([dict(row) for row in rest], self._names)
        asked = next((title_of(row["content"]) for row in rows if row["role"] == "user"), None)
        try:
            await self._store.write([ImportBatch(place.conversation_id, rows, after=place.seq, title=asked)])
        except BaseException:
            if made:
                await self._take_away(place.conversation_id)
            raise
        end = place.seq + len(rows)
        self.place, self._is_open = Place(place.conversation_id, rows[-1]["uuid"], end, end), True
        self.branched = self.branched or made
        self.messages += len(rows)
        self.tool_calls += sum(len(row["tool_calls"]) for row in rows)
        new = {row["uuid"] for row in rest}
        return {self._names.get(uuid, uuid): ties for uuid, ties in batch.ties.items() if uuid in new}

    async def _opened(self) -> tuple[bool, Place]:
        """Where what is new goes, and whether a branch was made for it."""
        place = self.place
        assert place is not None
        if self._is_open:
            return False, place
        info = await self._services.stores.conversations.get(place.conversation_id)
        self._services.place.check_readable(info)
        if place.seq == place.head_seq:
            return False, place
        branch = await branches.branch(self._services, place.conversation_id, from_message_id=place.message_id)
        return True, Place(branch.uuid, place.message_id, place.seq, place.seq)

    def _free(self, name: Name, known: Mapping[str, Known]) -> str:
        """A uuid for a message whose own is somebody's: always the same, where that can be."""
        for uuid in (name.uuid, *name.others[-1:]):
            holder = known.get(uuid)
            if holder is None:
                return uuid
            if holder.conversation_id is None:
                return self._store.other_uuid(uuid)
        return uuid4().hex

    async def _take_away(self, uuid: str) -> None:
        import anyio

        with anyio.CancelScope(shield=True), suppress(RagforgeError):
            await self._services.stores.conversations.delete(uuid)
