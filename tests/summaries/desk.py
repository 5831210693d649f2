"""The stores of one owner, and what summaries must be like whatever happened while they were made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import uuid4

from ragforge_memory.agent.upkeep.summaries import Summaries
from ragforge_memory.agent.upkeep.summary_text import Summarizer
from ragforge_memory.graph.branches import BranchStore
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.graph.summaries import SummaryStore
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

ALL = """
MATCH (c:Conversation {uuid: $uuid})-[:HAS_SUMMARY]->(s:Summary {conversation_id: $uuid})
RETURN s.level AS level, s.from_seq AS start, s.to_seq AS end, s.content AS content, s.model AS model,
  [(s)-[:SUMMARIZES]->(m:Message) | m.seq] AS messages,
  [(s)-[:SUMMARIZES]->(b:Summary) | [b.level, b.from_seq, b.to_seq]] AS below
ORDER BY level, start
"""
STATE = """
MATCH (c:Conversation {uuid: $uuid})
RETURN c.summary AS summary, c.summarized_seq AS watermark, c.head_seq AS head, c.title AS title,
  c.summary_token AS token, toString(c.summary_until) AS until,
  c.summary_attempts AS attempts, c:PendingSummary AS pending
"""
MARK = re.compile(r"§(\w+)§")


class Desk:
    """One owner's stores.

    Args:
        client: the graph.
        owner: whose.
        every: messages of a summary.
        steps: what the model says to a summary, in turn and again; none: a sentence that names the stretch.
        lease: seconds.
    """

    def __init__(
        self, client: GraphClient, owner: Owner, every: int, steps: Sequence[Any] = (), *, lease: float = 20.0
    ) -> None:
        self.client = client
        self.owner = owner
        self.every = every
        self.provider = ScriptedProvider((), purposes={"summary": list(steps) or [stretch]}, loop=True)
        self.conversations = ConversationStore(client, owner)
        self.messages = MessageStore(client, owner, summarize_every=every)
        self.branches = BranchStore(client, owner)
        self.summarizer = Summarizer(
            self.provider, None, redacted=lambda text: text, today=lambda: date(2026, 1, 2), timeout=30
        )
        self.use(SummaryStore(client, owner, every=every, lease=lease))

    def use(self, store: SummaryStore) -> None:
        """Works with another store."""
        self.store = store
        self.summaries = Summaries(store, self.summarizer, pause=0.0)

    async def conversation(self, messages: int = 0) -> str:
        """A new conversation that says so much."""
        uuid = (await self.conversations.create(title="A talk")).uuid
        await self.say(uuid, messages)
        return uuid

    async def say(self, uuid: str, count: int) -> None:
        """Appends messages, each with a mark of its own."""
        for _ in range(count):
            name = uuid4().hex
            new = NewMessage(name, "user", f"We looked at the lock §{name}§ of the store.", token_count=12)
            await self.messages.append(uuid, new)

    async def work(self) -> None:
        """Does all that is due, as the background does."""
        while due := [each for each in await self.store.due() if each.wait <= 0]:
            for each in due:
                await self.summaries.bring_up_to_date(each.conversation_id)

    async def all(self, uuid: str) -> list[dict[str, Any]]:
        """A conversation's own summaries, past all of this library."""
        return await self.client.run_schema(ALL, uuid=uuid)

    async def claimed(self, uuid: str) -> bool:
        """Whether somebody's claim still holds, by the clock of the graph."""
        [row] = await self.client.run_schema(
            "MATCH (c:Conversation {uuid: $uuid}) RETURN coalesce(c.summary_until > datetime(), false) AS held",
            uuid=uuid,
        )
        return bool(row["held"])

    async def state(self, uuid: str) -> dict[str, Any]:
        """What the conversation says of them."""
        return (await self.client.run_schema(STATE, uuid=uuid))[0]

    @property
    def marks(self) -> list[str]:
        """The marks of all messages that the model was sent, in order."""
        return [mark for request in self.provider.requests for mark in sent(request)]


def sent(request: ModelRequest) -> list[str]:
    """The marks of the messages in a request for a summary of level 1; those above may quote what was extracted."""
    return MARK.findall(request.messages[-1].content) if "Summarize messages" in request.system else []


def stretch(request: ModelRequest) -> str:
    """A summary that says which messages or summaries it was made of."""
    seqs = re.findall(r"(?m)^\[(\d+)(?: to (\d+))?\]", request.messages[-1].content)
    return f"They did {seqs[0][0]} to {seqs[-1][1] or seqs[-1][0]}." if seqs else "They did something."


def faults(found: Sequence[dict[str, Any]], every: int, head: int) -> list[str]:
    """What is wrong with the summaries of a conversation that is not a branch; empty: nothing."""
    wrong = []
    level, width = 1, every
    while True:
        expected = [(start, start + width - 1) for start in range(1, head - width + 2, width)]
        rows = [row for row in found if row["level"] == level]
        if [(row["start"], row["end"]) for row in rows] != expected:
            wrong.append(f"level {level} is {[(row['start'], row['end']) for row in rows]}, not {expected}")
        for row in rows:
            if level == 1 and sorted(row["messages"]) != list(range(row["start"], row["end"] + 1)):
                wrong.append(f"{row} covers other messages")
            step = width // every
            below = [[level - 1, start, start + step - 1] for start in range(row["start"], row["end"], step)]
            if level > 1 and sorted(row["below"]) != below:
                wrong.append(f"{row} covers other summaries")
        if not expected or every == 1:
            return wrong + [f"{row} is none of the grid" for row in found if row["level"] > level]
        level, width = level + 1, width * every
