"""The store of memories that a user adds, lists and takes back by hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import uuid4

from ragforge_memory.graph.memories import STANDING_TYPES, MemoryStore, memory_of
from ragforge_memory.graph.records import next_cursor, read_cursor
from ragforge_memory.models.conversation import Page
from ragforge_memory.models.memory import Memory, MemoryKind, MemoryPage, Trust


class Restored(NamedTuple):
    """What became of a memory that was to hold again: ``instead`` is what holds in its place, if something does."""

    restored: bool
    instead: str | None


class Changes(NamedTuple):
    """What a message did: whether it became a memory that holds, and the uuids of those that it took away."""

    saved: bool
    took: tuple[str, ...]


class AddedMemoryStore(MemoryStore):
    """Memories that are stated outside of any conversation, and what a user does with all of them."""

    async def add(
        self,
        text: str,
        kind: MemoryKind,
        importance: float,
        *,
        uuid: str | None = None,
        trust: Trust = "user",
        source: str = "added",
    ) -> str:
        """Stores a statement; returns the uuid of the memory that says it, which may be an older one."""
        uuid = uuid or uuid4().hex
        stated = {"uuid": uuid, "content": text, "kind": kind, "trust": trust, "importance": importance}
        row = self._row(stated, None)
        rows = await self._write(
            "add_memory",
            user=self._owner["user_id"],
            uuid=uuid,
            properties={**row["properties"], "content": text, "source": source},
            words_key=row["words_key"],
            order_key=row["order_key"],
            stands=row["stands"],
        )
        self._written()
        return str(rows[0]["uuid"])

    async def tie(self, uuid: str, scopes: Collection[str]) -> None:
        """Says that a memory is about these scopes, by their uuids."""
        await self._write("tie_memory", uuid=uuid, scopes=sorted(scopes))

    async def listed(
        self, *, limit: int, kinds: Sequence[MemoryKind] | None, include_inactive: bool, cursor: str | None
    ) -> Page[Memory]:
        """A page of memories, the newest first."""
        before, before_uuid = read_cursor("memories", cursor)
        rows = await self._read(
            "memories",
            kinds=None if kinds is None else list(kinds),
            include_inactive=include_inactive,
            before=before,
            before_uuid=before_uuid,
            limit=limit + 1,
        )
        found = [row["memory"] for row in rows]
        last = next_cursor("memories", found, limit, "created_at")
        return MemoryPage(
            items=tuple(memory_of(each, self._owner["user_id"]) for each in found[:limit]), next_cursor=last
        )

    async def restore(self, uuid: str) -> Restored | None:
        """Makes a memory hold again; None where the user has none such."""
        rows = await self._write(
            "restore_memory",
            user=self._owner["user_id"],
            uuid=uuid,
            version=uuid4().hex,
            standing=sorted(STANDING_TYPES),
        )
        return Restored(rows[0]["restored"], rows[0]["instead"]) if rows else None

    async def changes(self, message_id: str) -> Changes:
        """What a message did to what is remembered."""
        rows = await self._read("memory_changes", uuid=message_id)
        return Changes(rows[0]["saved"], tuple(rows[0]["took"])) if rows else Changes(False, ())
