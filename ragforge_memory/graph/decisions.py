"""The store of decisions: notes, decisions, rules and things to do of an owner, in all conversations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import message, utc_text
from ragforge_memory.models.conversation import Message
from ragforge_memory.models.decisions import Correction


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where a page of decisions ended: the next one goes on behind it."""

    time: str
    conversation_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Found:
    """A message of a kind, its conversation's title, whether that is archived, and what was said against it.

    ``tied`` is whether it is about the code that was asked for. ``place`` is where a page goes on behind it. ``gone``
    is what nothing can show any more.
    """

    message: Message
    title: str | None
    archived: bool
    tied: bool
    corrected: Correction | None
    place: ListPlace
    gone: bool = False


class DecisionStore(OwnerStore):
    """Reads the decisions of one owner."""

    async def page(
        self,
        limit: int,
        *,
        behind: ListPlace | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        about: str | None = None,
    ) -> list[Found]:
        """Up to ``limit`` decisions, the newest first; fewer are the last ones.

        Args:
            behind: where the page before ended.
            since: the first moment that counts; None: all.
            until: the last.
            about: the name of code, a file or a folder that `Found.tied` is about.
        """
        rows = await self._read(
            "decisions",
            limit=limit,
            before=behind.time if behind else None,
            before_conversation=behind.conversation_id if behind else "",
            before_seq=behind.seq if behind else 0,
            since=utc_text(since),
            until=utc_text(until),
            about=about,
            folder=f"/{(about or '').strip('/')}/",
        )
        return [
            Found(
                message(row["message"]),
                row["title"],
                row["archived"],
                row["tied"],
                correction(row["corrected"]),
                ListPlace(row["message"]["timestamp"], row["stored"], row["message"]["seq"]),
                row["gone"],
            )
            for row in rows
        ]


def correction(row: Mapping[str, Any] | None) -> Correction | None:
    """What was said against a message, from its properties; None where nothing was."""
    if row is None:
        return None
    said = " ".join((row["content"] or "").split())
    return Correction(text=said, message_id=row["uuid"], timestamp=row["timestamp"], how=row["how"])
