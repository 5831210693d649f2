"""What the embedders of vendors share: batches, retries, checked unit vectors, calibration."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
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


class VendorVectors:
    """Texts in, checked unit vectors out.

    Args:
        model: the model's name, for messages and calibration.
        dimension: floats that each vector must have.
        request: sends one batch (at most `BATCH` texts); the flag says whether they are questions. Raises ModelError.
        retry: how failed requests are repeated.
        timeout: seconds for one request.
    """

    def __init__(
        self,
        model: str,
        dimension: int,
        request: Callable[[Sequence[str], bool], Awaitable[list[Vector]]],
        retry: RetryPolicy,
        *,
        timeout: float = TIMEOUT,
    ) -> None:
        self._model = model
        self._dimension = dimension
        self._request = request
        self._retry = retry
        self._timeout = timeout
        self._unrelated = UNRELATED_COSINE.get(model)

    @property
    def unrelated_cosine(self) -> float:
        """Known from the first request on (the probe texts ride along with it); 0 before."""
        return self._unrelated or 0.0

    async def question(self, text: str) -> Vector:
        """The vector of one question."""
        asking = self._sent([_sendable(text, MAX_QUERY_CHARACTERS)], True)
        if self._unrelated is None:
            (vector,), _ = await asyncio.gather(asking, self.passages([]))
        else:
            (vector,) = await asking
        return vector

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of stored texts, in their order."""
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


class VendorEmbedder:
    """The part of an embedder that every vendor has alike; a subclass sets these four and asks."""

    _model: str
    _dimension: int
    _vectors: VendorVectors
    _connection: Connection[Any]

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def unrelated_cosine(self) -> float:
        """Measured with the first passages or question; see `ragforge_memory.embeddings.calibration`."""
        return self._vectors.unrelated_cosine

    async def embed_query(self, text: str) -> Vector:
        return await self._vectors.question(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self._vectors.passages(texts) if texts else []

    async def aclose(self) -> None:
        """Closes the SDK's client and its connections."""
        await self._connection.aclose()


def _sendable(text: str, most: int) -> str:
    return text[:most] if text[:most].strip() else _NOTHING
