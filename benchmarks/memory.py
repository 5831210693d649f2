"""What recall and the tools of memory cost among many memories, as ratios to an empty write and ``RETURN 1``.

    python benchmarks/memory.py [--memories 100000] [--rounds 200] [--json FILE]

The database holds ``--memories`` memories of one owner with vectors of 384 dimensions, half of them facts, a tenth of
them about code. Floors and measured operations take turns. The turn with recall and the one without are a scripted
model's. The embedder is the local one where it is installed. Ends with 1 where a target is missed.

The server is ``NEO4J_URI``'s, else the managed one. What the benchmark wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import neo4j
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, warm_median, write_json
from benchmarks.floors import floors
from benchmarks.server import benchmark_server
from ragforge_memory import AsyncConversationAgent, ConversationConfig
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.text import owner_token, terms
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.memories import Source
from ragforge_memory.models.owner import Owner

DIMENSION, BATCH = 384, 2_000
WORDS = [
    "retry",
    "client",
    "request",
    "cache",
    "session",
    "token",
    "parser",
    "comment",
    "invoice",
    "price",
    "tax",
    "index",
    "worker",
    "queue",
    "lock",
    "graph",
    "node",
    "edge",
    "branch",
    "merge",
    "commit",
    "review",
    "deploy",
    "staging",
    "database",
    "schema",
    "migration",
    "vector",
    "embed",
    "search",
    "message",
    "summary",
    "decision",
    "rule",
    "note",
    "python",
    "async",
    "await",
    "thread",
    "socket",
    "timeout",
    "header",
    "cookie",
    "route",
    "template",
    "filter",
    "form",
    "field",
    "widget",
    "button",
]
QUESTIONS = ("should I add retry logic to the client?", "which database does staging use?", "how do we lock the queue?")
# quality.md: p95 in ms on a quiet machine, and the ratio to an empty write.
TOOLS = {"remember_fact": (50, 3.0), "recall_facts": (100, 5.0), "update_fact": (30, 5.0), "forget_fact": (20, 3.0)}
MORE = {"create_episode": 50, "mark_important": 20, "merge_facts": 50, "update_episode": 300, "archive_episode": 20}

Operation = Callable[[], Awaitable[Any]]


async def fill(driver: neo4j.AsyncDriver, owner: Owner, number: int, chance: random.Random) -> list[str]:
    """Makes the memories; returns the uuids of the facts among them."""
    rng = np.random.default_rng(7)
    token, facts = owner_token(owner.user_id, owner.project), []
    await driver.execute_query("MERGE (u:User {user_id: $user})", user=owner.user_id)
    for start in range(0, number, BATCH):
        vectors = rng.normal(size=(BATCH, DIMENSION))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = []
        for place in range(BATCH):
            text = " ".join(chance.choices(WORDS, k=10))
            row = {"uuid": uuid4().hex, "content": text, "terms": terms(text), "kind": "note", "importance": 0.5}
            row |= {"category": "Knowledge", "trust": "user", "tier": "long", "confidence": 0.9, "is_active": True}
            if place % 2:
                key, value = f"key_{start + place}", " ".join(chance.choices(WORDS, k=4))
                row |= {"kind": "fact", "type": "project", "key": key, "value": value, "content": f"{key}: {value}"}
                row |= {"names": f"project {key} {value}", "fact_key": row["uuid"]}
                facts.append(row["uuid"])
            rows.append({"properties": row, "vector": vectors[place].tolist(), "fact": bool(place % 2)})
        await driver.execute_query(
            "MATCH (u:User {user_id: $user}) UNWIND $rows AS row CREATE (u)-[:HAS_MEMORY]->(m:Memory) "
            "SET m = row.properties, m.user_id = $user, m.project = $project, m.owner_token = $token, "
            "m.created_at = datetime() - duration({minutes: toInteger(rand() * 500000)}), m.changed_at = m.created_at, "
            "m.use_count = 0 FOREACH (_ IN CASE WHEN row.fact THEN [1] ELSE [] END | SET m:Fact) "
            "WITH m, row CALL db.create.setNodeVectorProperty(m, 'embedding', row.vector)",
            user=owner.user_id,
            project=owner.project,
            token=token,
            rows=rows,
        )
    await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    return facts


async def timed(operations: dict[str, Operation], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each operation, which take turns."""
    spent: dict[str, list[float]] = {name: [] for name in operations}
    for _ in range(rounds):
        for name, operation in operations.items():
            begun = time.perf_counter()
            await operation()
            spent[name].append((time.perf_counter() - begun) * 1_000)
    return spent


