"""What recall finds by a question's meaning: memories, and what other conversations were about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ragforge_memory.embeddings.calibration import cosine_of, similarity
from ragforge_memory.errors import EmbeddingError, SpaceMoved
from ragforge_memory.models.memory import Tier

if TYPE_CHECKING:
    from ragforge_memory.embeddings.question import QuestionVector
    from ragforge_memory.graph.memories import Scored
    from ragforge_memory.graph.memory_vectors import MemoryVectors

BY_MEANING: tuple[Tier, ...] = ("vector", "conversations")

LEAST = 0.05
"""The similarity from which on meaning alone recalls something.

Of 30 questions that avoid the words of the one of 15 memories that answers them, 30 % are above it with e5-small-v2
(37 % above 0, 50 % above -.1), of 18 on 6 summaries 33 %; of 25 questions that have to do with none of them none is (0
and 8 % above 0, 28 and 24 % above -.1). With all-minilm-l6-v2 33 and 44 %, and 4 and 0 %; with bge-small-en-v1.5 13 and
17 %, and none. The one that answers is the nearest for half of the questions and more: so the order by meaning counts
below it too, for what another tier has found.
"""

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
        """What is near, by tier, with its similarity, memories below `LEAST` too; once more where the project's vectors
        have moved meanwhile.

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
            self._store.near(vector, space=space, limit=limit),
            self._store.near_summaries(
                vector,
                other_than=self._conversation_id,
                space=space,
                least=cosine_of(LEAST, unrelated),
                limit=CONVERSATIONS,
            ),
        )
        calibrated = [(memory, similarity(cosine, unrelated)) for memory, cosine in memories]
        return {"vector": calibrated, "conversations": talks}
