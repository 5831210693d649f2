"""What is waited for ends when it was said to, and what fails in the background does not end it."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

import pytest

from ragforge_memory.agent.upkeep.summaries import Summaries
from ragforge_memory.agent.upkeep.vectors import VectorTask
from ragforge_memory.agent.upkeep.work import BackgroundWork, RetentionTask, SummaryTask
from ragforge_memory.errors import GraphTimeout

pytestmark = pytest.mark.anyio

_MINUTE = 60.0


async def _forever(*_: Any) -> Any:
    await asyncio.Event().wait()


class _Stuck:
    """Summaries that never come."""

    class store:
        due = staticmethod(_forever)


async def test_all_sorts_of_work_together_take_no_longer_than_one_may(monkeypatch: pytest.MonkeyPatch) -> None:
    summaries: Summaries = _Stuck()  # type: ignore[assignment]
    work = BackgroundWork(VectorTask(None, ()), SummaryTask(summaries, lambda: None), _forever, RetentionTask(_forever))
    work.begin()
    work.wake(due=True)
    loop = asyncio.get_running_loop()
    try:
        finishing = asyncio.create_task(work.finish(_MINUTE))
        await asyncio.sleep(0)  # it waits for the first
        monkeypatch.setattr(loop, "time", lambda now=loop.time: now() + _MINUTE)
        # The deletes took the minute, and retention and summaries get none of their own.
        async with asyncio.timeout(_MINUTE / 4):
            await finishing
    finally:
        await work.aclose()


async def test_one_conversation_that_always_fails_holds_up_no_other() -> None:
    made: list[str] = []
    tried: list[str] = []

    class Due(NamedTuple):
        conversation_id: str
        wait: float = 0.0

    class Some:
        """The newest first, as the graph lists them."""

        class store:
            @staticmethod
            async def due() -> list[Due]:
                return [Due("bad"), *(Due(each) for each in ("one", "two") if each not in made)]

        @staticmethod
        async def bring_up_to_date(conversation_id: str, *, hurried: bool) -> bool:
            tried.append(conversation_id)
            if conversation_id == "bad":
                raise GraphTimeout("its statement takes too long")
            made.append(conversation_id)
            return True

    summaries: Summaries = Some()  # type: ignore[assignment]
    task = SummaryTask(summaries, lambda: None)
    task.wake()
    try:
        async with asyncio.timeout(5):
            await task.quiet(None)
    finally:
        await task.aclose()
    assert made == ["one", "two"]
    assert tried.count("bad") <= 2


async def test_retention_outlives_any_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.agent.upkeep.work.EVERY", 0)
    tried = 0
    again = asyncio.Event()

    async def full_disk() -> Any:
        nonlocal tried
        tried += 1
        if tried > 1:
            again.set()
        raise OSError("no space left on device")

    task = RetentionTask(full_disk)
    task.begin()
    try:
        async with asyncio.timeout(5):
            await again.wait()
    finally:
        await task.aclose()
