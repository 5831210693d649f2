"""Whether memory stays as fast as it grows: the same operations with 1e2 to 1e6 messages in the database.

    python benchmarks/growth.py [--most 1000000] [--embedded 100000] [--long 100000] [--rounds 200]
        [--patience 3600] [--json FILE]

At each size an append, the last 20 messages, a search inside one conversation, a turn and a branch are measured on
conversations of a hundred messages, beside an empty write and ``RETURN 1`` of the same rounds; then the same in one
conversation of ``--long`` messages. The largest may cost 1.3 times what 1e3 costs, as a ratio to the floors, so that
what else the machine does falls out, and each size is measured three times, of which the one with the least floor
counts; the long conversation is held against one of a thousand messages that is measured in the same rounds. Database
hits of the statements are profiled at each size, with the query that costs most. What a search by meaning finds in one
conversation is compared with an exact scan. The server is made warm before, and after each fill its indexes are left
to come to rest. Words are as frequent as in a language (Zipf's law), and vectors lie as far apart as a model's, for
what a vector index costs depends on that (`made_up.py`); what is asked for shares words with some message, as questions
do.

The server is ``NEO4J_URI``'s, else the managed one. What the benchmark wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import neo4j
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.core import ANSWER, DIMENSION, QUESTION, Operation, interleaved
from benchmarks.figures import Figure, forget_project, table, warm_median, write_json
from benchmarks.floors import floors
from benchmarks.made_up import WORDS, ModelLikeEmbedder, messages
from benchmarks.server import benchmark_server
from benchmarks.server_rest import settle, warm
from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.agent.services import Services
from ragforge_memory.embeddings.port import space_model
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.queries import GIVEN
from ragforge_memory.graph.search import EVERYTHING, SearchStore
from ragforge_memory.graph.spaces import Space, open_space
from ragforge_memory.graph.text import owner_token
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
GROWTH = 1.3
TURN_MS = 30.0
BRANCH_MS = 20.0
ONE, LONG_BASE, SHORT = "one conversation of", 1_000, "short"
CONVERSATION = 100
"""Messages of a conversation that is measured, and of those that fill the database."""

QUERIES = tuple(" ".join(WORDS[place] for place in places) for places in ((40,), (25, 90), (60, 150, 30), (80, 20)))
FILL = """
UNWIND $rows AS row
MATCH (c:Conversation {uuid: row.conversation_id})
CREATE (c)-[:HAS_MESSAGE]->(m:Message)
SET m = row, m.timestamp = datetime()
WITH m, row
WHERE row.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(m, $property, row.vector)
REMOVE m.vector
RETURN count(*) AS filled
"""
HEADS = "UNWIND $uuids AS uuid MATCH (c:Conversation {uuid: uuid}) SET c.head_seq = $count, c.message_count = $count"


class Ground:
    """The database that grows, and the agent whose conversations are measured."""

    def __init__(
        self,
        client: GraphClient,
        agent: AsyncConversationAgent,
        owner: Owner,
        space: Space,
        embedder: ModelLikeEmbedder,
        searches: SearchStore,
    ) -> None:
        self.client = client
        self.agent = agent
        self.embedder = embedder
        self.owner = owner
        self.space = space
        self.searches = searches
        self.stored = 0
        self.embedded = 0
        self._random = np.random.default_rng(11)

    async def conversation(self, count: int, *, embedded: bool) -> AsyncConversation:
        """A conversation of ``count`` messages, written past the product; at every size the same is said in it."""
        made = await self.agent.create_conversation(title=f"{count} messages")
        await self._fill([made.uuid], count, embedded=embedded, drawn=np.random.default_rng(count))
        return await self.agent.load_conversation(made.uuid)

    async def grow_to(self, count: int, *, embedded: int) -> None:
        """Fills the database up to ``count`` messages, the first ``embedded`` of them with vectors."""
        store = ConversationStore(self.client, self.owner)
        while self.stored + CONVERSATION <= count:
            most = min(20, (count - self.stored) // CONVERSATION)
            uuids = [(await store.create(title="one of many")).uuid for _ in range(most)]
            await self._fill(uuids, CONVERSATION, embedded=self.embedded < embedded)
        await self.client.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")

    async def _fill(
        self, uuids: list[str], count: int, *, embedded: bool, drawn: np.random.Generator | None = None
    ) -> None:
        drawn = drawn or self._random
        token = owner_token(self.owner.user_id, self.owner.project)
        for start in range(0, count * len(uuids), 1_000):
            places = [divmod(place, count) for place in range(start, min(start + 1_000, count * len(uuids)))]
            said = messages(drawn, len(places))
            rows: list[dict[str, Any]] = [
                {
                    "conversation_id": uuids[conversation],
                    "uuid": uuid.uuid4().hex,
                    "seq": seq + 1,
                    "role": "assistant" if seq % 2 else "user",
                    "content": said[at],
                    "state": "complete",
                    "token_count": 12,
                    "owner_token": token,
                    "user_id": self.owner.user_id,
                    "project": self.owner.project,
                }
                for at, (conversation, seq) in enumerate(places)
            ]
            if embedded:
                rows = [{**row, "vector": self.embedder.vector(row["content"])} for row in rows]
            await self.client.run_schema(FILL, rows=rows, property=self.space.property)
        await self.client.run_schema(HEADS, uuids=uuids, count=count)
        self.stored += count * len(uuids)
        self.embedded += count * len(uuids) if embedded else 0

    async def recall(self, conversation: AsyncConversation, queries: int = 20) -> tuple[float, int]:
        """The share of the ten nearest that a scoped search finds, and how many of other conversations it brings."""
        rows = await self.client.run_schema(
            "MATCH (m:Message {conversation_id: $uuid}) WHERE m[$property] IS NOT NULL "
            "RETURN m.seq AS seq, m.content AS content, m[$property] AS vector",
            uuid=conversation.uuid,
            property=self.space.property,
        )
        seqs, matrix = [row["seq"] for row in rows], np.array([row["vector"] for row in rows])
        found = strangers = 0
        for _ in range(queries):
            some = rows[self._random.integers(len(rows))]["content"].split()[:6]
            query = self.embedder.vector(" ".join([*some, *messages(self._random, 1)[0].split()[:3]]))
            nearest = {seqs[place] for place in np.argsort(-(matrix @ query))[:10]}
            hits = await self.searches.by_meaning(
                query, conversation_id=conversation.uuid, filters=EVERYTHING, limit=100
            )
            strangers += sum(hit.conversation_id != conversation.uuid for hit in hits.items)
            found += len(nearest & {hit.seq for hit in hits.items[:10]})
        return found / (10 * queries), strangers


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {name: round(each, 1) for name, each in seconds.items()}


async def profiled(
    client: GraphClient, driver: neo4j.AsyncDriver, database: str, operations: dict[str, Operation]
) -> dict[str, int]:
    """The most database hits of every statement that the operations run with any of the queries, each profiled and
    undone: how many messages have a query's words is not a cost of size, up to as many as a list brings. Where a
    statement writes rows, those of each."""
    ran: list[tuple[str, str, dict[str, Any]]] = []
    attempt = client._attempt

    async def noted(text: str, parameters: dict[str, Any], write: bool, *, name: str, **how: Any) -> Any:
        ran.append((name, text, parameters))
        return await attempt(text, parameters, write, name=name, **how)

    client._attempt = noted  # type: ignore[method-assign]
    try:
        for _ in QUERIES:
            for operation in operations.values():
                await operation()
    finally:
        client._attempt = attempt  # type: ignore[method-assign]
    hits = dict[str, int]()
    for name, text, parameters in ran:
        _, language, rest = text.rpartition("CYPHER 25")
        given = parameters[GIVEN]
        if "uuid" in given:
            parameters = {GIVEN: {**given, "uuid": uuid.uuid4().hex}}  # a message that is there already costs less
        async with driver.session(database=database) as session, await session.begin_transaction() as transaction:
            result = await transaction.run(f"{language} PROFILE {rest}", parameters)
            summary = await result.consume()
            await transaction.rollback()
        each = -(-_hits(summary.profile) // len(given.get("rows") or [None]))
        hits[name] = max(hits.get(name, 0), each)
    return hits


def _hits(plan: Any) -> int:
    return int(plan.get("dbHits", 0)) + sum(_hits(child) for child in plan.get("children", ()))


async def operations_on(services: Services, read: AsyncConversation, talk: AsyncConversation) -> dict[str, Operation]:
    """What is measured: what reads, on one conversation; what makes it longer, on the other."""
    counter = iter(range(1_000_000_000))
    last = (await read.get_history(1))[0].uuid

    async def append() -> None:
        new = NewMessage(uuid.uuid4().hex, "user", QUESTION, token_count=25)
        await services.stores.messages.append(talk.uuid, new)

    async def last_20() -> None:
        assert len(await read.get_history(20)) == 20

    async def search() -> None:
        found = await read.search_history(QUERIES[next(counter) % len(QUERIES)])
        assert found
        assert all(each.conversation_id == read.uuid for each in found)

    async def turn() -> None:
        await talk.send_message(QUESTION)

    async def branch() -> None:
        await read.branch(last)

    return {"append": append, "last 20": last_20, "search": search, "turn": turn, "branch": branch}


async def quietest(
    client: GraphClient, operations: dict[str, Operation], rounds: int, *, patience: float, times: int = 3
) -> dict[str, float]:
    """The medians of all operations (ms) in that of several measurements in which the floors took the least time.

    Others use the machine, too: what of a measurement is theirs the floors tell, which are the same at every size. What
    one measurement writes may set off a merge that goes on for minutes: each begins with a server at rest.
    """
    tried = []
    for number in range(times):
        if number:
            await settle(client, operations, patience=patience)
        took = await interleaved(operations, rounds)
        tried.append({key: warm_median(each) for key, each in took.items()})
    return min(tried, key=lambda each: each["RETURN 1"] + each["empty write"])


async def measured(config: Neo4jConfig, project: str, given: argparse.Namespace) -> tuple[list[Figure], dict[str, Any]]:
    """The table of growth."""
    owner = Owner("", project)
    embedder = ModelLikeEmbedder(DIMENSION)
    client = await connect(config)
    floor = open_driver(config)
    space = await open_space(client, project, space_model(embedder), DIMENSION)
    agent = AsyncConversationAgent(
        config,
        llm_provider=ScriptedProvider([ANSWER], loop=True),
        embedder=embedder,
        tools=(),
        config=ConversationConfig(embed_messages=True, enable_summarization=False),
        project=project,
    )

    written = {}
    settled = {}
    short: dict[str, Operation] = {}
    rows: dict[str, dict[str, Any]] = {}
    try:
        async with agent:
            services = await agent.open()
            assert services.stores.searches is not None
            ground = Ground(client, agent, owner, space, embedder, services.stores.searches)

            sizes = [(f"{size:,} messages", size, CONVERSATION) for size in SIZES if size <= given.most]
            sizes += [(f"{ONE} {length:,}", 0, length) for length in (LONG_BASE, given.long)]
            read, talk = [await ground.conversation(CONVERSATION, embedded=True) for _ in range(2)]
            least = floors(floor, config.database)
            operations = {**least, **await operations_on(services, read, talk)}
            settled["a server that has just started"] = await warm(client, operations, patience=given.patience)
            await talk.delete()  # thousands of messages by now
            for name, size, length in sizes:
                started = time.perf_counter()
                await ground.grow_to(size - 2 * length, embedded=given.embedded)
                # A conversation of its own for what is read, and others for what grows while it is measured.
                read = await ground.conversation(length, embedded=True)
                talk = await ground.conversation(length, embedded=True)
                await client.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
                written[name] = time.perf_counter() - started
                operations = {**least, **await operations_on(services, read, talk)}
                settled[name] = await settle(client, operations, patience=given.patience)
                # Of one conversation nothing else need be long: both are measured in the same rounds.
                beside = {f"{SHORT} {key}": short[key] for key in short} if name.startswith(ONE) else {}
                times = await quietest(client, {**operations, **beside}, given.rounds, patience=given.patience)
                if beside:
                    rows[f"{ONE} {LONG_BASE:,}"].update(
                        {**{key: times[key] for key in least}, **{key: times.pop(f"{SHORT} {key}") for key in short}}
                    )
                if name == f"{ONE} {LONG_BASE:,}":
                    short = {key: each for key, each in operations.items() if key not in least}
                share, strangers = await ground.recall(read)
                hits = await profiled(services.stores.graph, floor, config.database, operations)
                rows[name] = {**times, "recall": share, "strangers": strangers, "hits": hits}
                print(f"{name}: " + ", ".join(f"{key} {value:.2f} ms" for key, value in times.items()), flush=True)
    finally:
        await floor.close()
        await client.aclose()
    return figures(rows), {
        "rows": rows,
        "filled_in_seconds": _rounded(written),
        "settled_in_seconds": _rounded(settled),
    }


def figures(rows: dict[str, dict[str, Any]]) -> list[Figure]:
    """Each size against 1e3 messages, as ratios to the floors of its own rounds."""
    below_which = {"append": "empty write", "last 20": "RETURN 1", "search": "RETURN 1"}
    size = rows.get("1,000 messages") or next(iter(rows.values()))
    told = []
    for name, row in rows.items():
        base = rows[f"{ONE} {LONG_BASE:,}"] if name.startswith(ONE) else size
        compared = row is not base and not name.startswith("100 ")
        for what, below in below_which.items():
            ratio, least = row[what] / row[below], base[what] / base[below]
            detail = f"{row[what]:.2f} ms, {ratio:.2f} x the floor"
            told.append(Figure(f"{what}, {name}", ratio / least, "x", GROWTH if compared else None, detail))
        told.append(Figure(f"turn, {name}", row["turn"], "ms", TURN_MS))
        told.append(Figure(f"branch, {name}", row["branch"], "ms", BRANCH_MS))
        told.append(Figure(f"missed by search, {name}", 1 - row["recall"], "", 0.0, "of the ten nearest by exact scan"))
        told.append(Figure(f"of other conversations, {name}", row["strangers"], "", 0.0))
        for statement, count in row["hits"].items():
            if statement not in base["hits"]:
                continue
            grown = count / max(base["hits"][statement], 1)
            told.append(
                Figure(f"hits of {statement}, {name}", grown, "x", GROWTH if compared else None, f"{count:,} hits")
            )
    return told


def main() -> int:
    """Fills, measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="messages in the largest database")
    parser.add_argument("--embedded", type=int, default=100_000, help="how many of them have vectors")
    parser.add_argument("--long", type=int, default=100_000, help="messages of the one long conversation")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--patience", type=float, default=3600, help="most seconds to wait for a warm, idle server")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    config = benchmark_server()
    project = f"benchmark-{uuid.uuid4().hex}"
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["RAGFORGE_HOME"] = home  # the journal is the benchmark's own
            found, facts = asyncio.run(measured(config, project, given))
    finally:
        forget_project(config, project)
    print(table("Growth, against 1,000 messages in the database", found))
    if given.json:
        write_json(given.json, "growth", found, **facts)
    return 0 if all(figure.reached for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
