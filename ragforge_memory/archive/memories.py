"""Taking the memories of an archive in: behind all conversations, whole batches at a time.

Who vouches for a memory is what the archive says, as it is for a message: one's own backup gives one's own rules back.
So whoever edits an archive of this format may lay down rules and preferences and have things forgotten, as whoever
edits the graph may: what is imported as an archive has to be one's own. Nothing else that is imported can: a message of
any other format is vouched for by a tool, which lays down no rule or preference and takes none back.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.archive.restored_anchors import key_here
from ragforge_memory.graph.restored_memories import RestoredMemories, lays_down
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.graph.restore import PlacedAnchor, RestoreStore
    from ragforge_memory.graph.restore_rows import Names, Rows

# Receipts that are packed and written together.
_TOGETHER = 1_000


class Waiting:
    """Receipts of answers that were given memories, until the memories have come.

    They are packed, to about 25 bytes each: every answer has some, and memories are at the end of a file, so that what
    was remembered while it was written is among them. What was rolled back stays here, and finds no message.
    """

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._packed: list[bytes] = []

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Some more."""
        self._rows += rows
        if len(self._rows) >= _TOGETHER:
            self._pack()

    def taken(self) -> Iterator[list[dict[str, Any]]]:
        """All, a batch at a time; they wait no longer."""
        self._pack()
        packed, self._packed = self._packed, []
        for each in packed:
            rows = json.loads(zlib.decompress(each))
            for start in range(0, len(rows), _TOGETHER):
                yield rows[start : start + _TOGETHER]

    def _pack(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self._packed.append(zlib.compress(json.dumps(rows).encode()))


class MemoryWriter:
    """Writes memories, each once: see ``restore_memories`` for what is known here already.

    Attributes:
        placed: the anchors that they are about.
    """

    def __init__(self, services: Services, store: RestoreStore, names: Names, rows: Rows) -> None:
        self._memories = RestoredMemories(services.stores.graph, services.place.owner)
        self._project = services.place.owner.project
        self._store = store
        self._names = names
        self._rows = rows
        self._called: dict[str, str] = {}
        self._superseded: list[dict[str, Any]] = []
        self.placed: dict[str, PlacedAnchor] = {}

    async def add(self, some: Sequence[archive.Memory]) -> int:
        """Writes memories; returns how many are new here."""
        kept = [each for each in some if each.trust in ("user", "agent") or not lays_down(each)]
        if not kept:
            return 0
        keys = await self._anchors([anchor for each in kept for anchor in each.anchors])
        rows = [
            self._memories.row(each, self._rows.memory(each), [keys[anchor.uuid] for anchor in each.anchors])
            for each in kept
        ]
        written = await self._memories.write(rows)
        self._called |= {row["uuid"]: row["here"] for row in written if row["uuid"] != row["here"]}
        self._superseded += [
            {"uuid": self._here(each.uuid), "later": by.uuid, "how": by.how}
            for each in kept
            for by in each.superseded_by
        ]
        return sum(row["new"] for row in written)

    async def close(self, given: Waiting) -> None:
        """Ties memories to those that took their place, and to the answers that were ``given`` them."""
        rows, self._superseded = self._superseded, []
        await self._memories.supersede([{**row, "later": self._here(row["later"])} for row in rows])
        for some in given.taken():
            await self._store.receipts([{**row, "uuid": self._here(row["uuid"])} for row in some])

    def _here(self, uuid: str) -> str:
        return self._called.get(uuid, uuid)

    async def _anchors(self, anchors: Sequence[archive.Anchor]) -> dict[str, str]:
        """Makes anchors that are not here; the keys of all, by their uuids in the archive."""
        keys = {each.uuid: key_here(each, self._project) for each in anchors}
        if keys:
            taken = await self._store.taken_anchors(keys)
            rows = {}
            for each in anchors:
                name = self._names.made(each.uuid) if each.uuid in taken else each.uuid
                row = self._rows.anchor(each, key=keys[each.uuid], uuid=name)
                rows[keys[each.uuid]] = {**row, "conversation_id": ""}
            self.placed |= {placed.key: placed for placed in await self._store.anchors(list(rows.values()))}
        return keys
