"""Callers of a server who lose nothing, and what the graph has of what they were told."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx2
import neo4j

from ragforge_memory.config import Neo4jConfig

SESSION = "talk"
"""Every user's session has this name: a server that mixes users up mixes these."""

_AGAIN = (409, 503)
_PATIENCE = 120.0
_STORED = """
MATCH (c:Conversation {project: $project})-[:HAS_MESSAGE]->(m:Message)
RETURN c.user_id AS user, c.session_id AS session, c.uuid AS conversation, m.uuid AS uuid, m.seq AS seq,
  m.role AS role, m.content AS text, m.in_reply_to AS question
ORDER BY conversation, seq
"""


@dataclass(frozen=True)
class Turn:
    """A turn that was acknowledged: what was said, and what the answer says of itself."""

    user: str
    text: str
    conversation: str
    question: str
    answer: str
    seconds: float


@dataclass
class Told:
    """What callers were told: turns that were acknowledged, how often they had to ask again, and what went wrong."""

    turns: list[Turn] = field(default_factory=list)
    again: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def seconds(self) -> list[float]:
        """How long each turn took, with all that was asked again."""
        return [turn.seconds for turn in self.turns]


@dataclass(frozen=True)
class Caller:
    """One user at one session, who asks again under the same key until there is an answer."""

    client: httpx2.AsyncClient
    user: str
    key: str
    told: Told

    async def say(self, text: str, session: str = SESSION) -> None:
        """Says something, and notes what came of it."""
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": uuid4().hex}
        asked = {"message": text, "session_id": session}
        began = time.monotonic()
        while time.monotonic() - began < _PATIENCE:
            try:
                response = await self.client.post("/api/chat", json=asked, headers=headers)
            except httpx2.TransportError as error:
                self.told.again[type(error).__name__] += 1
                await asyncio.sleep(0.2)
                continue
            if response.status_code in _AGAIN:
                self.told.again[str(response.status_code)] += 1
                await asyncio.sleep(min(2.0, float(response.headers.get("Retry-After", 1))))
                continue
            if response.status_code != 200:
                self.told.failed[f"{response.status_code} {response.text[:200]}"] += 1
                return
            reply = response.json()
            ids = (reply["conversation_id"], reply["user_message_id"], reply["message_id"])
            self.told.turns.append(Turn(self.user, text, *ids, time.monotonic() - began))
            return
        self.told.failed[f"no answer in {_PATIENCE:g} s"] += 1

    async def talk(self, ends: float, pause: float, chance: random.Random) -> None:
        """Says one thing after another until then, with pauses as a reader makes them."""
        await asyncio.sleep(chance.uniform(0, pause))
        number = 0
        while time.monotonic() < ends:
            number += 1
            await self.say(f"{self.user} asks {number}: where is it?")
            await asyncio.sleep(min(chance.expovariate(1 / pause), 3 * pause) if pause else 0)


def client_of(url: str, most: int) -> httpx2.AsyncClient:
    """A client that may have so many connections."""
    limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most)
    return httpx2.AsyncClient(base_url=url, timeout=60, limits=limits, trust_env=False)


def stored(config: Neo4jConfig, project: str) -> list[dict[str, Any]]:
    """Every message of a project."""
    auth = (config.username, config.password) if config.password else None
    with neo4j.GraphDatabase.driver(config.uri, auth=auth) as driver:
        rows = driver.execute_query(_STORED, project=project, database_=config.database).records
    return [row.data() for row in rows]


def judge(turns: Sequence[Turn], rows: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """What is wrong with what is stored, by kind: ``lost``, ``crossed``, ``twice``, ``order``.

    Args:
        turns: those that were acknowledged; of one user in one session in the order in which they were said.
        rows: every message of the project.
    """
    wrong: dict[str, list[str]] = {"lost": [], "crossed": [], "twice": [], "order": []}
    by_uuid = {row["uuid"]: row for row in rows}
    home: dict[str, str] = {}
    newest: dict[str, int] = defaultdict(lambda: -1)
    for turn in turns:
        question, answer = by_uuid.get(turn.question), by_uuid.get(turn.answer)
        if question is None or answer is None or question["text"] != turn.text:
            wrong["lost"].append(turn.text)
            continue
        belongs = {question["conversation"], answer["conversation"], home.setdefault(turn.user, turn.conversation)}
        if belongs != {turn.conversation} or {question["user"], answer["user"]} != {turn.user}:
            wrong["crossed"].append(turn.text)
        if not newest[turn.user] < question["seq"] < answer["seq"] or answer["question"] != turn.question:
            wrong["order"].append(turn.text)
        newest[turn.user] = question["seq"]
    said = Counter((row["user"], row["text"]) for row in rows if row["role"] == "user")
    wrong["twice"] = [text for (_, text), number in said.items() if number > 1]
    wrong["crossed"] += [
        row["text"] for row in rows if row["role"] == "user" and not row["text"].startswith(f"{row['user']} ")
    ]
    return wrong
