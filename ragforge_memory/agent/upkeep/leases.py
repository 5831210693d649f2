"""Working while a claim in the graph is ours: it is renewed meanwhile, and work for one that is lost is broken off."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ragforge_memory.errors import GraphUnavailable

log = logging.getLogger(__name__)

# What does not let itself be cancelled is left alone after this.
_BREAK_OFF_SECONDS = 0.5

T = TypeVar("T")


class LeaseLost(Exception):
    """Somebody else has the conversation by now, or it is gone: what we have in hand is not stored."""


async def meanwhile(work: Awaitable[T], *, seconds: float, renew: Callable[[], Awaitable[bool]]) -> T:
    """Awaits ``work`` and renews the claim at half its life.

    Args:
        work: what takes its time, with no transaction open.
        seconds: how long a claim lasts.
        renew: makes it last; False where it is not ours any more. That the graph is away or slow is no reason to give
            up: whoever stores the work finds out whose the claim is.

    Raises:
        LeaseLost: the claim is not ours any more; the work was cancelled.
    """
    task = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait((task,), timeout=seconds / 2)
            if done:
                return task.result()
            try:
                ours = await renew()
            except GraphUnavailable as error:
                # Whether it is still ours is found out when the work is stored.
                log.info("a claim could not be renewed: %s", error)
                continue
            if not ours:
                raise LeaseLost
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,), timeout=_BREAK_OFF_SECONDS)
