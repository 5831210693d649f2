"""How fast conversations are imported, beside a plain UNWIND of the same messages in the same run.

    python benchmarks/bulk_import.py [--messages 10000] [--rounds 3] [--json FILE]

The floor writes what the product must write, and nothing else: as many conversations, the same nodes, labels and edges
(HAS_MESSAGE, and for tool calls MADE_TOOL_CALL and PRODUCED_RESULT), with the very same properties (among them the
words of identifiers and the owner's word, which full text needs), a thousand messages a transaction, on the same server
with all indexes online.
Its rows are made before its clock starts, so that reading the file, taking secrets out, weighing and finding
identifiers are the product's cost alone; its driver is the product's own. With vectors both write them, each of 384
numbers: the floor in the statement that makes the message.

A round writes so many messages in every way, one after the other, in an order that moves on; the ratio is the median
over the rounds of the floor's time through the way's own of the same round, so that a machine which is busy with
something else for a while spoils a round and not the ratio. 1 is as fast as the floor. ``client`` is the
processor time of this process for a message. The first round warms the server and is not counted.

10,000 messages take some five minutes on two cores; nothing is made easier by so few. What an import does once (the
first batch is read before anything is written, what is due is looked for at its end) counts for more among them than
among more: conversations of 20 had .58 of the floor's speed with 10,000 messages and .75 with 50,000.

The server is ``NEO4J_URI``'s, else the managed one (its heap has 512 MB). What the benchmark wrote is deleted at its
end. How much memory an import takes is `import_memory.py`'s.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bulk_import_data import DIMENSION, Rows, answered, archive, lines, messages, rows_of, with_tools
from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.archive import ArchiveStore
from ragforge_memory.graph.client import open_driver
from ragforge_memory.llm.scripted import ScriptedProvider

LEAST, LEAST_WITH_VECTORS = 0.8, 0.9
CONVERSATIONS = """
UNWIND $rows AS row
CREATE (c:Conversation)
SET c = row {.*, created_at: datetime(), updated_at: datetime()}
"""
PLAIN = """
UNWIND $rows AS row
MATCH (c:Conversation {uuid: row.conversation_id})
CREATE (c)-[:HAS_MESSAGE]->(m:Message)
SET m = row {.*, calls: null, timestamp: datetime(row.timestamp)}
FOREACH (_ IN CASE WHEN row.importance >= 0.7 THEN [1] ELSE [] END | SET m:Important)
FOREACH (step IN row.calls |
  CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
  SET call = step.call, call.timestamp = datetime(row.timestamp),
    result = step.result, result.timestamp = datetime(row.timestamp)
)
"""
PLAIN_WITH_VECTORS = """
UNWIND $rows AS row
MATCH (c:Conversation {uuid: row.conversation_id})
CREATE (c)-[:HAS_MESSAGE]->(m:Message)
SET m = row {.*, calls: null, vector: null, timestamp: datetime(row.timestamp)}
FOREACH (_ IN CASE WHEN row.importance >= 0.7 THEN [1] ELSE [] END | SET m:Important)
WITH m, row
CALL db.create.setNodeVectorProperty(m, $property, row.vector)
RETURN count(*) AS written
"""
SHORT = 20
PLAINLY, PLAINLY_WITH_TOOLS = "plain UNWIND", "plain UNWIND with tool calls"
PLAINLY_SHORT = f"plain UNWIND, conversations of {SHORT}"
PLAINLY_WITH_VECTORS = "plain UNWIND with vectors"


async def plain(
    driver: neo4j.AsyncDriver, database: str, batches: Sequence[tuple[Rows, Rows]], property_name: str
) -> None:
    """The floor."""

    async def write(transaction: neo4j.AsyncManagedTransaction, /, query: str, **parameters: Any) -> None:
        await (await transaction.run(query, parameters)).consume()

    async with driver.session(database=database) as session:
        for new, batch in batches:
            if new:
                await session.execute_write(write, CONVERSATIONS, rows=new)
            if "vector" in batch[0]:
                await session.execute_write(write, PLAIN_WITH_VECTORS, rows=batch, property=property_name)
            else:
                await session.execute_write(write, PLAIN, rows=batch)


def agent_of(config: Neo4jConfig, project: str, *, vectors: bool = False) -> AsyncConversationAgent:
    """An agent that makes no summaries; it embeds nothing, or by hashing."""
    return AsyncConversationAgent(
        config,
        llm_provider=ScriptedProvider([]),
        embedder=HashingEmbedder(DIMENSION) if vectors else None,
        tools=(),
        config=ConversationConfig(embed_messages=vectors, enable_summarization=False),
        project=project,
    )


class Ways:
    """All ways of writing the same number of messages; each is made ready first, and then run."""

    def __init__(self, config: Neo4jConfig, project: str, count: int) -> None:
        self._config, self._project, self._count = config, project, count
        self._drawn = random.Random(5)
        self._driver = open_driver(config)
        self._bare = agent_of(config, project)
        self._embedding = agent_of(config, f"{project}-vectors", vectors=True)
        self._property = ""

    async def __aenter__(self) -> Ways:
        await self._bare.open()
        services = await self._embedding.open()
        space = await ArchiveStore(services.stores.graph, services.place.owner).space()
        assert space is not None
        self._property, self._model = space.property, space.model
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._bare.aclose()
        await self._embedding.aclose()
        await self._driver.close()

    async def settle(self) -> None:
        """Waits until full text has what was written before, so that no way pays for another."""
        await self._driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")

    def ready(self) -> dict[str, tuple[str, Callable[[], Callable[[], Awaitable[None]]]]]:
        """For each way its floor, and what makes it ready to run."""
        return {
            PLAINLY: (PLAINLY, lambda: self._floor(self._plainly())),
            "one conversation": (PLAINLY, lambda: self._imported(lines(self._plainly()).encode())),
            PLAINLY_SHORT: (PLAINLY_SHORT, lambda: self._floor(self._plainly(), length=SHORT)),
            f"conversations of {SHORT}": (PLAINLY_SHORT, lambda: self._imported(self._short())),
            "archive of one conversation": (PLAINLY, lambda: self._imported(archive([self._plainly()]))),
            f"archive of conversations of {SHORT}": (PLAINLY_SHORT, lambda: self._imported(archive(self._parts()))),
            PLAINLY_WITH_TOOLS: (PLAINLY_WITH_TOOLS, lambda: self._floor(self._answered())),
            "one with tool calls": (
                PLAINLY_WITH_TOOLS,
                lambda: self._imported(lines(with_tools(self._count, self._drawn)).encode()),
            ),
            "archive with tool calls": (PLAINLY_WITH_TOOLS, lambda: self._imported(archive([self._answered()]))),
            PLAINLY_WITH_VECTORS: (PLAINLY_WITH_VECTORS, lambda: self._floor(self._plainly(), self._vectors())),
            "archive with vectors": (
                PLAINLY_WITH_VECTORS,
                lambda: self._imported(archive([self._plainly()], self._vectors(), self._model), self._embedding),
            ),
            "one conversation, embedded": (
                PLAINLY_WITH_VECTORS,
                lambda: self._imported(lines(self._plainly()).encode(), self._embedding, drain=True),
            ),
        }

    def _plainly(self) -> list[dict[str, Any]]:
        return messages(self._count, self._drawn)

    def _answered(self) -> list[dict[str, Any]]:
        return answered(self._count, self._drawn)

    def _parts(self) -> list[list[dict[str, Any]]]:
        found = self._plainly()
        return [found[first : first + SHORT] for first in range(0, self._count, SHORT)]

    def _short(self) -> bytes:
        return lines({"messages": part} for part in self._parts()).encode()

    def _vectors(self) -> list[list[float]]:
        """Some 1,000 random directions, so that no neighbourhood is denser than another."""
        directions = [[self._drawn.gauss(0, 1) for _ in range(DIMENSION)] for _ in range(min(self._count, 1_000))]
        return [directions[number % len(directions)] for number in range(self._count)]

    def _floor(
        self, found: list[dict[str, Any]], vectors: list[list[float]] | None = None, *, length: int = 0
    ) -> Callable[[], Awaitable[None]]:
        project = self._project if vectors is None else f"{self._project}-vectors"
        rows = rows_of(project, found, vectors, length=length)
        return lambda: plain(self._driver, self._config.database, rows, self._property)

    def _imported(
        self, data: bytes, agent: AsyncConversationAgent | None = None, *, drain: bool = False
    ) -> Callable[[], Awaitable[None]]:
        agent = agent or self._bare

        async def run() -> None:
            report = await agent.import_conversations(io.BytesIO(data))
            assert (report.messages, report.failed) == (self._count, 0), report
            if drain:
                assert not await agent.drain()

        return run


async def measure(config: Neo4jConfig, project: str, count: int, rounds: int, only: str) -> list[Figure]:
    """The table."""
    seconds: dict[str, list[float]] = {}
    processor: dict[str, list[float]] = {}
    floors: dict[str, str] = {}
    async with Ways(config, project, count) as ways:
        for number in range(rounds + 1):
            measured = [(name, *way) for name, way in ways.ready().items() if only in way[0]]
            turn = number % len(measured)
            for name, floor, ready in measured[turn:] + measured[:turn]:
                run = ready()
                await ways.settle()
                gc.collect()
                start, used = time.perf_counter(), time.process_time()
                await run()
                if number:
                    seconds.setdefault(name, []).append(time.perf_counter() - start)
                    processor.setdefault(name, []).append(time.process_time() - used)
                floors[name] = floor
            load = " ".join(f"{each:.1f}" for each in os.getloadavg())
            print(f"round {number} of {rounds}, load {load}", file=sys.stderr)
    figures = []
    for name, taken in seconds.items():
        floor = floors[name]
        ratio = median(mine / its for mine, its in zip(seconds[floor], taken, strict=True))
        rate = f"{count / median(taken):,.0f} messages a second"
        client = f"client {median(processor[name]) / count * 1e6:.0f} us"
        least = "" if name == floor else f"; {least_of(name)} x is the least"
        figures.append(Figure(name, ratio, "x", None, f"{rate}, {client}{least}"))
    return figures


def least_of(name: str) -> float:
    """The ratio that must be reached this way."""
    return LEAST_WITH_VECTORS if "vectors" in name or "embedded" in name else LEAST


def main() -> int:
    """Prints the table; 1 where a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000, help="of one import")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="ways whose floor has this in its name")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    config = benchmark_server()
    project = f"benchmark-{uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as home:
        os.environ["RAGFORGE_HOME"] = home
        try:
            figures = asyncio.run(measure(config, project, given.messages, given.rounds, given.only))
        finally:
            for each in (project, f"{project}-vectors"):
                forget_project(config, each)
    print(table("bulk import", figures))
    if given.json:
        write_json(given.json, "bulk_import", figures, messages=given.messages)
    return 1 if any(each.value < least_of(each.what) for each in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
