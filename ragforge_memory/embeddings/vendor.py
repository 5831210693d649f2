"""What the embedders of vendors share: batches, retries by the vendor's delay, checked unit vectors, calibration."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ragforge_memory.embeddings.calibration import PROBE_TEXTS, UNRELATED_COSINE, mean_cosine
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.errors import EmbeddingError

BATCH = 100
# What is sent of one text: some 2,000 tokens, within every vendor's window and what one vector can still say.
MAX_CHARACTERS = 8_000
# What is sent of a question: some 64 tokens of the longest words.
MAX_QUERY_CHARACTERS = 1_000

# Vendors refuse empty texts.
_NOTHING = "(empty)"


class VendorFailure(EmbeddingError):
    """A failed request.

    ``again`` says whether it is worth sending once more, ``retry_after`` after how many seconds, where the vendor
    said so.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, again: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.again = again
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class EmbeddingRetries:
    """How often a request is sent again, and how long it may take.

    Args:
        attempts: requests in all, the first included.
        base_delay: seconds before the second where the vendor names no delay; doubled each time, half of it drawn
            (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
        max_delay: seconds; where the vendor wants more the error stands.
        timeout: seconds for one request.
        sleep: waits that many seconds; tests give their own.
        draw: a number from 0 to 1.
    """

    attempts: int = 4
    base_delay: float = 1.0
    max_delay: float = 30.0
    timeout: float = 30.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random

    def delay(self, attempt: int, failure: VendorFailure) -> float | None:
        """Seconds to wait after this failed attempt (counted from 1), or None where the failure stands."""
        if attempt >= self.attempts or not failure.again:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.max_delay else None
        full = min(self.max_delay, self.base_delay * 2.0 ** (attempt - 1))
        return full / 2 + full / 2 * self.draw()


class VendorVectors:
    """Texts in, checked unit vectors out.

    Args:
        model: the model's name, for messages and calibration.
        dimension: floats that each vector must have.
        request: sends one batch (at most `BATCH` texts); the flag says whether they are questions. Raises
            VendorFailure.
        retries: how failed requests are repeated.
    """

    def __init__(
        self,
        model: str,
        dimension: int,
        request: Callable[[Sequence[str], bool], Awaitable[list[Vector]]],
        retries: EmbeddingRetries,
    ) -> None:
        self._model = model
        self._dimension = dimension
        self._request = request
        self._retries = retries
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
            except VendorFailure as failure:
                delay = self._retries.delay(attempt, failure)
                if delay is None:
                    raise
            await self._retries.sleep(delay)
        if len(vectors) != len(texts):
            raise EmbeddingError(f"{self._model} gave {len(vectors)} vectors for {len(texts)} texts")
        return [self._checked(vector) for vector in vectors]

    async def _in_time(self, texts: Sequence[str], question: bool) -> list[Vector]:
        try:
            async with asyncio.timeout(self._retries.timeout) as limit:
                return await self._request(texts, question)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise VendorFailure(
                f"{self._model} did not answer within {self._retries.timeout:g} s", hint="try again", again=True
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
    """The part of an embedder that every vendor has alike; a subclass sets these three and opens its own client."""

    _model: str
    _dimension: int
    _vectors: VendorVectors

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


def _sendable(text: str, most: int) -> str:
    return text[:most] if text[:most].strip() else _NOTHING
