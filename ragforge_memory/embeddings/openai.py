"""Embeddings by OpenAI or any server that speaks its language, through the openai SDK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragforge_memory.config.known_models import EMBEDDING_MODELS, embedding_model_name
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.embeddings.vendor import VendorEmbedder
from ragforge_memory.errors import ConfigError
from ragforge_memory.vendors.openai import OpenAIConnection
from ragforge_memory.vendors.retry import RetryPolicy


class OpenAIEmbedder(VendorEmbedder):
    """Embeds with a model behind an OpenAI-compatible address (Ollama, llama.cpp, LM Studio, vLLM, OpenAI).

    Args:
        model: its name.
        api_key: the key; local servers need none.
        dimension: floats in a vector; None: the known default of OpenAI's own models.
        base_url: address with ``/v1``; None is OpenAI's own.
        retry: how failed requests are repeated.

    Raises:
        ConfigError: no key for OpenAI's own service, the SDK is not installed, or the dimension is not known.
    """

    provider = "openai"

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        api_key: str | None = None,
        dimension: int | None = None,
        base_url: str | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        name = embedding_model_name(model)
        self._connection: OpenAIConnection = OpenAIConnection(
            api_key, base_url, model=name, missing="check agent.memory.embeddings.model"
        )
        known = EMBEDDING_MODELS.get(name)
        if dimension is None and known is None:
            raise ConfigError(
                f"the dimension of {name} is not known",
                hint="set agent.memory.embeddings.dimension to the number of floats that it gives",
                key="agent.memory.embeddings.dimension",
            )
        super().__init__(name, dimension or (known.dimension if known else 0), retry)
        # Only models that can shorten their vectors take the size; others refuse the field.
        self._shortens = known is not None and known.allowed is not None

    async def _request(self, texts: Sequence[str], question: bool) -> list[Vector]:
        client = await self._connection.open()
        size: dict[str, Any] = {"dimensions": self._dimension} if self._shortens else {}
        with self._connection.failures():
            # As floats: not every local server knows the packed form that the SDK asks for by itself.
            answer = await client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float", **size
            )
        return [list(entry.embedding) for entry in sorted(answer.data, key=lambda entry: entry.index)]
