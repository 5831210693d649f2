"""The store of what is remembered by its meaning: the vectors of memories, and what is near to a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragforge_memory.graph.memories import Scored, memory_of
from ragforge_memory.graph.records import readable
from ragforge_memory.graph.search import OwnerSearch
from ragforge_memory.graph.spaces import Space, cosine_of_score
from ragforge_memory.graph.waiting import WaitingText, WaitingVectors
from ragforge_memory.models.memory import Episode

# Neighbours asked of the index for each that is wanted: it searches wider, and some have expired.
_SPARE = 3
# Summaries asked for each conversation: several may be of one.
_OF_ONE = 10


class MemoryVectors(OwnerSearch, WaitingVectors):
    """The memories of one owner, and the summaries of its conversations, by meaning."""

    _kind = "memory"

    async def pending(self, limit: int) -> list[WaitingText]:
        """Memories that wait for a vector."""
        space = self._use.space
        rows = [] if space is None else await self._pending(limit, property=space.property)
        return [WaitingText(row["uuid"], row["content"] or "") for row in rows]

    async def store(self, space: Space, vectors: Sequence[tuple[WaitingText, Sequence[float]]]) -> int:
        """Stores vectors; a memory that says something else by now goes on waiting. Returns how many were stored.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
            SpaceMoved: the project's vectors have moved to another space; nothing was stored.
        """
        rows = [{"uuid": each.uuid, "content": each.text, "vector": list(vector)} for each, vector in vectors]
        return await self._store(space, space.property, rows)

    async def near(self, vector: Sequence[float], *, space: Space, limit: int) -> Scored:
        """The memories that are nearest to a vector, with their cosine.

        Args:
            vector: of the space's model.
            space: where is compared.
            limit: memories at most.

        Raises:
            SpaceMoved: the project's vectors have moved to another space.
        """
        found = await self._near("near_memories", space.memory_index, vector, space, limit=limit, take=_SPARE * limit)
        return [(memory_of(each["memory"], self._owner["user_id"]), cosine_of_score(each["score"])) for each in found]

    async def near_summaries(
        self, vector: Sequence[float], *, other_than: str, space: Space, least: float, limit: int
    ) -> Scored:
        """What the conversations that are nearest to a vector say in short, one each, as episodes; see `near`.

        Args:
            other_than: the conversation that asks.
            least: the least cosine.
        """
        found = await self._near(
            "near_summaries",
            space.summary_index,
            vector,
            space,
            least=(1 + least) / 2,
            limit=limit,
            take=_OF_ONE * limit,
            conversation_id=other_than,
        )
        return [(_episode(row), cosine_of_score(row["score"])) for row in found]

    async def _near(
        self,
        name: str,
        index: str,
        vector: Sequence[float],
        space: Space,
        **parameters: Any,
    ) -> list[Any]:
        space.check([vector])
        rows = await self._use.read(
            name,
            self._client,
            space,
            names={"index": index},
            property=space.property,
            vector=list(vector),
            **parameters,
            **self._owner,
        )
        return list(rows[0]["found"])


def _episode(row: dict[str, Any]) -> Episode:
    """A summary as what is remembered of its conversation."""
    told = row["content"] or ""
    values = {
        "uuid": row["uuid"],
        "kind": "episode",
        "category": "TaskHistory",
        "content": told,
        "summary": told,
        "topic": row["title"] or "",
        "trust": "agent",
        "source": "summary",
        "created_at": row["created_at"],
        "conversation_id": row["conversation_id"],
    }
    return readable(Episode, values, kind="episode", content="", topic="", summary="")
