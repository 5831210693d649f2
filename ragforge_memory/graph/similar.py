"""The store of what conversations are about: their vectors, and those that are like a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragforge_memory.graph.records import content_text, conversation_info
from ragforge_memory.graph.search import RARITY_SAMPLE, OwnerSearch
from ragforge_memory.graph.spaces import Space, cosine_of_score
from ragforge_memory.graph.waiting import WaitingVectors
from ragforge_memory.models.conversation import ConversationInfo
from ragforge_memory.models.tokens import estimate_tokens

FIRST = 4
"""The messages that a conversation may be known by, as the statements have it: its first exchange and the second."""

TELLING_TOKENS = 10
"""About so many tokens a message has that says what it is about; "hi" and "let's get going" have fewer.

Of five conversations that begin so, asked for four times each: found first 12 times with 10, 8 with 5 or 8, never
without.
"""

# Candidates whose vectors come along; a hundred are no better.
_COMPARED = 50
# In-index neighbours taken for each one wanted: some are being deleted.
_SPARE = 2


class Part(NamedTuple):
    """A text of a conversation; ``asked``: it is somebody's question; ``weight``: how much it counts, to 1."""

    text: str
    asked: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Topic:
    """What a conversation is about, in words: its title, its summary once there is one, its first messages."""

    uuid: str
    title: str
    summary: str
    first: tuple[Part, ...]

    @property
    def parts(self) -> list[Part]:
        """What is embedded: each text by itself, and all of them as one, where there are several.

        A title that only begins a message is not said twice.
        """
        messages = self._opening
        title = self.title.rstrip("…").strip()
        begins = any(" ".join(part.text.split()).startswith(title) for part in messages)
        parts = [Part("" if begins else self.title, False), Part(self.summary, False), *messages]
        said = [part for part in parts if part.text.strip()] or [Part(" ", False)]
        return said if len(said) == 1 else [*said, Part("\n".join(part.text for part in said), False)]

    @property
    def _opening(self) -> tuple[Part, ...]:
        """The first exchange. Where nobody has said yet what it is about ("hi"), the second one too, and what says
        little counts for little."""
        exchange = self.first[:2]
        if sum(_tokens(part) for part in exchange if part.asked) >= TELLING_TOKENS:
            return exchange
        return tuple(part._replace(weight=min(1.0, _tokens(part) / TELLING_TOKENS)) for part in self.first)


def _tokens(part: Part) -> int:
    return estimate_tokens(part.text.strip())


class SimilarStore(OwnerSearch, WaitingVectors):
    """Conversations of one owner by what they are about."""

    _kind = "conversation"

    async def pending(self, limit: int) -> list[Topic]:
        """Conversations that wait for a vector."""
        return [
            Topic(
                row["uuid"],
                row["title"],
                row["summary"],
                tuple(Part(content_text(text), role == "user") for role, text, _ in row["first"]),
            )
            for row in await self._pending(limit)
        ]

    async def store(self, space: Space, vectors: Sequence[tuple[Topic, Sequence[float]]]) -> int:
        """Stores vectors; a conversation that has changed since goes on waiting. Returns how many were stored.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
            SpaceMoved: the project's vectors have moved to another space; nothing was stored.
        """
        rows = [
            {
                "uuid": topic.uuid,
                "title": topic.title,
                "summary": topic.summary,
                "first": len(topic.first),
                "vector": list(vector),
            }
            for topic, vector in vectors
        ]
        return await self._store(space, space.conversation_property, rows)

    async def by_words(self, words: Sequence[str], *, limit: int) -> dict[str, float]:
        """Uuids of conversations whose title or summary has some of the words, with their share of what all the words
        together tell, 0 to 1: a conversation that has one common word of ten is hardly like the text."""
        rows = await self._read("similar_conversations_text", words=list(words), sample=RARITY_SAMPLE, limit=limit)
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
        rows = await self._read(
            "found_conversations",
            uuids=list(uuids),
            vector=None if vector is None or space is None else list(vector),
            property="" if space is None else space.conversation_property,
        )
        found = {}
        for row in rows:
            info = conversation_info(row["conversation"])
            found[info.uuid] = (info, None if row["score"] is None else cosine_of_score(row["score"]))
        return found
