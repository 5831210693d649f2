"""How fast conversations are imported, beside a plain UNWIND of the same messages in the same run.

    python benchmarks/bulk_import.py [--messages 100000] [--rounds 3] [--json FILE]

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

The server is ``NEO4J_URI``'s, else the managed one (its heap has 512 MB). What the benchmark wrote is deleted at its
end. How much memory an import takes is `import_memory.py`'s.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.archive import ArchiveStore
from ragforge_memory.graph.client import open_driver
from ragforge_memory.graph.text import owner_token, terms
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.archive import FORMAT, VERSION

LEAST, LEAST_WITH_VECTORS = 0.8, 0.9
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
DIMENSION = 384
BATCH, SHORT = 1_000, 20
PLAINLY, PLAINLY_WITH_TOOLS = "plain UNWIND", "plain UNWIND with tool calls"
PLAINLY_SHORT = f"plain UNWIND, conversations of {SHORT}"
PLAINLY_WITH_VECTORS = "plain UNWIND with vectors"
WORDS = ("parser", "handler", "the", "of", "reads", "writes", "token", "_cache", "index", "and", "is", "which", "queue")
TIME = "2025-06-14T10:00:00.000Z"


def said(drawn: random.Random) -> str:
    """Some 300 characters, names of code among them."""
    words = [drawn.choice(WORDS) for _ in range(40)]
    names = f"{drawn.choice(WORDS)}_{drawn.randrange(10**6)} load{drawn.randrange(10**4)}Items"
    return " ".join([*words, names, *(["It failed."] if drawn.random() < 0.1 else [])])


def messages(count: int, drawn: random.Random) -> list[dict[str, Any]]:
    """A plain list."""
    return [
        {"role": "assistant" if n % 2 else "user", "content": said(drawn), "timestamp": TIME, "uuid": uuid4().hex}
        for n in range(count)
    ]


def with_tools(count: int, drawn: random.Random, result: int = 1_000) -> Iterator[dict[str, Any]]:
    """OpenAI messages: every other one calls a tool, whose result has so many characters."""
    for number in range(count):
        if number % 2 == 0:
            yield {"role": "user", "content": said(drawn), "uuid": uuid4().hex}
            continue
        call = {"id": f"c{number}", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
        yield {"role": "assistant", "content": said(drawn), "tool_calls": [call], "uuid": uuid4().hex}
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": (said(drawn) * (result // 250 + 1))[:result]}


def answered(count: int, drawn: random.Random) -> list[dict[str, Any]]:
    """The same, each result beside its call."""
    found: list[dict[str, Any]] = []
    for record in with_tools(count, drawn):
        if record["role"] == "tool":
            found[-1]["results"] = [record["content"]]
        else:
            found.append({**record, "timestamp": TIME})
    return found


def lines(records: Any) -> str:
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def archive(
    conversations: list[list[dict[str, Any]]], vectors: list[list[float]] | None = None, model: str = ""
) -> bytes:
    """An archive of ours of these conversations."""
    head: dict[str, Any] = {"record": "archive", "format": FORMAT, "version": VERSION}
    if vectors is not None:
        head["embeddings"] = {"model": model, "dimension": DIMENSION}
    records = [head]
    for found in conversations:
        uuid = uuid4().hex
        records.append({"record": "conversation", "uuid": uuid, "title": "t", "head_seq": len(found)})
        question = None
        for seq, each in enumerate(found, start=1):
            row = {"record": "message", "seq": seq, "uuid": each["uuid"], "role": each["role"], "state": "complete"}
            row |= {"content": each["content"], "timestamp": TIME}
            if (importance := importance_of(each["content"])) is not None:
                row |= {"importance": importance, "important": True}
            if each["role"] == "user":
                question = each["uuid"]
            else:
                row["in_reply_to"] = question
            row["tool_calls"] = [archived_call(*pair) for pair in calls_of(each)]
            if vectors is not None:
                row["embedding"] = vectors[seq - 1]
            records.append(row)
        records.append({"record": "end", "uuid": uuid, "messages": len(found)})
    records.append({"record": "done", "conversations": len(conversations)})
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records).encode()


def calls_of(message: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Its tool calls, each with its result."""
    return list(zip(message.get("tool_calls", ()), message.get("results", ()), strict=True))


def archived_call(call: dict[str, Any], result: str) -> dict[str, Any]:
    """A tool call as an archive has it."""
    given = {"uuid": uuid4().hex, "success": True, "result": result, "timestamp": TIME, "truncated": False}
    return {
        "uuid": uuid4().hex,
        "index": 0,
        "tool_name": "read",
        "success": True,
        "timestamp": TIME,
        "iteration": 1,
        "duration_ms": 0,
        "arguments": json.loads(call["function"]["arguments"]),
        "result": given | {"result_size_bytes": len(result) + 2},
    }


def rows_of(
    project: str, found: list[dict[str, Any]], vectors: list[list[float]] | None = None, *, length: int = 0
) -> list[list[dict[str, Any]]]:
    """What the floor is given: messages with all their properties, a batch after the other.

    Args:
        project: whose they become.
        found: the messages.
        vectors: one for each, or none.
        length: messages of a conversation; 0: all are one.
    """
    conversation, question, token = "", None, owner_token("", project)
    rows = []
    for number, each in enumerate(found):
        seq = number % (length or len(found)) + 1
        if seq == 1:
            conversation, question = uuid4().hex, None
        row: dict[str, Any] = {"uuid": each["uuid"], "role": each["role"], "content": each["content"], "seq": seq}
        row |= {"terms": terms(each["content"]), "state": "complete", "timestamp": TIME, "calls": []}
        row |= {
            "conversation_id": conversation,
            "project": project,
            "user_id": "",
            "owner_token": token,
        }
        if (importance := importance_of(each["content"])) is not None:
            row["importance"] = importance
        if each["role"] == "user":
            question = each["uuid"]
        else:
            row["in_reply_to"] = question
        for call, result in calls_of(each):
            uuid = uuid4().hex
            asked = {"uuid": uuid, "message_id": each["uuid"], "index": 0, "tool_name": "read", "success": True}
            asked |= {"arguments": call["function"]["arguments"], "duration_ms": 0, "iteration": 1}
            given = {"uuid": uuid4().hex, "tool_call_id": uuid, "success": True, "result": json.dumps(result)}
            given |= {"result_size_bytes": len(result) + 2, "truncated": False}
            row["calls"].append({"call": asked, "result": given})
        if vectors is not None:
            row["vector"] = vectors[number]
        rows.append(row)
    return [rows[first : first + BATCH] for first in range(0, len(rows), BATCH)]


async def plain(
    driver: neo4j.AsyncDriver, database: str, project: str, batches: list[list[dict[str, Any]]], property_name: str
) -> None:
    """The floor."""

    async def write(transaction: neo4j.AsyncManagedTransaction, /, query: str, **parameters: Any) -> None:
        await (await transaction.run(query, parameters)).consume()

    async with driver.session(database=database) as session:
        create = "UNWIND $uuids AS uuid CREATE (:Conversation {uuid: uuid, project: $project})"
        for batch in batches:
            new = [row["conversation_id"] for row in batch if row["seq"] == 1]
            if new:
                await session.execute_write(write, create, uuids=new, project=project)
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
        space = await ArchiveStore(services.graph, services.owner).space()
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
        return lambda: plain(self._driver, self._config.database, project, rows, self._property)

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
    parser.add_argument("--messages", type=int, default=100_000, help="of one import")
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
