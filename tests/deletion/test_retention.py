"""Retention: by age and number, of one owner, never what is in use."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversationAgent, InvalidInput
from ragforge_memory.agent.upkeep.work import RetentionTask
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.retention import RetentionStore
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

Cypher = Callable[..., list[dict[str, Any]]]
AGED = "MATCH (c:Conversation {uuid: $u}) SET c.updated_at = datetime() - duration({days: $days})"


async def _talks(agent: AsyncConversationAgent, cypher: Cypher, *days: int) -> list[str]:
    """One conversation for each age in days; nobody holds them."""
    made = []
    for number, age in enumerate(days):
        uuid = (await agent.create_conversation(f"talk {number}")).uuid
        cypher(AGED, u=uuid, days=age)
        made.append(uuid)
    return made


async def _there(agent: AsyncConversationAgent) -> set[str]:
    return {info.uuid for info in await agent.list_conversations()}


async def test_by_age_and_by_number(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent, make_agent(user_id="somebody else") as other:
        theirs = await _talks(other, cypher, 400)
        a, b, c, d = await _talks(agent, cypher, 40, 30, 20, 10)
        await (await agent.load_conversation(b)).archive()
        assert [info.uuid for info in await agent.expired_conversations(older_than_days=25)] == [a, b]
        assert [info.uuid for info in await agent.expired_conversations(keep=1)] == [a, b, c]
        assert [info.uuid for info in await agent.expired_conversations(keep=3, older_than_days=35)] == [a]
        assert await _there(agent) == {a, b, c, d}
        gone = await agent.delete_expired_conversations(older_than_days=25, keep=3)
        assert [info.uuid for info in gone] == [a, b]
        assert await agent.delete_expired_conversations(older_than_days=25, keep=3) == []
        assert await _there(agent) == {c, d}
        assert await _there(other) == set(theirs)
        for wrong in ({}, {"keep": -1}, {"older_than_days": 1.5}, {"older_than_days": True}):
            with pytest.raises(InvalidInput):
                await agent.delete_expired_conversations(**wrong)  # type: ignore[arg-type]


async def test_what_is_in_use_stays(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        held, asked, branched = await _talks(agent, cypher, 50, 50, 50)
        services = await agent.open()
        handle = await agent.load_conversation(held)
        question = NewMessage(uuid=uuid4().hex, role="user", content="Still there?")
        await services.stores.messages.append(asked, question)
        cypher(AGED, u=asked, days=50)
        said = NewMessage(uuid=uuid4().hex, role="assistant", content="Shared.")
        await services.stores.messages.append(branched, said)
        branch = await (await agent.load_conversation(branched)).branch(title="Branch")
        cypher(AGED, u=branched, days=50)
        assert [info.uuid for info in await agent.delete_expired_conversations(older_than_days=1)] == [branched]
        assert [message.content for message in await branch.get_history()] == ["Shared."]
        assert await _there(agent) == {held, asked, branch.uuid}
        assert handle.uuid == held
        # Asked too long ago: nobody waits for that answer any more.
        cypher("MATCH (m:Message {uuid: $u}) SET m.timestamp = m.timestamp - duration('PT2H')", u=question.uuid)
        assert [info.uuid for info in await agent.delete_expired_conversations(older_than_days=1)] == [asked]


async def test_one_that_was_written_to_meanwhile_stays(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        [uuid] = await _talks(agent, cypher, 50)
        services = await agent.open()
        store = RetentionStore(services.stores.graph, services.place.owner)
        [found] = await store.expired(age=86_400, keep=None, open_here=(), limit=10)
        said = NewMessage(uuid=uuid4().hex, role="assistant", content="Here again.")
        await services.stores.messages.append(uuid, said)
        cypher(AGED, u=uuid, days=49)
        assert not await store.begin(found)
        assert await _there(agent) == {uuid}


async def test_the_configuration_is_applied_at_opening(
    make_agent: MakeAgent, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make_agent() as agent:
        made = await _talks(agent, cypher, 40, 20, 10)
    # By the database's clock: one of ours that is a year ahead changes nothing.
    monkeypatch.setattr(time, "time", lambda _now=time.time: _now() + 365 * 86_400)
    async with make_agent(settings={"max_age_days": 30}) as agent:
        await agent.drain()
        assert await _there(agent) == set(made[1:])
    async with make_agent(settings={"max_conversations": 1}) as agent:
        await agent.drain()
        assert await _there(agent) == {made[2]}
    async with make_agent() as agent:
        await agent.drain()
        assert await _there(agent) == {made[2]}


async def test_it_is_applied_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.agent.upkeep.work.EVERY", 0.0)
    runs = 0

    async def apply() -> list[Any]:
        nonlocal runs
        runs += 1
        return []

    task = RetentionTask(apply)
    task.begin()
    while runs < 3:
        await task.quiet(1)
        await asyncio.sleep(0)
    await task.aclose()
