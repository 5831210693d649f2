"""A wait that no cancel cuts: asyncio's own, and those of a scope of anyio, as web servers have them."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest

from ragforge_memory.agent.turns.patience import outcome
from ragforge_memory.graph.filed.directory import unbroken
from ragforge_memory.graph.shielded import shielded

pytestmark = pytest.mark.anyio


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one at each wait: what is cancelled again and again waits again and again."""
    counted: list[int] = []
    wait = asyncio.wait

    async def counting(*given: Any, **named: Any) -> Any:
        counted.append(1)
        return await wait(*given, **named)

    monkeypatch.setattr(asyncio, "wait", counting)
    return counted


@pytest.mark.parametrize("kind", ["shielded", "unbroken", "outcome"])
async def test_a_scope_that_is_cancelled_waits_for_the_end_and_then_takes_its_cancel(
    waits: list[int], kind: str
) -> None:
    done: list[str] = []

    async def work() -> None:
        await asyncio.sleep(0.3)
        done.append(kind)

    async def slow_to_end() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await work()

    with anyio.move_on_after(0.05) as scope:
        match kind:
            case "shielded":
                await shielded(work())
            case "unbroken":
                await unbroken(lambda: asyncio.run(work()))
            case _:
                await outcome(asyncio.ensure_future(slow_to_end()))
        raise AssertionError("it was cancelled and goes on")
    assert scope.cancelled_caught
    assert done == [kind]
    assert len(waits) < 10


async def test_a_cancel_of_asyncio_is_the_one_that_is_raised() -> None:
    done: list[int] = []

    async def work() -> None:
        await asyncio.sleep(0.1)
        done.append(1)

    waiting = asyncio.ensure_future(shielded(work()))
    for _ in range(2):
        await asyncio.sleep(0.01)
        waiting.cancel("why")
    with pytest.raises(asyncio.CancelledError, match="why"):
        await waiting
    assert done == [1]
