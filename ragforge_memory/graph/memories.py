"""The store of memories: what messages state becomes one, and the reads of recall."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import uuid4

from ragforge_memory.graph.anchors import reference
from ragforge_memory.graph.messages import Mention
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import FIRST, content_text, given, readable
from ragforge_memory.graph.search import words_of
from ragforge_memory.graph.text import lucene_any, owner_token, terms
from ragforge_memory.models.memory import (
    Fact,
    FactVersion,
    Memory,
    MemoryCategory,
    MemoryKind,
    Tier,
    Trust,
    VersionReason,
)
from ragforge_memory.text.categories import Category, categories_in
from ragforge_memory.text.forms import read_form, stated
from ragforge_memory.text.words import STOP_WORDS, stem, without_endings

Scored = list[tuple[Memory, float]]

_BATCH = 200
_MOST_SCOPES, _NEAR = 8, 40
_WORD = re.compile(r"\w+")
_NEGATIONS = frozenset({"no", "not", "never", "without"})
_OF_CATEGORY: dict[Category, MemoryCategory] = {
    "error": "ErrorPatterns",
    "code": "CodeContext",
    "solution": "Solutions",
    "preference": "UserPreferences",
}


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
        uuid: that it has if it is a new one.
        type, key, value: which one of its type it is, and what it says.
        confidence: from 0 to 1.
        reason: why another value takes the place of one that is there.
        message_id: the message that says it.
        said_at: when it was said, where that may be before it was forgotten.
    """

    uuid: str
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


class FactOutcome(NamedTuple):
    """What became of a fact: ``stored``, ``updated`` (``old`` was its value before), ``same`` or ``forgotten``."""

    uuid: str
    outcome: Literal["stored", "updated", "same", "forgotten"]
    old: str | None


OF_THE_USER = frozenset({"preference", "personal", "skill"})
"""Types of facts that hold for a user in every project."""

STANDING_TYPES = frozenset({"preference", "rule", "instruction"})
"""Types of facts that stand in every prompt, and that only the user lays down."""


