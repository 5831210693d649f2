"""Embeddings by Gemini through google-genai; the only file of this room that knows that SDK."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragforge_memory.config.known_models import EMBEDDING_MODELS, embedding_model_name, retired_embedding_model
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.embeddings.vendor import EmbeddingRetries, VendorEmbedder, VendorFailure, VendorVectors
from ragforge_memory.errors import ConfigError, EmbeddingError
from ragforge_memory.vendors import check_address, google_retry_delay, is_loopback, said_by_server

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client, types

DEFAULT_ADDRESS = "https://generativelanguage.googleapis.com"

# The first model is told by a task type what a text is for, later ones by words before the text
# (ai.google.dev/gemini-api/docs/embeddings).
_TASK_TYPE_MODELS = ("gemini-embedding-001",)
_QUERY_WORDS = "task: search result | query: "
_PASSAGE_WORDS = "title: none | text: "


@dataclass(slots=True)
class _Session:
    """The SDK's client and the HTTP client under it, with the event loop that their connections belong to."""

    client: Client
    http: httpx2.AsyncClient
    loop: asyncio.AbstractEventLoop


class GeminiEmbedder(VendorEmbedder):
    """Embeds with a Gemini model.

    Args:
        model: its name.
        api_key: the vendor's key.
        dimension: 128 to 3072; default 768. Vectors are made unit length here: the vendor does that for some only.
        base_url: another address of the same API; None is Google's.
        retries: how failed requests are repeated.

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
        retries: EmbeddingRetries | None = None,
    ) -> None:
        self._model = embedding_model_name(model)
        gone = retired_embedding_model(self._model)
        if gone is not None:
            raise ConfigError(
                f"{self._model} was shut down by its vendor on {gone.since}; its successor is {gone.successor}",
                hint=f"use {gone.successor}",
                key="agent.memory.embeddings.model",
            )
        if not api_key.strip():
            raise ConfigError("Gemini embeddings need an API key", hint="set GEMINI_API_KEY", key="llm.api_key")
        known = EMBEDDING_MODELS.get(self._model)
        self._dimension = dimension or (known.dimension if known else 768)
        self._api_key = api_key.strip()
        self._address = (base_url or DEFAULT_ADDRESS).rstrip("/")
        self._session: _Session | None = None
        self._opening = asyncio.Lock()
        self._vectors = VendorVectors(self._model, self._dimension, self._request, retries or EmbeddingRetries())

    async def aclose(self) -> None:
        """Closes both of the SDK's clients and the HTTP client."""
        session, self._session = self._session, None
        if session is not None:
            await session.client.aio.aclose()
            session.client.close()
            if session.loop is asyncio.get_running_loop():
                await session.http.aclose()

    async def _request(self, texts: Sequence[str], question: bool) -> list[Vector]:
        check_address(self._address, os.environ)
        client = await self._open()
        try:
            answer = await client.aio.models.embed_content(
                model=self._model,
                contents=self._contents(texts, question),
                config=self._config(question),
            )
        except Exception as error:
            raise self._translated(error) from error
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

    async def _open(self) -> Client:
        """The client of the running loop; the SDK's import takes a second, so it happens in a thread."""
        async with self._opening:
            loop = asyncio.get_running_loop()
            if self._session is None or self._session.loop is not loop:
                self._session = await asyncio.to_thread(self._connect, loop)
            return self._session.client

    def _connect(self, loop: asyncio.AbstractEventLoop) -> _Session:
        import httpx2
        from google import genai
        from google.genai import types

        # Our own client: with none given, the SDK would change its transport where aiohttp can be imported.
        http = httpx2.AsyncClient(follow_redirects=True, trust_env=not is_loopback(self._address))
        client = genai.Client(
            vertexai=False,
            api_key=self._api_key,
            http_options=types.HttpOptions(base_url=self._address, httpx_async_client=http),
        )
        return _Session(client, http, loop)

    def _translated(self, error: Exception) -> EmbeddingError:
        import httpx2
        from google.genai import errors
        from pydantic import ValidationError

        if isinstance(error, errors.APIError):
            return self._refusal(error)
        if isinstance(error, (errors.UnknownApiResponseError, json.JSONDecodeError, ValidationError)):
            return VendorFailure(f"{self._model} sent JSON that cannot be read", hint="try again", again=True)
        if isinstance(error, httpx2.HTTPError):
            return VendorFailure(
                f"{self._address} cannot be used: {error or type(error).__name__}",
                hint="check the network and the address",
                again=True,
            )
        return EmbeddingError(f"google-genai failed: {type(error).__name__}: {error}")

    def _refusal(self, error: Any) -> VendorFailure:
        said = said_by_server(error.message or error.status or "no reason given", self._api_key)
        code = error.code if isinstance(error.code, int) else 500
        delay = google_retry_delay(error.details, getattr(error.response, "headers", None))
        if code == 429 or code in (408, 499) or code >= 500:
            state = "is limited for now" if code == 429 else f"is not available ({code})"
            return VendorFailure(
                f"{self._model} {state}: {said}", hint="wait, or use another key", again=True, retry_after=delay
            )
        if code in (401, 403) or "api key" in said.lower():
            return VendorFailure(f"{self._model} refused the key: {said}", hint="check GEMINI_API_KEY")
        if code == 404:
            return VendorFailure(f"{self._model} is not there: {said}", hint="use gemini-embedding-2")
        return VendorFailure(f"{self._model} refused the request ({code}): {said}")
