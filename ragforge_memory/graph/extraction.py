"""The store of what is due to be looked at after a turn, and of the notes that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.memory_keys import words_keys
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.text import terms
from ragforge_memory.models.memory import MemoryCategory, Trust
from ragforge_memory.models.owner import Owner

SOURCE = "controller"
"""The source of what was noted by itself: it alone grows old."""

MAINTAIN_SECONDS = 600
"""Seconds between two looks at what grows old."""

# A turn ends long before: a question that has no answer by then gets none.
_PATIENCE = 600
# Places behind a question at which its answer is looked for, where turns interleave.
_NEAR = 8
_HALF_LIFE_DAYS, _LEAST_IMPORTANCE, _USES = 30.0, 0.1, 2
_AGED_AT_ONCE = 500


class Claim(NamedTuple):
    """Messages that are ours for a while."""

    token: str
    uuids: tuple[str, ...]


class DueMessage(NamedTuple):
    """A message that nobody has looked at; ``messages`` are those of its conversation, ``answer`` is what was
    answered to a question, by which tools, whether each succeeded and how its result begins, ``attempts`` how often
    somebody began."""

    uuid: str
    role: str
    content: str
    importance: float
    said_at: datetime
    answer: str | None
    messages: int
    attempts: int
    tools: tuple[str, ...]
    answer_tools: tuple[tuple[str, bool, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """What a message states, with what document 2 asks for. ``lasts``: it is of the long term at once."""

    content: str
    category: MemoryCategory
    importance: float
    trust: Trust
    tags: tuple[str, ...] = ()
    lasts: bool = False


class ExtractionStore(OwnerStore):
    """Messages of one owner that may say something, and what is noted of them.

    Args:
        ttl_minutes: that a note of the short term lives.
    """

    _timeout = PATIENT_TIMEOUT

    def __init__(self, client: GraphClient, owner: Owner, *, ttl_minutes: float) -> None:
        super().__init__(client, owner)
        self.owner = owner
        self._ttl = round(ttl_minutes * 60)

    async def claim(self, limit: int, *, seconds: int) -> Claim | None:
        """Takes the next messages, the oldest first, for so many seconds; None: there are none."""
        token = uuid4().hex
        rows = await self._write(
            "claim_extractions", limit=limit, seconds=seconds, patience=_PATIENCE, near=_NEAR, token=token, filed=False
        )
        return Claim(token, tuple(row["uuid"] for row in rows)) if rows else None

    async def claimed(self, claim: Claim) -> list[DueMessage]:
        """What was taken, the oldest first.

        Raises:
            ConversationFileError: a text is in a file that is lost.
        """
        return [_due(row) for row in await self._read("claimed_extractions", token=claim.token, near=_NEAR)]

    async def finish(self, claim: Claim, uuid: str, notes: Sequence[Note] = ()) -> int:
        """A message was looked at; returns how many notes of it are new."""
        rows = await self._write(
            "finish_extraction",
            user=self._owner["user_id"],
            uuid=uuid,
            token=claim.token,
            pause=MAINTAIN_SECONDS,
            notes=[self._row(note) for note in notes],
        )
        return sum(int(row["stored"]) for row in rows)

    async def release(self, claim: Claim) -> None:
        """Gives back what was taken and not looked at."""
        await self._write("release_extractions", token=claim.token)

    async def age(self) -> dict[str, int]:
        """Promotes, fades and removes what was only noted, at most every ten minutes; returns how many of each."""
        rows = await self._write(
            "age_memories",
            user=self._owner["user_id"],
            pause=MAINTAIN_SECONDS,
            half_life=_HALF_LIFE_DAYS,
            least=_LEAST_IMPORTANCE,
            uses=_USES,
            limit=_AGED_AT_ONCE,
        )
        return {row["is"]: int(row["times"]) for row in rows}

    def _row(self, note: Note) -> dict[str, Any]:
        words_key, order_key = words_keys(self.owner, note.content)
        properties = {
            "kind": "note",
            "tier": "long" if note.lasts else "short",
            "category": note.category,
            "content": note.content,
            "terms": terms(note.content),
            "importance": note.importance,
            "confidence": 1.0,
            "tags": list(note.tags),
            "trust": note.trust,
            "source": SOURCE,
        }
        keys = {"uuid": uuid4().hex, "words_key": words_key, "order_key": order_key}
        return {**keys, "ttl": self._ttl, "properties": properties}


def _due(row: dict[str, Any]) -> DueMessage:
    said, answer = row["message"], row["answer"] or {}
    return DueMessage(
        said["uuid"],
        said["role"],
        said["content"] or "",
        said["importance"] or 0.5,
        datetime.fromisoformat(said["said_at"]),
        None if answer.get("echo") else answer.get("content"),
        int(row["messages"]),
        int(row["attempts"]),
        tuple(row["tools"]),
        tuple((name, success is not False, result or "") for name, success, result in row["answer_tools"]),
    )
