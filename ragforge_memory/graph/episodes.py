"""The store of episodes, and of how important messages are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.memory_keys import content_stems, order_key, words_key
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.text import terms
from ragforge_memory.models.memory import Trust
from ragforge_memory.models.owner import Owner


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
        [row] = await self._write(
            "create_episode",
            user=self._owner["user_id"],
            uuid=episode.uuid,
            properties=properties,
            messages=sorted(set(episode.message_ids)),
            words_key=words_key(self._owner["user_id"], self._owner["project"], ["episode", *words]),
            order_key=order_key(words),
        )
        self._written()
        return row["uuid"], row["stored"]

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


def _texts(topic: str, summary: str) -> dict[str, str]:
    content = f"{topic}: {summary}"
    return {"topic": topic, "summary": summary, "content": content, "terms": terms(content)}
