"""kill -9 of the workers of a full memory queue, two at a time; counts what did not end exactly once.

    python benchmarks/memory_queue.py [--kills 100] [--json FILE]

Operations that remember and update facts of 50 keys fill the queue. Two processes work on it, and one of them is killed
again and again at a random moment; what was done is filled up again. At the end every operation has ended once, each
fact has the value that was asked for last, and as many versions as it was given other values. Then 16 writers write one
fact at once.

The server is ``NEO4J_URI``'s, else the managed one. What the benchmark wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory import AsyncConversationAgent
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.operations import Operation, OperationStore
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

KEYS, MOST = 50, 1_000
SOURCE = {"trust": "user", "name": "tool", "message_id": None}


def _agent(config: Neo4jConfig, owner: Owner) -> AsyncConversationAgent:
    return AsyncConversationAgent(
        config, llm_provider=ScriptedProvider(()), user_id=owner.user_id, project=owner.project
    )


def work(config: Neo4jConfig, owner: Owner) -> None:
    """A process that works on the queue until it is killed."""
    logging.disable(logging.ERROR)

    async def run() -> None:
        async with _agent(config, owner) as agent:
            operations = (await agent.open()).background.operations
            assert operations is not None
            while True:
                await operations.work()
                await asyncio.sleep(0.05)

    asyncio.run(run())


async def main(kills: int, json_file: Path | None, seed: int) -> int:
    """Runs it; returns 1 where something did not end as it has to."""
    chance = random.Random(seed)
    config = benchmark_server()
    owner = Owner(f"queue-{uuid4().hex[:8]}", f"queue-{uuid4().hex[:8]}")
    async with _agent(config, owner) as agent:
        await agent.open()
    client = await connect(config)
    store = OperationStore(client, owner)
    expected: dict[int, list[str]] = {key: [] for key in range(KEYS)}
    asked = 0

    async def fill() -> None:
        nonlocal asked
        for _ in range(MOST - (await store.waiting()).number):
            key = chance.randrange(KEYS)
            value = f"value {chance.randrange(40)}"
            arguments = {"type": "project", "key": f"key {key}", "value": value, "confidence": 0.9}
            assert await store.queue(
                Operation(f"{owner.user_id}-{asked}", "remember_fact", arguments, SOURCE), most=MOST
            )
            asked += 1
            if not expected[key] or expected[key][-1] != value:
                expected[key].append(value)

    begun = time.monotonic()
    context = multiprocessing.get_context("forkserver")
    workers: list[Any] = []

    def hire() -> None:
        worker = context.Process(target=work, args=(config, owner))
        worker.start()
        workers.append(worker)

    await fill()
    for _ in range(2):
        hire()
    for kill in range(kills):
        # A process takes about a second to begin: some are struck before that, most while they work.
        await asyncio.sleep(chance.uniform(0.2, 3.0))
        victim = workers.pop(chance.randrange(len(workers)))
        os.kill(victim.pid, signal.SIGKILL)
        victim.join()
        hire()
        if kill < kills - 1:
            await fill()
        if not kill % 10:
            print(f"{kill + 1} kills, {asked} operations, {time.monotonic() - begun:.0f} s", flush=True)
    while (await store.waiting()).number:  # noqa: ASYNC110 - other processes do it
        await asyncio.sleep(0.5)
    for worker in workers:
        worker.kill()
        worker.join()
    wrong = await _look(config, owner, expected, asked)
    one = await _one_fact(config, owner)
    await client.aclose()
    await asyncio.to_thread(forget_project, config, owner.project)
    figures = [
        Figure("operations that did not end once", wrong["ends"], "of " + str(asked), 0, f"{kills} kills"),
        Figure("facts with another value or history", wrong["facts"], f"of {KEYS}", 0),
        Figure("facts of 16 writers of one", one[0], "facts", 1, f"{one[1]} versions and {15 - one[1]} skips"),
    ]
    print(table(f"Memory queue, {asked} operations in {time.monotonic() - begun:.0f} s", figures))
    if json_file is not None:
        write_json(json_file, "memory_queue", figures, kills=kills, operations=asked, seed=seed)
    return 0 if all(each.reached for each in figures) else 1


async def _look(config: Neo4jConfig, owner: Owner, expected: dict[int, list[str]], asked: int) -> Counter[str]:
    wrong: Counter[str] = Counter()
    async with neo4j.AsyncGraphDatabase.driver(config.uri, auth=(config.username, config.password)) as driver:
        ends = await driver.execute_query(
            "MATCH (o:MemoryOperation {user_id: $user}) RETURN o.status AS status, count(*) AS number",
            user=owner.user_id,
        )
        ended = {row["status"]: row["number"] for row in ends.records}
        wrong["ends"] = abs(asked - ended.get("done", 0) - ended.get("skipped", 0)) + sum(
            number for status, number in ended.items() if status not in ("done", "skipped")
        )
        facts = await driver.execute_query(
            "MATCH (f:Fact {user_id: $user}) RETURN f.key AS key, f.value AS value, COLLECT { MATCH "
            "(f)-[:HAS_VERSION]->(v) RETURN [v.old_value, v.new_value] ORDER BY v.changed_at } AS versions",
            user=owner.user_id,
        )
    found = {row["key"]: (row["value"], row["versions"]) for row in facts.records}
    for key, values in expected.items():
        if values:
            value, versions = found.get(f"key_{key}", (None, []))
            # Versions of one moment may come in either order.
            steps = Counter(map(tuple, versions))
            if value != values[-1] or steps != Counter(pairwise(values)):
                wrong["facts"] += 1
    return wrong


async def _one_fact(config: Neo4jConfig, owner: Owner) -> tuple[int, int]:
    agents = [_agent(config, owner) for _ in range(16)]
    try:
        memories = [(await agent.open()).memories for agent in agents]
        await asyncio.gather(
            *(
                each.remember_fact("project", "written at once", f"by {n % 12}")
                for n, each in enumerate(memories)
                if each
            )
        )
        facts = [each for each in await memories[0].recall_facts(limit=1_000) if each.key == "written_at_once"]  # type: ignore[union-attr]
        return len(facts), len(await memories[0].history(facts[0].uuid))  # type: ignore[union-attr]
    finally:
        for agent in agents:
            await agent.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.kills, given.json, given.seed)))
