"""Waiting until a server is fit to be measured: its Java has compiled, and its indexes are at rest."""

from __future__ import annotations

import asyncio
import time

from benchmarks.core import Operation, interleaved
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.graph.client import GraphClient

# A bean of the server's Java (`dbms.queryJmx`), its attribute, and the seconds of one.
_COMPILING = ("java.lang:type=Compilation", "TotalCompilationTime", 1e-3)
_USING = ("java.lang:type=OperatingSystem", "ProcessCpuTime", 1e-9)


async def warm(client: GraphClient, operations: dict[str, Operation], *, patience: float, rounds: int = 40) -> float:
    """Runs everything until the server is hardly compiling any more; returns the seconds that it took.

    A server that has just started compiles for minutes of such work on two cores, in which every time falls to a third.
    Nobody's server of months does that.
    """
    started = time.perf_counter()
    quiet = 0
    while quiet < 4 and time.perf_counter() - started < patience:
        before, compiled = time.perf_counter(), await _spent(client, *_COMPILING)
        await interleaved(operations, rounds)
        share = (await _spent(client, *_COMPILING) - compiled) / (time.perf_counter() - before)
        quiet = quiet + 1 if share < 0.15 else 0
    return time.perf_counter() - started


async def settle(client: GraphClient, operations: dict[str, Operation], *, patience: float, rounds: int = 20) -> float:
    """Waits until the server has nothing to do but what it is asked; returns the seconds that it took.

    After a bulk fill it merges its indexes' segments, on all cores and for minutes, some of them only once more is
    written, and an index goes on reading those that were merged away until something is: none of that is what a
    conversation meets that grew in months. A long conversation's vectors are copied once it is searched.
    """
    started = time.perf_counter()
    quiet = 0
    while quiet < 4 and time.perf_counter() - started < patience:
        # What is written while segments are merged may wait for them longer than any statement's time-out.
        if not quiet and await _is_busy(client):
            continue
        try:
            await interleaved(operations, rounds)
        except GraphTimeout:
            quiet = 0
            continue
        await asyncio.sleep(1)
        quiet = 0 if await _is_busy(client) else quiet + 1
    return time.perf_counter() - started


async def _is_busy(client: GraphClient) -> bool:
    """Whether the server's Java uses a fifth of a core or more, though it is asked nothing."""
    before, used = time.perf_counter(), await _spent(client, *_USING)
    await asyncio.sleep(2)
    return (await _spent(client, *_USING) - used) / (time.perf_counter() - before) >= 0.2


async def _spent(client: GraphClient, bean: str, attribute: str, unit: float) -> float:
    """Seconds that the server's Java has spent on something since it started."""
    [row] = await client.run_schema(
        "CALL dbms.queryJmx($bean) YIELD attributes RETURN attributes[$attribute].value AS spent",
        bean=bean,
        attribute=attribute,
    )
    return float(row["spent"]) * unit
