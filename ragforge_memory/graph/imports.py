"""The store of imports: whole conversations, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.conversations import fresh_properties
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.text import owner_token
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.tokens import estimate_tokens

# A transaction that a server with a heap of 512 MB holds with all its indexes: whichever is reached first.
_BATCH_MESSAGES = 1_000
_BATCH_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class PlacedMessage:
    """A message that comes from elsewhere: with its time, and the uuid that it had where it could not keep it."""

    new: NewMessage
    timestamp: datetime | None = None
    source_uuid: str | None = None


class ImportStore:
    """Writes conversations of one owner that come from elsewhere.

    Args:
        client: the graph.
        owner: whose they become.
        summarize_every: messages after which a summary is due; None: never.
        generate_titles: whether a title that comes from the first message shall be replaced by a better one.
    """

    def __init__(
        self, client: GraphClient, owner: Owner, *, summarize_every: int | None = None, generate_titles: bool = False
    ) -> None:
        self._client = client
        self._owner = owner.parameters
        self._token = owner_token(owner.user_id, owner.project)
        self._summarize_every = summarize_every
        self._title_source = "provisional" if generate_titles else None

    async def taken(self, uuids: Sequence[str]) -> set[str]:
        """Which of these uuids are those of messages that somebody has."""
        if not uuids:
            return set()
        rows = await self._client.read("taken_messages", timeout=PATIENT_TIMEOUT, uuids=list(uuids))
        return {str(row["uuid"]) for row in rows}

    async def write(
        self, uuid: str, messages: Sequence[PlacedMessage], *, title: str | None, given_title: bool, embed: bool
    ) -> None:
        """Writes a new conversation; one transaction where it has at most 1,000 messages and 4 million characters.

        Args:
            uuid: the conversation's, a fresh one.
            messages: in their order.
            title: what lists show.
            given_title: whether somebody chose it, so that no better one is looked for.
            embed: whether its messages shall get vectors in the background; those of blank text never do.
        """
        properties = fresh_properties(title, (), None)
        if title is not None and not given_title:
            properties["title_source"] = self._title_source
        tokens = 0
        for start, batch in _batches(messages):
            tokens += sum(estimate_tokens(each.new.content) for each in batch)
            await self._client.write(
                "import_messages",
                timeout=PATIENT_TIMEOUT,
                conversation_id=uuid,
                properties=properties,
                owner_token=self._token,
                created_at=_text(next((each.timestamp for each in messages if each.timestamp), None)),
                last=start + len(batch),
                tokens=tokens,
                summarize_every=self._summarize_every,
                embed=embed,
                messages=[
                    {**_row(start + number, each), "embed": embed and bool(each.new.content.strip())}
                    for number, each in enumerate(batch, start=1)
                ],
                **self._owner,
            )


def _batches(messages: Sequence[PlacedMessage]) -> Iterator[tuple[int, Sequence[PlacedMessage]]]:
    """How many came before, and the next ones."""
    start = characters = 0
    for number, each in enumerate(messages):
        characters += len(each.new.content)
        if number > start and (number - start >= _BATCH_MESSAGES or characters > _BATCH_CHARACTERS):
            yield start, messages[start:number]
            start, characters = number, len(each.new.content)
    yield start, messages[start:]


def _row(seq: int, each: PlacedMessage) -> dict[str, Any]:
    properties = {key: value for key, value in each.new.properties().items() if value is not None}
    if each.source_uuid is not None:
        properties["source_uuid"] = each.source_uuid
    return {"seq": seq, "uuid": each.new.uuid, "properties": properties, "timestamp": _text(each.timestamp)}


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
