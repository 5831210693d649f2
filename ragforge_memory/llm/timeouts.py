"""How long a model may be silent. The SDKs' own time-outs count per read, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

from ragforge_memory.errors import ModelTimeout
from ragforge_memory.llm.asking import stream_of
from ragforge_memory.llm.port import ModelChunk, ModelProvider, ModelRequest, model_key
from ragforge_memory.vendors.connection import CONNECT_SECONDS

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds.

    Args:
        connect: until the connection stands.
        first_chunk: from the request to the first event; thinking counts where the vendor does not stream it.
        idle: between two events.
    """

    connect: float = CONNECT_SECONDS
    first_chunk: float = 120.0
    idle: float = 60.0


async def within(seconds: float, waiting: Awaitable[T], *, model: str, begun: bool) -> T:
    """What is awaited, or ModelTimeout; the awaited call is cancelled then."""
    try:
        async with asyncio.timeout(seconds) as limit:
            return await waiting
    except TimeoutError as error:
        if not limit.expired():
            raise
        silence = "fell silent" if begun else "did not begin to answer"
        raise ModelTimeout(
            f"{model} {silence} within {seconds:g} s", hint="ask again, or raise agent.model_timeout_seconds"
        ) from error


class LimitedProvider:
    """A provider that was given, whose answers end with ModelTimeout where it is silent for too long.

    Args:
        provider: the one that answers; whether it has limits of its own nobody knows.
        timeouts: those that it has here.
    """

    def __init__(self, provider: ModelProvider, timeouts: Timeouts) -> None:
        self._provider = provider
        self._timeouts = timeouts

    @property
    def name(self) -> str:
        return self._provider.name

    @property
    def model(self) -> str:
        return self._provider.model

    @property
    def context_window(self) -> int:
        """Tokens that fit into one request."""
        return self._provider.context_window

    def __getattr__(self, name: str) -> Any:
        """What a provider may have beside the port: ``purposes``, ``price``."""
        return getattr(self._provider, name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Answers piece by piece; see `ragforge_memory.llm.port.ModelProvider.stream`."""
        begun = False
        async with aclosing(stream_of(self._provider, request)) as chunks:
            while True:
                limit = self._timeouts.idle if begun else self._timeouts.first_chunk
                try:
                    chunk = await within(limit, anext(chunks), model=model_key(self._provider), begun=begun)
                except StopAsyncIteration:
                    return
                except ModelTimeout as error:
                    error.partial = begun
                    raise
                begun = True
                yield chunk

    async def aclose(self) -> None:
        """Closes the provider."""
        await self._provider.aclose()
