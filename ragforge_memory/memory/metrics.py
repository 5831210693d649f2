"""Counting what the tools of memory do: in the process, and from there in the graph, where every process adds to it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any

from ragforge_memory.models.metrics import LATENCY_BUCKETS_MS, MemoryMetrics, ToolMetrics

if TYPE_CHECKING:
    from ragforge_memory.graph.operations import OperationStore

CALLS, SUCCESSES, LATENCY = "calls", "successes", "latency"
ERRORS, WRITES, DUPLICATES = "errors", "writes", "duplicates"

_STORE = frozenset({"remember_fact", "create_episode", "store_memory"})
"""The tools that store something new."""

Counts = Counter[tuple[str, str]]
"""How much there is of a metric, by its name and what it is of."""


class Metrics:
    """What this process has counted and the graph does not have yet."""

    def __init__(self) -> None:
        self._counts: Counts = Counter()

    @property
    def waits(self) -> bool:
        """Whether anything was counted that the graph does not have."""
        return bool(self._counts)

    def count(self, tool: str, result: dict[str, Any], ms: float) -> None:
        """Counts a call of a tool: what the model sees of it, and how long it took."""
        status = result["status"]
        bucket = bisect_left(LATENCY_BUCKETS_MS, ms)
        self._counts.update([(CALLS, tool), (LATENCY, f"{tool} {bucket}")])
        if status == "error":
            self._counts[ERRORS, result["error_type"]] += 1
        else:
            self._counts[SUCCESSES, tool] += 1
        if tool in _STORE:
            self._counts[WRITES, ""] += 1
            self._counts[DUPLICATES, ""] += status == "skipped"

    def fail(self, error_type: str) -> None:
        """Counts an operation that failed after it was queued."""
        self._counts[ERRORS, error_type] += 1

    async def flush(self, store: OperationStore) -> None:
        """Adds what was counted to what the graph has.

        Raises:
            GraphUnavailable: it could not; it is kept for the next time.
        """
        counts, self._counts = self._counts, Counter()
        if not +counts:
            return
        try:
            await store.count(+counts)
        except BaseException:
            self._counts.update(counts)
            raise


async def read_metrics(store: OperationStore) -> MemoryMetrics:
    """What all processes have counted for an owner, and what waits now."""
    return metrics_of(await store.counts(), (await store.waiting()).number)


def metrics_of(counts: Counter[tuple[str, str]], waiting: int) -> MemoryMetrics:
    """The metrics for what is counted, by metric and label."""
    names = sorted({label for metric, label in counts if metric == CALLS})
    return MemoryMetrics(
        tools={
            name: ToolMetrics(
                calls=counts[CALLS, name],
                successes=counts[SUCCESSES, name],
                latencies=tuple(counts[LATENCY, f"{name} {each}"] for each in range(len(LATENCY_BUCKETS_MS))),
            )
            for name in names
        },
        errors={label: number for (metric, label), number in sorted(counts.items()) if metric == ERRORS},
        writes=counts[WRITES, ""],
        duplicates=counts[DUPLICATES, ""],
        queue_depth=waiting,
    )
