"""The store of messages: append, complete, read back, search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import GraphError, MessageNotFound, being_answered, conversation_gone
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.decisions import CANDIDATES, Statement, find_corrected, kind_of_correction
from ragforge_memory.graph.failures import is_taken
from ragforge_memory.graph.receipts import EARLIER_RESULT_CHARACTERS, ContextQuery, Receipt, TurnContext, turn_context
from ragforge_memory.graph.records import message, to_json, tool_call, tool_call_rows, utc_text
from ragforge_memory.graph.text import lucene_any, query_words, terms
from ragforge_memory.graph.waiting import WaitingTexts
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.models.conversation import Message, MessageState, Role, ToolCall, Usage
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.text.forms import How, Kind, read_form

# A load moves the watermark of settled questions where it is so far behind.
SETTLE_BEHIND = 1_000
# Seconds after which no answer to a question is expected any more; see `MessageStore.settle`.
ANSWER_PATIENCE = 3_600


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message before the graph has given it its place; ``timestamp`` where it was said before it is stored.

    ``how`` is what it does to an earlier message, which the store finds when it is appended. ``extract``: it may say
    something that is to be remembered.
    """

    uuid: str
    role: Role
    content: str
    reasoning: str | None = None
    token_count: int | None = None
    state: MessageState = "complete"
    in_reply_to: str | None = None
    model: str | None = None
    usage: Usage | None = None
    provider_parts: Any = None
    importance: float | None = None
    trust: str | None = None
    kind: Kind | None = None
    how: How | None = None
    extract: bool = False
    echo: bool = False
    metadata: Mapping[str, Any] | None = None
    receipt: str | None = None
    timestamp: datetime | None = None

    def properties(self) -> dict[str, Any]:
        """What the graph keeps; what there is nothing of is left out."""
        given = {name: getattr(self, name) for name in _AS_THEY_ARE} | {
            "reasoning": self.reasoning or None,
            "usage": None if self.usage is None else self.usage.model_dump_json(),
            "provider_parts": None if self.provider_parts is None else to_json(self.provider_parts),
            "metadata": to_json(dict(self.metadata)) if self.metadata else None,
            "echo": self.echo or None,
            "timestamp": None if self.timestamp is None else self.timestamp.isoformat(),
        }
        kept = {"role": self.role, "content": self.content, "terms": terms(self.content), "state": self.state}
        return kept | {name: value for name, value in given.items() if value is not None}

    def placed(self, conversation_id: str, seq: int, **more: Any) -> Message:
        """The message as it is read back, with what a store knows of it besides."""
        values = {name: getattr(self, name) for name in _READ_BACK}
        return Message(conversation_id=conversation_id, seq=seq, **{**values, **more})


_READ_BACK = (
    *("uuid", "role", "content", "token_count", "state", "in_reply_to", "model", "provider_parts", "importance"),
    *("trust", "kind", "echo"),
)
_AS_THEY_ARE = ("token_count", "in_reply_to", "model", "importance", "trust", "kind", "receipt")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that a message mentions; ``qualified_name`` where it was dotted, ``types`` where only those are meant, of
    one language as ``method@go``. ``owner`` is the type that a dotted one may be an attribute of, ``macro`` the name of
    a macro that is written so (``bail!``)."""

    name: str
    qualified_name: str | None = None
    types: tuple[str, ...] | None = None

    @classmethod
    def of(cls, written: str) -> Mention:
        """The mention of a name as it was written: ``name``, or ``Outer.name``."""
        return cls(written.rpartition(".")[2], written if "." in written else None)

    @property
    def row(self) -> dict[str, Any]:
        """As statements take it."""
        row = {name: getattr(self, name) for name in ("name", "qualified_name", "owner", "macro")}
        return row | {"types": None if self.types is None else list(self.types)}

    @property
    def owner(self) -> str | None:
        """The name before the last dot, where it is written like a type's."""
        owner = (self.qualified_name or "").rpartition(".")[0].rpartition(".")[2]
        return owner if owner[:1].isupper() else None

    @property
    def macro(self) -> str | None:
        """The name without the mark that calls a macro."""
        return self.name[:-1] if self.name.endswith("!") else None


