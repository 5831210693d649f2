"""How fast conversations are imported, beside a plain UNWIND of the same messages in the same run.

    python benchmarks/bulk_import.py [--messages 100000] [--rounds 5] [--memory-mb 0] [--json FILE]

Each round writes the same number of messages in turn with a driver's UNWIND in batches of a thousand (the same
properties, all indexes online) and by an import: as one long conversation, as many of twenty messages, and as one in
which every other message has called a tool. The ratio is of messages a second, 1 is as fast as the UNWIND. With
``--memory-mb`` a process of its own imports a file of that size with tool results, and says how much memory it has had
at most.

The server is ``NEO4J_URI``'s, else the managed one. What the benchmark wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import subprocess
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
from ragforge_memory.graph.client import open_driver
from ragforge_memory.graph.text import owner_token, terms
from ragforge_memory.llm.scripted import ScriptedProvider

LEAST = 0.8
MOST_MEMORY_MB = 300
PLAIN = """
UNWIND $rows AS row
MATCH (c:Conversation {uuid: row.conversation_id})
CREATE (c)-[:HAS_MESSAGE]->(m:Message)
SET m = row {.*, calls: null, timestamp: datetime(row.timestamp)}
FOREACH (step IN row.calls |
  CREATE (m)-[:MADE_TOOL_CALL]->(call:ToolCall)-[:PRODUCED_RESULT]->(result:ToolResult)
  SET call = step.call, result = step.result
)
"""
BATCH, SHORT = 1_000, 20
PLAINLY, PLAINLY_WITH_TOOLS = "plain UNWIND", "plain UNWIND with tool calls"
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


def nodes_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes of its tool calls."""
    return [
        {
            "call": {"uuid": (uuid := uuid4().hex), "tool_name": "read", "arguments": call["function"]["arguments"]},
            "result": {"uuid": uuid4().hex, "tool_call_id": uuid, "result": result, "success": True},
        }
        for call, result in zip(message.get("tool_calls", ()), message.get("results", ()), strict=True)
    ]


def lines(records: Any) -> str:
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


async def plain(driver: neo4j.AsyncDriver, database: str, project: str, found: list[dict[str, Any]]) -> float:
    """Seconds that an UNWIND takes."""
    conversation = uuid4().hex
    async with driver.session(database=database) as session:

        async def write(transaction: neo4j.AsyncManagedTransaction, query: str, **parameters: Any) -> None:
            await (await transaction.run(query, parameters)).consume()

        start = time.perf_counter()
        await session.execute_write(
            write, "CREATE (:Conversation {uuid: $uuid, project: $project})", uuid=conversation, project=project
        )
        for first in range(0, len(found), BATCH):
            rows = [
                {
                    **{key: value for key, value in each.items() if key not in ("tool_calls", "results")},
                    "calls": nodes_of(each),
                    "conversation_id": conversation,
                    "project": project,
                    "user_id": "",
                    "owner_token": owner_token("", project),
                    "seq": seq,
                    "state": "complete",
                    "terms": terms(each["content"]),
                }
                for seq, each in enumerate(found[first : first + BATCH], start=first + 1)
            ]
            await session.execute_write(write, PLAIN, rows=rows)
        return time.perf_counter() - start


def agent_of(config: Neo4jConfig, project: str) -> AsyncConversationAgent:
    """An agent that embeds nothing."""
    return AsyncConversationAgent(
        config,
        llm_provider=ScriptedProvider([]),
        tools=(),
        config=ConversationConfig(embed_messages=False, enable_summarization=False),
        project=project,
    )


async def measure(config: Neo4jConfig, project: str, count: int, rounds: int) -> list[Figure]:
    """The table."""
    drawn = random.Random(5)
    driver = open_driver(config)
    seconds: dict[str, list[float]] = {}
    async with agent_of(config, project) as agent:

        async def imported(text: str) -> float:
            import io

            stream = io.BytesIO(text.encode())
            start = time.perf_counter()
            report = await agent.import_conversations(stream)
            assert report.messages == count, report
            return time.perf_counter() - start

        def unwound(found: list[dict[str, Any]]) -> Callable[[], Awaitable[float]]:
            return lambda: plain(driver, config.database, project, found)

        def shapes() -> dict[str, Callable[[], Awaitable[float]]]:
            text = lines(messages(count, drawn))
            tools = lines(with_tools(count, drawn))
            short = lines({"messages": messages(min(SHORT, count - n), drawn)} for n in range(0, count, SHORT))
            return {
                PLAINLY: unwound(messages(count, drawn)),
                "one conversation": lambda: imported(text),
                f"conversations of {SHORT}": lambda: imported(short),
                PLAINLY_WITH_TOOLS: unwound(answered(count, drawn)),
                "one with tool calls": lambda: imported(tools),
            }

        for number in range(rounds):
            measured = list(shapes().items())
            turn = number % len(measured)
            for name, run in measured[turn:] + measured[:turn]:
                seconds.setdefault(name, []).append(await run())
    await driver.close()
    figures = []
    for name, taken in seconds.items():
        floor = PLAINLY_WITH_TOOLS if "tool" in name else PLAINLY
        rate = f"{count / median(taken):,.0f} messages a second"
        detail = rate if name == floor else f"{rate}; {LEAST} x is the least"
        figures.append(Figure(name, median(seconds[floor]) / median(taken), "x", None, detail))
    return figures


def memory(project: str, size_mb: int) -> Figure:
    """Imports a file of that size in a process of its own."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "long.jsonl"
        drawn = random.Random(5)
        with file.open("w", encoding="utf-8") as stream:
            for record in with_tools(1 << 40, drawn, 50_000):
                stream.write(json.dumps(record) + "\n")
                if stream.tell() >= size_mb * 1_000_000:
                    break
        command = [sys.executable, __file__, "--one", str(file), "--project", project]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    detail = f"{size_mb:,} MB, {found['messages']:,} messages in {found['seconds']:.0f} s"
    return Figure("memory of the client", found["memory_mb"], "MB", MOST_MEMORY_MB, detail)


async def one(config: Neo4jConfig, project: str, file: str) -> None:
    """What the process of `memory` does."""
    async with agent_of(config, project) as agent:
        report = await agent.import_conversations(file)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1_000 if sys.platform != "darwin" else 1_000_000)
    print(json.dumps({"messages": report.messages, "seconds": report.seconds, "memory_mb": peak}))


def main() -> int:
    """Prints the table; 1 where a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="in all, for each way")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory-mb", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--project", default=f"benchmark-{uuid4().hex[:8]}", help=argparse.SUPPRESS)
    given = parser.parse_args()
    config = benchmark_server()
    if given.one:
        asyncio.run(one(config, given.project, given.one))
        return 0
    with tempfile.TemporaryDirectory() as home:
        os.environ["RAGFORGE_HOME"] = home
        try:
            figures = asyncio.run(measure(config, given.project, given.messages // given.rounds, given.rounds))
            if given.memory_mb:
                figures.append(memory(given.project, given.memory_mb))
        finally:
            forget_project(config, given.project)
    print(table("bulk import", figures))
    if given.json:
        write_json(given.json, "bulk_import", figures, messages=given.messages)
    slow = [each for each in figures if each.unit == "x" and each.value < LEAST]
    return 1 if slow or not all(each.reached for each in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
