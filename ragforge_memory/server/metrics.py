"""What Prometheus reads: the six metrics of memory's tools from the graph, and what this server counts itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragforge_memory.models.metrics import LATENCY_BUCKETS_MS, MemoryMetrics

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

    from ragforge_memory.models.conversation import Usage

# A caller may name any word as its method.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

TURN_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
"""Upper bounds of the buckets of a turn's length, in seconds."""


class ServerMetrics:
    """Counts requests, turns and tokens. Where several processes serve, all of them count into the same files."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self._registry = CollectorRegistry()
        self._requests = Counter(
            "ragforge_http_requests", "Requests, by route and status.", ["method", "route", "status"], registry=None
        )
        self._turns = Histogram("ragforge_turn_seconds", "How long turns took.", registry=None, buckets=TURN_BUCKETS)
        self._tokens = Counter("ragforge_tokens", "Tokens that turns took.", ["direction"], registry=None)
        self._agents = Gauge(
            "ragforge_open_agents",
            "Users whose agents are open in the worker that was asked last.",
            registry=None,
            multiprocess_mode="mostrecent",
        )
        self._own = (self._requests, self._turns, self._tokens, self._agents)

    def request(self, method: str, route: str, status: int) -> None:
        """Counts a request that was answered."""
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()

    def turn(self, seconds: float, usage: Usage) -> None:
        """Counts a turn that was answered."""
        self._turns.observe(seconds)
        self._tokens.labels("in").inc(usage.input_tokens)
        self._tokens.labels("out").inc(usage.output_tokens)

    def open_agents(self, number: int) -> None:
        """Says how many agents are open."""
        self._agents.set(number)

    def text(self, memory: MemoryMetrics | None) -> bytes:
        """All metrics in Prometheus's text form; without those of memory where None is given."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = CollectorRegistry()
        if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            for each in self._own:
                registry.register(each)
        if memory is not None:
            registry.register(_Memory(memory))
        return generate_latest(registry)


class _Memory:
    """Document 5's six metrics, of all users of the project and of every process."""

    def __init__(self, metrics: MemoryMetrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        """The families, as Prometheus's client asks for them."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        metrics = self._metrics
        calls = CounterMetricFamily("memory_tool_calls_total", "Calls of memory's tools.", labels=["tool"])
        rate = GaugeMetricFamily("memory_tool_success_rate", "The share of calls that succeeded.", labels=["tool"])
        latency = HistogramMetricFamily("memory_tool_latency_ms", "How long calls took.", labels=["tool"])
        for tool, each in sorted(metrics.tools.items()):
            calls.add_metric([tool], each.calls)
            rate.add_metric([tool], each.success_rate)
            latency.add_metric([tool], _cumulated(each.latencies), sum_value=None)
        errors = CounterMetricFamily("memory_tool_errors_total", "Calls that failed, by error.", labels=["error_type"])
        for name, number in sorted(metrics.errors.items()):
            errors.add_metric([name], number)
        yield from (calls, rate, latency, errors)
        yield GaugeMetricFamily("memory_tool_queue_depth", "Operations that wait.", value=metrics.queue_depth)
        yield GaugeMetricFamily(
            "memory_duplicate_rate", "The share of writes that said what was known.", value=metrics.duplicate_rate
        )


def _cumulated(latencies: tuple[int, ...]) -> list[tuple[str, float]]:
    """Buckets as Prometheus has them: each counts all calls up to its bound."""
    total, buckets = 0, []
    for bound, number in zip(LATENCY_BUCKETS_MS, latencies, strict=True):
        total += number
        buckets.append(("+Inf" if bound == float("inf") else f"{bound:g}", float(total)))
    return buckets