@dataclass(frozen=True, slots=True)
class CodeTies:
    """What an answer is tied to: scopes that tools touched, and names and files that it mentions.

    ``told`` are the names that the message states something about that is answered: that one is tied to them.
    """

    touched: tuple[ScopeTie, ...] = ()
    mentions: tuple[Mention, ...] = ()
    files: tuple[str, ...] = ()
    told: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as write 2 stores it: with its tool calls, its ties to code and the receipt of what it was given."""

    message: NewMessage
    tool_calls: tuple[ToolCall, ...] = ()
    ties: CodeTies = field(default_factory=CodeTies)
    receipt: Receipt = field(default_factory=Receipt)


class MessageStore(WaitingTexts):
    """Messages of one owner's conversations.

    Args:
        summarize_every: messages after which a summary is due; None: never.
        generate_titles: whether a title that comes from the first message shall be replaced by a better one.
        due: called after an answer was stored in a conversation that waits for a summary or a title.
        topic: called likewise where it waits for the vector of what it is about.
    """

    _kind = "message"

    def __init__(
        self,
        client: GraphClient,
        owner: Owner,
        *,
        summarize_every: int | None = None,
        generate_titles: bool = False,
        due: Callable[[], None] = lambda: None,
        topic: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(client, owner)
        self._summarize_every = summarize_every
        self._title_source = "provisional" if generate_titles else None
        self._due = due
        self._topic = topic

    async def append(
        self,
        conversation_id: str,
        new: NewMessage,
        *,
        title: str | None = None,
        once: bool = False,
        recover: bool = True,
    ) -> int:
        """Appends a message and returns its seq; a repeated append of the same uuid changes nothing.

        Args:
            title: the conversation's title from now on, if it has none.
            once: refuses what somebody else has appended under this uuid; told by the message's ``timestamp``.
            recover: whether to wait for a managed server that has gone.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
            InvalidInput: somebody else was first.
        """
        corrected = None
        if new.how is not None:
            corrected = await self.corrected(conversation_id, new, recover=recover)
            if new.how == "corrects":
                new = replace(new, kind=kind_of_correction(corrected))
        try:
            rows = await self._write(
                "append_message",
                conversation_id=conversation_id,
                uuid=new.uuid,
                message=new.properties(),
                corrects={"uuid": corrected.uuid if corrected else None, "how": new.how},
                tokens=estimate_tokens(new.content),
                worded=bool(new.content.strip()),
                extract=new.extract,
                summarize_every=self._summarize_every,
                title=title,
                title_source=self._title_source,
                recover=recover,
            )
        except GraphError as error:
            # In another conversation somebody was quicker with this uuid.
            if once and is_taken(error):
                raise being_answered() from error
            raise
        row = _first(rows, conversation_id)
        if once and row["said_by_another"]:
            raise being_answered()
        return int(row["seq"])

    async def corrected(self, conversation_id: str, new: NewMessage, *, recover: bool = True) -> Statement | None:
        """The earlier message that one is said against."""
        rows = await self._read(
            "correctable_decisions",
            conversation_id=conversation_id,
            until=utc_text(new.timestamp),
            limit=CANDIDATES,
            recover=recover,
        )
        found = [(row["message"], row["here"]) for row in rows if row["message"]["uuid"] != new.uuid]
        statements = [Statement(said["uuid"], said["content"] or "", said["kind"], here) for said, here in found]
        form = read_form(new.content)
        return find_corrected(form.text if form else new.content, new.how or "corrects", statements)

    async def complete_turn(
        self,
        conversation_id: str,
        answer: Answer,
        *,
        timeout: float | None = None,
        recover: bool = True,
    ) -> int:
        """Writes an answer with all that belongs to it, all or nothing; returns its seq.

        A question that was given up as unanswered is answered then.
        """
        new, ties = answer.message, answer.ties
        rows = await self._write(
            "complete_turn",
            timeout=timeout,
            recover=recover,
            conversation_id=conversation_id,
            uuid=new.uuid,
            message=new.properties(),
            tokens=estimate_tokens(new.content) + sum(map(tool_tokens, answer.tool_calls)),
            **answer.receipt.parameters(),
            tool_calls=[tool_call_rows(call, result_uuid=uuid4().hex) for call in answer.tool_calls],
            touched=[tie._asdict() for tie in dict.fromkeys(ties.touched)],
            mentions=[item.row for item in ties.mentions],
            told=[item.row for item in ties.told],
            mentioned_files=list(ties.files),
            worded=bool(new.content.strip()),
            extract=new.extract,
            summarize_every=self._summarize_every,
        )
        row = _first(rows, conversation_id)
        if row["due"]:
            self._due()
        if row["topic"]:
            self._topic()
        return int(row["seq"])

    async def turn_context(self, conversation_id: str, query: ContextQuery, *, recover: bool = True) -> TurnContext:
        """What a turn is given, in one statement; see `TurnContext`.

        Args:
            recover: whether to wait for a managed server that has gone.
        """
        words = query_words(query.question) if query.question and query.relevant else []
        rows = await self._read(
            "turn_context",
            conversation_id=conversation_id,
            recent=query.limit,
            top=query.before_seq,
            asked=query.asked,
            words=lucene_any(("content", "terms"), words) if words else None,
            # The question itself and the recent messages are in the index too, and match best.
            candidates=query.relevant * 2 + query.limit + 1,
            relevant=query.relevant,
            important=query.important,
            prompts=list(query.prompts),
            known=list(query.known.messages),
            known_restored=list(query.known.restored),
            recover=recover,
        )
        return turn_context(_first(rows, conversation_id), query.known.messages)

    async def history(
        self,
        conversation_id: str,
        *,
        limit: int = 50,
        before: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """The newest ``limit`` messages (before the message ``before``, if given), oldest first.

        Raises:
            MessageNotFound: ``before`` is not a message of this conversation.
        """
        rows = await self._read(
            "history",
            conversation_id=conversation_id,
            before=before,
            limit=limit,
            include_tool_calls=include_tool_calls,
        )
        row = _first(rows, conversation_id)
        if row["top"] is None:
            raise MessageNotFound(f"there is no message {before!r} in this conversation")
        return [message(item, include_reasoning=include_reasoning) for item in row["messages"]]

    async def tool_calls(
        self, conversation_id: str, *, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """The newest ``limit`` tool calls that fit, oldest first.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
        """
        rows = await self._read(
            "tool_calls", conversation_id=conversation_id, tool_name=tool_name, success=success, limit=limit
        )
        return [tool_call(call) for call in reversed(_first(rows, conversation_id)["calls"])]

    async def tool_result(self, tool_call_id: str) -> ToolCall | None:
        """A tool call of this owner's with its whole result."""
        rows = await self._read("tool_result", uuid=tool_call_id)
        return tool_call(rows[0]["call"]) if rows else None

    async def known(self, uuids: Sequence[str]) -> dict[str, str]:
        """Which of these uuids are messages of this owner: uuid → conversation."""
        rows = await self._read("known_messages", uuids=list(uuids))
        return {row["uuid"]: row["conversation_id"] for row in rows}

    async def mark_unanswered(self, uuid: str, *, recover: bool = True) -> bool:
        """Says of a question that no answer will follow; returns whether it is there, and none did."""
        return bool(await self._write("mark_unanswered", uuid=uuid, recover=recover))

    async def claim_question(
        self, conversation_id: str, uuid: str, seq: int, *, answer: str, recover: bool = True
    ) -> None:
        """Claims a question that is asked again for the turn of the answer with this uuid.

        Raises:
            BeingAnswered: another turn has it, or it has its whole answer by now.
            ConversationNotFound: this owner has no such conversation (any more).
        """
        asked: dict[str, Any] = {"conversation_id": conversation_id, "uuid": uuid, "seq": seq, "answer": answer}
        rows = await self._write("claim_question", **asked, patience=ANSWER_PATIENCE, recover=recover)
        if not _first(rows, conversation_id)["claimed"]:
            raise being_answered()

    async def release_question(self, conversation_id: str, *, answer: str, recover: bool = True) -> None:
        """Gives back what `claim_question` claimed, where no answer with this uuid will be stored."""
        await self._write("release_question", conversation_id=conversation_id, answer=answer, recover=recover)

    async def settle(self, conversation_id: str) -> int:
        """Marks the questions of a conversation that nobody has answered for an hour as unanswered; returns how many.

        An hour by the database's clock: a turn that still runs, in whatever process, is not given up. With the
        defaults a turn has six requests of at most 120 s until the model's first word, and an hour is also where one
        session ends and the next begins. An answer that comes later all the same sets the state right. Nothing is
        written where there is none.
        """
        asked: dict[str, Any] = {"conversation_id": conversation_id, "patience": ANSWER_PATIENCE}
        rows = await self._read("unsettled_questions", **asked)
        if rows and (rows[0]["unanswered"] or rows[0]["behind"] >= SETTLE_BEHIND):
            rows = await self._write("settle_questions", **asked)
        return int(rows[0]["unanswered"]) if rows else 0


def tool_tokens(call: ToolCall) -> int:
    """About what a tool call with its result adds to later prompts, where results are a reminder."""
    result = min(call.result_size_bytes, EARLIER_RESULT_CHARACTERS) // 4
    return estimate_tokens(f"{call.tool_name} {call.arguments}") + result


def _first(rows: list[dict[str, Any]], conversation_id: str) -> dict[str, Any]:
    if not rows:
        raise conversation_gone(conversation_id)
    return rows[0]
