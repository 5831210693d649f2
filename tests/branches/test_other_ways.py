"""Answers given again and questions edited, cut off in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import anyio
import pytest

from ragforge_memory.errors import TurnCancelled
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio


async def test_another_way_is_cancelled_as_a_turn_of_the_conversation(make_agent: MakeAgent) -> None:
    said = asyncio.Event()

    async def slow(_: object) -> AsyncIterator[object]:
        yield "half of it"
        said.set()
        yield Hang()

    async with make_agent(provider=ScriptedProvider(["a1", slow, slow])) as agent:
        trunk = await agent.create_conversation("Root")
        first = await trunk.send_message("q1")

        for stop in ("cancel", "scope"):
            said.clear()
            if stop == "cancel":
                running = asyncio.create_task(trunk.regenerate(first.message_id))
                await said.wait()
                assert await trunk.cancel()
                with pytest.raises(TurnCancelled) as cancelled:
                    await running
                assert cancelled.value.message_id is not None
            else:  # one of anyio's cancels at every wait
                with anyio.CancelScope() as scope:
                    async with asyncio.TaskGroup() as group:
                        group.create_task(_when(said, scope.cancel))
                        await trunk.edit(first.user_message_id, "q2")
            assert not await trunk.cancel()
        branches = (await trunk.branches()).branches
        assert len(branches) == 2
        for branch in branches:
            newest = (await (await agent.load_conversation(branch.uuid)).get_history())[-1]
            assert (newest.state, newest.content) == ("partial", "half of it")


async def _when(event: asyncio.Event, what: Callable[[], None]) -> None:
    await event.wait()
    what()


async def test_another_way_that_is_cancelled_at_once_leaves_no_branch(make_agent: MakeAgent) -> None:
    async with make_agent(provider=ScriptedProvider(["a1", *[[Hang()]] * 20])) as agent:
        trunk = await agent.create_conversation("Root")
        first = await trunk.send_message("q1")
        for steps in (0, 1, 2, 5, 10, 20, 30, 40, 60, 80):
            running = asyncio.create_task(trunk.regenerate(first.message_id))
            for _ in range(steps):
                await asyncio.sleep(0.001)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        assert (await trunk.branches()).branches == ()
