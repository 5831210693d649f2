"""Writing the messages of an archive, batch by batch, each while the next one is read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.imports import UuidTaken
from ragforge_memory.graph.restore import RestoreStore
from ragforge_memory.graph.restore_rows import Names, Rows
from ragforge_memory.graph.spaces import Space
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.importing import OnConflict
    from ragforge_memory.agent.services import Services


class HereAlready(InvalidInput):
    """A conversation of the archive is here, as ``uuid``; ``place`` is that of the message by which it is known."""

    def __init__(self, message: str, uuid: str, place: int | None = None) -> None:
        super().__init__(message, hint="on_conflict='skip' leaves what is here, 'copy' imports it under new uuids")
        self.uuid = uuid
        self.place = place


_Placed = Sequence[tuple[int, archive.Message]]


class _Part(NamedTuple):
    """Messages that bring vectors for a space, or that bring none; each with its place."""

    space: Space | None
    messages: _Placed
    rows: Sequence[dict[str, Any]]


class MessageWriter:
    """Writes the messages of conversations that were begun, one batch at a time.

    Args:
        services: what is open.
        store: of this restore.
        names: uuids as they are here.
        rows: makes the rows.
        on_conflict: what to do where a message is here already.

    Attributes:
        untied: what its messages shall be tied to and what is not here yet.
    """

    def __init__(
        self, services: Services, store: RestoreStore, names: Names, rows: Rows, on_conflict: OnConflict
    ) -> None:
        self._services = services
        self._store = store
        self._names = names
        self._rows = rows
        self._on_conflict = on_conflict
        self._looks = False
        self._writing: asyncio.Task[None] | None = None
        self.untied: list[dict[str, Any]] = []

    async def add(
        self,
        head: str,
        messages: Sequence[archive.Message],
        *,
        keys: Mapping[str, str],
        space: Space | None,
        place: int,
    ) -> None:
        """Begins to write a batch, once the one before it is written.

        Args:
            head: the conversation's uuid in the archive.
            messages: in their order.
            keys: anchors that messages name, as they are called here.
            space: where vectors belong; None: they are left out.
            place: of the first message.

        Raises:
            HereAlready: a message of the batch before is the owner's own, and ``on_conflict`` is not ``copy``.
        """
        if self._names.renamed(head):
            self._names.rename(each.uuid for each in messages)
        spaces = [space if each.embedding else None for each in messages]
        parts = []
        for kind in dict.fromkeys(spaces):
            batch = [(place + index, each) for index, each in enumerate(messages) if spaces[index] is kind]
            parts.append(_Part(kind, batch, await self._rows_of(batch, kind)))
        await self.written()
        work = self._write(head, parts, keys, messages)
        self._writing = asyncio.create_task(work, name="ragforge-restore")

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
            writing.cancel()
            await asyncio.wait((writing,))
            if not writing.cancelled():
                writing.exception()

    async def _write(
        self, head: str, parts: Sequence[_Part], keys: Mapping[str, str], messages: Sequence[archive.Message]
    ) -> None:
        for part in parts:
            await self._put(head, part)
        await self._tie(head, keys, messages)

    async def _put(self, head: str, part: _Part) -> None:
        """Most uuids are nobody's: whose they are is only looked for from the first conflict on, which the graph's
        constraints find; the rows are made again then, with the names that it led to."""
        uuid, embed = self._names.now(head), self._services.embeds_messages
        if not self._looks:
            try:
                await self._store.messages(uuid, part.rows, embed=embed, space=part.space)
                return
            except UuidTaken:
                self._looks = True
        if not self._names.renamed(head):
            await self._make_room(part.messages)
        rows = await self._rows_of(part.messages, part.space)
        await self._store.messages(uuid, rows, embed=embed, space=part.space)

    async def _rows_of(self, messages: _Placed, space: Space | None) -> list[dict[str, Any]]:
        vector = space is not None
        return await asyncio.to_thread(lambda: [self._rows.message(each, vector=vector) for _, each in messages])

    async def _make_room(self, messages: _Placed) -> None:
        """Has uuids that somebody holds renamed.

        Raises:
            HereAlready: a message is the owner's own, in another conversation, and ``on_conflict`` is not ``copy``.
        """
        calls = [call for _, each in messages for call in each.tool_calls]
        results = [call.result.uuid for call in calls if call.result is not None]
        taken = await self._store.taken([*(m.uuid for _, m in messages), *(c.uuid for c in calls), *results])
        if not taken:
            return
        mine = await self._services.messages.known([each.uuid for _, each in messages if each.uuid in taken])
        if mine and self._on_conflict != "copy":
            uuid, conversation = next(iter(mine.items()))
            place = next(place for place, each in messages if each.uuid == uuid)
            raise HereAlready(f"message {uuid} is in conversation {conversation} already", conversation, place)
        self._names.rename(taken)

    async def _tie(self, head: str, keys: Mapping[str, str], messages: Sequence[archive.Message]) -> None:
        references, anchored, reads, used = [], [], [], []
        uuid = self._names.now(head)
        for each in messages:
            name = self._names.now(each.uuid)
            for reference in each.references:
                properties = reference.model_dump(exclude={"scope"}, exclude_none=True)
                references.append({"message": name, "scope": reference.scope.model_dump(), "properties": properties})
            for tie in each.anchored:
                properties = tie.model_dump(exclude={"anchor"}, exclude_none=True)
                anchored.append({"message": name, "key": keys.get(tie.anchor), "properties": properties})
            for call in each.tool_calls:
                call_name = self._names.now(call.uuid)
                reads += [
                    {"message": name, "call": call_name, "key": keys.get(read.anchor), "hash": read.hash}
                    for read in call.reads
                ]
                if call.reused_from:
                    earlier = self._names.now(call.reused_from)
                    used.append(tie_row(uuid, name, "call", earlier, {}, call=call_name))
            used += [
                tie_row(uuid, name, item.label, self._other_end(keys, item), _properties(item))
                for item in each.used
                if item.label in ("message", "summary", "anchor")
            ]
            used += [merge_row(uuid, name, self._names.now(merged.uuid), merged) for merged in each.merged_from]
        await self._store.ties(uuid, references=references, anchored=anchored, reads=reads)
        self.untied += await self._store.receipts(used)

    def _other_end(self, keys: Mapping[str, str], item: archive.Used) -> str | None:
        if item.uuid is None:
            return None
        return keys.get(item.uuid) if item.label == "anchor" else self._names.now(item.uuid)


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
) -> dict[str, Any]:
    """What waits to be tied to a message: the other end's ``label`` and ``uuid``, and of which conversation it is."""
    return {
        "conversation": conversation,
        "message": message,
        "label": label,
        "uuid": uuid,
        "properties": properties,
        "call": call,
    }


def merge_row(conversation: str, message: str, uuid: str, merged: archive.Merged) -> dict[str, Any]:
    """A conversation that a message brought in, as what waits to be tied to it."""
    return tie_row(conversation, message, "conversation", uuid, merged.model_dump(exclude={"uuid"}, exclude_none=True))
