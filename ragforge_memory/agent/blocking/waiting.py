"""Waiting for the background loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ragforge_memory.agent.turns.loop import background_loop

T = TypeVar("T")


def wait(function: Callable[[], Awaitable[T]], *, stop: Callable[[], Awaitable[Any]] | None = None) -> T:
    """Runs ``function`` on the background loop; Ctrl-C stops it (with ``stop``, which is waited for) and goes on."""
    loop = background_loop()
    future = loop.start(function)
    try:
        return future.result()
    except KeyboardInterrupt:
        if stop is not None:
            loop.start(stop).result()
        future.cancel()
        raise
