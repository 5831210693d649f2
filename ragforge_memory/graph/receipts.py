"""What a turn is given (read 1), the receipt of it (write 2), and reading both back as they were."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragforge_memory.errors import MessageNotFound, conversation_gone
from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import from_json, known_message, message, summary_of
from ragforge_memory.models.conversation import Message, ScoredMessage
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.summary import Summary

EARLIER_RESULT_CHARACTERS = 2_000
"""What a later prompt keeps of a tool's result, in characters."""


@dataclass(frozen=True, slots=True)
class RecentMessages:
    """The recent messages of a lineage as read 1 brought them, by uuid. ``restored`` says of each of its conversations
    when it was last restored: then its messages may say something else."""

    messages: Mapping[str, Message] = field(default_factory=dict)
    restored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """What a turn asks read 1 for.

    Args:
        before_seq: the question's seq; None: it is just being stored.
        limit: the most recent messages.
        question: looks among older messages for what shares words with it; None: does not look.
        relevant: how many of those.
        important: the most of the older important messages.
        prompts: which of these shared texts are not kept yet is said.
        asked: the question's uuid, where its seq is not known.
        known: what read 1 has brought before: of these comes only what may have changed.
    """

    before_seq: int | None
    limit: int
    question: str | None = None
    relevant: int = 0
    important: int = 0
    prompts: Sequence[str] = ()
    asked: str | None = None
    known: RecentMessages = field(default_factory=RecentMessages)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What read 1 brings.

    ``messages`` are the recent ones, oldest first, behind what ``compression`` covers; ``important`` and ``found`` are
    older, the newest and the best first. ``summary`` was read at ``read_at`` (ISO 8601) and covers up to
    ``summary_seq``. ``uncompressed`` are the tokens of all that no compression covers, as far as they were counted.
    ``missing`` are the shared texts that are not kept yet. ``top`` is the place before which all is, and ``counted``
    whether the question's tokens are among the ``uncompressed``: one that was just being stored may not be there yet.
    ``restored`` as `RecentMessages` has it.
    """

    summary: str | None
    messages: tuple[Message, ...]
    compression: Summary | None = None
    important: tuple[Message, ...] = ()
    found: tuple[ScoredMessage, ...] = ()
    summary_seq: int | None = None
    read_at: str = ""
    uncompressed: int = 0
    missing: frozenset[str] = frozenset()
    top: int = 0
    counted: bool = True
    restored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """One thing that a prompt held. ``kind`` is ``message``, ``summary`` or ``memory``."""

    uuid: str
    tier: str
    rank: int
    tokens: int
    kind: str = "message"
    score: float | None = None
    cost: float | None = None

    def row(self) -> dict[str, Any]:
        """The row of the statement."""
        return {name: getattr(self, name) for name in ("uuid", "tier", "rank", "tokens", "score", "cost")}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an answer was given: an edge each for ``used``, and the texts that all turns share, by their uuid."""

    used: tuple[Used, ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()

    def parameters(self) -> dict[str, Any]:
        """The parameters of the statement."""
        return {
            "used_messages": [used.row() for used in self.used if used.kind == "message"],
            "used_memories": [used.row() for used in self.used if used.kind == "memory"],
            "used_summaries": [used.row() for used in self.used if used.kind == "summary"],
            "prompts": [{"uuid": uuid, "text": text} for uuid, text in self.prompts],
        }


@dataclass(frozen=True, slots=True)
class Answered:
    """A message of a conversation with the answer whose prompt it belongs to, and that answer's receipt."""

    message: Message
    answer: Message | None
    receipt: dict[str, Any] | None
    used: tuple[dict[str, Any], ...]


def prompt_uuid(owner: Owner, text: str) -> str:
    """The uuid of a text that turns of one owner share: a hash of owner and text."""
    digest = hashlib.sha256(f"{owner.user_id}\0{owner.project}\0".encode())
    digest.update(text.encode("utf-8", "replace"))
    return digest.hexdigest()[:32]


def turn_context(row: dict[str, Any], known: Mapping[str, Message]) -> TurnContext:
    """What read 1 brings, from its row and the messages that were known before."""
    return TurnContext(
        messages=tuple(
            message(item) if "role" in item else known_message(item, known[item["uuid"]]) for item in row["messages"]
        ),
        compression=summary_of(row["compression"]) if row["compression"] else None,
        important=tuple(map(message, row["important"])),
        found=tuple(
            ScoredMessage(
                message=message(item["message"]),
                score=item["score"],
                conversation_id=item["message"]["conversation_id"],
                matched_by=("text",),
            )
            for item in row["found"]
        ),
        summary_seq=row["summary_seq"] if isinstance(row["summary_seq"], int) else None,
        missing=frozenset(row["missing"]),
        restored=tuple(row["restored"]),
        **{name: row[name] for name in ("summary", "read_at", "uncompressed", "top", "counted")},
    )


class ReceiptStore(OwnerStore):
    """The receipts and compressions of one owner's conversations."""

    async def answered(self, conversation_id: str, message_id: str | None) -> Answered:
        """A message with the answer that it is, or that it got; None: the newest answer of the conversation.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
            MessageNotFound: it is not a message of this conversation's lineage.
        """
        rows = await self._read("answered_message", conversation_id=conversation_id, message_id=message_id)
        if not rows:
            if not await self._read("get_conversation", uuid=conversation_id):
                raise conversation_gone(conversation_id)
            if message_id is None:
                raise MessageNotFound("nothing has been answered in this conversation yet")
            raise MessageNotFound(f"there is no message {message_id!r} in this conversation")
        row = rows[0]
        receipt = from_json(row["receipt"])
        return Answered(
            message(row["message"]),
            message(row["answer"]) if row["answer"] else None,
            receipt if isinstance(receipt, dict) else None,
            tuple(row["used"]),
        )

    async def at(self, conversation_id: str, seqs: Sequence[int]) -> list[Message]:
        """The messages of the lineage at these places that are still there, in order."""
        rows = await self._read(
            "messages_at", timeout=PATIENT_TIMEOUT, conversation_id=conversation_id, seqs=list(seqs)
        )
        return [message(row["message"]) for row in rows]

    async def between(self, conversation_id: str, floor: int, to_seq: int) -> list[Message]:
        """The messages of the lineage behind ``floor`` up to ``to_seq``, in order."""
        rows = await self._read(
            "messages_between", timeout=PATIENT_TIMEOUT, conversation_id=conversation_id, floor=floor, to_seq=to_seq
        )
        return [message(row["message"]) for row in rows]

    async def before_copy(self, calls: Sequence[str]) -> dict[str, str]:
        """What tool calls were called before their conversation was copied, by their uuids now; others are missing."""
        if not calls:
            return {}
        rows = await self._read("calls_before_copy", uuids=list(calls))
        return {row["uuid"]: row["source_uuid"] for row in rows}

    async def memories(self, uuids: Sequence[str]) -> dict[str, str]:
        """The content of memories that are still there, whatever became of them, by their uuid."""
        rows = await self._read("memory_contents", uuids=list(uuids)) if uuids else []
        return {row["uuid"]: row["content"] for row in rows}

    async def prompts(self, uuids: Sequence[str]) -> dict[str, str]:
        """Shared texts by their uuid."""
        rows = await self._read("kept_prompts", uuids=list(uuids))
        return {row["uuid"]: row["text"] for row in rows}

    async def compression(self, uuid: str) -> Summary | None:
        """A compression; None where it is gone."""
        rows = await self._read("compression", uuid=uuid)
        return summary_of(rows[0]["summary"]) if rows else None

    async def keep_compression(self, conversation_id: str, new: Summary, *, kept_tokens: int) -> Summary:
        """Stores a compression; where another process has condensed the same stretch before, gives that one.

        Args:
            conversation_id: whose messages it condenses.
            kept_tokens: of the messages behind it.
        """
        rows = await self._write(
            "keep_compression",
            conversation_id=conversation_id,
            from_seq=new.from_seq,
            kept_tokens=kept_tokens,
            properties=new.model_dump(include={"uuid", "to_seq", "content", "token_count", "tokens_saved", "model"}),
        )
        return summary_of(rows[0]["summary"]) if rows else new
