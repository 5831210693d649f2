"""Candidates of a search, by words and by meaning, and the messages that it shows in the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ragforge_memory.errors import SpaceMoved, conversation_gone
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.decisions import correction
from ragforge_memory.graph.kept_vectors import Kept, KeptVectors, Near
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import message, utc_text
from ragforge_memory.graph.spaces import Space, SpaceInUse, cosine_of_score
from ragforge_memory.graph.text import query_words
from ragforge_memory.models.conversation import Correction, Message, Role
from ragforge_memory.models.lineage import Lineage, Part
from ragforge_memory.models.owner import Owner
from ragforge_memory.text.words import asked_for, pattern, without_endings

CANDIDATES = 100
"""The most that a list brings: R@10 on LoCoMo was .740 with 30, .752 with 50, .756 with 100."""

RARITY_SAMPLE = 100
"""How many hits of a word are counted to learn how rare it is; more made no difference (R@10 .754 with 400)."""

# Neighbours asked of the index for each candidate: it searches wider, at little cost. Of 5,000 messages that are
# nearly alike in twos and threes the ten nearest were found at .989 with one, .997 with two, always with three. Of
# vectors of real texts (e5-small-v2, commit messages) three found all ten among 5,000, .993 among 10,000, .987 among
# 24,000, where one found .967 and ten .996, half as long again; a graph of m=32 is no better for the same time.
_TAKE = 3
# With filters that the index does not know: neighbours looked at for the first attempt.
_TAKE_FILTERED = 1_000
# Older servers: the most messages that are compared one by one (2,000 took 28 to 40 ms), and neighbours taken of more.
_SCAN = 2_000
_OVERFETCH = 2_000
# Steps of the event loop until a statement is on its way: while the server is at it, vectors are compared. In a thread
# that would wait for the interpreter's lock as often as the loop for it: 4.7 ms for both instead of 3.6.
_STEPS_UNTIL_SENT = 6


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search leaves out before it ranks. ``until`` is the last moment that counts."""

    role: Role | None = None
    since: datetime | None = None
    until: datetime | None = None
    tool: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, Any]:
        """As the statements take them. The graph's clock is finer than ours, so ``until`` has its microsecond."""
        until = self.until
        if until is not None and until.replace(tzinfo=None) < datetime.max:
            until += timedelta(microseconds=1)
        return {
            "role": self.role,
            "since": utc_text(self.since),
            "until": utc_text(until),
            "tool": self.tool,
        }

    @property
    def narrow(self) -> bool:
        """Whether anything is left out."""
        return self != EVERYTHING


EVERYTHING = Filters()
"""Leaves nothing out."""


class Hit(NamedTuple):
    """One candidate; ``score`` is the list's own: Lucene's, or the cosine."""

    conversation_id: str
    seq: int
    time: datetime | None
    score: float
    has_vector: bool = True
    user: bool = True


class FoundMessage(NamedTuple):
    """A message, its cosine where it has a vector, and what was said against it since."""

    message: Message
    cosine: float | None
    corrected: Correction | None


@dataclass(frozen=True, slots=True)
class Hits:
    """A list of candidates, best first; ``lineage`` where one conversation was searched.

    ``hidden`` are the conversations that may have been deleted, and are found for what living branches share of them.
    ``space`` is where vectors were compared.
    """

    items: tuple[Hit, ...] = ()
    lineage: Lineage = ()
    hidden: tuple[str, ...] = ()
    space: Space | None = None

    @property
    def reader(self) -> str | None:
        """The conversation that was searched, where it was one."""
        return self.lineage[-1].conversation_id if self.lineage else None


def words_of(query: str) -> list[str]:
    """The words that a search by words asks for; identifiers give their parts too."""
    return asked_for(query_words(without_endings(query)))


class OwnerSearch(OwnerStore):
    """What searches of one owner have in common.

    Args:
        space: where the vectors are; None: nothing is found by meaning.
    """

    def __init__(self, client: GraphClient, owner: Owner, space: Space | SpaceInUse | None) -> None:
        super().__init__(client, owner)
        self._use = SpaceInUse.of(space)

    @property
    def has_vectors(self) -> bool:
        """Whether there is anything to be found by meaning."""
        return self._use.space is not None

    @property
    def space(self) -> Space | None:
        """Where the vectors are now: asked before a vector is made, and given along with it."""
        return self._use.space


