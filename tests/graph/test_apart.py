"""A statement is awaited in a task of its own, and so many at once."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory.graph.liveness import Places, within

pytestmark = pytest.mark.anyio


def _own() -> asyncio.Task[object]:
    task = asyncio.current_task()
    assert task is not None
    return task


async def as_the_driver_does() -> None:
    """Hangs; a cancel is answered by more of them, as the driver does where it closes a connection."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        for _ in range(3):
            _own().cancel()
        raise


async def test_a_time_out_is_no_cancel_of_the_caller() -> None:
    for _ in range(2):
        with pytest.raises(TimeoutError):
            await within(asyncio.timeout(0.01), as_the_driver_does)
        assert _own().cancelling() == 0
    with pytest.raises(TimeoutError):  # a time-out of the caller's own still is one
        async with asyncio.timeout(0.01):
            await within(asyncio.timeout(5), as_the_driver_does)
    assert _own().cancelling() == 0


async def test_a_cancel_of_the_caller_ends_the_attempt_first() -> None:
    ended = []

    async def attempt() -> None:
        try:
            await as_the_driver_does()
        finally:
            ended.append(True)

    task = asyncio.create_task(within(asyncio.timeout(5), attempt))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


async def test_so_many_at_once_and_the_rest_in_turn() -> None:
    places, running, most = Places(2), 0, 0

    async def one() -> None:
        nonlocal running, most
        async with places.one(5):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1

    await asyncio.gather(*(one() for _ in range(20)))
    assert most == 2
    async with places.one(5), places.one(5):
        with pytest.raises(TimeoutError):
            async with places.one(0.01):
                pass
    async with places.one(0.01):
        pass
