"""The store of memories: what messages state becomes one, and the reads of recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import uuid4

from ragforge_memory.graph.anchors import reference
from ragforge_memory.graph.memory_keys import (
    category_of,
    content_stems,
    hash_of,
    iso,
    normal_name,
    order_key,
)
from ragforge_memory.graph.messages import Mention
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import content_text, given, readable
from ragforge_memory.graph.search import words_of
from ragforge_memory.graph.text import lucene_any, owner_token, terms
from ragforge_memory.models.memory import (
    Episode,
    Fact,
    FactVersion,
    Memory,
    Tier,
    Trust,
    VersionReason,
)
from ragforge_memory.text.forms import read_form, stated
from ragforge_memory.text.words import stem

if TYPE_CHECKING:
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.models.owner import Owner

Scored = list[tuple[Memory, float]]

_BATCH = 200
_MOST_SCOPES, _NEAR = 8, 40
# Looked at for those of the tools that are offered.
_LAST_FAILURES = 50


class Remembered(NamedTuple):
    """What became of a message that states something: ``known`` is the memory that says the same, ``took`` are those
    whose place it took, or that it took back."""

    message_id: str
    known: str | None
    took: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact before it is stored.

    Args:
        type, key, value: which one of its type it is, and what it says.
        confidence: from 0 to 1.
        reason: why another value takes the place of one that is there.
        message_id: the message that says it.
        said_at: when it was said, where that may be before it was forgotten.
        operation: the uuid of what changes it, which it does once.
        asked_at: when that was asked for, by the database's clock; None: now.
    """

    type: str
    key: str
    value: str
    confidence: float
    trust: Trust
    source: str
    reason: VersionReason = "update"
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    message_id: str | None = None
    said_at: datetime | None = None
    operation: str = field(default_factory=lambda: uuid4().hex)
    asked_at: datetime | None = None


FactChange = Literal["stored", "updated", "same", "forgotten", "older"]


class FactOutcome(NamedTuple):
    """What became of a fact: ``stored``, ``updated`` (``old`` was its value before) or ``same``; left out where it was
    ``forgotten`` since it was said, or is ``older`` than what holds now."""

    uuid: str
    outcome: FactChange
    old: str | None


OF_THE_USER = frozenset({"preference", "personal", "skill"})
"""Types of facts that hold for a user in every project."""

STANDING_TYPES = frozenset({"preference", "rule", "instruction"})
"""Types of facts that stand in every prompt, and that only the user lays down."""


def normal_type(type: str) -> str:
    """A type of facts as it is compared: "Preferences" are of the type ``preference``."""
    name = normal_name(type)
    return next((each for each in OF_THE_USER | STANDING_TYPES if stem(each) == stem(name)), name)


