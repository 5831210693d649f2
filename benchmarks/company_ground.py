"""Where writers talk: new conversations, a long one, and a plain driver that appends to them as the product does."""

from __future__ import annotations

import time
import uuid
from typing import Any

import neo4j

from benchmarks.company_run import Talk, answer_to, words
from ragforge_memory import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.text import owner_token
from ragforge_memory.models.owner import Owner

NEW, LONG, EACH = "one new conversation", "one of {messages:,} messages", "one conversation each"
"""The places; ``{messages}`` is filled in where they are printed."""

APPEND = """
MATCH (c:Conversation {uuid: $conversation_id})
SET c.updated_at = datetime()
SET c.head_seq = c.head_seq + 1, c.message_count = c.message_count + 1
CREATE (c)-[:HAS_MESSAGE]->(m:Message:PendingEmbedding)
SET m = $message, m.seq = c.head_seq, m.timestamp = datetime()
"""
FILL = """
MATCH (c:Conversation {uuid: $conversation_id})
UNWIND $messages AS message
CREATE (c)-[:HAS_MESSAGE]->(m:Message:PendingEmbedding)
SET m = message, m.timestamp = datetime()
"""
HEAD = """
MATCH (c:Conversation {uuid: $conversation_id})
SET c.head_seq = $count, c.message_count = $count, c.token_total = $count * 20
"""
CUT = """
MATCH (m:Message {conversation_id: $conversation_id})
WHERE m.seq > $count
DETACH DELETE m
"""


class Ground:
    """The conversations, and the plain driver that appends to them.

    Args:
        config: the server.
        client: the product's way to it, to make conversations.
        driver: opened as the product's: the same time-outs, the same silence about notifications.
        project: whose they are.
        messages: of the long conversation.
    """

    def __init__(
        self, config: Neo4jConfig, client: GraphClient, driver: neo4j.AsyncDriver, project: str, messages: int
    ) -> None:
        self.config = config
        self.driver = driver
        self.project = project
        self.messages = messages
        self.client = client
        self._long = ""

    async def new(self, count: int = 1, *, project: str | None = None) -> tuple[str, ...]:
        """New conversations; of the benchmark's project they have a title."""
        store = ConversationStore(self.client, Owner("", project or self.project))
        return tuple([(await store.create(title=None if project else "Benchmark")).uuid for _ in range(count)])

    async def talk(self, place: str, writers: int, turns: int) -> Talk:
        """What so many writers say at a place."""
        if place == LONG:
            return Talk((self._long,), writers, turns, base=self.messages)
        return Talk(await self.new(writers if place == EACH else 1), writers, turns)

    async def fill(self) -> None:
        """Makes the long conversation."""
        [self._long] = await self.new()
        asked = ""
        rows: list[dict[str, Any]] = []
        for place in range(self.messages):
            said = words()[place // 2 % len(words())]
            rows.append(self._row(self._long, said, asked) | {"seq": place + 1})
            asked = "" if asked else rows[-1]["uuid"]
        for start in range(0, len(rows), 1_000):
            await self._run(FILL, self._long, messages=rows[start : start + 1_000])
        await self.cut()
        await self.client.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")

    async def cut(self) -> None:
        """Takes away what was said behind the long conversation's first messages."""
        await self._run(CUT, self._long, count=self.messages)
        await self._run(HEAD, self._long, count=self.messages)

    async def plain(self, talk: Talk) -> float:
        """Appends what a writer says and is answered; returns the seconds that it took."""
        [conversation_id] = talk.conversations
        began = time.perf_counter()
        for question in talk.of(0):
            row = self._row(conversation_id, question)
            await self._run(APPEND, conversation_id, message=row)
            answer = self._row(conversation_id, answer_to(question), row["uuid"])
            await self._run(APPEND, conversation_id, message=answer)
        return time.perf_counter() - began

    def _row(self, conversation_id: str, content: str, asked: str = "") -> dict[str, Any]:
        """A message as the product keeps it; ``asked`` is the question that it answers."""
        kept = {"token_count": 20, "in_reply_to": asked or None, "trust": "agent" if asked else "user"}
        new = NewMessage(uuid.uuid4().hex, "assistant" if asked else "user", content, **kept)  # type: ignore[arg-type]
        return {
            **new.properties(),
            "uuid": new.uuid,
            "conversation_id": conversation_id,
            "user_id": "",
            "project": self.project,
            "owner_token": owner_token("", self.project),
        }

    async def _run(self, query: str, conversation_id: str, **given: Any) -> None:
        async with self.driver.session(database=self.config.database) as session:
            await (await session.run(query, {"conversation_id": conversation_id, **given})).consume()
