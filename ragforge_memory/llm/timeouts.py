"""How long a model may be silent. The SDKs' own time-outs count per read, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from ragforge_memory.errors import ModelTimeout

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds.

    Args:
        connect: until the connection stands.
        first_chunk: from the request to the first event; thinking counts where the vendor does not stream it.
        idle: between two events.
    """

    connect: float = 10.0
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