class SearchStore(OwnerSearch):
    """Searches the messages of one owner.

    Args:
        kept: what this process keeps of long conversations; None: as much as is usual.
    """

    def __init__(
        self, client: GraphClient, owner: Owner, space: Space | SpaceInUse | None, kept: KeptVectors | None = None
    ) -> None:
        super().__init__(client, owner, space)
        self._kept = kept or KeptVectors(client, owner)

    async def aclose(self) -> None:
        """Ends what is done in the background."""
        await self._kept.aclose()

    async def by_words(
        self, words: Sequence[str], *, conversation_id: str | None, filters: Filters, limit: int = CANDIDATES
    ) -> Hits:
        """Messages that share words, most telling first; of one conversation's lineage if it is named.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
        """
        parameters = {
            "words": [{"text": word, "pattern": pattern(word)} for word in words],
            "sample": RARITY_SAMPLE,
            "property": self._property(self._use.space),
            **self._scope(conversation_id, filters, limit),
        }
        if conversation_id is None:
            rows = await self._read("search_owner_text", **parameters)
        else:
            rows = await self._read("search_history_text", **parameters)
        return _hits(rows, conversation_id)

    async def by_meaning(
        self,
        vector: Sequence[float],
        *,
        conversation_id: str | None,
        filters: Filters,
        limit: int = CANDIDATES,
        space: Space | None = None,
    ) -> Hits:
        """The messages nearest to a vector, nearest first, by cosine; of one conversation's lineage if it is named.

        Args:
            vector: what is looked for.
            conversation_id, filters, limit: as in `by_words`.
            space: the space that the vector was made for; None: the one that is in use.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
            EmbeddingMismatch: the vector is not of the project's space.
            SpaceMoved: the project's vectors have moved to another space.
        """
        space = space or self._use.space
        if space is None:
            return Hits()
        space.check([vector])
        kept = Kept() if conversation_id is None or filters.narrow else self._kept.of(space, conversation_id)
        parameters = {
            "names": {"index": space.message_index},
            "property": space.property,
            "vector": list(vector),
            "take": max(limit, _TAKE_FILTERED) if filters.narrow else _TAKE * limit,
            "scan": _SCAN,
            "overfetch": max(limit, _OVERFETCH),
            "kept": kept.ends,
            **self._scope(conversation_id, filters, limit),
        }
        kind = "owner" if conversation_id is None else "history"
        try:
            rows, near = await self._kept_and_after(kept, space, parameters)
            if not rows:
                rows = await self._use.read(f"search_{kind}_vector", self._client, space, **parameters)
        except SpaceMoved:
            self._kept.clear()
            raise
        if rows and rows[0]["more"]:
            rows = await self._use.read(f"scan_{kind}_vector", self._client, space, **parameters)
        found = _hits(rows, conversation_id)
        items = [hit._replace(score=cosine_of_score(hit.score)) for hit in found.items]
        if near:
            items += [
                Hit(each.conversation_id, each.seq, _time(each.time), each.cosine, user=each.user) for each in near
            ]
            items = sorted(items, key=lambda hit: -hit.score)[:limit]
        if rows[0].get("head"):
            self._kept.notice(space, found.lineage, rows[0]["head"])
        return Hits(tuple(items), found.lineage, found.hidden, space)

    async def near(
        self, vector: Sequence[float], *, conversation_id: str, floor: int, limit: int, space: Space
    ) -> list[tuple[Message, float]]:
        """The messages of a lineage that are nearest to a vector, nearest first, each with its cosine; one read.

        Args:
            vector: what is looked for, made for ``space``.
            floor: the last seq that counts.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
            EmbeddingMismatch: the vector is not of that space.
            SpaceMoved: the project's vectors have moved to another space.
        """
        space.check([vector])
        kept = self._kept.of(space, conversation_id).up_to(floor)
        local = {(each.conversation_id, each.seq): each.cosine for each in kept.nearest(vector, limit)}
        try:
            rows = await self._use.read(
                "near_messages",
                self._client,
                space,
                names={"index": space.message_index},
                conversation_id=conversation_id,
                property=space.property,
                vector=list(vector),
                floor=floor,
                limit=limit,
                take=_TAKE * limit,
                scan=_SCAN,
                overfetch=_OVERFETCH,
                kept=kept.ends,
                places=[list(place) for place in local],
                **self._owner,
            )
        except SpaceMoved:
            self._kept.clear()
            raise
        if not rows:
            raise conversation_gone(conversation_id)
        [row] = rows
        if row["stale"]:
            self._kept.forget(conversation_id)
            return await self.near(vector, conversation_id=conversation_id, floor=floor, limit=limit, space=space)
        self._kept.notice(space, tuple(Part(at, int(top)) for at, top in row["lineage"]), row["head"])
        found: list[tuple[Message, float]] = []
        for each in row["found"]:
            said = message(each["message"])
            place = (said.conversation_id, said.seq)
            found.append((said, local[place] if each["score"] is None else cosine_of_score(each["score"])))
        return sorted(found, key=lambda pair: -pair[1])[:limit]

    async def _kept_and_after(
        self, kept: Kept, space: Space, parameters: Mapping[str, Any]
    ) -> tuple[list[dict[str, Any]], list[Near]]:
        """What the index has after the copies, and what these have; nothing where there are none to be believed."""
        if not kept.tops:
            return [], []

        async def nearest() -> list[Near]:
            for _ in range(_STEPS_UNTIL_SENT):
                await asyncio.sleep(0)
            return kept.nearest(parameters["vector"], parameters["limit"])

        after = self._use.read("search_history_vector_after", self._client, space, **parameters)
        rows, found = await asyncio.gather(after, nearest())
        if rows and not rows[0]["stale"]:
            return rows, found
        self._kept.forget(parameters["conversation_id"])
        return [], []

    async def messages(
        self,
        places: Sequence[tuple[str, int]],
        *,
        filters: Filters,
        vector: Sequence[float] | None = None,
        space: Space | None = None,
        hidden: Iterable[str] = (),
        reader: str | None = None,
    ) -> dict[tuple[str, int], FoundMessage]:
        """Messages by (conversation, seq), without their tool calls; those that a filter leaves out are missing.

        Args:
            places: where they are.
            filters: as in the search.
            vector: with it each message comes with its cosine.
            space: the space that the vector was made for; None: the one that is in use.
            hidden: see `Hits`. A message of a deleted conversation is given as one of a living branch that shares it,
                the last updated; it is missing where there is none.
            reader: the branch that it is given as, if that shares it.
        """
        space = space or self._use.space
        rows = await self._read(
            "found_messages",
            places=[list(place) for place in places],
            vector=None if vector is None or space is None else list(vector),
            property=self._property(space),
            hidden=list(hidden),
            reader=reader,
            tags=list(filters.tags) or None,
            **filters.parameters,
        )
        return {
            (row["stored"], row["message"]["seq"]): FoundMessage(
                message(row["message"]),
                None if row["score"] is None else cosine_of_score(row["score"]),
                correction(row["corrected"]),
            )
            for row in rows[0]["found"]
        }

    @staticmethod
    def _property(space: Space | None) -> str:
        return "embedding" if space is None else space.property

    def _scope(self, conversation_id: str | None, filters: Filters, limit: int) -> dict[str, Any]:
        scope = (
            {"tags": list(filters.tags) or None} if conversation_id is None else {"conversation_id": conversation_id}
        )
        return {**scope, **filters.parameters, "filtered": filters.narrow, "limit": limit, **self._owner}