class MemoryStore(OwnerStore):
    """The memories of one owner: of the user here and in every project, and what is nobody's.

    Args:
        written: called after memories were written, which wait for their vectors.
    """

    def __init__(self, client: GraphClient, owner: Owner, *, written: Callable[[], None] = lambda: None) -> None:
        super().__init__(client, owner)
        self._held: set[str] = set()
        self._written = written

    def hold(self, uuid: str) -> None:
        """Leaves a message to whoever stores it now and wants to know what becomes of it, until `release`."""
        self._held.add(uuid)

    def release(self, uuid: str) -> None:
        """Leaves a message to anybody again."""
        self._held.discard(uuid)

    async def remember_messages(self, uuid: str | None = None, *, recover: bool = True) -> list[Remembered]:
        """Makes memories of what messages state and have not become yet.

        Args:
            uuid: only of this message.
            recover: whether to wait for a managed server that has gone.
        """
        done: list[Remembered] = []
        user = self._owner["user_id"]
        while True:
            without = [] if uuid else sorted(self._held)
            rows = await self._read("pending_memories", uuid=uuid, without=without, limit=_BATCH, recover=recover)
            if rows:
                memories = [self._row(row["message"], row["corrects"]) for row in rows]
                made = await self._write("remember_messages", user=user, memories=memories, recover=recover)
                self._written()
                done += [Remembered(each["message"], each["known"], tuple(each["took"])) for each in made]
            if len(rows) < _BATCH:
                return done

    async def remember_facts(self, facts: Sequence[NewFact], *, timeout: float | None = None) -> list[FactOutcome]:
        """Stores facts, each once of its type and key; another value makes a version."""
        rows = await self._write(
            "remember_facts",
            timeout=timeout,
            user=self._owner["user_id"],
            facts=[self._fact_row(each) for each in facts],
        )
        self._written()
        return [FactOutcome(row["uuid"], row["outcome"], row["old"]) for row in rows]

    async def facts(
        self,
        question: str | None = None,
        *,
        types: Sequence[str] | None = None,
        min_confidence: float = 0.0,
        limit: int = 10,
        include_inactive: bool = False,
    ) -> list[Fact]:
        """The facts that share words with a question, or all of them, the most certain and newest first."""
        words = words_of(question or "")
        if question and not words:
            return []
        rows = await self._read(
            "recall_facts",
            clause=self._clause(("names", "content", "terms"), words) if words else None,
            candidates=10 * limit,
            types=None if types is None else [normal_type(each) for each in types],
            min_confidence=min_confidence,
            include_inactive=include_inactive,
            limit=limit,
        )
        found = (memory_of(row["memory"], self._owner["user_id"]) for row in rows)
        return [each for each in found if isinstance(each, Fact)]

    async def by_uuid(self, beginning: str, limit: int = 2) -> list[Memory]:
        """Memories whose uuid begins so, whatever became of them."""
        rows = await self._read("memory_by_uuid", uuid=beginning, limit=limit)
        return [memory_of(row["memory"], self._owner["user_id"]) for row in rows]

    async def history(self, uuid: str) -> list[FactVersion]:
        """What a memory was before, the oldest first; empty where it is not the user's."""
        rows = await self._read("memory_versions", uuid=uuid)
        return [FactVersion(**given(FactVersion, each)) for row in rows for each in row["versions"]]

    async def forget(
        self, uuid: str, reason: str, *, operation: str | None = None, asked_at: datetime | None = None
    ) -> bool | None:
        """Hides a memory from every read but history; False where it was hidden before, or has changed since that was
        asked for; None where there is none."""
        rows = await self._write(
            "forget_memory",
            user=self._owner["user_id"],
            uuid=uuid,
            reason=reason,
            operation=operation or uuid4().hex,
            asked_at=iso(asked_at),
        )
        return bool(rows[0]["was"]) if rows else None

    async def merge_facts(
        self, facts: Sequence[Fact], value: str, *, trust: Trust, operation: str | None = None
    ) -> int:
        """Makes one fact of several: the first takes the value. Returns how many others it took the place of; 0: none
        of them is there."""
        first = facts[0]
        new = NewFact(first.type, first.key, value, first.confidence, trust=trust, source=first.source)
        properties = self._fact_row(new)["properties"]
        rows = await self._write(
            "merge_facts",
            user=self._owner["user_id"],
            uuids=[each.uuid for each in facts],
            properties={name: properties[name] for name in ("value", "content", "names", "terms")},
            operation=operation or uuid4().hex,
        )
        return sum(len(facts) - 1 if row["applied"] else row["merged"] for row in rows)

    def fact_uuid(self, type: str, key: str) -> str:
        """The uuid of the fact of this type and key, whether there is one or not."""
        type_ = normal_type(type)
        return hash_of("fact", self._owner["user_id"], self._project_of(type_), type_, normal_name(key))

    async def recall(
        self,
        question: str,
        *,
        names: Sequence[Mention],
        files: Sequence[str],
        tools: Sequence[str] = (),
        standing: int,
        limit: int,
    ) -> dict[Tier, Scored]:
        """What bears on a question by words, by facts' names, by the code it names, and what always stands, by tier.

        Args:
            question: what is asked.
            names: what code it names.
            files: and which files.
            tools: whose last failures always stand.
            standing: rules and preferences at most, and failures.
            limit: of each other tier.
        """
        words = words_of(question)
        fields: dict[Tier, tuple[str, ...]] = {"key": ("names",), "text": ("content", "terms")}
        rows = await self._read(
            "recall",
            clauses=[{"tier": tier, "clause": self._clause(each, words)} for tier, each in fields.items() if words],
            candidates=4 * limit,
            mentions=[each.row for each in names],
            files=list(files),
            scopes=_MOST_SCOPES,
            near=_NEAR,
            tools=list(tools),
            failures=_LAST_FAILURES,
            standing=standing,
            limit=limit,
        )
        found: dict[Tier, Scored] = {tier: [] for tier in ("standing", "key", "code", "text")}
        for row in rows:
            memory = memory_of(row["memory"], self._owner["user_id"])
            for each in row["found"]:
                found[each["tier"]].append((memory, float(each["score"])))
        return {tier: sorted(scored, key=lambda pair: -pair[1]) for tier, scored in found.items()}

    def _clause(self, fields: tuple[str, ...], words: list[str]) -> str:
        """A full-text clause for any of these words in what this owner reads."""
        user, project = self._owner["user_id"], self._owner["project"]
        tokens = " ".join(dict.fromkeys(owner_token(u, p) for u in (user, "") for p in (project, "")))
        return f"+owner_token:({tokens})^0 +{lucene_any(fields, words)}"

    def _fact_row(self, fact: NewFact) -> dict[str, Any]:
        user, type_, key = self._owner["user_id"], normal_type(fact.type), normal_name(fact.key)
        project = self._project_of(type_)
        content = f"{fact.key}: {fact.value}"
        return {
            "fact_key": self.fact_uuid(type_, key),
            "operation": fact.operation,
            "asked_at": iso(fact.asked_at),
            "reason": fact.reason,
            "project": project,
            "owner_token": owner_token(user, project),
            "message": fact.message_id,
            "said_at": iso(fact.said_at),
            "stands": type_ in STANDING_TYPES and fact.trust == "user",
            "properties": {
                "kind": "fact",
                "tier": "long",
                "category": "UserPreferences" if type_ in OF_THE_USER else category_of(content),
                "type": type_,
                "key": key,
                "value": fact.value,
                "content": content,
                "names": f"{type_} {key} {fact.value}",
                "terms": terms(f"{content} {key.replace('_', ' ')}"),
                "importance": fact.importance,
                "confidence": fact.confidence,
                "tags": list(fact.tags),
                "trust": fact.trust,
                "source": fact.source,
            },
        }

    def _project_of(self, type_: str) -> str:
        """What a type of facts holds for: this project, or '' for all of them."""
        return "" if type_ in OF_THE_USER else self._owner["project"]

    def _row(self, said: dict[str, Any], corrects: dict[str, Any] | None) -> dict[str, Any]:
        """A message as the memory that it becomes; without properties, where it only takes another back."""
        user, project = self._owner["user_id"], self._owner["project"]
        text, trust = content_text(said["content"]), said["trust"] or "tool"
        form = read_form(text)
        # A rule is the user's own word: a file that was imported lays down none.
        kept = said["kind"] is not None and not (said["kind"] == "rule" and trust == "tool")
        words = content_stems(form.text if form else text)
        # What came in with a file takes the place of nothing that was said here.
        of = (user, project, *(("tool",) if trust == "tool" else ()))
        properties = {
            "kind": said["kind"],
            "tier": "long",
            "category": category_of(text),
            "content": stated(text),
            "terms": terms(text),
            "importance": said["importance"] or 0.5,
            "confidence": 1.0,
            "trust": trust,
            "source": "message",
        }
        return {
            "uuid": said["uuid"],
            "message": said["uuid"],
            "project": project,
            "owner_token": owner_token(user, project),
            "properties": properties if kept else None,
            "words_key": hash_of(*of, *sorted(words)) if kept and words else None,
            "order_key": order_key(words),
            "stands": kept and said["kind"] == "rule" and trust == "user",
            "against": corrects["uuid"] if corrects else None,
            "how": corrects["how"] if corrects else None,
        }


def memory_of(row: dict[str, Any], user_id: str) -> Memory:
    """Makes a memory of what a query projects, as this user sees it."""
    said = row["sources"][0] if row["sources"] else (None, None)
    code = tuple(
        reference(
            {**each, "kind": "discussed", "commit": each["anchor"]["commit"], "scope_hash": None, "message_id": said[0]}
        )
        for each in row["code"]
    )
    shared = not row["user_id"] and bool(user_id)
    values = {**given(Memory, row), "code": code, "message_id": said[0], "conversation_id": said[1], "shared": shared}
    if row["kind"] == "fact":
        more = {name: row[name] for name in ("type", "key", "value", "valid_from", "valid_to")}
        return readable(Fact, {**values, **more}, content="", type="", key="", value="")
    if row["kind"] == "episode":
        more = {name: row[name] for name in ("topic", "summary", "emotional_valence")}
        more["message_ids"] = tuple(uuid for uuid, _ in row["sources"])
        return readable(Episode, {**values, **more}, content="", topic="", summary="")
    return readable(Memory, values, kind="note", content="")
