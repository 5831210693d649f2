"""Long-term memory of one owner: one way in, one way to forget, whoever asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.graph.episodes import EpisodeStore, NewEpisode
from ragforge_memory.graph.memories import STANDING_TYPES, FactOutcome, NewFact, normal_type
from ragforge_memory.memory.checks import LONGEST_VALUE, MOST, Checks, share
from ragforge_memory.models.memory import Episode, Fact, FactVersion, Memory, Trust, VersionReason
from ragforge_memory.text.forms import is_question

if TYPE_CHECKING:
    from ragforge_memory.config.sections import MemoryConfig
    from ragforge_memory.graph.added_memories import AddedMemoryStore

_REASONS = ("update", "correction", "refinement")


@dataclass(frozen=True, slots=True)
class Source:
    """Who vouches for a memory and where it comes from; ``message_id`` is the message that says it.

    ``operation`` is the uuid of what changes a memory: whoever does it again under this uuid changes nothing more.
    ``asked_at`` is when it was asked for: what has changed since, it leaves as it is.
    """

    trust: Trust = "user"
    name: str = "api"
    message_id: str | None = None
    said_at: datetime | None = None
    operation: str | None = None
    asked_at: datetime | None = None

    @property
    def once(self) -> str:
        """The uuid under which it is done."""
        return self.operation or uuid4().hex


class Memories:
    """Remembers, gives back and forgets.

    Args:
        store: of one owner.
        episodes: of the same.
        config: what is kept.
        redacted: takes secrets out of a text.
    """

    def __init__(
        self, store: AddedMemoryStore, episodes: EpisodeStore, config: MemoryConfig, redacted: Callable[[str], str]
    ) -> None:
        self._store = store
        self._episodes = episodes
        self._config = config
        self._redacted = redacted
        self._checks = Checks(redacted)

    @property
    def checks(self) -> Checks:
        """What may be remembered."""
        return self._checks

    async def remember_fact(
        self,
        type: str,
        key: str,
        value: str,
        confidence: float = 1.0,
        *,
        source: Source = Source(),
        reason: VersionReason = "update",
    ) -> FactOutcome:
        """Remembers a fact; another value of the same type and key becomes the current one, the old one history.

        Args:
            type: ``personal``, ``preference``, ``skill``, or any other sort.
            key: which one of its type: ``location``.
            value: what it says.
            confidence: how sure that is, 0 to 1.
            source: where it comes from.
            reason: why it takes another's place.

        Raises:
            InvalidInput: something is missing, too long, a question or a secret; it is less sure than the
                configuration asks for; or it is a rule or a preference that no user laid down.
        """
        type_, key = self._checks.name("type of a fact", type), self._checks.name("key of a fact", key)
        value, confidence = self._checks.text("value of a fact", value, beside=key), share("confidence", confidence)
        if is_question(value):
            raise InvalidInput("a question is not a fact")
        least = self._config.tools.confidence_threshold
        if confidence < least:
            raise InvalidInput(f"a confidence of {confidence} is below {least}", hint="ask the user, then say it again")
        if source.trust == "tool" and normal_type(type_) in STANDING_TYPES:
            raise InvalidInput(f"only the user lays down a {type_}", hint="ask the user")
        fact = NewFact(
            type_,
            key,
            value,
            confidence,
            trust=source.trust,
            source=source.name,
            reason=reason,
            message_id=source.message_id,
            said_at=source.said_at,
            operation=source.once,
            asked_at=source.asked_at,
        )
        [outcome] = await self._store.remember_facts([fact])
        return outcome

    async def recall_facts(
        self,
        query: str | None = None,
        types: Sequence[str] | None = None,
        min_confidence: float | None = None,
        limit: int = 10,
        *,
        include_inactive: bool = False,
    ) -> list[Fact]:
        """The facts that share words with a query, or all, the most certain and newest first.

        Args:
            query: words that they have; None: all.
            types: only facts of these types.
            min_confidence: only facts that are at least so sure, 0 to 1.
            limit: facts at most, 1 to 1,000.
            include_inactive: those that were forgotten too.

        Raises:
            InvalidInput: the limit or the confidence is none.
        """
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= 1_000:
            raise InvalidInput(f"the limit is a number from 1 to 1,000, not {limit!r}")
        return await self._store.facts(
            (query or "").strip() or None,
            types=types or None,
            min_confidence=0.0 if min_confidence is None else share("min_confidence", min_confidence),
            limit=limit,
            include_inactive=include_inactive,
        )

    async def update_fact(
        self, fact_id: str, new_value: str, reason: VersionReason = "update", *, source: Source = Source()
    ) -> FactOutcome:
        """Gives a fact another value; the old one stays in its history.

        Raises:
            InvalidInput: the value or the reason is none.
            NotFound: there is no such fact.
        """
        if reason not in _REASONS:
            raise InvalidInput(f"the reason is {', '.join(_REASONS[:-1])} or {_REASONS[-1]}, not {reason!r}")
        fact = await self.fact(fact_id)
        least = self._config.tools.confidence_threshold
        return await self.remember_fact(
            fact.type, fact.key, new_value, max(fact.confidence, least), source=source, reason=reason
        )

    async def merge_facts(self, fact_ids: Sequence[str], value: str, *, source: Source = Source()) -> Fact:
        """Makes one fact of several that say one thing: the first keeps its type and key, the others are archived.

        Raises:
            InvalidInput: these are not 2 to 100 different facts that hold, of one type.
            NotFound: one of them is not there.
        """
        ids = list(dict.fromkeys(fact_ids)) if not isinstance(fact_ids, str) else []
        if not 2 <= len(ids) <= MOST:
            raise InvalidInput(f"2 to {MOST} different facts can be merged, not {len(ids)}")
        facts = [await self.fact(each) for each in ids]
        value = self._checks.text("value of a fact", value, beside=facts[0].key)
        if is_question(value):
            raise InvalidInput("a question is not a fact")
        if len({fact.type for fact in facts}) > 1:
            raise InvalidInput("facts of different types are not merged", hint="forget one, or update it")
        if source.trust == "tool" and facts[0].type in STANDING_TYPES:
            raise InvalidInput(f"only the user lays down a {facts[0].type}", hint="ask the user")
        if not await self._store.merge_facts(facts, value, trust=source.trust, operation=source.once):
            raise InvalidInput("none of the other facts holds any more", hint="recall_facts gives those that do")
        return await self.fact(facts[0].uuid)

    async def store_memory(self, content: str, *, uuid: str | None = None, source: Source = Source()) -> str:
        """Remembers a statement; returns the uuid of the memory that says it, which may have been there before.

        Raises:
            InvalidInput: it is empty, too long, a question or a secret.
        """
        content = self._checks.text("memory", content)
        if is_question(content):
            raise InvalidInput("a question is not remembered", hint="state what holds")
        return await self._store.add(content, "note", 0.5, uuid=uuid, trust=source.trust, source=source.name)

    async def create_episode(
        self,
        topic: str,
        summary: str,
        importance: float = 0.5,
        emotional_valence: str | None = None,
        tags: Sequence[str] = (),
        message_ids: Sequence[str] | None = None,
        *,
        uuid: str | None = None,
        source: Source = Source(),
    ) -> tuple[str, bool]:
        """Remembers what a stretch of talk was about; returns its uuid, and whether it is new.

        Args:
            topic, summary: what the talk was about, and what came of it.
            importance: from 0 to 1.
            emotional_valence: a word for its mood: ``positive``.
            tags: words to find it by.
            message_ids: what was said in it; None: the message of ``source``.
            uuid: that it has if no other says the same.
            source: where it comes from.

        Raises:
            InvalidInput: something is missing, too long or a secret.
        """
        given = list(message_ids or ())[:MOST] or [each for each in (source.message_id,) if each]
        new = NewEpisode(
            uuid or uuid4().hex,
            self._checks.name("topic of an episode", topic),
            self._checks.text("summary of an episode", summary, beside=topic),
            trust=source.trust,
            source=source.name,
            importance=share("importance", importance),
            emotional_valence=self._checks.mood(emotional_valence),
            tags=self._checks.tags(tags),
            message_ids=tuple(given),
        )
        return await self._episodes.create(new)

    async def update_episode(
        self,
        episode_id: str,
        *,
        topic: str | None = None,
        summary: str | None = None,
        importance: float | None = None,
        emotional_valence: str | None = None,
        tags: Sequence[str] | None = None,
        source: Source = Source(),
    ) -> Episode:
        """Changes what is given of an episode; its history keeps the summary before.

        Raises:
            InvalidInput: nothing is given, or it is too long or a secret.
            NotFound: there is no such episode.
        """
        episode = await self.episode(episode_id)
        changes: dict[str, Any] = {}
        if importance is not None:
            changes["importance"] = share("importance", importance)
        if emotional_valence is not None:
            changes["emotional_valence"] = self._checks.mood(emotional_valence)
        if tags is not None:
            changes["tags"] = list(self._checks.tags(tags))
        if topic is None and summary is None and not changes:
            raise InvalidInput("nothing is given that would change the episode")
        await self._episodes.update(
            episode.uuid,
            topic=episode.topic if topic is None else self._checks.name("topic of an episode", topic),
            summary=episode.summary if summary is None else self._checks.text("summary of an episode", summary),
            changes=changes,
            operation=source.once,
        )
        return await self.episode(episode.uuid)

    async def mark_important(self, message_ids: Sequence[str], importance: float = 1.0) -> int:
        """Says how important messages are, 0 to 1; returns how many of them there are.

        Raises:
            InvalidInput: these are not 1 to 100 messages.
            NotFound: none of them is there.
        """
        ids = list(dict.fromkeys(message_ids)) if not isinstance(message_ids, str) else []
        if not 1 <= len(ids) <= MOST:
            raise InvalidInput(f"1 to {MOST} messages can be marked, not {len(ids)}")
        marked = await self._episodes.mark_important(ids, share("importance", importance))
        if not marked:
            raise NotFound("there is no such message", hint="search_conversation gives messages with their ids")
        return marked

    async def forget(self, memory_id: str, reason: str = "", *, source: Source = Source()) -> bool:
        """Hides a memory from everything but its history; returns whether it was not hidden before.

        Raises:
            NotFound: there is no such memory.
        """
        was = await self._store.forget(
            (await self.get(memory_id)).uuid,
            self._redacted(reason)[:LONGEST_VALUE],
            operation=source.once,
            asked_at=source.asked_at,
        )
        if was is None:
            raise NotFound(
                f"the memory {memory_id!r} is nobody's", hint="what belongs to everyone is not forgotten for one"
            )
        return was

    async def fact(self, fact_id: str) -> Fact:
        """A fact by its uuid.

        Raises:
            NotFound: there is none.
        """
        found = await self.get(fact_id)
        if not isinstance(found, Fact):
            raise NotFound(f"{fact_id!r} is not a fact", hint="recall_facts gives facts with their ids")
        return found

    async def episode(self, episode_id: str) -> Episode:
        """An episode by its uuid.

        Raises:
            NotFound: there is none.
        """
        found = await self.get(episode_id)
        if not isinstance(found, Episode):
            raise NotFound(f"{episode_id!r} is not an episode", hint="`ragforge memory list --kind episode` shows them")
        return found

    async def get(self, memory_id: str) -> Memory:
        """A memory by its uuid, whatever became of it.

        Raises:
            NotFound: there is none.
        """
        whole = isinstance(memory_id, str) and bool(memory_id)
        found = await self._store.by_uuid(memory_id) if whole else []
        if len(found) != 1 or len(memory_id) < len(found[0].uuid):
            raise NotFound(f"there is no memory {memory_id!r}", hint="`ragforge memory list` shows them all")
        return found[0]

    async def history(self, memory_id: str) -> list[FactVersion]:
        """What a memory said before, the oldest first, and why it changed.

        Raises:
            NotFound: there is no such memory.
        """
        return await self._store.history((await self.get(memory_id)).uuid)

    def fact_uuid(self, type: str, key: str) -> str:
        """The uuid of the fact of this type and key, whether there is one or not."""
        return self._store.fact_uuid(type, key)
