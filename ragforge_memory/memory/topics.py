"""Episodes of talks that rest: what each stretch of one was about, found again by any word that was said in it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from ragforge_memory.errors import ConversationFileError
from ragforge_memory.graph.episodes import NewEpisode, Stretch
from ragforge_memory.text.titles import title_of

if TYPE_CHECKING:
    from ragforge_memory.graph.episodes import ClosedTopic, EpisodeStore
    from ragforge_memory.graph.summaries import SummaryStore
    from ragforge_memory.models.conversation import Message

log = logging.getLogger(__name__)

SOURCE = "topic"
"""The source of episodes that were made by themselves."""

REST_SECONDS = 3_600
"""Seconds of silence after which what was talked about is over."""

_AT_ONCE = 20
# An exchange alone is what `search_messages` is for; a stretch of more messages than a summary covers well is parted.
_FEWEST, _MOST = 4, 100
_READ = 400
_CHARACTERS = 4_000


class Topics:
    """Tells of talks once they rest; `run` does all that is due.

    Args:
        store: where episodes go.
        talks: reads what was said.
        condense: says in two or three sentences what messages were about.
    """

    def __init__(
        self, store: EpisodeStore, talks: SummaryStore, condense: Callable[[Sequence[Message]], Awaitable[str]]
    ) -> None:
        self._store = store
        self._talks = talks
        self._condense = condense
        self._lost: set[str] = set()

    async def run(self) -> None:
        """Makes the episodes of all talks that rest."""
        while due := await self._store.closed_topics(_AT_ONCE, seconds=REST_SECONDS, without=self._lost):
            for topic in due:
                try:
                    await self._close(topic)
                except ConversationFileError as error:
                    # Another process may have its file; this one does not look again.
                    self._lost.add(topic.conversation_id)
                    log.warning("no episode tells of %s: %s", topic.conversation_id, error.message)

    async def _close(self, topic: ClosedTopic) -> None:
        to_seq = min(topic.head, topic.after + _READ)
        read = await self._talks.messages(topic.conversation_id, topic.after + 1, to_seq, characters=_CHARACTERS)
        found = stretches([each for each in read if each.role in ("user", "assistant") and each.content.strip()])
        if to_seq < topic.head and len(found) > 1:
            # The last one may go on behind what was read.
            to_seq = found.pop()[0].seq - 1
        told = [await self._stretch(each) for each in found if len(each) >= _FEWEST]
        await self._store.close(topic, to_seq, told)

    async def _stretch(self, messages: Sequence[Message]) -> Stretch:
        first = next((each for each in messages if each.role == "user"), messages[0])
        episode = NewEpisode(
            uuid4().hex,
            title_of(first.content),
            await self._condense(messages),
            # What nobody vouches for came in with a file.
            "agent" if all(each.trust for each in messages) else "tool",
            SOURCE,
            message_ids=tuple(each.uuid for each in messages),
        )
        return Stretch(episode, "\n".join(each.content for each in messages), messages[-1].timestamp)


def stretches(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages parted where nobody said anything for an hour, and where a stretch is long."""
    found: list[list[Message]] = []
    for each in messages:
        rested = found and (each.timestamp - found[-1][-1].timestamp).total_seconds() > REST_SECONDS
        if not found or rested or len(found[-1]) >= _MOST:
            found.append([])
        found[-1].append(each)
    return found
