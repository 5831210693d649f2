"""What an owner has that must not get lost, in all conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.records import message, utc_text
from ragforge_memory.models.conversation import Message
from ragforge_memory.models.owner import Owner

PAGE = 500
"""Messages of one read."""


@dataclass(frozen=True, slots=True)
class Important:
    """A message that must not get lost, with the title of its conversation and whether that is archived."""

    message: Message
    title: str | None
    archived: bool


class DecisionStore:
    """Reads the important messages of one owner."""

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        self._client = client
        self._owner = owner.parameters

    async def important(self, *, since: datetime | None = None) -> AsyncIterator[list[Important]]:
        """Those that were said from ``since`` on, newest first, page by page; none that is being deleted."""
        place: dict[str, Any] = {"before": None, "before_conversation": "", "before_seq": 0}
        while True:
            rows = await self._client.read(
                "important_said",
                since=utc_text(since),
                limit=PAGE,
                **place,
                **self._owner,
            )
            yield [Important(message(row["message"]), row["title"], row["archived"]) for row in rows if not row["gone"]]
            last = rows[-1] if len(rows) == PAGE else None
            if last is None or last["message"]["timestamp"] is None:
                return
            place = {
                "before": last["message"]["timestamp"],
                "before_conversation": last["stored"],
                "before_seq": last["message"]["seq"],
            }
