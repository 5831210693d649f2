"""What is remembered: notes, decisions, rules, things to do, facts, episodes; and what recall gives of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from ragforge_memory.models.code import CodeReference, each_name
from ragforge_memory.models.conversation import Page
from ragforge_memory.models.shape import Shape

MemoryKind = Literal["fact", "episode", "note", "decision", "rule", "todo", "tool_use", "tool_failure"]
MemoryCategory = Literal["ErrorPatterns", "CodeContext", "Solutions", "UserPreferences", "TaskHistory", "Knowledge"]
Trust = Literal["user", "agent", "tool"]
"""Who vouches for a memory: the user, the agent that concluded it, or what a tool, a file or an import said."""
Tier = Literal["standing", "key", "code", "text", "vector", "conversations"]
TIERS: tuple[Tier, ...] = ("standing", "key", "code", "text", "vector", "conversations")


class Memory(Shape):
    """Something that is remembered, in every conversation of its owner.

    ``source`` says where it came from, ``message_id`` and ``conversation_id`` the message that said it last. ``code``
    is what it is about and what became of that. ``shared``: it is nobody's, so that every user has it.
    Not ``is_active``: it was taken back, corrected, done or forgotten at ``archived_at``; ``superseded_by`` is the
    memory that took its place.
    """

    uuid: str
    kind: MemoryKind
    content: str
    category: MemoryCategory = "Knowledge"
    tier: Literal["short", "long"] = "long"
    importance: float = 0.5
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    trust: Trust = "user"
    source: str = ""
    shared: bool = False
    created_at: datetime
    last_used_at: datetime | None = None
    use_count: int = 0
    is_active: bool = True
    archived_at: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: str | None = None
    message_id: str | None = None
    conversation_id: str | None = None
    code: tuple[CodeReference, ...] = ()

    @property
    def code_label(self) -> str:
        """What became of the code that it is about, in a few words; '' where that is not known."""
        worst = max((each for each in each_name(self.code) if each.status), key=lambda each: each.doubt, default=None)
        if worst is None:
            return ""
        match worst.status:
            case "fresh":
                return "its code is as it was"
            case "drifted":
                return "its code has changed since"
            case "orphaned":
                return "its code is gone"
        moved = " -> ".join(filter(None, (worst.qualified_name, worst.moved_to_name)))
        return f"its code has moved{' and changed' if worst.changed else ''} ({moved}, {worst.moved_to_file})"

    @property
    def statement(self) -> dict[str, Any]:
        """What it says in the form in which tools give what was said."""
        said_by = "somebody" if self.shared else "user"
        code = [each.model_dump() | {"moved_to": f"{each.moved_to_file} {each.moved_to_name}"} for each in self.code]
        return {
            "message_id": self.message_id or self.uuid,
            "role": {"user": said_by, "agent": "assistant", "tool": "unconfirmed"}[self.trust],
            "timestamp": self.created_at.isoformat(),
            "excerpt": self.content,
            "kind": self.kind,
            "code": code,
        }


MemoryPage = Page[Memory]
"""A page of memories, as `ConversationPage` is one of conversations."""


class Fact(Memory):
    """A fact: one of a ``type`` (``personal``, ``preference`` and the like) and ``key`` that a user has, and its value.

    It holds from ``valid_from`` on; `history` has the values before.
    """

    type: str
    key: str
    value: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class Episode(Memory):
    """What a stretch of talk was about."""

    topic: str
    summary: str
    emotional_valence: str | None = None
    message_ids: tuple[str, ...] = ()


VersionReason = Literal[
    "update", "correction", "refinement", "merge", "forget", "restore", "corrects", "retracts", "done"
]


class FactVersion(Shape):
    """A change of a memory: what it said before and after, why, when; ``new_value`` None: it was forgotten."""

    uuid: str
    old_value: str
    new_value: str | None = None
    reason: VersionReason
    changed_at: datetime
    confidence: float | None = None


class RecalledMemory(Shape):
    """A memory that bears on a question: the tiers that found it, the best first, and the score it was ranked by."""

    memory: Memory
    tiers: tuple[Tier, ...]
    score: float = 0.0


def facts_in(recalled: Iterable[RecalledMemory], most: int = 3) -> list[dict[str, Any]]:
    """What the first facts state that bear on a question; what only always stands does not."""
    bearing = (each for each in recalled if not {"key", "text", "vector"}.isdisjoint(each.tiers))
    return [each.memory.statement for each in bearing if each.memory.kind == "fact"][:most]


class RecallResult(Shape):
    """What recall found before its deadline; a tier that is missed was late or failed. ``elapsed_ms`` is wall time."""

    items: tuple[RecalledMemory, ...] = ()
    tiers_answered: tuple[Tier, ...] = ()
    tiers_missed: tuple[Tier, ...] = ()
    total_found: int = 0
    elapsed_ms: float = 0.0
