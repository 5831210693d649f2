"""What a message, a turn and a history cost, as ratios to an empty write and to ``RETURN 1`` of the same run.

    python benchmarks/core.py [--rounds 400] [--messages 10000] [--json FILE]

Floors and measured operations take turns, so that whatever else the machine does falls on all of them; the figures
are medians after warming up. The database holds ``--messages`` messages with vectors of 384 dimensions, every index
is online, and the driver is the asynchronous one for both. Ends with 1 where a target is missed.

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
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import neo4j
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.counting import CountingDriver
from benchmarks.figures import Figure, forget_project, table, warm_median, write_json
from benchmarks.floors import floors
from benchmarks.server import benchmark_server
from ragforge_memory.agent.context.receipts import RECENT_EDGES
from ragforge_memory.config import ConversationConfig, Neo4jConfig
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import Answer, CodeTies, Mention, MessageStore, NewMessage
from ragforge_memory.graph.receipts import Receipt, Used
from ragforge_memory.graph.spaces import Space, open_space
from ragforge_memory.models.conversation import ToolCall, Usage
from ragforge_memory.models.owner import Owner

DIMENSION = 384
MODEL = "local:e5-small-v2"
"""The default embedder's space, so that a benchmark makes no indexes of its own."""

QUESTION = "Where is make_default_short_help, and who calls it? " * 2
ANSWER = "It is in `click.utils.make_default_short_help`, src/click/utils.py:59. " * 3
TARGETS = {"append": 2.0, "turn": 3.8, "last 20": 2.5}
TURN_MS = 30.0
STATEMENTS = {"write": 2, "read": 1}

Operation = Callable[[], Awaitable[Any]]


class Written:
    """The stores, and what the benchmark writes through them."""

    def __init__(self, client: GraphClient, owner: Owner, space: Space, conversation_id: str) -> None:
        self.messages = MessageStore(client, owner)
        self.space = space
        self.conversation_id = conversation_id
        self.recent: list[str] = []

    async def append(self, conversation_id: str | None = None) -> str:
        """A user's message."""
        name = uuid.uuid4().hex
        question = NewMessage(name, "user", QUESTION, token_count=25, trust="user")
        await self.messages.append(conversation_id or self.conversation_id, question, title="Benchmark")
        return name

    async def turn(self, conversation_id: str | None = None) -> str:
        """A user's message, then the answer with two tool calls of 1 kB, as a conversation's turn stores them."""
        question = await self.append(conversation_id)
        name = uuid.uuid4().hex
        answer = NewMessage(name, "assistant", ANSWER, in_reply_to=question, usage=Usage(), token_count=50)
        calls = [
            ToolCall(
                uuid=uuid.uuid4().hex,
                message_id=name,
                index=index,
                timestamp=datetime.now(UTC),
                tool_name="search_code",
                arguments={"query": "make_default_short_help"},
                success=True,
                result={"source": "x" * 1_000},
            )
            for index in range(2)
        ]
        # What an agent's turn with twenty messages before it keeps of its receipt.
        used = tuple(Used(uuid, "recent", rank, 40) for rank, uuid in enumerate(self.recent, start=1))
        self.recent = [name, question, *self.recent][:RECENT_EDGES]
        ties = CodeTies(mentions=(Mention("make_default_short_help", "click.utils.make_default_short_help"),))
        await self.messages.complete_turn(
            conversation_id or self.conversation_id, Answer(answer, tuple(calls), ties, Receipt(used))
        )
        return name

    async def last_20(self) -> None:
        """The newest 20 messages with their tool calls and results."""
        found = await self.messages.history(self.conversation_id, limit=20)
        assert len(found) == 20


