"""Running again what fails in passing; no server."""

from __future__ import annotations

import logging

import pytest

from ragforge_memory.graph.retries import Pauses, repeat

pytestmark = pytest.mark.anyio

NONE: Pauses = {"wait_initial": 0.0, "wait_max": 0.0, "wait_jitter": 0.0}


class Failing:
    """Fails so many times, then gives how often it was run."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.runs = 0
        self._failures = failures
        self._error = error or TimeoutError()

    async def __call__(self) -> int:
        self.runs += 1
        if self.runs <= self._failures:
            raise self._error
        return self.runs


def in_time(error: Exception) -> bool:
    return isinstance(error, TimeoutError)


@pytest.mark.parametrize("failures", [0, 1, 3])
async def test_what_fails_in_passing_is_run_until_it_does_not(failures: int) -> None:
    assert await repeat(Failing(failures), on=in_time, attempts=3, pauses=NONE) == failures + 1


async def test_after_the_time_is_over_the_failure_stands() -> None:
    once = Failing(1_000)
    with pytest.raises(TimeoutError):
        await repeat(once, on=in_time, seconds=0.1)
    assert 1 < once.runs < 30


async def test_another_failure_stands_at_once() -> None:
    once = Failing(9, ValueError("refused"))
    with pytest.raises(ValueError, match="refused"):
        await repeat(once, on=in_time, attempts=3, pauses=NONE)
    assert once.runs == 1


async def test_nobody_who_has_set_up_no_logging_reads_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    logging.getLogger("another").warning("is read")
    await repeat(Failing(2), on=in_time, attempts=3, pauses=NONE)
    assert capsys.readouterr().err == "is read\n"
