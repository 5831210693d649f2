"""Asking again: which failures of a model are worth it, and how long to wait.

The SDKs' own retries are off: google-genai's ignore the vendor's delay, and both would repeat a request whose
answer had already begun to arrive.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from ragforge_memory.errors import (
    ModelError,
    ModelMalformed,
    ModelRateLimited,
    ModelStreamCut,
    ModelUnavailable,
)
from ragforge_memory.llm.port import ModelChunk, ReasoningChunk

_WORTH_IT = (ModelRateLimited, ModelUnavailable, ModelStreamCut, ModelMalformed)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after which delay a failed request is sent again.

    Args:
        attempts: requests in all, the first included.
        base_delay: seconds before the second request where the vendor names no delay; doubled each time.
        max_delay: seconds; a vendor that wants more is not asked again, and the error says how long it wants.
        sleep: waits that many seconds; tests give their own.
        draw: a number from 0 to 1, for the jitter.
    """

    attempts: int = 4
    base_delay: float = 1.0
    max_delay: float = 30.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random

    def delay(self, attempt: int, error: ModelError) -> float | None:
        """Seconds to wait after this failed attempt (counted from 1), or None where the error stands.

        Without the vendor's word: exponential with equal jitter, half of the delay fixed and half drawn (Brooker,
        "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
        """
        if attempt >= self.attempts or not isinstance(error, _WORTH_IT):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.max_delay else None
        full = min(self.max_delay, self.base_delay * 2.0 ** (attempt - 1))
        return full / 2 + full / 2 * self.draw()


async def with_retries(
    policy: RetryPolicy, attempt: Callable[[], AsyncGenerator[ModelChunk, None]]
) -> AsyncGenerator[ModelChunk, None]:
    """The chunks of the first attempt that does not fail before its first chunk.

    Once something was yielded an error stands, with ``partial`` set: a second answer would begin in the middle
    of the first. The one exception is a malformed tool call after mere reasoning, which models that think
    aloud would otherwise make final.

    Raises:
        ModelError: the last attempt's.
    """
    number = 0
    while True:
        number += 1
        begun = said = False
        try:
            async with aclosing(attempt()) as chunks:
                async for chunk in chunks:
                    begun = True
                    said = said or not isinstance(chunk, ReasoningChunk)
                    yield chunk
            return
        except ModelError as error:
            delay = policy.delay(number, error)
            final = said or (begun and not isinstance(error, ModelMalformed))
            if delay is None or final:
                error.partial = begun
                raise
        await policy.sleep(delay)