async def fill(client: GraphClient, owner: Owner, written: Written, count: int) -> None:
    """``count`` messages with random unit vectors, in ten conversations, written through the store."""
    store = ConversationStore(client, owner)
    conversations = [await store.create(title=f"Benchmark {number}") for number in range(10)]
    async with asyncio.TaskGroup() as group:
        for conversation in conversations:
            group.create_task(fill_one(written, conversation.uuid, count // 10))


async def fill_one(written: Written, conversation_id: str, count: int) -> None:
    """``count`` messages with random unit vectors in one conversation."""
    random = np.random.default_rng(7)
    for done in range(0, count, 100):
        names = [await written.append(conversation_id) for _ in range(min(100, count - done))]
        vectors = random.standard_normal((len(names), DIMENSION))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        await written.messages.store_embeddings(written.space, dict(zip(names, vectors.tolist(), strict=True)))


async def check_indexes(driver: neo4j.AsyncDriver, database: str) -> int:
    """How many indexes there are; refuses to measure while one is not online."""
    rows = (await driver.execute_query("SHOW INDEXES YIELD name, state", database_=database)).records
    building = [row["name"] for row in rows if row["state"] != "ONLINE"]
    if building:
        raise SystemExit(f"not online: {', '.join(building)}")
    return len(rows)


async def measured(config: Neo4jConfig, project: str, rounds: int, count: int) -> tuple[list[Figure], dict[str, Any]]:
    """The figures of the stores and of agents, beside the floors."""
    from benchmarks.core_agent import TARGETS as OF_AGENTS
    from benchmarks.core_agent import agents

    owner = Owner("", project)
    client = await connect(config)
    # The floor's driver is opened as the product's: the same time-outs, the same silence about notifications.
    floor = open_driver(config)

    try:
        space = await open_space(client, project, MODEL, DIMENSION)
        conversation = await ConversationStore(client, owner).create(title="Benchmark")
        written = Written(client, owner, space, conversation.uuid)
        started = time.perf_counter()
        await fill(client, owner, written, count)
        filled = time.perf_counter() - started
        long_one = (await ConversationStore(client, owner).create(title="Long")).uuid
        await fill_one(written, long_one, count)
        for _ in range(100):
            await written.turn()
        indexes = await check_indexes(floor, config.database)
        async with agents(config, project, written, long_one) as of_agents:
            operations: dict[str, Operation] = {
                **floors(floor, config.database),
                "append": written.append,
                "turn": written.turn,
                "last 20": written.last_20,
                **of_agents,
            }
            times = await interleaved(operations, rounds)
    finally:
        await floor.close()
        await client.aclose()
    middle = {name: warm_median(samples) for name, samples in times.items()}
    write, read = middle["empty write"], middle["RETURN 1"]
    figures = [
        Figure("empty committed write", write, "ms", detail="the floor of writes"),
        Figure("RETURN 1", read, "ms", detail="the floor of reads"),
        Figure("append a user message", middle["append"] / write, "x", TARGETS["append"], ms(middle["append"])),
        Figure("a turn, two tool calls of 1 kB", middle["turn"] / write, "x", TARGETS["turn"], ms(middle["turn"])),
        Figure("last 20 with tool calls", middle["last 20"] / read, "x", TARGETS["last 20"], ms(middle["last 20"])),
        *(
            Figure(name, middle[name] / middle[beside], "x", most, f"{ms(middle[name])}, of {beside}")
            for name, (beside, most) in OF_AGENTS.items()
        ),
    ]
    facts = {"indexes": indexes, "messages": count, "rounds": rounds, "filled_in_seconds": round(filled, 1)}
    return figures, facts


async def agent_turns(config: Neo4jConfig, project: str, rounds: int) -> list[Figure]:
    """What the agent adds to a model that answers at once, and how many statements a turn is."""
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.llm.scripted import ScriptedProvider

    driver = CountingDriver(open_driver(config))
    agent = AsyncConversationAgent(
        lambda: driver,  # type: ignore[arg-type, return-value]  # counts, and is a driver otherwise
        llm_provider=ScriptedProvider([ANSWER], loop=True),
        # Summaries are made after turns, by a task of their own: their statements are none of a turn's.
        config=ConversationConfig(embed_messages=False, enable_summarization=False),
        project=project,
    )
    async with agent:
        conversation = await agent.create_conversation(title="Benchmark")
        for _ in range(20):
            await conversation.send_message(QUESTION)
        driver.statements.clear()
        driver.at_once.clear()
        samples = []
        for _ in range(rounds):
            started = time.perf_counter()
            await conversation.send_message(QUESTION)
            samples.append((time.perf_counter() - started) * 1_000)
        counted = {kind: number / rounds for kind, number in driver.statements.items()}
        more = (driver.statements - driver.at_once).total() / rounds
    return [
        Figure("turn of an agent, model aside, p50", median(samples), "ms", TURN_MS, "20 messages before it"),
        *(
            Figure(f"{kind} statements of a turn", counted.get(kind, 0.0), "", float(most))
            for kind, most in STATEMENTS.items()
        ),
        Figure("of them in more than a round trip", more, "", 0.0),
    ]


async def interleaved(operations: dict[str, Operation], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each operation, each once a round, in an order drawn anew: what one leaves to be done in the
    background slows down whichever comes next."""
    times: dict[str, list[float]] = {name: [] for name in operations}
    order, drawn = list(operations), random.Random(7)
    for _ in range(rounds):
        drawn.shuffle(order)
        for name in order:
            started = time.perf_counter()
            await operations[name]()
            times[name].append((time.perf_counter() - started) * 1_000)
    return times


def ms(value: float) -> str:
    """A time beside its ratio."""
    return f"{value:.2f} ms"


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    config = benchmark_server()
    project = f"benchmark-{uuid.uuid4().hex}"
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["RAGFORGE_HOME"] = home  # the journal is the benchmark's own
            figures, facts = asyncio.run(measured(config, project, given.rounds, given.messages))
            figures += asyncio.run(agent_turns(config, project, max(50, given.rounds // 4)))
    finally:
        forget_project(config, project)
    print(table(f"{facts['messages']:,} embedded messages, {facts['indexes']} indexes online", figures))
    if given.json:
        write_json(given.json, "core", figures, **facts)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
