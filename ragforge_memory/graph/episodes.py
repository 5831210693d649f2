"""The store of episodes, and of how important messages are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.memory_keys import content_stems, order_key, words_key
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.text import terms, text_words
from ragforge_memory.models.memory import Trust
from ragforge_memory.models.owner import Owner
from ragforge_memory.text.words import STOP_WORDS

_MOST_WORDS = 4_000


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """An episode before it is stored.

    Args:
        uuid: that it has if no other says the same.
        topic, summary: what the talk was about, and what came of it.
        importance: from 0 to 1.
        emotional_valence: a word for its mood.
        message_ids: what was said in it.
    """

    uuid: str
    topic: str
    summary: str
    trust: Trust
    source: str
    importance: float = 0.5
    emotional_valence: str | None = None
    tags: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()


class ClosedTopic(NamedTuple):
    """A talk that rests: no episode tells of what is behind ``after``, and ``head`` is its last message. ``token`` is
    another where a text of it was erased meanwhile."""

    conversation_id: str
    after: int
    head: int
    token: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """An episode of a stretch of a talk. ``said`` is all that was said in it, ``said_at`` when the last of it was."""

    episode: NewEpisode
    said: str
    said_at: datetime


class EpisodeStore(OwnerStore):
    """The episodes of one owner in one project.

    Args:
        client: the graph.
        owner: whose they are.
        written: called when one was written that waits for a vector.
    """

    def __init__(self, client: GraphClient, owner: Owner, written: Callable[[], None] = lambda: None) -> None:
        super().__init__(client, owner)
        self._written = written

    async def create(self, episode: NewEpisode) -> tuple[str, bool]:
        """Stores an episode; its uuid, and whether it is new: another may say the same."""
        [row] = await self._write("create_episode", user=self._owner["user_id"], **self._row(episode))
        self._written()
        return row["uuid"], row["stored"]

    async def closed_topics(self, limit: int, *, seconds: float, without: Collection[str] = ()) -> list[ClosedTopic]:
        """Talks of which nobody has said anything for so long, and of whose end no episode tells; but for those whose
        uuids are ``without``, and those whose texts are in files that this client does not have."""
        rows = await self._read(
            "closed_topics", seconds=round(seconds), limit=limit, without=list(without), filed=False
        )
        return [ClosedTopic(row["uuid"], row["after"], row["head"], row["token"]) for row in rows]

    async def close(self, topic: ClosedTopic, to_seq: int, stretches: Sequence[Stretch]) -> bool:
        """Stores episodes of a talk up to a message; False: somebody else has, the talk is gone, or a text of it was
        erased since it was read."""
        rows = []
        for each in stretches:
            row = self._row(each.episode)
            row["properties"]["words"] = words = _words(each.said)
            row["properties"]["terms"] += f" {words}"
            rows.append({**row, "said_at": each.said_at.isoformat()})
        done = await self._write(
            "close_topics",
            user=self._owner["user_id"],
            conversation_id=topic.conversation_id,
            after=topic.after,
            topic_token=topic.token,
            to_seq=to_seq,
            episodes=rows,
        )
        if stretches:
            self._written()
        return bool(done)

    def _row(self, episode: NewEpisode) -> dict[str, Any]:
        words = content_stems(f"{episode.topic} {episode.summary}")
        properties = {
            "kind": "episode",
            "tier": "long",
            "category": "TaskHistory",
            "confidence": 1.0,
            "importance": episode.importance,
            "emotional_valence": episode.emotional_valence,
            "tags": list(episode.tags),
            "trust": episode.trust,
            "source": episode.source,
            **_texts(episode.topic, episode.summary),
        }
        return {
            "uuid": episode.uuid,
            "properties": properties,
            "messages": sorted(set(episode.message_ids)),
            "words_key": words_key(self._owner["user_id"], self._owner["project"], ["episode", *words]),
            "order_key": order_key(words),
        }

    async def update(
        self, uuid: str, *, topic: str, summary: str, changes: Mapping[str, Any], operation: str | None = None
    ) -> bool:
        """Gives an episode other texts and ``changes`` of its importance, mood and tags; False: there is none."""
        rows = await self._write(
            "update_episode",
            user=self._owner["user_id"],
            uuid=uuid,
            properties={**changes, **_texts(topic, summary)},
            operation=operation or uuid4().hex,
        )
        self._written()
        return bool(rows)

    async def mark_important(self, message_ids: Sequence[str], importance: float) -> int:
        """Says how important messages of this owner are; returns how many there are of them."""
        rows = await self._write("mark_important", uuids=sorted(set(message_ids)), importance=importance)
        return int(rows[0]["marked"]) if rows else 0


def _words(said: str) -> str:
    """What of all that was said an episode is found by: its words, once each, and the parts of names."""
    words = dict.fromkeys(word for word in text_words(said) if word not in STOP_WORDS)
    return " ".join(list(words)[:_MOST_WORDS])


def _texts(topic: str, summary: str) -> dict[str, str]:
    content = f"{topic}: {summary}"
    return {"topic": topic, "summary": summary, "content": content, "terms": terms(content)}