def quantile(samples: Sequence[float], share: float) -> float:
    """The value that this share of the samples stays within, without the first quarter."""
    kept = sorted(samples[len(samples) // 4 :])
    return kept[min(len(kept) - 1, int(share * len(kept)))]


async def main(number: int, rounds: int, json_file: Path | None, home: Path) -> int:
    """Runs it; returns 1 where a target is missed."""
    chance = random.Random(1)
    config = benchmark_server()
    owner = Owner(f"memory-{uuid4().hex[:8]}", f"memory-{uuid4().hex[:8]}")
    auth = (config.username, config.password) if config.password else None
    os.environ["RAGFORGE_HOME"] = str(home)
    async with neo4j.AsyncGraphDatabase.driver(config.uri, auth=auth) as driver:
        async with _agent(config, owner, recall=5) as agent, _agent(config, owner, recall=0) as plain:
            services = await agent.open()
            begun = time.monotonic()
            facts = await fill(driver, owner, number, chance)
            print(f"{number} memories in {time.monotonic() - begun:.0f} s", flush=True)
            operations = services.background.operations
            memories = services.memories
            assert operations is not None
            assert memories is not None
            with_recall, without = await agent.create_conversation(), await plain.create_conversation()
            count = iter(range(10**9))
            chance.shuffle(facts)
            some = iter(facts)
            last = await with_recall.send_message("Where is the client?")
            episode, _ = await memories.create_episode("A first one", "It begins.")

            def text() -> str:
                return f"{' '.join(chance.choices(WORDS, k=4))} {next(count)}"

            async def recall() -> None:
                result = await agent.recall(chance.choice(QUESTIONS))
                late.append(bool(result.tiers_missed))
                took.append(result.elapsed_ms)

            async def remember_fact() -> None:
                given = {"type": "project", "key": f"new {next(count)}", "value": text(), "confidence": 0.9}
                expect(await operations.run("remember_fact", given, Source()))

            async def update_fact() -> None:
                given = {"fact_id": next(some), "new_value": text(), "reason": "update"}
                expect(await operations.run("update_fact", given, Source()))

            async def forget_fact() -> None:
                expect(await operations.run("forget_fact", {"memory_id": next(some), "reason": ""}, Source()))

            async def create_episode() -> None:
                given = {"topic": text(), "summary": text()}
                expect(await operations.run("create_episode", given, Source(message_id=last.user_message_id)))

            async def update_episode() -> None:
                expect(await operations.run("update_episode", {"episode_id": episode, "summary": text()}, Source()))

            async def archive_episode() -> None:
                uuid, _ = await memories.create_episode(text(), text())
                begun = time.perf_counter()
                expect(await operations.run("archive_episode", {"memory_id": uuid, "reason": ""}, Source()))
                archived.append((time.perf_counter() - begun) * 1_000)

            async def mark_important() -> None:
                given = {"message_ids": [last.user_message_id], "importance": 0.9}
                expect(await operations.run("mark_important", given, Source()))

            async def merge_facts() -> None:
                expect(
                    await operations.run(
                        "merge_facts", {"fact_ids": [next(some), next(some)], "value": text()}, Source()
                    )
                )

            def expect(result: dict[str, Any]) -> None:
                answers.append(result["status"])

            late: list[bool] = []
            took: list[float] = []
            archived: list[float] = []
            answers: list[str] = []
            spent = await timed(
                {
                    **floors(driver, config.database),
                    "recall": recall,
                    "remember_fact": remember_fact,
                    "recall_facts": lambda: memories.recall_facts("retry client"),
                    "update_fact": update_fact,
                    "forget_fact": forget_fact,
                    "create_episode": create_episode,
                    "mark_important": mark_important,
                    "merge_facts": merge_facts,
                    "update_episode": update_episode,
                    "archive_episode": archive_episode,
                    "turn with recall": lambda: with_recall.send_message(chance.choice(QUESTIONS)),
                    "turn without": lambda: without.send_message(chance.choice(QUESTIONS)),
                },
                rounds,
            )
            spent["archive_episode"] = archived
        figures = _figures(spent, late)
        print(table(f"Memory, {number} memories, {rounds} rounds; answers: {set(answers)}", figures))
        await asyncio.to_thread(forget_project, config, owner.project)
    if json_file is not None:
        write_json(json_file, "memory", figures, memories=number, rounds=rounds)
    return 0 if all(each.reached for each in figures) else 1


def _figures(spent: dict[str, list[float]], late: list[bool]) -> list[Figure]:
    write, one = warm_median(spent["empty write"]), warm_median(spent["RETURN 1"])
    recall = spent["recall"]
    figures = [
        Figure("empty write", write, "ms"),
        Figure("RETURN 1", one, "ms"),
        Figure("recall, median", warm_median(recall), "ms", None, f"{warm_median(recall) / one:.1f} x RETURN 1"),
        Figure("recall, p95", quantile(recall, 0.95), "ms", 35, "or <= 18 x RETURN 1"),
        Figure("recall, p95 of RETURN 1", quantile(recall, 0.95) / one, "x", 18),
        Figure("recall, longest", max(recall[len(recall) // 4 :]), "ms", 65, f"{sum(late[len(late) // 4 :])} late"),
    ]
    for name, (ms, ratio) in TOOLS.items():
        figures.append(Figure(f"{name}, p95", quantile(spent[name], 0.95), "ms", ms))
        figures.append(Figure(f"{name}, of an empty write", warm_median(spent[name]) / write, "x", ratio))
    figures += [Figure(f"{name}, p95", quantile(spent[name], 0.95), "ms", ms) for name, ms in MORE.items()]
    more = warm_median(spent["turn with recall"]) - warm_median(spent["turn without"])
    return [
        *figures,
        Figure("turn without recall", warm_median(spent["turn without"]), "ms"),
        Figure("a turn is longer with recall by", more, "ms", quantile(recall, 0.95)),
    ]


def _agent(config: Neo4jConfig, owner: Owner, *, recall: int) -> AsyncConversationAgent:
    return AsyncConversationAgent(
        config,
        llm_provider=ScriptedProvider(["It is in client.py."], loop=True),
        tools=(),
        config=ConversationConfig(recall_limit=recall, enable_summarization=False),
        user_id=owner.user_id,
        project=owner.project,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragforge-memory-") as scratch:
        sys.exit(asyncio.run(main(given.memories, given.rounds, given.json, Path(scratch))))
