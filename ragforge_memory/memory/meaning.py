"""What recall finds by a question's meaning: memories, and what other conversations were about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ragforge_memory.embeddings.calibration import cosine_of
from ragforge_memory.errors import EmbeddingError, SpaceMoved
from ragforge_memory.models.memory import Tier

if TYPE_CHECKING:
    from ragforge_memory.embeddings.question import QuestionVector
    from ragforge_memory.graph.memories import Scored
    from ragforge_memory.graph.memory_vectors import MemoryVectors

BY_MEANING: tuple[Tier, ...] = ("vector", "conversations")

LEAST_MEMORY, LEAST_SUMMARY = 0.3, 0.3
CONVERSATIONS = 2
"""Conversations whose summary is given."""


class Meaning:
    """The tiers by meaning of one question.

    Args:
        store: of the vectors.
        question: its vector, which others may look for too.
        conversation_id: the conversation that asks, which tells nothing of itself; '' for none.
    """

    def __init__(self, store: MemoryVectors, question: QuestionVector, *, conversation_id: str = "") -> None:
        self._store = store
        self._question = question
        self._conversation_id = conversation_id

    async def found(self, limit: int) -> dict[Tier, Scored]:
        """What is near, by tier; once more where the project's vectors have moved meanwhile.

        Args:
            limit: memories at most.

        Raises:
            EmbeddingError: the question has no vector.
        """
        try:
            return await self._found(limit)
        except SpaceMoved:
            return await self._found(limit)

    async def _found(self, limit: int) -> dict[Tier, Scored]:
        space = self._store.space
        if space is None:
            raise EmbeddingError("nothing is embedded here any more", hint="`ragforge doctor` says why")
        vector = await self._question.of(space.key)
        unrelated = self._question.unrelated_cosine
        memories, talks = await asyncio.gather(
            self._store.near(vector, space=space, least=cosine_of(LEAST_MEMORY, unrelated), limit=limit),
            self._store.near_summaries(
                vector,
                other_than=self._conversation_id,
                space=space,
                least=cosine_of(LEAST_SUMMARY, unrelated),
                limit=CONVERSATIONS,
            ),
        )
        return {"vector": memories, "conversations": talks}
