"""The six metrics of memory's tools, by document 5 of the requirements."""

from __future__ import annotations

from pydantic import Field

from ragforge_memory.models.shape import Shape

LATENCY_BUCKETS_MS: tuple[float, ...] = (5, 10, 20, 30, 50, 100, 200, 500, 1_000, 5_000, float("inf"))
"""Upper bounds of the buckets of a latency, in milliseconds."""


# Calls that say nothing of a rate yet.
_FEW = 20


class ToolMetrics(Shape):
    """The calls of one tool of memory.

    ``latencies`` counts them by the bounds of `LATENCY_BUCKETS_MS`, each call in one bucket.
    """

    calls: int = 0
    successes: int = 0
    latencies: tuple[int, ...] = (0,) * len(LATENCY_BUCKETS_MS)

    @property
    def success_rate(self) -> float:
        """The share of calls that did what was asked, or had it done or queued already; 1 without any."""
        return self.successes / self.calls if self.calls else 1.0

    def quantile_ms(self, share: float) -> float:
        """The bound that this share of calls stayed within; 0 without any."""
        wanted, seen = share * sum(self.latencies), 0
        for bound, number in zip(LATENCY_BUCKETS_MS, self.latencies, strict=True):
            seen += number
            if number and seen >= wanted:
                return bound
        return 0.0


class MemoryMetrics(Shape):
    """What the tools of memory have done for one owner, in every process.

    ``queue_depth`` is how many operations wait now; ``duplicates`` of all ``writes`` said what was known.
    """

    tools: dict[str, ToolMetrics] = Field(default_factory=dict)
    errors: dict[str, int] = Field(default_factory=dict)
    writes: int = 0
    duplicates: int = 0
    queue_depth: int = 0

    @property
    def alerts(self) -> tuple[str, ...]:
        """The alerts of document 5 that are set off; a few calls set off none."""
        calls = sum(each.calls for each in self.tools.values())
        successes = sum(each.successes for each in self.tools.values())
        slowest = max((each.quantile_ms(0.95) for each in self.tools.values()), default=0.0)
        found = {
            "success rate below 90 %": successes < 0.9 * calls,
            "latency p95 above 500 ms": slowest > 500,
            "more than 500 operations wait": self.queue_depth > 500,
            "error rate above 5 %": sum(self.errors.values()) > 0.05 * calls,
            "more than 10 % duplicates": self.duplicate_rate > 0.1,
        }
        return tuple(name for name, is_on in found.items() if is_on and (calls >= _FEW or self.queue_depth > 500))

    @property
    def duplicate_rate(self) -> float:
        """The share of writes that said what was known; 0 without any."""
        return self.duplicates / self.writes if self.writes else 0.0
