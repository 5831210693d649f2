"""The store of what conversations are about: their vectors, and those that are like a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.records import content_text, conversation_info
from ragforge_memory.graph.search import RARITY_SAMPLE
from ragforge_memory.graph.space_in_use import SpaceInUse, in_space, stored
from ragforge_memory.graph.spaces import Space, cosine_of_score
from ragforge_memory.graph.text import owner_token
from ragforge_memory.models.conversation import ConversationInfo
from ragforge_memory.models.owner import Owner

# Candidates whose vectors come along; a hundred are no better.
_COMPARED = 50
# In-index neighbours taken for each one wanted: some are being deleted.
_SPARE = 2


class Part(NamedTuple):
    """A text of a conversation; ``asked``: it is somebody's question."""

    text: str
    asked: bool


@dataclass(frozen=True, slots=True)
class Topic:
    """What a conversation is about, in words: its title, its summary once there is one, its first exchange."""

    uuid: str
    title: str
    summary: str
    first: tuple[Part, ...]

    @property
    def parts(self) -> list[Part]:
        """What is embedded, each by itself; a title that only begins the first message is not said twice."""
        begins = bool(self.first) and " ".join(self.first[0].text.split()).startswith(self.title.rstrip("…").strip())
        parts = [Part("" if begins else self.title, False), Part(self.summary, False), *self.first]
        return [part for part in parts if part.text.strip()] or [Part(" ", False)]


class SimilarStore:
    """Conversations of one owner by what they are about.

    Args:
        client: the graph.
        owner: whose conversations.
        space: where the vectors are; None: nothing is found by meaning.
    """

    def __init__(self, client: GraphClient, owner: Owner, space: Space | SpaceInUse | None) -> None:
        self._client = client
        self._owner = owner.parameters
        self._token = owner_token(owner.user_id, owner.project)
        self._use = SpaceInUse.of(space)

    @property
    def has_vectors(self) -> bool:
        """Whether there is anything to be found by meaning."""
        return self._use.space is not None

    @property
    def space(self) -> Space | None:
        """Where the vectors are now: asked before a vector is made, and given along with it."""
        return self._use.space

    async def pending(self, limit: int) -> list[Topic]:
        """Conversations that wait for a vector."""
        rows = await self._client.read(
            "pending_conversation_vectors", timeout=PATIENT_TIMEOUT, limit=limit, filed=False, **self._owner
        )
        return [
            Topic(
                row["uuid"],
                row["title"],
                row["summary"],
                tuple(Part(content_text(text), role == "user") for role, text, _ in row["first"]),
            )
            for row in rows
        ]

    async def store(self, space: Space, vectors: Sequence[tuple[Topic, Sequence[float]]]) -> int:
        """Stores vectors; a conversation that has changed since goes on waiting. Returns how many were stored.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
            SpaceMoved: the project's vectors have moved to another space; nothing was stored.
        """
        space.check(vector for _, vector in vectors)
        rows = await self._client.write(
            "store_conversation_vectors",
            timeout=PATIENT_TIMEOUT,
            property=space.conversation_property,
            rows=[
                {
                    "uuid": topic.uuid,
                    "title": topic.title,
                    "summary": topic.summary,
                    "first": len(topic.first),
                    "vector": list(vector),
                }
                for topic, vector in vectors
            ],
            **in_space(space),
            **self._owner,
        )
        return stored(rows, space)

    async def fail(self, uuids: Sequence[str]) -> None:
        """Counts a failed attempt; after the third a conversation waits no longer."""
        failed: dict[str, Any] = {"uuids": list(uuids), "attempt": uuid4().hex}
        await self._client.write("fail_conversation_vectors", timeout=PATIENT_TIMEOUT, **failed, **self._owner)

    async def count_pending(self) -> int:
        """How many wait for a vector."""
        rows = await self._client.read("count_pending_conversations", recover=False, **self._owner)
        return int(rows[0]["pending"])

    async def by_words(self, words: Sequence[str], *, limit: int) -> dict[str, float]:
        """Uuids of conversations whose title or summary has some of the words, with their share of what all the words
        together tell, 0 to 1: a conversation that has one common word of ten is hardly like the text."""
        rows = await self._client.read(
            "similar_conversations_text",
            words=list(words),
            owner_token=self._token,
            sample=RARITY_SAMPLE,
            limit=limit,
            **self._owner,
        )
        return {row["uuid"]: min(1.0, row["score"] / row["total"]) for row in rows}

    async def by_meaning(
        self, vector: Sequence[float], *, limit: int, space: Space | None = None
    ) -> tuple[dict[str, float], dict[str, list[float]]]:
        """Uuids of the conversations nearest to a unit vector, with its product with theirs: the mean of the cosines of
        what they are about; and the vectors of the nearest. ``space`` as in `SearchStore.by_meaning`.

        Raises:
            SpaceMoved: the project's vectors have moved to another space.
        """
        space = space or self._use.space
        if space is None:
            return {}, {}
        space.check([vector])
        rows = await self._use.read(
            "similar_conversations_vector",
            self._client,
            space,
            names={"index": space.conversation_index},
            property=space.conversation_property,
            vector=list(vector),
            origin=[0.0] * len(vector),
            take=_SPARE * limit,
            limit=limit,
            compared=_COMPARED,
            **self._owner,
        )
        found = dict(rows[0]["found"])
        return found, dict(zip(found, rows[0]["vectors"], strict=False))

    async def conversations(
        self, uuids: Sequence[str], vector: Sequence[float] | None, *, space: Space | None = None
    ) -> Mapping[str, tuple[ConversationInfo, float | None]]:
        """Conversations by uuid, each with its cosine to ``vector`` where both have one."""
        space = space or self._use.space
        rows = await self._client.read(
            "found_conversations",
            uuids=list(uuids),
            vector=None if vector is None or space is None else list(vector),
            property="" if space is None else space.conversation_property,
            **self._owner,
        )
        found = {}
        for row in rows:
            info = conversation_info(row["conversation"])
            found[info.uuid] = (info, None if row["score"] is None else cosine_of_score(row["score"]))
        return found
