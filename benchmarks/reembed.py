"""Moving a project's vectors to another model while it is searched and written, beside plain writes of as many vectors.

    python benchmarks/reembed.py [--messages 10000] [--dimension 128] [--json FILE]

The vectors are hashes, so that the embedder takes next to no time. First a driver writes as many vectors of the same
dimension into a property with the same indexes, in the same batches; then all are moved to another model on a quiet
graph, and then to a third one while two agents search without a pause and one of them writes. A failure is a
search or a write that raised, or a search that did without meaning; what a
server without a moment to spare does not answer in time is told apart; lost is a message that has no vector of the new
model in the end, or is in the graph twice or not at all. The ratios are of vectors a second, 1 is the driver's speed.

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
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory import AsyncConversationAgent, Neo4jConfig, RagforgeConfig, RagforgeError
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.spaces import Space, find_space, prepare_space, retire_space
from ragforge_memory.llm.scripted import ScriptedProvider

BATCH, LONG = 128, 500
WORDS = ("parser", "handler", "the", "of", "reads", "writes", "token", "index", "and", "is", "queue", "harbour")
PLAIN = """
UNWIND $rows AS row
MATCH (m:Message {uuid: row.uuid})
CALL db.create.setNodeVectorProperty(m, $property, row.vector)
RETURN count(*) AS stored
"""


@dataclass
class Load:
    """What was done beside a move, and what of it failed."""

    searches: int = 0
    writes: int = 0
    failures: int = 0
    late: int = 0


def agent_of(config: Neo4jConfig, project: str, embedder: HashingEmbedder) -> AsyncConversationAgent:
    embeddings = {"provider": "hashing", "model": embedder.model, "dimension": embedder.dimension}
    memory = {"embeddings": embeddings, "summarization": {"enabled": False}}
    settings = RagforgeConfig.model_validate({"agent": {"memory": memory}}).model_copy(update={"neo4j": config})
    provider = ScriptedProvider(["Noted, the queue is read by the parser."] * 100_000)
    return AsyncConversationAgent.from_settings(settings, llm_provider=provider, tools=(), project=project)


async def plainly(
    driver: neo4j.AsyncDriver, database: str, project: str, space: Space, embedder: HashingEmbedder
) -> float:
    """Seconds that a driver takes to write a vector for each message."""
    found = await driver.execute_query(
        "MATCH (m:Message) WHERE m.project = $project RETURN m.uuid AS uuid, m.content AS content",
        project=project,
        database_=database,
    )
    texts = [record.data() for record in found.records]
    start = time.perf_counter()
    async with driver.session(database=database) as session:
        for first in range(0, len(texts), BATCH):
            batch = texts[first : first + BATCH]
            vectors = await embedder.embed_passages([row["content"] for row in batch])
            rows = [{"uuid": row["uuid"], "vector": vector} for row, vector in zip(batch, vectors, strict=True)]

            async def write(transaction: neo4j.AsyncManagedTransaction, rows: list[dict[str, object]] = rows) -> None:
                await (await transaction.run(PLAIN, rows=rows, property=space.property)).consume()

            await session.execute_write(write)
    return time.perf_counter() - start


async def moved_under_load(
    agents: tuple[AsyncConversationAgent, AsyncConversationAgent], embedder: HashingEmbedder
) -> tuple[float, int, Load]:
    """Seconds of a move, how many messages it embedded, and the load beside it."""
    load, done = Load(), asyncio.Event()

    async def search(agent: AsyncConversationAgent) -> None:
        while not done.is_set():
            load.searches += 1
            try:
                found = await agent.search_messages(" ".join(random.choices(WORDS, k=4)))
                load.failures += "meaning" not in found.answered or not found
            except GraphTimeout:
                load.late += 1
            except RagforgeError as error:
                print(f"a search failed: {error!r}", file=sys.stderr)
                load.failures += 1

    async def write(agent: AsyncConversationAgent) -> None:
        conversation = await agent.create_conversation(title="Written meanwhile")
        while not done.is_set():
            try:
                await conversation.send_message("What reads the queue of the harbour?")
                load.writes += 2
            except GraphTimeout:
                load.late += 1
            except RagforgeError as error:
                print(f"a write failed: {error!r}", file=sys.stderr)
                load.failures += 1

    tasks = [asyncio.create_task(search(agent)) for agent in agents] + [asyncio.create_task(write(agents[1]))]
    report = await agents[0].reembed(embedder)
    done.set()
    await asyncio.gather(*tasks)
    for agent in agents:
        await agent.drain()
    return report.seconds, report.messages, load


async def lost(driver: neo4j.AsyncDriver, database: str, project: str, space: Space, expected: int) -> int:
    found = await driver.execute_query(
        "MATCH (m:Message) WHERE m.project = $project "
        "RETURN count(m) AS messages, count(m[$name]) AS embedded, "
        "count(DISTINCT [m.conversation_id, m.seq]) AS places",
        project=project,
        name=space.property,
        database_=database,
    )
    row = found.records[0]
    return abs(expected - row["messages"]) + row["messages"] - row["embedded"] + row["messages"] - row["places"]


async def measure(config: Neo4jConfig, project: str, count: int, dimension: int) -> list[Figure]:
    first, second, third, plain = (
        HashingEmbedder(dimension, model=f"{project}-{name}") for name in ("first", "second", "third", "plain")
    )
    drawn = random.Random(7)
    driver, client = open_driver(config), await connect(config)
    try:
        async with agent_of(config, project, first) as mover, agent_of(config, project, first) as other:
            for _ in range(count // LONG):
                talk = [
                    {"role": ("user", "assistant")[at % 2], "content": " ".join(drawn.choices(WORDS, k=12)) + f" {at}"}
                    for at in range(LONG)
                ]
                await mover.import_conversation(talk)
            await mover.drain()
            space = await prepare_space(client, f"hashing:{plain.model}", dimension)
            floor = await plainly(driver, config.database, project, space, plain)
            quiet = await mover.reembed(second)
            # The other process looks once, and goes along.
            await other.search_messages("harbour")
            seconds, messages, load = await moved_under_load((mover, other), third)
        now = await find_space(client, project)
        assert now is not None
        missing = await lost(driver, config.database, project, now, count + load.writes)
        made = sum((quiet.messages, quiet.conversations))
        return [
            Figure("plain writes", floor, "s", detail=f"{count / floor:.0f} vectors a second"),
            Figure("moved, quiet", quiet.seconds, "s", detail=f"{made} vectors, switch and clearing included"),
            Figure("of the driver's speed, quiet", made / quiet.seconds / (count / floor), "x"),
            Figure("moved, under load", seconds, "s", detail=f"{messages} messages embedded"),
            Figure("of the driver's speed, under load", messages / seconds / (count / floor), "x"),
            Figure("failures", load.failures, "", 0, f"of {load.searches} searches and {load.writes // 2} turns"),
            Figure("too late", load.late, "", detail="not answered in 2 s: by a server that is overloaded"),
            Figure("lost", missing, "", 0, f"of {count + load.writes} messages"),
        ]
    finally:
        await forget(driver, config, project)
        await forget_spaces(driver, client, config, project)
        await client.aclose()
        await driver.close()


async def forget(driver: neo4j.AsyncDriver, config: Neo4jConfig, project: str) -> None:
    """Takes away the project, with its choice of a model."""
    await asyncio.to_thread(forget_project, config, project)
    await driver.execute_query(
        "MATCH (p:RagforgeMeta {key: $key}) DELETE p", key=f"project/{project}", database_=config.database
    )


async def forget_spaces(driver: neo4j.AsyncDriver, client: GraphClient, config: Neo4jConfig, project: str) -> None:
    """Drops the indexes of the models that only this run has used."""
    found = await driver.execute_query(
        "MATCH (s:RagforgeMeta) WHERE s.model STARTS WITH $model AND s.indexes IS NOT NULL "
        "RETURN s.model AS model, s.dimension AS dimension, s.number AS number",
        model=f"hashing:{project}",
        database_=config.database,
    )
    for row in found.records:
        await retire_space(client, Space(row["model"], row["dimension"], row["number"]))


def main() -> int:
    """Prints the table; 1 where something failed or was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--dimension", type=int, default=128)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    config = benchmark_server()
    with tempfile.TemporaryDirectory() as home:
        os.environ["RAGFORGE_HOME"] = home
        project = f"benchmark-{uuid4().hex[:8]}"
        figures = asyncio.run(measure(config, project, given.messages, given.dimension))
    print(table(f"{given.messages} messages to another model", figures))
    if given.json:
        write_json(given.json, "reembed", figures, messages=given.messages, dimension=given.dimension)
    return 0 if all(each.reached for each in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
