"""What an owner has that must not get lost, in all conversations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
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
    """A message that must not get lost, with the title of its conversation and whether that is archived.

    ``wanted`` is whether it may be about what was asked for; what is not may correct what is.
    """

    message: Message
    title: str | None
    archived: bool
    wanted: bool = True


class DecisionStore:
    """Reads the important messages of one owner."""

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        self._client = client
        self._owner = owner.parameters

    async def important(
        self,
        *,
        since: datetime | None = None,
        about: str | None = None,
        starts: Sequence[str] = (),
        acknowledges: str = "",
    ) -> AsyncIterator[list[Important]]:
        """Those that were said from ``since`` on, newest first, page by page; none that is being deleted.

        Args:
            since: the first moment that counts; None: all.
            about: the name of code, a file or a folder; None: all are wanted. Otherwise only those that have ``starts``
                or are tied to such code, and with them all of the user's, and answers that begin with ``acknowledges``.
            starts: beginnings of words, in lower case; all must be in a message.
        """
        place: dict[str, Any] = {"before": None, "before_conversation": "", "before_seq": 0}
        asked = {
            "since": utc_text(since),
            "about": about,
            "folder": f"/{(about or '').strip('/')}/",
            "starts": list(starts),
            "acknowledges": acknowledges,
            **self._owner,
        }
        # Mostly there is nothing, and then what could correct it need not be read.
        if about is not None and not await self._client.read("important_said", others=False, limit=1, **place, **asked):
            return
        while True:
            rows = await self._client.read("important_said", others=True, limit=PAGE, **place, **asked)
            yield [
                Important(message(row["message"]), row["title"], row["archived"], row["wanted"])
                for row in rows
                if not row["gone"]
            ]
            last = rows[-1] if len(rows) == PAGE else None
            if last is None or last["message"]["timestamp"] is None:
                return
            place = {
                "before": last["message"]["timestamp"],
                "before_conversation": last["stored"],
                "before_seq": last["message"]["seq"],
            }