def _hits(rows: list[dict[str, Any]], conversation_id: str | None) -> Hits:
    if not rows:
        raise conversation_gone(conversation_id)
    row = rows[0]
    lineage = tuple(Part(at, int(top)) for at, top in row.get("lineage") or ())
    conversations = row.get("conversations") or _held_by(lineage, row["seqs"])
    vectors = row.get("vectors") or [True] * len(conversations)
    return Hits(
        tuple(
            Hit(at, seq, _time(time), score, has_vector, user)
            for at, seq, time, user, score, has_vector in zip(
                conversations, row["seqs"], row["times"], row["users"], row["scores"], vectors, strict=True
            )
        ),
        lineage,
        tuple(row.get("hidden") or (part.conversation_id for part in lineage[:-1])),
    )


def _held_by(lineage: Lineage, seqs: Sequence[int]) -> list[str]:
    if len(lineage) == 1:
        return [lineage[0].conversation_id] * len(seqs)
    return [part_of(lineage, seq) for seq in seqs]


def part_of(lineage: Lineage, seq: int) -> str:
    """The conversation that has this seq of a lineage."""
    return next((part.conversation_id for part in lineage if seq <= part.top), lineage[-1].conversation_id)


def _time(text: str) -> datetime | None:
    """A time as the server wrote it; another tool's graph may have anything there."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
