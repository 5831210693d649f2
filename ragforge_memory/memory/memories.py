"""Long-term memory of one owner: one way in, one way to forget, whoever asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.graph.memories import STANDING_TYPES, FactOutcome, NewFact
from ragforge_memory.models.memory import Fact, FactVersion, Memory, Trust, VersionReason
from ragforge_memory.text.forms import is_question

if TYPE_CHECKING:
    from ragforge_memory.config.sections import MemoryConfig
    from ragforge_memory.graph.memories import MemoryStore

LONGEST_NAME, LONGEST_VALUE = 100, 2_000
"""Characters of a fact's type and key, and of its value."""

_REASONS = ("update", "correction", "refinement")


@dataclass(frozen=True, slots=True)
class Source:
    """Who vouches for a memory and where it comes from; ``message_id`` is the message that says it."""

    trust: Trust = "user"
    name: str = "api"
    message_id: str | None = None
    said_at: datetime | None = None


class Memories:
    """Remembers, gives back and forgets.

    Args:
        store: of one owner.
        config: what is kept.
        redacted: takes secrets out of a text.
    """

    def __init__(self, store: MemoryStore, config: MemoryConfig, redacted: Callable[[str], str]) -> None:
        self._store = store
        self._config = config
        self._redacted = redacted

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
        type_, key, value = self._name("type", type), self._name("key", key), self._value(value)
        if not isinstance(confidence, (int, float)) or isinstance(confidence, bool) or not 0 <= confidence <= 1:
            raise InvalidInput(f"confidence is a number from 0 to 1, not {confidence!r}")
        least = self._config.tools.confidence_threshold
        if confidence < least:
            raise InvalidInput(f"a confidence of {confidence} is below {least}", hint="ask the user, then say it again")
        if source.trust == "tool" and type_.casefold() in STANDING_TYPES:
            raise InvalidInput(f"only the user lays down a {type_}", hint="ask the user")
        fact = NewFact(
            uuid4().hex,
            type_,
            key,
            value,
            float(confidence),
            trust=source.trust,
            source=source.name,
            reason=reason,
            message_id=source.message_id,
            said_at=source.said_at,
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
        """The facts that share words with a query, or all, the most certain and newest first."""
        return await self._store.facts(
            (query or "").strip() or None,
            types=types or None,
            min_confidence=min_confidence or 0.0,
            limit=max(1, min(limit, 100)),
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

    async def forget(self, memory_id: str, reason: str = "") -> bool:
        """Hides a memory from everything but its history; returns whether it was not hidden before.

        Raises:
            NotFound: there is no such memory.
        """
        was = await self._store.forget(memory_id, self._redacted(reason)[:LONGEST_VALUE])
        if was is None:
            raise NotFound(f"there is no memory {memory_id!r}", hint="recall_facts gives facts with their ids")
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

    async def get(self, memory_id: str) -> Memory:
        """A memory by its uuid, whatever became of it.

        Raises:
            NotFound: there is none.
        """
        found = [each for each in await self._store.by_uuid(memory_id) if each.uuid == memory_id] if memory_id else []
        if not found:
            raise NotFound(f"there is no memory {memory_id!r}", hint="recall_facts gives facts with their ids")
        return found[0]

    async def history(self, memory_id: str) -> list[FactVersion]:
        """What a memory said before, the oldest first, and why it changed.

        Raises:
            NotFound: there is no such memory.
        """
        await self.get(memory_id)
        return await self._store.history(memory_id)

    def _name(self, what: str, text: str) -> str:
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput(f"the {what} of a fact is missing")
        if len(text) > LONGEST_NAME:
            raise InvalidInput(f"the {what} of a fact is longer than {LONGEST_NAME} characters")
        return text.strip()

    def _value(self, value: str) -> str:
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput("the value of a fact is missing")
        if len(value) > LONGEST_VALUE:
            raise InvalidInput(f"the value of a fact is longer than {LONGEST_VALUE:,} characters")
        if is_question(value):
            raise InvalidInput("a question is not a fact")
        if self._redacted(value) != value:
            raise InvalidInput("that has a secret in it, which is not remembered")
        return " ".join(value.split())
