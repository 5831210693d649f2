"""What waits for a vector among the messages, the summaries or the conversations of an owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple
from uuid import uuid4

from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import content_text
from ragforge_memory.graph.spaces import Space, in_space, stored


class WaitingText(NamedTuple):
    """A message or a summary that waits."""

    uuid: str
    text: str


class WaitingVectors(OwnerStore):
    """What a store of an owner's has in common with the others of whose nodes some wait for vectors.

    All this is done in the background, which tries again later: it waits for no server that has gone.
    """

    _kind: ClassVar[str]
    """As the statements call it."""

    async def fail_embeddings(self, uuids: Sequence[str]) -> None:
        """Counts a failed attempt; after the third a node waits no longer."""
        failed: dict[str, Any] = {"uuids": list(uuids), "attempt": uuid4().hex}
        await self._write(f"fail_{self._kind}_embeddings", timeout=PATIENT_TIMEOUT, recover=False, **failed)

    async def count_pending(self) -> int:
        """How many wait for a vector."""
        rows = await self._read(f"count_pending_{self._kind}_embeddings", recover=False)
        return int(rows[0]["pending"])

    async def _pending(self, limit: int, **parameters: Any) -> list[dict[str, Any]]:
        """Texts that are in files are left to who keeps them there."""
        return await self._read(
            f"pending_{self._kind}_embeddings",
            timeout=PATIENT_TIMEOUT,
            recover=False,
            limit=limit,
            filed=False,
            **parameters,
        )

    async def _store(self, space: Space, name: str, rows: Sequence[Mapping[str, Any]], *, recover: bool = False) -> int:
        space.check(row["vector"] for row in rows)
        answer = await self._write(
            f"store_{self._kind}_embeddings",
            timeout=PATIENT_TIMEOUT,
            recover=recover,
            property=name,
            rows=rows,
            **in_space(space),
        )
        return stored(answer, space)


class WaitingTexts(WaitingVectors):
    """As `WaitingVectors`, where a vector is that of the node's one text."""

    async def pending(self, limit: int) -> list[WaitingText]:
        """What waits for a vector, about oldest first."""
        return [WaitingText(row["uuid"], content_text(row["content"])) for row in await self._pending(limit)]

    async def store(self, space: Space, vectors: Sequence[tuple[WaitingText, Sequence[float]]]) -> int:
        """As `store_embeddings`, of what was `pending`."""
        return await self.store_embeddings(space, {each.uuid: vector for each, vector in vectors})

    async def store_embeddings(
        self, space: Space, vectors: Mapping[str, Sequence[float]], *, recover: bool = False
    ) -> int:
        """Stores vectors by uuid and takes what has them off the waiting list; returns how many were stored.

        Args:
            space: what they were made for.
            vectors: uuid → vector.
            recover: whether to wait for a managed server that has gone.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
            SpaceMoved: the project's vectors have moved to another space; nothing was stored.
        """
        rows = [{"uuid": uuid, "vector": list(vector)} for uuid, vector in vectors.items()]
        return await self._store(space, space.property, rows, recover=recover)
