"""Asking a model again, as long as nothing of its answer has come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from ragforge_memory.errors import ModelError, ModelMalformed
from ragforge_memory.llm.port import ModelChunk, ReasoningChunk
from ragforge_memory.vendors.retry import RetryPolicy


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
