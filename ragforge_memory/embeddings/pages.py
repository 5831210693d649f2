"""Vectors of much that waits: small calls of the model, large writes, both at the same time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from ragforge_memory.embeddings.port import Embedder, Vector
from ragforge_memory.errors import EmbeddingError

T = TypeVar("T")

PAGE = 512
"""What is read at once: its texts are held in memory, and two writes of it can overlap with the embedding."""

# One call of the model. It is also how long what is more urgent waits here.
_BATCH = 32
# What is written at once: a write for each call took as long as the vectors of a fast model.
_WRITE = 256
# Seconds after which what is there is written all the same, so that a slow model's work is not lost with its process.
_WRITE_AFTER = 1.0


async def answers(embedder: Embedder) -> None:
    """Asks a model for the vector of a text that nothing can be wrong with.

    Raises:
        EmbeddingError: it cannot even do that: it is out of reach, or not there.
    """
    await embedder.embed_passages(["text"])


async def embed_page(
    page: Sequence[T],
    *,
    vectors: Callable[[Sequence[T]], Awaitable[Sequence[Vector]]],
    store: Callable[[Sequence[tuple[T, Vector]]], Awaitable[int]],
    fail: Callable[[Sequence[T]], Awaitable[None]],
    answers: Callable[[], Awaitable[object]],
    stop: Callable[[], bool],
) -> int:
    """Embeds 32 of them at a time, the first 32 in any case, and stores up to 256 while the next are embedded.

    Where the model fails, `embed_batch` finds out what it refuses.

    Args:
        page: what waits, the most urgent first.
        vectors: calls the model.
        store: writes some vectors, and returns how many were taken.
        fail: is given what the model refuses although it takes others.
        answers: calls the model with a text that nothing can be wrong with; raises EmbeddingError.
        stop: asked between two calls: whether to leave the rest.

    Returns:
        How many were stored; all that was embedded was offered.

    Raises:
        EmbeddingError: the model failed; what it made before is stored.
    """
    made: list[tuple[T, Vector]] = []
    writing: asyncio.Task[int] | None = None
    stored, since = 0, time.monotonic()
    try:
        for start in range(0, len(page), _BATCH):
            if start and stop():
                break
            batch = page[start : start + _BATCH]
            failure: EmbeddingError | None = None
            try:
                taken, refused = await embed_batch(batch, vectors=vectors, answers=answers)
            except EmbeddingError as error:
                taken, refused, failure = [], [], error
            if refused:
                await fail([each for each, _ in refused])
                failure = refused[-1][1]
            made += taken
            if failure is not None:
                if made:
                    await store(made)
                raise failure
            if len(made) >= _WRITE or time.monotonic() - since >= _WRITE_AFTER:
                stored += 0 if writing is None else await writing
                writing = asyncio.create_task(_stored(store, made), name="ragforge-store-vectors")
                made, since = [], time.monotonic()
        stored += 0 if writing is None else await writing
        return stored + (await store(made) if made else 0)
    finally:
        if writing is not None and not writing.done():
            writing.cancel()
            await asyncio.wait((writing,))
        if writing is not None and not writing.cancelled():
            writing.exception()  # where another error came first


async def embed_batch(
    batch: Sequence[T],
    *,
    vectors: Callable[[Sequence[T]], Awaitable[Sequence[Vector]]],
    answers: Callable[[], Awaitable[object]],
) -> tuple[list[tuple[T, Vector]], list[tuple[T, EmbeddingError]]]:
    """What a model takes of a batch, and what it refuses alone, each with why.

    Where the batch fails each is embedded alone, and after each that fails the model is asked whether it answers at
    all: if it does not, nothing is at fault that waits.

    Args:
        batch, vectors, answers: as in `embed_page`.

    Raises:
        EmbeddingError: the model does not answer.
    """
    with suppress(EmbeddingError):
        return list(zip(batch, await vectors(batch), strict=True)), []
    taken: list[tuple[T, Vector]] = []
    refused: list[tuple[T, EmbeddingError]] = []
    for each in batch:
        try:
            taken += zip((each,), await vectors((each,)), strict=True)
        except EmbeddingError as error:
            await answers()
            refused.append((each, error))
    return taken, refused


async def _stored(
    store: Callable[[Sequence[tuple[T, Vector]]], Awaitable[int]], made: Sequence[tuple[T, Vector]]
) -> int:
    return await store(made)
