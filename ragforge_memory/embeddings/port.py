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
    def provider(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def unrelated_cosine(self) -> float: ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; goes before all passages that wait, and is cut to 64 tokens.

        Raises:
            EmbeddingError: the model could not be loaded or failed.
        """

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts, in their order; long texts are cut at the model's window.

        Raises:
            EmbeddingError: the model could not be loaded or failed.
        """

    async def aclose(self) -> None:
        """Ends the embedding thread or closes the client."""


def space_model(embedder: Embedder) -> str:
    """How the graph calls this embedder's vectors: ``provider:model``."""
    return f"{embedder.provider}:{embedder.model}"
