"""The port of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

Vector = list[float]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors of ``dimension`` floats.

    ``provider`` and ``model`` name the space; ``unrelated_cosine`` is what unrelated texts score with it and
    calibrates similarities (see `ragforge_memory.embeddings.calibration`).
    """

    @property
    def provider(self) -> str:
        """Who makes the vectors."""

    @property
    def model(self) -> str:
        """Which model does; vectors of another one are of another space, so it needs another name."""

    @property
    def dimension(self) -> int:
        """Floats in a vector, 1 to 4096."""

    @property
    def unrelated_cosine(self) -> float:
        """The mean cosine of texts that have nothing to do with one another, 0 to below 1."""

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question. An answer waits for it, so it goes before all passages that wait.

        Raises:
            EmbeddingError: the model could not be loaded or failed.
        """

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts, in their order; long texts are cut at the model's window.

        Raises:
            EmbeddingError: the model could not be loaded or failed.
        """

    async def aclose(self) -> None:
        """Closes what the embedder opened."""


def space_model(embedder: Embedder) -> str:
    """How the graph calls this embedder's vectors: ``provider:model``."""
    return f"{embedder.provider}:{embedder.model}"
