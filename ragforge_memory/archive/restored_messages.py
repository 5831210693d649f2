"""Writing the messages of an archive, batch by batch, each while the next one is read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragforge_memory.agent.turns.patience import abandoned
from ragforge_memory.archive.memories import Waiting
from ragforge_memory.collection import paused_collection
from ragforge_memory.errors import HereAlready, InvalidInput
from ragforge_memory.graph.imports import UuidTaken
from ragforge_memory.graph.restore import RestoreStore
from ragforge_memory.graph.restore_rows import Names, Rows
from ragforge_memory.graph.spaces import Space
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Stores
    from ragforge_memory.models.imports import OnConflict


class Repeated(InvalidInput):
    """A uuid of the archive is that of two nodes of it; ``place`` is that of the second's message."""

    def __init__(self, uuid: str, place: int) -> None:
        super().__init__(f"the uuid {uuid} was there before", hint="nothing was written; mend it and try again")
        self.place = place


_Placed = Sequence[tuple[int, archive.Message]]


class Part(NamedTuple):
    """Messages of one conversation that bring vectors for a space, or that bring none; each with its place."""

    head: str
    space: Space | None
    messages: _Placed
    rows: Sequence[dict[str, Any]]


class MessageWriter:
    """Writes the messages of conversations that were begun, one batch at a time.

    Attributes:
        untied: what its messages shall be tied to and what is not here yet.
        waiting: the like, of memories.
        looks: whether it is looked first whose the uuids are.
    """

    def __init__(self, stores: Stores, store: RestoreStore, names: Names, rows: Rows, on_conflict: OnConflict) -> None:
        self._stores = stores
        self._store = store
        self._names = names
        self._rows = rows
        self._on_conflict = on_conflict
        self._writing: asyncio.Task[None] | None = None
        self.looks = False
        self.untied: list[dict[str, Any]] = []
        self.waiting = Waiting()

    async def parts(
        self, some: Mapping[str, Sequence[archive.Message]], *, space: Space | None, place: int = 0
    ) -> list[Part]:
        """The rows of messages, made in a thread.

        Args:
            some: by the conversation's uuid in the archive, in their order.
            space: where vectors belong; None: they are left out.
            place: of the first message of all.
        """
        parts = []
        for head, messages in some.items():
            if self._names.renamed(head):
                self._names.rename(each.uuid for each in messages)
            spaces = [space if each.embedding else None for each in messages]
            for kind in dict.fromkeys(spaces):
                batch = [(place + index, each) for index, each in enumerate(messages) if spaces[index] is kind]
                parts.append((head, kind, batch))
            place += len(messages)

        def rows() -> list[list[dict[str, Any]]]:
            with paused_collection():
                return [self._rows_of(batch, kind) for _, kind, batch in parts]

        made = await asyncio.to_thread(rows)
        return [Part(*part, rows) for part, rows in zip(parts, made, strict=True)]

    async def add(
        self,
        parts: Sequence[Part],
        some: Mapping[str, Sequence[archive.Message]],
        *,
        keys: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Begins to write messages, once those before are written.

        Args:
            parts: of `parts`.
            some: the messages by conversation, as they were given there.
            keys: by conversation, anchors that messages name, as they are called here.

        Raises:
            HereAlready: a message of those before is the owner's own, and ``on_conflict`` is not ``copy``.
            UuidTaken: those before were of several conversations, and somebody has a uuid of them.
        """
        await self.written()
        self._writing = asyncio.create_task(self._write(parts, some, keys), name="ragforge-restore")

    async def written(self) -> None:
        """Waits for the batch that is being written.

        Raises:
            HereAlready: as `add`.
        """
        writing, self._writing = self._writing, None
        if writing is not None:
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                self._writing = writing
                raise

    async def give_up(self) -> None:
        """Ends the writing of a batch, whatever became of it."""
        writing, self._writing = self._writing, None
        if writing is not None:
            await abandoned(writing)

    async def _write(
        self,
        parts: Sequence[Part],
        some: Mapping[str, Sequence[archive.Message]],
        keys: Mapping[str, Mapping[str, str]],
    ) -> None:
        for space in dict.fromkeys(part.space for part in parts):
            await self._put([part for part in parts if part.space is space])
        ties = {}
        used: list[dict[str, Any]] = []
        for head, messages in some.items():
            ties[self._names.now(head)] = self._ties(keys.get(head, {}), messages)
            used += self._receipts(head, keys.get(head, {}), messages)
        await self._store.ties(ties)
        left = await self._store.receipts(used)
        self.waiting.add(row for row in left if row["label"] == "memory")
        self.untied += [row for row in left if row["label"] != "memory"]

    def passed(self, message: archive.Message) -> None:
        """A message that is here already: what it brought in and was given may come only now."""
        self.untied += [merge_row("", message.uuid, each.uuid, each) for each in message.merged_from]
        self.waiting.add(
            tie_row("", message.uuid, each.label, each.uuid, _properties(each))
            for each in message.used
            if each.label == "memory"
        )

    async def _put(self, parts: Sequence[Part]) -> None:
        """Most uuids are nobody's: whose they are is only looked for from the first conflict on, which the graph's
        constraints find; the rows of a conversation by itself are made again then, with the names that it led to."""
        space = parts[0].space
        if not self.looks or len(parts) > 1:
            try:
                given = {self._names.now(part.head): part.rows for part in parts}
                await self._store.messages(given, space=space)
                return
            except UuidTaken:
                self.looks = True
                if len(parts) > 1:
                    raise
        [part] = parts
        _check_distinct(part.messages)
        if not self._names.renamed(part.head):
            await self._make_room(part.messages, of=self._names.now(part.head))
        rows = await asyncio.to_thread(self._rows_of, part.messages, space)
        await self._store.messages({self._names.now(part.head): rows}, space=space)

    def _rows_of(self, messages: _Placed, space: Space | None) -> list[dict[str, Any]]:
        return [self._rows.message(each, vector=space is not None) for _, each in messages]

    async def _make_room(self, messages: _Placed, *, of: str) -> None:
        """Has uuids that somebody holds renamed.

        Raises:
            HereAlready: a message is the owner's own, in another conversation, and ``on_conflict`` is not ``copy``.
            Repeated: one of the same conversation, ``of``, came before.
        """
        taken = await self._store.taken(uuids_of(each for _, each in messages))
        if not taken:
            return
        mine = await self._stores.messages.known([each.uuid for _, each in messages if each.uuid in taken])
        places = {each.uuid: place for place, each in messages}
        again = next((uuid for uuid, conversation in mine.items() if conversation == of), None)
        if again is not None:
            raise Repeated(again, places[again])
        if mine and self._on_conflict != "copy":
            uuid, conversation = next(iter(mine.items()))
            raise HereAlready(f"message {uuid} is in conversation {conversation} already", conversation, places[uuid])
        self._names.rename(taken)

    def _ties(self, keys: Mapping[str, str], messages: Sequence[archive.Message]) -> dict[str, list[dict[str, Any]]]:
        references, anchored, reads = [], [], []
        for each in messages:
            name = self._names.now(each.uuid)
            for reference in each.references:
                properties = reference.model_dump(exclude={"scope"}, exclude_none=True)
                references.append({"message": name, "scope": reference.scope.model_dump(), "properties": properties})
            for tie in each.anchored:
                properties = tie.model_dump(exclude={"anchor"}, exclude_none=True)
                anchored.append({"message": name, "key": keys.get(tie.anchor), "properties": properties})
            for call in each.tool_calls:
                reads += [
                    {
                        "message": name,
                        "call": self._names.now(call.uuid),
                        "key": keys.get(read.anchor),
                        "hash": read.hash,
                    }
                    for read in call.reads
                ]
        return {"references": references, "anchored": anchored, "reads": reads}

    def _receipts(
        self, head: str, keys: Mapping[str, str], messages: Sequence[archive.Message]
    ) -> list[dict[str, Any]]:
        """What answers were given, merged and used again."""
        used = []
        uuid = self._names.now(head)
        for each in messages:
            name = self._names.now(each.uuid)
            for call in each.tool_calls:
                if call.reused_from:
                    earlier, call_name = self._names.now(call.reused_from), self._names.now(call.uuid)
                    used.append(tie_row(uuid, name, "call", earlier, {}, call=call_name))
            used += [
                tie_row(uuid, name, item.label, self._other_end(keys, item), _properties(item))
                for item in each.used
                if item.label in ("message", "summary", "anchor", "memory")
            ]
            used += [merge_row(uuid, name, self._names.now(merged.uuid), merged) for merged in each.merged_from]
            used += [
                tie_row(
                    *(uuid, name, "correction", self._names.now(against.uuid), {"how": against.how}),
                    stated=not each.remembered,
                )
                for against in each.corrects
            ]
        return used

    def _other_end(self, keys: Mapping[str, str], item: archive.Used) -> str | None:
        if item.uuid is None:
            return None
        if item.label == "memory":
            return item.uuid  # of these the file says later what they are called here
        return keys.get(item.uuid) if item.label == "anchor" else self._names.now(item.uuid)


def _check_distinct(messages: _Placed) -> None:
    """Refuses a batch that has a uuid twice.

    Raises:
        Repeated: it has.
    """
    seen: set[str] = set()
    for place, each in messages:
        for uuid in uuids_of([each]):
            if uuid in seen:
                raise Repeated(uuid, place)
            seen.add(uuid)


def uuids_of(messages: Iterable[archive.Message]) -> list[str]:
    """The uuids of messages, and of their calls and results."""
    uuids = []
    for each in messages:
        uuids.append(each.uuid)
        for call in each.tool_calls:
            uuids += [call.uuid] if call.result is None else [call.uuid, call.result.uuid]
    return uuids


def _properties(item: archive.Used) -> dict[str, Any]:
    return item.model_dump(exclude={"label", "uuid"}, exclude_none=True)


def tie_row(
    conversation: str,
    message: str,
    label: str,
    uuid: str | None,
    properties: dict[str, Any],
    *,
    call: str | None = None,
    stated: bool = False,
) -> dict[str, Any]:
    """What waits to be tied to a message: the other end's ``label`` and ``uuid``, and of which conversation it is;
    ``stated``: what it states is to be remembered yet."""
    return {
        "conversation": conversation,
        "message": message,
        "label": label,
        "uuid": uuid,
        "properties": properties,
        "call": call,
        "stated": stated,
    }


def merge_row(conversation: str, message: str, uuid: str, merged: archive.Merged) -> dict[str, Any]:
    """A conversation that a message brought in, as what waits to be tied to it."""
    return tie_row(conversation, message, "conversation", uuid, merged.model_dump(exclude={"uuid"}, exclude_none=True))
