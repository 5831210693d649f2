"""The store of imports: whole conversations, in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

from ragforge_memory.errors import GraphError, InvalidInput, conversation_gone
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.conversations import fresh_properties
from ragforge_memory.graph.failures import is_taken
from ragforge_memory.graph.leases import IMPORT_SECONDS
from ragforge_memory.graph.messages import CodeTies, NewMessage, tool_tokens
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import to_json, tool_call_rows
from ragforge_memory.models.conversation import ToolCall
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.transcript import TranscriptCall

# What a message says more of, where its source goes on with it.
_GROWS = ("role", "content", "terms", "reasoning", "in_reply_to", "model", "usage", "importance", "source_hash")
_OTHER_UUIDS = UUID("6f5b0c1e-0a3b-4b8e-9d57-2f3a1c9e7d44")


class UuidTaken(GraphError):
    """Somebody has taken a message's uuid since it was asked for."""


@dataclass(frozen=True, slots=True)
class Known:
    """Where a uuid is already. ``conversation_id`` is None where only another owner has it; ``hidden`` is what cannot
    be read, since it is being deleted, or imported for ``running`` more seconds unless it goes on.

    ``uuid`` is what the message is called here; it is ``holder``'s, whose living branches may tell of it, and stands at
    ``seq`` of ``head_seq`` in the conversation. ``source_hash`` says how much of it was said, ``title`` what the
    conversation is called, which its first message tells."""

    uuid: str
    conversation_id: str | None
    hidden: bool = False
    running: int = 0
    holder: str = ""
    seq: int = 0
    head_seq: int = 0
    source_hash: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class NewConversation:
    """A conversation that comes from elsewhere. ``given_title``: no better title is looked for. Where nothing was
    ``asked`` yet, one that was not given holds until something is, as a branch's does."""

    title: str | None
    given_title: bool
    created_at: datetime | None = None
    metadata: dict[str, Any] | None = None
    asked: bool = True


@dataclass(frozen=True, slots=True)
class ImportBatch:
    """Messages of one conversation that are written at once.

    Args:
        conversation_id: the conversation's uuid.
        rows: its next messages in their order, of `import_row`.
        after: the seq that they follow; None: whatever there is, and what is there under its uuid is passed over.
        begins: the conversation, which this batch makes; None: it is there.
        token: hides the conversation until `ImportStore.finish`; None: it is seen at once.
        title: what lists show, where it has no title yet or a branch's.
        ties: what its messages mention, by their uuids; not written with them.
    """

    conversation_id: str
    rows: Sequence[dict[str, Any]]
    after: int | None
    begins: NewConversation | None = None
    token: str | None = None
    title: str | None = None
    ties: Mapping[str, CodeTies] = field(default_factory=dict)


def import_row(
    new: NewMessage, timestamp: datetime | None, tool_calls: Sequence[dict[str, Any]] = (), *, tokens: int
) -> dict[str, Any]:
    """A message as a batch has it, its calls of `call_row`; pure, so that a thread may make it.

    Args:
        new: the message.
        timestamp: when it was said.
        tool_calls: what it called.
        tokens: about how many it adds to later prompts.
    """
    row = new.properties()
    row["uuid"] = new.uuid
    row["timestamp"] = _text(timestamp)
    row["blank"] = not new.content.strip()
    row["tokens"] = tokens
    row["tool_calls"] = tool_calls
    return row


def call_row(call: TranscriptCall, *, index: int, message_id: str) -> tuple[dict[str, Any], int]:
    """A tool call as the two nodes that it becomes, with its time where it has one of its own; and about how many
    tokens it adds to later prompts, where results are a reminder."""
    names = ("tool_name", "arguments", "success", "result", "error", "duration_ms")
    values: dict[str, Any] = {name: getattr(call, name) for name in names}
    values |= {"uuid": uuid4().hex, "message_id": message_id, "index": index, "timestamp": None}
    values["result_size_bytes"] = 0 if call.result is None else len(to_json(call.result).encode())
    made = ToolCall.model_construct(**values)
    return {**tool_call_rows(made, result_uuid=uuid4().hex), "timestamp": _text(call.timestamp)}, tool_tokens(made)


def renamed(rows: Sequence[dict[str, Any]], names: Mapping[str, str]) -> Sequence[dict[str, Any]]:
    """The rows with other uuids (old → new) for their messages; the old one is kept as ``source_uuid``."""
    if not names:
        return rows
    return [_renamed(row, names) for row in rows]


