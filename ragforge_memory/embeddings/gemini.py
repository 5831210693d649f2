"""Embeddings by Gemini through google-genai."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.config.known_models import EMBEDDING_MODELS, embedding_model_name, retired_embedding_model
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.embeddings.vendor import VendorEmbedder
from ragforge_memory.errors import ConfigError
from ragforge_memory.vendors.gemini import GeminiConnection
from ragforge_memory.vendors.retry import RetryPolicy

if TYPE_CHECKING:
    from google.genai import types

# The first model is told by a task type what a text is for, later ones by words before the text
# (ai.google.dev/gemini-api/docs/embeddings).
_TASK_TYPE_MODELS = ("gemini-embedding-001",)
_QUERY_WORDS = "task: search result | query: "
_PASSAGE_WORDS = "title: none | text: "


class GeminiEmbedder(VendorEmbedder):
    """Embeds with a Gemini model.

    Args:
        model: its name.
        api_key: the vendor's key.
        dimension: 128 to 3072; default 768. Vectors are made unit length here: the vendor does that for some only.
        base_url: another address of the same API; None is Google's.
        retry: how failed requests are repeated.

    Raises:
        ConfigError: no key, or a model that its vendor has shut down.
    """

    provider = "gemini"

    def __init__(
        self,
        model: str = "gemini-embedding-2",
        *,
        api_key: str,
        dimension: int | None = None,
        base_url: str | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        name = embedding_model_name(model)
        gone = retired_embedding_model(name)
        if gone is not None:
            raise ConfigError(
                f"{name} was shut down by its vendor on {gone.since}; its successor is {gone.successor}",
                hint=f"use {gone.successor}",
                key="agent.memory.embeddings.model",
            )
        known = EMBEDDING_MODELS.get(name)
        super().__init__(name, dimension or (known.dimension if known else 768), retry)
        self._connection: GeminiConnection = GeminiConnection(
            api_key, base_url, model=name, missing="use gemini-embedding-2"
        )

    async def _request(self, texts: Sequence[str], question: bool) -> list[Vector]:
        client = await self._connection.open()
        with self._connection.failures():
            answer = await client.aio.models.embed_content(
                model=self._model,
                contents=self._contents(texts, question),
                config=self._config(question),
            )
        return [list(embedding.values or ()) for embedding in answer.embeddings or ()]

    def _contents(self, texts: Sequence[str], question: bool) -> list[types.Content]:
        """One content a text: a plain list of texts would give one vector for all of them."""
        from google.genai import types

        words = "" if self._model in _TASK_TYPE_MODELS else _QUERY_WORDS if question else _PASSAGE_WORDS
        return [types.Content(role="user", parts=[types.Part(text=words + text)]) for text in texts]

    def _config(self, question: bool) -> types.EmbedContentConfig:
        from google.genai import types

        task = None
        if self._model in _TASK_TYPE_MODELS:
            task = "RETRIEVAL_QUERY" if question else "RETRIEVAL_DOCUMENT"
        return types.EmbedContentConfig(output_dimensionality=self._dimension, task_type=task)
