"""What the embedders of vendors share: batches, retries, checked unit vectors, calibration."""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ragforge_memory.embeddings.calibration import PROBE_TEXTS, UNRELATED_COSINE, mean_cosine
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.errors import EmbeddingError, ModelError, ModelUnavailable
from ragforge_memory.vendors.connection import Connection
from ragforge_memory.vendors.retry import RetryPolicy

BATCH = 100
# What is sent of one text: some 2,000 tokens, within every vendor's window and what one vector can still say.
MAX_CHARACTERS = 8_000
# What is sent of a question: some 64 tokens of the longest words.
MAX_QUERY_CHARACTERS = 1_000
# Seconds for one request.
TIMEOUT = 30.0

# Vendors refuse empty texts.
_NOTHING = "(empty)"


class VendorEmbedder(ABC):
    """Texts in, checked unit vectors out; a subclass opens its connection and asks.

    Args:
        model: the model's name.
        dimension: floats that each vector must have.
        retry: how failed requests are repeated.
        timeout: seconds for one request.
    """

    _connection: Connection[Any]

    def __init__(
        self, model: str, dimension: int, retry: RetryPolicy | None = None, *, timeout: float = TIMEOUT
    ) -> None:
        self._model = model
        self._dimension = dimension
        self._retry = retry or RetryPolicy()
        self._timeout = timeout
        self._unrelated = UNRELATED_COSINE.get(model)

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def unrelated_cosine(self) -> float:
        """Known from the first request on (the probe texts ride along with it); 0 before."""
        return self._unrelated or 0.0

    async def embed_query(self, text: str) -> Vector:
        asking = self._sent([_sendable(text, MAX_QUERY_CHARACTERS)], True)
        if self._unrelated is None:
            (vector,), _ = await asyncio.gather(asking, self._passages([]))
        else:
            (vector,) = await asking
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self._passages(texts) if texts else []

    async def aclose(self) -> None:
        """Closes the SDK's client and its connections."""
        await self._connection.aclose()

    @abstractmethod
    async def _request(self, texts: Sequence[str], question: bool) -> list[Vector]:
        """Sends one batch (at most `BATCH` texts), of questions or of stored texts.

        Raises:
            ModelError: it was refused, or nobody answered.
        """

    async def _passages(self, texts: Sequence[str]) -> list[Vector]:
        probes = list(PROBE_TEXTS) if self._unrelated is None else []
        waiting = [*probes, *(_sendable(text, MAX_CHARACTERS) for text in texts)]
        vectors: list[Vector] = []
        for start in range(0, len(waiting), BATCH):
            vectors += await self._sent(waiting[start : start + BATCH], False)
        if probes:
            self._unrelated = mean_cosine(vectors[: len(probes)])
        return vectors[len(probes) :]

    async def _sent(self, texts: Sequence[str], question: bool) -> list[Vector]:
        attempt = 0
        while True:
            attempt += 1
            try:
                vectors = await self._in_time(texts, question)
                break
            except ModelError as error:
                delay = self._retry.delay(attempt, error)
                if delay is None:
                    raise EmbeddingError(error.message, hint=error.hint) from error.__cause__
            await self._retry.sleep(delay)
        if len(vectors) != len(texts):
            raise EmbeddingError(f"{self._model} gave {len(vectors)} vectors for {len(texts)} texts")
        return [self._checked(vector) for vector in vectors]

    async def _in_time(self, texts: Sequence[str], question: bool) -> list[Vector]:
        try:
            async with asyncio.timeout(self._timeout) as limit:
                return await self._request(texts, question)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ModelUnavailable(
                f"{self._model} did not answer within {self._timeout:g} s", hint="try again"
            ) from error

    def _checked(self, vector: Vector) -> Vector:
        if len(vector) != self._dimension:
            raise EmbeddingError(
                f"{self._model} gave a vector of {len(vector)} dimensions, not {self._dimension}",
                hint=f"set agent.memory.embeddings.dimension to {len(vector)}",
            )
        length = math.hypot(*vector)
        if not math.isfinite(length) or length == 0.0:
            raise EmbeddingError(f"{self._model} gave a vector that has no direction")
        return [value / length for value in vector]


def _sendable(text: str, most: int) -> str:
    return text[:most] if text[:most].strip() else _NOTHING