def _renamed(row: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    row = dict(row)
    given, question = str(row["uuid"]), row.get("in_reply_to")
    if question is not None:
        row["in_reply_to"] = names.get(question, question)
    if corrects := row.get("corrects"):
        row["corrects"] = {**corrects, "uuid": names.get(corrects["uuid"], corrects["uuid"])}
    if given in names:
        row |= {"uuid": names[given], "source_uuid": given}
        row["tool_calls"] = [
            {**step, "call": {**step["call"], "message_id": names[given]}} for step in row["tool_calls"]
        ]
    return row


class ImportStore(OwnerStore):
    """Writes conversations of one owner that come from elsewhere.

    Args:
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

    async def known(self, uuids: Sequence[str]) -> dict[str, Known]:
        """Which of these uuids are those of messages that somebody has.

        One that another owner has is looked for by its `other_uuid` too: what was imported before is known again.
        """
        found = await self._known(uuids)
        renamed = {self.other_uuid(uuid): uuid for uuid, known in found.items() if known.conversation_id is None}
        ours = await self._known(list(renamed))
        return found | {renamed[uuid]: known for uuid, known in ours.items() if known.conversation_id is not None}

    def other_uuid(self, given: str) -> str:
        """The uuid that a message gets with this owner where another has the one that it came with: always the same."""
        return uuid5(_OTHER_UUIDS, f"{self._token}/{given}").hex

    async def _known(self, uuids: Sequence[str]) -> dict[str, Known]:
        if not uuids:
            return {}
        rows = await self._read("imported_messages", uuids=list(uuids))
        return {
            str(row["uuid"]): Known(
                str(row["uuid"]), row["conversation_id"], bool(row["hidden"]), int(row["running"]), **_given(row)
            )
            for row in rows
        }

    async def write(self, batches: Sequence[ImportBatch]) -> None:
        """Writes batches of different conversations in one transaction; a repeated one changes nothing.

        Raises:
            UuidTaken: a uuid is somebody's since, or something else follows what a batch follows.
            ConversationNotFound: one that was there was deleted.
            GraphError: one that is made is not there any more: more than `IMPORT_SECONDS` were between two batches.
        """
        rows = await self._write_batches(batches)
        if len(rows) < len(batches):
            raise _gone() if any(each.token for each in batches) else conversation_gone(batches[0].conversation_id)
        if not all(row["stored"] for row in rows):
            raise UuidTaken("somebody else has gone on with the conversation since", hint="try again")

    async def add(self, batch: ImportBatch) -> tuple[int, int]:
        """Writes messages behind whatever there is, once by uuid; returns the first seq that they have, and the head.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
            InvalidInput: another conversation has one of their uuids.
        """
        try:
            rows = await self._write_batches([batch])
        except UuidTaken as error:
            raise InvalidInput(
                "another conversation has a message of one of these uuids", hint="give each message a uuid of its own"
            ) from error
        if not rows:
            raise conversation_gone(batch.conversation_id)
        return int(rows[0]["first_seq"]), int(rows[0]["head_seq"])

    async def complete(self, grown: Sequence[tuple[Known, Mapping[str, Any]]]) -> int:
        """Says more of messages that are here; returns how many, for somebody may have said it meanwhile.

        Args:
            grown: each with its row, which says all that is there and more.
        """
        rows = []
        for known, row in grown:
            said = {name: row.get(name) for name in _GROWS}
            rows.append(
                {
                    "uuid": known.uuid,
                    "conversation_id": known.holder,
                    "before": known.source_hash,
                    "properties": said,
                    "reworded": not row["blank"],
                    "tool_calls": row["tool_calls"],
                }
            )
        return len(await self._write("complete_imported", rows=rows)) if rows else 0

    async def finish(self, uuid: str, token: str, conversation: NewConversation) -> None:
        """Shows a conversation that was written in several batches.

        Raises:
            GraphError: it is not there any more.
        """
        rows = await self._write(
            "finish_import",
            conversation_id=uuid,
            token=token,
            created_at=_text(conversation.created_at),
            properties={
                name: value
                for name, value in self._properties(conversation, None).items()
                if name in ("title", "title_source", "metadata")
            },
        )
        if not rows and not await self._read("get_conversation", uuid=uuid):
            raise _gone()

    async def _write_batches(self, batches: Sequence[ImportBatch]) -> list[dict[str, Any]]:
        try:
            return await self._write(
                "import_messages",
                batches=[self._batch(each) for each in batches],
                lease=IMPORT_SECONDS,
                summarize_every=self._summarize_every,
            )
        except GraphError as error:
            if is_taken(error):
                raise UuidTaken(error.message, hint="try again") from error
            raise

    def _batch(self, each: ImportBatch) -> dict[str, Any]:
        return {
            "conversation_id": each.conversation_id,
            "fresh": [] if each.begins is None else [self._properties(each.begins, each.token)],
            "created_at": _text(each.begins.created_at) if each.begins else None,
            "token": each.token,
            "after": each.after,
            "title": each.title,
            "title_source": self._title_source,
            "said_at": _said_at(each.rows),
            "messages": each.rows,
        }

    def _properties(self, conversation: NewConversation, token: str | None) -> dict[str, Any]:
        properties = fresh_properties(conversation.title, (), conversation.metadata)
        properties |= self._owner
        source = self._title_source if conversation.asked else "branch"
        properties["title_source"] = None if conversation.given_title else source
        if token is not None:
            properties |= {"status": "deleting", "import_token": token}
        return properties


def _given(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row["stored"].items() if value is not None}


def _gone() -> GraphError:
    return GraphError(
        f"the import was given up: it wrote nothing for {IMPORT_SECONDS} s, and what it had written was taken away",
        hint="import it again",
    )


def _said_at(rows: Sequence[dict[str, Any]]) -> str | None:
    """When the last message was said, or now where its clock goes before ours; None where it is not known."""
    said = rows[-1]["timestamp"] if rows else None
    return None if said is None else min(said, datetime.now(UTC).isoformat())


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
