"""The queue of memory: what takes too long is queued, and done once, in order, by whoever lives."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from ragforge_memory.errors import GraphBusy
from ragforge_memory.graph.memories import MemoryStore
from ragforge_memory.graph.operations import Operation, OperationStore
from ragforge_memory.memory.memories import Source
from ragforge_memory.memory.metrics import read_metrics
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

SLOW = {"memory_tools_timeout_ms": 1}


def _fact(value: str) -> dict[str, Any]:
    return {"type": "personal", "key": "location", "value": value, "confidence": 0.9}


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Event]:
    """While it is not set, facts are not written."""
    gate = asyncio.Event()
    write = MemoryStore.remember_facts

    async def held(self: MemoryStore, *arguments: Any, **options: Any) -> Any:
        await gate.wait()
        return await write(self, *arguments, **options)

    monkeypatch.setattr(MemoryStore, "remember_facts", held)
    yield gate
    gate.set()


async def test_what_takes_too_long_is_queued_and_done_once(
    make_agent: MakeAgent, hold: asyncio.Event, cypher: Cypher
) -> None:
    async with make_agent(settings=SLOW) as agent:
        services = await agent.open()
        operations = services.background.operations
        assert operations is not None
        uuid = operations.memories.fact_uuid("personal", "location")
        answers = [
            await operations.run("remember_fact", _fact(value), Source(), fact_id=uuid) for value in ("Kyiv", "Lviv")
        ]
        assert [each["status"] for each in answers] == ["queued", "queued"]
        assert {each["fact_id"] for each in answers} == {uuid}
        hold.set()
        # The calls that were late and the worker both do it.
        await operations.finish(None)
        assert await agent.drain() == {}
        ends = [await operations.get(each["operation_id"]) for each in answers]
        assert [each and each["status"] for each in ends] == ["done", "done"]
        assert (await read_metrics(OperationStore(services.stores.graph, services.place.owner))).queue_depth == 0
    [row] = cypher(
        "MATCH (f:Fact {user_id: $user}) RETURN f.uuid AS uuid, f.value AS value, "
        "COUNT { (f)-[:HAS_VERSION]->() } AS versions",
        user=agent.user_id,
    )
    assert (row["uuid"], row["versions"]) == (uuid, 1)


async def test_a_full_queue_says_so_at_once(make_agent: MakeAgent, hold: asyncio.Event) -> None:
    settings = {**SLOW, "memory_tools_queue_size": 2}
    async with make_agent(settings=settings) as agent:
        operations = (await agent.open()).background.operations
        assert operations is not None
        answers = [await operations.run("remember_fact", _fact(f"v{n}"), Source()) for n in range(3)]
        assert [each["status"] for each in answers] == ["queued", "queued", "error"]
        assert answers[-1]["error_type"] == "queue_full"
        hold.set()
        assert await agent.drain() == {}


async def test_an_operation_that_fails_is_tried_three_times(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    async def fails(self: MemoryStore, *arguments: Any, **options: Any) -> Any:
        nonlocal tries
        tries += 1
        raise GraphBusy("busy")

    monkeypatch.setattr(MemoryStore, "remember_facts", fails)
    monkeypatch.setattr("ragforge_memory.memory.operations._RESTS", (0.0,))
    async with make_agent(settings=SLOW) as agent:
        services = await agent.open()
        operations = services.background.operations
        assert operations is not None
        [queued] = [await operations.run("remember_fact", _fact("Kyiv"), Source())]
        # One call of the tool, then the worker.
        await agent.drain()
        end = await operations.get(queued["operation_id"])
        assert end is not None
        assert (end["status"], end["attempts"], tries) == ("failed", 3, 4)
        assert "busy" in end["error"]


async def test_what_a_dead_process_had_in_hand_goes_on_here_in_order(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        services = await agent.open()
        await agent.drain()
        store = OperationStore(services.stores.graph, services.place.owner)
        source = {"trust": "user", "name": "tool", "message_id": None}
        for number in range(25):
            assert await store.queue(Operation(f"op{number}", "remember_fact", _fact(f"v{number}"), source), most=100)
        assert [each.uuid for each in await store.claim("dead worker")] == [f"op{each}" for each in range(10)]
        # A process of this machine that runs no more.
        cypher(
            "MATCH (o:PendingOperation {user_id: $user}) WHERE o.token IS NOT NULL "
            "SET o.holder = left(o.holder, size(o.holder) - size($pid)) + '999999999'",
            user=agent.user_id,
            pid=str(os.getpid()),
        )
        assert await agent.drain() == {}
        # Late is not twice: it has lost them, and what it does again changes nothing.
        assert not await store.end("op3", "dead worker", status="failed", result=None, error=None)
        assert services.memories is not None
        again = await services.memories.remember_fact(
            **_fact("v3"), source=Source(operation="op3", name="tool", trust="user")
        )
        assert (again.outcome, again.old) == ("updated", "v2")
    [row] = cypher(
        "MATCH (f:Fact {user_id: $user}) RETURN f.value AS value, COUNT { (f)-[:HAS_VERSION]->() } AS versions, "
        "COLLECT { MATCH (o:MemoryOperation {user_id: $user}) RETURN DISTINCT o.status } AS ends",
        user=agent.user_id,
    )
    assert row == {"value": "v24", "versions": 24, "ends": ["done"]}


async def test_one_worker_at_a_time_has_the_queue(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        services = await agent.open()
        await agent.drain()
        store = OperationStore(services.stores.graph, services.place.owner)
        source = {"trust": "user", "name": "tool", "message_id": None}
        for number in range(100):
            assert await store.queue(
                Operation(f"in-turn-{number}", "remember_fact", _fact(f"v{number}"), source), most=100
            )
        ended = []
        for _ in range(3):
            for each in await store.claim("one"):
                # What is behind that which another has in hand is not free either.
                assert await store.claim("another") == []
                assert await store.end(each.uuid, "one", status="done", result=None, error=None)
                ended.append(each.uuid)
        assert ended == [f"in-turn-{number}" for number in range(30)]


async def test_an_older_operation_does_not_undo_what_was_said_since(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        services = await agent.open()
        await agent.drain()
        store = OperationStore(services.stores.graph, services.place.owner)
        assert services.memories is not None
        source = {"trust": "user", "name": "tool", "message_id": None}
        await store.queue(Operation("old", "remember_fact", _fact("Kyiv"), source), most=9)
        await services.memories.remember_fact("personal", "location", "Lviv")
        await agent.drain()
        end = await store.get("old")
        assert end is not None
        assert json.loads(end["result"])["reason"] == "something newer is known"
        assert [fact.value for fact in await services.memories.recall_facts()] == ["Lviv"]


async def test_sixteen_writers_of_one_fact_make_one(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        services = await agent.open()
        memories = services.memories
        assert memories is not None
        done = await asyncio.gather(
            *(memories.remember_fact("personal", "location", f"city {number % 12}") for number in range(16))
        )
        kinds = [each.outcome for each in done]
        assert kinds.count("stored") == 1
        assert kinds.count("updated") + kinds.count("same") == 15
    [row] = cypher(
        "MATCH (f:Fact {user_id: $user}) RETURN count(f) AS facts, sum(COUNT { (f)-[:HAS_VERSION]->() }) AS versions",
        user=agent.user_id,
    )
    assert row == {"facts": 1, "versions": kinds.count("updated")}


async def test_the_metrics_are_counted_in_the_graph(make_agent: MakeAgent) -> None:
    async with make_agent(settings={"memory_tools_timeout_ms": 10_000}) as agent:
        services = await agent.open()
        operations = services.background.operations
        assert operations is not None
        for value in ("Kyiv", "Kyiv", "Kyiv?"):
            result = await operations.run("remember_fact", _fact(value), Source())
            operations.metrics.count("remember_fact", result, 7.0)
        await agent.drain()
        store = OperationStore(services.stores.graph, services.place.owner)
        metrics = await read_metrics(store)
    tool = metrics.tools["remember_fact"]
    assert (tool.calls, tool.successes, tool.quantile_ms(0.95)) == (3, 2, 10)
    assert (metrics.errors, metrics.writes, metrics.duplicates) == ({"invalid": 1}, 3, 1)
    assert metrics.duplicate_rate == pytest.approx(1 / 3)