class MemoryStore(OwnerStore):
    """The memories of one owner: of the user here and in every project, and what is nobody's."""

    async def remember_messages(self, uuid: str | None = None, *, recover: bool = True) -> list[Remembered]:
        """Makes memories of what messages state and have not become yet.

        Args:
            uuid: only of this message.
            recover: whether to wait for a managed server that has gone.
        """
        done: list[Remembered] = []
        user = self._owner["user_id"]
        while True:
            rows = await self._read("pending_memories", uuid=uuid, limit=_BATCH, recover=recover)
            if rows:
                memories = [self._row(row["message"], row["corrects"]) for row in rows]
                made = await self._write("remember_messages", user=user, memories=memories, recover=recover)
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
            types=None if types is None else [_norm(each) for each in types],
            min_confidence=min_confidence,
            include_inactive=include_inactive,
            limit=limit,
        )
        found = (memory_of(row["memory"]) for row in rows)
        return [each for each in found if isinstance(each, Fact)]

    async def page(
        self,
        limit: int,
        *,
        kinds: Sequence[MemoryKind] | None = None,
        include_inactive: bool = False,
        behind: tuple[str, str] = FIRST,
    ) -> list[Memory]:
        """Up to ``limit`` memories behind a place (time, uuid), the newest first."""
        before, before_uuid = behind
        rows = await self._read(
            "memories",
            kinds=None if kinds is None else list(kinds),
            include_inactive=include_inactive,
            before=before,
            before_uuid=before_uuid,
            limit=limit,
        )
        return [memory_of(row["memory"]) for row in rows]

    async def by_uuid(self, beginning: str, limit: int = 2) -> list[Memory]:
        """Memories whose uuid begins so, whatever became of them."""
        rows = await self._read("memory_by_uuid", uuid=beginning, limit=limit)
        return [memory_of(row["memory"]) for row in rows]

    async def history(self, uuid: str) -> list[FactVersion]:
        """What a memory was before, the oldest first; empty where it is not the user's."""
        rows = await self._read("memory_versions", uuid=uuid)
        return [FactVersion(**given(FactVersion, each)) for row in rows for each in row["versions"]]

    async def forget(self, uuid: str, reason: str) -> bool | None:
        """Hides a memory from every read but history; False where it was hidden before, None where there is none."""
        rows = await self._write(
            "forget_memory", user=self._owner["user_id"], uuid=uuid, reason=reason, version=uuid4().hex
        )
        return bool(rows[0]["was"]) if rows else None

    async def recall(
        self, question: str, *, names: Sequence[Mention], files: Sequence[str], standing: int, limit: int
    ) -> dict[Tier, Scored]:
        """What bears on a question by words, by facts' names, by the code it names, and what always stands, by tier.

        Args:
            question: what is asked.
            names: what code it names.
            files: and which files.
            standing: rules and preferences at most.
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
            standing=standing,
            limit=limit,
        )
        found: dict[Tier, Scored] = {tier: [] for tier in ("standing", "key", "code", "text")}
        for row in rows:
            memory = memory_of(row["memory"])
            for each in row["found"]:
                found[each["tier"]].append((memory, float(each["score"])))
        return {tier: sorted(scored, key=lambda pair: -pair[1]) for tier, scored in found.items()}

    def _clause(self, fields: tuple[str, ...], words: list[str]) -> str:
        """A full-text clause for any of these words in what this owner reads."""
        user, project = self._owner["user_id"], self._owner["project"]
        tokens = " ".join(dict.fromkeys(owner_token(u, p) for u in (user, "") for p in (project, "")))
        return f"+owner_token:({tokens})^0 +{lucene_any(fields, words)}"

    def _fact_row(self, fact: NewFact) -> dict[str, Any]:
        user, type_, key = self._owner["user_id"], _norm(fact.type), _norm(fact.key)
        project = "" if type_ in OF_THE_USER else self._owner["project"]
        content = f"{fact.key}: {fact.value}"
        return {
            "uuid": fact.uuid,
            "fact_key": _key("fact", user, project, type_, key),
            "version": uuid4().hex,
            "reason": fact.reason,
            "project": project,
            "owner_token": owner_token(user, project),
            "message": fact.message_id,
            "said_at": fact.said_at.isoformat() if fact.said_at else None,
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

    def _row(self, said: dict[str, Any], corrects: dict[str, Any] | None) -> dict[str, Any]:
        """A message as the memory that it becomes; without properties, where it only takes another back."""
        user, project = self._owner["user_id"], self._owner["project"]
        text, trust = content_text(said["content"]), said["trust"] or "tool"
        form = read_form(text)
        # A rule is the user's own word: a file that was imported lays down none.
        kept = said["kind"] is not None and not (said["kind"] == "rule" and trust == "tool")
        words = content_stems(form.text if form else text)
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
            "words_key": _key(user, project, *sorted(words)) if kept and words else None,
            "order_key": _key(*words),
            "stands": kept and said["kind"] == "rule" and trust == "user",
            "against": corrects["uuid"] if corrects else None,
            "how": corrects["how"] if corrects else None,
        }


def content_stems(text: str) -> list[str]:
    """The stems of the words that say what a text says, in their order; a negation says something too."""
    words = (word.lower() for word in _WORD.findall(without_endings(text)))
    return [stem(word) for word in words if word in _NEGATIONS or word not in STOP_WORDS]


def category_of(text: str) -> MemoryCategory:
    """The category of a text by document 2: of the first that it has a keyword of."""
    return next((_OF_CATEGORY[each] for each in categories_in(text) if each in _OF_CATEGORY), "Knowledge")


def _norm(name: str) -> str:
    """A type or a key as it is compared: whatever its case and its spaces."""
    return "_".join(name.casefold().split())


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def memory_of(row: dict[str, Any]) -> Memory:
    """A memory as a query projects it."""
    said = row["sources"][0] if row["sources"] else (None, None)
    code = tuple(
        reference(
            {**each, "kind": "discussed", "commit": each["anchor"]["commit"], "scope_hash": None, "message_id": said[0]}
        )
        for each in row["code"]
    )
    values = {**given(Memory, row), "code": code, "message_id": said[0], "conversation_id": said[1]}
    if row["kind"] == "fact":
        more = {name: row[name] for name in ("type", "key", "value", "valid_from", "valid_to")}
        return readable(Fact, {**values, **more}, content="", type="", key="", value="")
    return readable(Memory, values, kind="note", content="")
