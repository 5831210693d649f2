"""The store of claims: what plain Cypher wrote of conversations becomes a conversation like any other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.decisions import CANDIDATES, Statement
from ragforge_memory.graph.messages import NewMessage, tool_tokens
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import content_text, message, utc_text
from ragforge_memory.importers.exchange import NO_RESULT
from ragforge_memory.models.conversation import Message, ToolCall
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.text.forms import How

CLAIMED_AT_ONCE = 500
"""Messages of one transaction: a server with a small heap holds them with all their indexes."""

# Conversations that an opening looks at for what others wrote into them: so its cost does not grow with all there are.
_LOOKED_AT = 1_000

# Numbers from here on are milliseconds since 1970: as seconds they would be in the year 5138.
_MILLISECONDS = 1e11
# Fewer are a day without dashes.
_DIGITS = re.compile(r"\d{9,}(?:\.\d*)?", re.ASCII)
# Sorts behind all that tell a time.
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """Messages of a conversation that have no place yet: they come behind the first ``head``, if it is nobody's or the
    owner's still, as it was found."""

    conversation_id: str
    head: int
    is_nobodys: bool
    title: str | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A message with what it lacked. ``corrects`` is the uuid of the earlier message that it is said against."""

    message: Message
    new: NewMessage
    corrects: str | None = None
    how: How | None = None


class ClaimStore(OwnerStore):
    """Finds what has no owner, or no place, and gives it both.

    Args:
        client: the graph.
        owner: whose it becomes.
        summarize_every: messages after which a summary is due; None: never.
        generate_titles: whether a title that comes from the first message shall be replaced by a better one.
    """

    _timeout = PATIENT_TIMEOUT

    def __init__(
        self, client: GraphClient, owner: Owner, *, summarize_every: int | None = None, generate_titles: bool = False
    ) -> None:
        super().__init__(client, owner)
        self._summarize_every = summarize_every
        self._title_source = "provisional" if generate_titles else None

    async def nobodys(self) -> list[str]:
        """The conversations that nobody owns, with nothing in them that is another owner's than this one."""
        return [row["uuid"] for row in await self._read("nobodys_conversations")]

    async def continued(self) -> list[str]:
        """The owner's conversations that somebody has gone on with past this library, of those that changed last."""
        return [row["uuid"] for row in await self._read("continued_conversations", limit=_LOOKED_AT)]

    async def clear(self, conversation_id: str) -> None:
        """Takes away what others wrote of places into a conversation: only this library numbers messages."""
        cleared = CLAIMED_AT_ONCE
        while cleared == CLAIMED_AT_ONCE:
            rows = await self._write("clear_places", conversation_id=conversation_id, limit=CLAIMED_AT_ONCE)
            cleared = rows[0]["cleared"] if rows else 0

    async def unplaced(self, conversation_id: str) -> list[str]:
        """The messages without a place in the order in which they were said; those that tell no time come last."""
        rows = await self._read("unclaimed_times", conversation_id=conversation_id)
        rows.sort(key=lambda row: _moment(row["timestamp"]) or _NEVER)
        return [row["uuid"] for row in rows]

    async def unclaimed(self, conversation_id: str, uuids: Sequence[str]) -> Unclaimed | None:
        """These messages as far as they have no place; None where somebody else has claimed the conversation."""
        rows = await self._read("unclaimed_messages", conversation_id=conversation_id, uuids=list(uuids))
        if not rows:
            return None
        [row] = rows
        head = int(row["head"])
        placed = (
            message({**each, **_told(each), "conversation_id": conversation_id, "seq": seq})
            for seq, each in enumerate(row["messages"], head + 1)
        )
        return Unclaimed(conversation_id, head, row["is_nobodys"], row["title"], tuple(placed))

    async def statements(self, conversation_id: str) -> list[Statement]:
        """What was noted, decided and ruled in a conversation until now, the newest first."""
        now = utc_text(datetime.now(UTC))
        rows = await self._read("correctable_decisions", conversation_id=conversation_id, until=now, limit=CANDIDATES)
        said = [row["message"] for row in rows if row["here"]]
        return [Statement(each["uuid"], each["content"] or "", each["kind"]) for each in said]

    async def claim(self, found: Unclaimed, claimed: Sequence[Claimed], *, title: str | None) -> bool:
        """Gives a conversation its owner and these messages their places; whether nobody was there first.

        Args:
            found: the messages as they were found.
            claimed: the same, with what they lacked.
            title: of a conversation that has none.
        """
        times = [each.message.timestamp for each in claimed]
        tokens = sum(
            estimate_tokens(each.new.content) + sum(map(tool_tokens, each.message.tool_calls)) for each in claimed
        )
        rows = await self._write(
            "claim_messages",
            conversation_id=found.conversation_id,
            head=found.head,
            is_nobodys=found.is_nobodys,
            messages=[_row(each, place) for place, each in enumerate(claimed, 1)],
            tokens=tokens,
            title=title,
            title_source=self._title_source,
            created_at=utc_text(min(times, default=None)),
            said_at=utc_text(max(times, default=None)),
            summarize_every=self._summarize_every,
        )
        return bool(rows)


def _row(each: Claimed, place: int) -> dict[str, Any]:
    corrects = None if each.corrects is None else {"uuid": each.corrects, "how": each.how}
    return {
        "uuid": each.new.uuid,
        "place": place,
        "properties": replace(each.new, timestamp=None).properties(),
        "timestamp": utc_text(each.message.timestamp),
        "blank": not each.new.content.strip(),
        "kind": each.new.kind,
        "corrects": corrects,
        "tool_calls": [_call_row(call, index, each.new.uuid) for index, call in enumerate(each.message.tool_calls)],
    }


def _call_row(call: ToolCall, index: int, message_id: str) -> dict[str, Any]:
    lacking = {"message_id": message_id, "index": index, "success": call.success, "duration_ms": call.duration_ms}
    return {
        "uuid": call.uuid,
        "call": lacking,
        "timestamp": utc_text(call.timestamp),
        "size": call.result_size_bytes,
        "result_uuid": uuid4().hex,
        "error": call.error,
    }


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """A message's time, whatever it was written as, and its tool calls, each with a time and what came of it."""
    said = _moment(row["timestamp"]) or datetime.now(UTC)
    calls = [{**call, **_outcome(call), "timestamp": _moment(call["timestamp"]) or said} for call in row["tool_calls"]]
    return {"timestamp": said, "tool_calls": calls}


def _outcome(call: dict[str, Any]) -> dict[str, Any]:
    """What came of a call; one that nothing came of has failed, unless it says itself that it has not."""
    outcome = call["outcome"] or {"result": None, "error": None, "success": False}
    said = (given for given in (call["success"], outcome["success"]) if given is not None)
    success = bool(next(said, True))
    return {
        "success": success,
        "result": outcome["result"],
        "error": outcome["error"] if call["outcome"] or success else NO_RESULT,
        "result_size_bytes": len(content_text(outcome["result"]).encode(errors="replace")),
    }


def _moment(value: Any) -> datetime | None:
    """A time as other tools write it: the database's own, a day, ISO 8601, seconds or milliseconds since 1970 (as a
    number or digits); None of anything else."""
    try:
        if isinstance(value, str):
            value = float(value) if _DIGITS.fullmatch(value) else datetime.fromisoformat(value)
        if isinstance(value, (int, float)):
            value = datetime.fromtimestamp(value if abs(value) < _MILLISECONDS else value / 1000, UTC)
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time())
        if not isinstance(value, datetime):
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
