"""The vector of one question, made once for all who look for its meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragforge_memory.errors import EmbeddingError
from ragforge_memory.tracing import span

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector


class QuestionVector:
    """Embeds a question when it is first asked for; whoever gives up does not stop it for the others.

    Args:
        embedder: makes the vector.
        text: the question.
        failed: told where the embedder fails, which may be after nobody waits any more.
    """

    def __init__(
        self, embedder: Embedder, text: str, *, failed: Callable[[EmbeddingError], None] = lambda _: None
    ) -> None:
        self._embedder = embedder
        self._text = text
        self._failed = failed
        self._made: dict[str, asyncio.Task[Vector]] = {}

    async def of(self, space: str) -> Vector:
        """The vector.

        Args:
            space: the key of the space that it is looked for in: in another one it is another model's.

        Raises:
            EmbeddingError: the model could not be loaded or failed.
        """
        if space not in self._made:
            self._made[space] = asyncio.create_task(self._embed(), name="ragforge-question")
            self._made[space].add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._made[space])

    @property
    def unrelated_cosine(self) -> float:
        """What unrelated texts score with this model."""
        return self._embedder.unrelated_cosine

    async def _embed(self) -> Vector:
        try:
            with span("embeddings", gen_ai__operation__name="embeddings", gen_ai__request__model=self._embedder.model):
                return await self._embedder.embed_query(self._text)
        except EmbeddingError as error:
            self._failed(error)
            raise
