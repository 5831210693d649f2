"""The benchmark of turns in company in a tiny form: each way to write, what is counted, and what is noticed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import neo4j
import pytest

from benchmarks.company import company_of
from benchmarks.company_ground import LONG, Ground
from benchmarks.company_run import Run, Talk, Told, as_processes, as_tasks, as_threads, judge
from benchmarks.company_seen import Seen, watched
from benchmarks.figures import forget_project
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import open_driver
from ragforge_memory.graph.connect import connect

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ground(neo4j_config: Neo4jConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ground]:
    """A long conversation of ten messages, forgotten at the end."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))
    project = f"benchmark-{uuid4().hex}"
    client, driver = await connect(neo4j_config), open_driver(neo4j_config)
    try:
        ground = Ground(neo4j_config, client, driver, project, 10)
        await ground.fill()
        yield ground
    finally:
        await driver.close()
        await client.aclose()
        for each in (project, company_of(project)):
            await asyncio.to_thread(forget_project, neo4j_config, each)


async def test_a_deadlock_is_counted_though_the_driver_repeats_it(ground: Ground) -> None:
    config = ground.config
    auth = (config.username, config.password) if config.password else None
    [one, two] = await ground.new(2)
    both = asyncio.Barrier(2)
    attempts: Counter[str] = Counter()

    async def lock(transaction: neo4j.AsyncManagedTransaction, first: str, second: str) -> None:
        attempts[first] += 1
        query = "MATCH (c:Conversation {uuid: $uuid}) SET c.touched = true RETURN c.uuid AS uuid"
        await (await transaction.run(query, uuid=first)).consume()
        if attempts[first] == 1:
            await both.wait()
        # Read row by row, as a failure may come with any of them.
        assert [row["uuid"] async for row in await transaction.run(query, uuid=second)] == [second]

    async def locked(driver: neo4j.AsyncDriver, first: str, second: str) -> None:
        async with driver.session(database=config.database) as session:
            await session.execute_write(lock, first, second)

    run = neo4j.AsyncSession.run
    with watched() as seen:
        async with neo4j.AsyncGraphDatabase.driver(config.uri, auth=auth) as driver:
            await asyncio.gather(locked(driver, one, two), locked(driver, two, one))
    assert seen.deadlocks.total() == attempts.total() - 2 >= 1
    assert all(where.startswith("MATCH (c:Conversation {uuid: $uuid})") for where in seen.deadlocks)
    assert seen.opened == 0
    assert neo4j.AsyncSession.run is run


async def test_writers_say_all_their_turns(ground: Ground) -> None:
    for talk in (Talk(await ground.new(2), 2, 5), await ground.talk(LONG, 3, 5)):
        run = await as_threads(ground.config, ground.project, ground.driver, talk)
        await judge(ground.driver, ground.config.database, run, [talk])
        assert len(run.told.turns) == 5
        assert not run.told.failures
        assert run.told.seconds > 0
        assert (run.lost, run.wrong) == (0, [])


@pytest.mark.long
async def test_two_processes_in_company(ground: Ground) -> None:
    project = company_of(ground.project)
    conversations = await ground.new(project=project)
    talks = [Talk(conversations, 2, 4, name=name) for name in ("one/", "two/")]
    run = await as_processes(ground.config, project, ground.driver, talks, company=True)
    await judge(ground.driver, ground.config.database, run, talks)
    assert len(run.told.turns) == 8
    assert (run.lost, run.wrong) == (0, [])
    assert run.more["branches deleted"] > 0
    assert run.more["conversations expired"] > 0


async def test_what_is_wrong_is_noticed(ground: Ground) -> None:
    [uuid] = await ground.new()
    talk = Talk((uuid,), 1, 3)
    run = await as_tasks(ground.config, ground.project, ground.driver, talk)
    first, second, third = run.told.turns
    told = [replace(second, answer="another"), first, replace(third, answer_id="gone")]
    bad = Run(Told(told), Seen())
    query = "MATCH (m:Message {conversation_id: $uuid}) WHERE m.seq > 5 SET m.seq = m.seq + 1"
    await ground.driver.execute_query(query, uuid=uuid)
    await judge(ground.driver, ground.config.database, bad, [talk])
    assert bad.lost == 1
    assert Counter(bad.wrong).keys() == {
        "seq has gaps",
        "another answer",
        "a writer's turns are out of order",
        "a message of nobody's",
    }
