"""Embeddings by OpenAI or any server that speaks its language; the only file of this room that knows the openai SDK."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragforge_memory.config.known_models import EMBEDDING_MODELS, embedding_model_name
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.embeddings.vendor import EmbeddingRetries, VendorEmbedder, VendorFailure, VendorVectors
from ragforge_memory.errors import ConfigError, EmbeddingError
from ragforge_memory.vendors import check_address, is_loopback, retry_after_header, said_by_server

if TYPE_CHECKING:
    import openai
    from openai import AsyncOpenAI

DEFAULT_ADDRESS = "https://api.openai.com/v1"
INSTALL_COMMAND = "pip install 'ragforge-memory[openai]'"


def is_installed() -> bool:
    """Whether the ``openai`` extra is here; nothing is imported to find out."""
    return importlib.util.find_spec("openai") is not None


@dataclass(slots=True)
class _Session:
    """The SDK's client, with the event loop that its connections belong to."""

    client: AsyncOpenAI
    loop: asyncio.AbstractEventLoop


class OpenAIEmbedder(VendorEmbedder):
    """Embeds with a model behind an OpenAI-compatible address (Ollama, llama.cpp, LM Studio, vLLM, OpenAI).

    Args:
        model: its name.
        api_key: the key; local servers need none.
        dimension: floats in a vector; None: the known default of OpenAI's own models.
        base_url: address with ``/v1``; None is OpenAI's own.
        retries: how failed requests are repeated.

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
        retries: EmbeddingRetries | None = None,
    ) -> None:
        self._model = embedding_model_name(model)
        self._address = (base_url or DEFAULT_ADDRESS).rstrip("/")
        self._api_key = (api_key or "").strip()
        if self._address == DEFAULT_ADDRESS and not self._api_key:
            raise ConfigError(
                "OpenAI embeddings need an API key, or the address of another server",
                hint="set OPENAI_API_KEY or OPENAI_BASE_URL",
                key="llm.api_key",
            )
        if not is_installed():
            raise ConfigError("OpenAI embeddings need the openai SDK", hint=f"run: {INSTALL_COMMAND}")
        known = EMBEDDING_MODELS.get(self._model)
        if dimension is None and known is None:
            raise ConfigError(
                f"the dimension of {self._model} is not known",
                hint="set agent.memory.embeddings.dimension to the number of floats that it gives",
                key="agent.memory.embeddings.dimension",
            )
        self._dimension = dimension or (known.dimension if known else 0)
        # Only models that can shorten their vectors take the size; others refuse the field.
        self._shortens = known is not None and known.allowed is not None
        self._session: _Session | None = None
        self._opening = asyncio.Lock()
        self._vectors = VendorVectors(self._model, self._dimension, self._request, retries or EmbeddingRetries())

    async def aclose(self) -> None:
        """Closes the client and its connections."""
        session, self._session = self._session, None
        if session is not None and session.loop is asyncio.get_running_loop():
            await session.client.close()

    async def _request(self, texts: Sequence[str], question: bool) -> list[Vector]:
        check_address(self._address, os.environ)
        client = await self._open()
        size: dict[str, Any] = {"dimensions": self._dimension} if self._shortens else {}
        try:
            # As floats: not every local server knows the packed form that the SDK asks for by itself.
            answer = await client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float", **size
            )
        except Exception as error:
            raise self._translated(error) from error
        return [list(entry.embedding) for entry in sorted(answer.data, key=lambda entry: entry.index)]

    async def _open(self) -> AsyncOpenAI:
        """The client of the running loop; the SDK's import takes a second, so it happens in a thread."""
        async with self._opening:
            loop = asyncio.get_running_loop()
            if self._session is None or self._session.loop is not loop:
                self._session = _Session(await asyncio.to_thread(self._connect), loop)
            return self._session.client

    def _connect(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            # The SDK wants some key; local servers read none.
            api_key=self._api_key or "none",
            base_url=self._address,
            max_retries=0,
            timeout=None,
            http_client=httpx2.AsyncClient(
                timeout=None, follow_redirects=True, trust_env=not is_loopback(self._address)
            ),
        )

    def _translated(self, error: Exception) -> EmbeddingError:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._refusal(error)
        if isinstance(error, openai.APIConnectionError):
            return VendorFailure(
                f"{self._address} cannot be reached: {error.__cause__ or error}",
                hint="is the server running?",
                again=True,
            )
        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError, openai.APIError)):
            return VendorFailure(f"{self._model} sent JSON that cannot be read", hint="try again", again=True)
        return EmbeddingError(f"the openai SDK failed: {type(error).__name__}: {error}")

    def _refusal(self, error: openai.APIStatusError) -> VendorFailure:
        body = error.body if isinstance(error.body, dict) else {}
        said = said_by_server(body.get("message") or error.message, self._api_key)
        code = error.status_code
        if error.code == "insufficient_quota":
            return VendorFailure(f"{self._model}: the key's quota is used up: {said}", hint="check the plan")
        if code in (408, 409, 429) or code >= 500:
            state = "is limited for now" if code == 429 else f"is not available ({code})"
            return VendorFailure(
                f"{self._model} {state}: {said}",
                hint="wait, or use another key",
                again=True,
                retry_after=retry_after_header(error.response.headers),
            )
        if code in (401, 403):
            return VendorFailure(f"{self._model} refused the key: {said}", hint="check OPENAI_API_KEY")
        if code == 404:
            return VendorFailure(f"{self._model} is not there: {said}", hint="check agent.memory.embeddings.model")
        return VendorFailure(f"{self._model} refused the request ({code}): {said}")
