"""Waiting in a turn: for work that a cancel must not cut, and for a server that is being started again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ragforge_memory import events
from ragforge_memory.agent.tool_rounds import Emit
from ragforge_memory.errors import GraphTimeout, GraphUnavailable
from ragforge_memory.graph.client import RESTART_TIMEOUT, GraphClient

T = TypeVar("T")


async def shielded(work: Awaitable[T]) -> T:
    """Waits for ``work`` to end, however often this task is cancelled meanwhile; says so once it has ended."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError from task.exception()
    return task.result()


async def patiently(graph: GraphClient, emit: Emit, work: Callable[[], Awaitable[T]]) -> T:
    """Does ``work`` in the graph; where a managed server has gone, says so, waits for it and does it again.

    The work itself must not wait for the server (``recover=False``): a cancel may have to wait for the work, and
    never waits for the server.

    Raises:
        GraphUnavailable: the server is not managed, or is not back within 60 s.
    """
    try:
        return await work()
    except GraphUnavailable as error:
        if not graph.comes_back(error):
            raise
    detail = f"Neo4j went away; waiting up to {RESTART_TIMEOUT:.0f} s for its restart"
    await emit(events.Degraded(what="graph", detail=detail))
    await graph.back()
    try:
        return await work()
    except GraphTimeout:
        # A server that has just come up, on a machine that is busy, compiles its first statements for long.
        return await work()
