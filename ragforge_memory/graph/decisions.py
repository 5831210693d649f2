"""What an owner has that must not get lost, in all conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

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
        place: tuple[str | None, str] = None, ""
        while True:
            rows = await self._client.read(
                "important_said",
                since=utc_text(since),
                before=place[0],
                before_uuid=place[1],
                limit=PAGE,
                **self._owner,
            )
            yield [Important(message(row["message"]), row["title"], row["archived"]) for row in rows if not row["gone"]]
            if len(rows) < PAGE or rows[-1]["message"]["timestamp"] is None:
                return
            place = rows[-1]["message"]["timestamp"], rows[-1]["message"]["uuid"]
