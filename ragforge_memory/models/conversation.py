"""Conversations, messages, tool calls and answers as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.shape import Shape
from ragforge_memory.models.text import counted
from ragforge_memory.text.forms import How, Kind

Role = Literal["user", "assistant", "system"]
MessageState = Literal["complete", "partial", "unanswered"]
ConversationStatus = Literal["active", "archived"]
ContextStrategy = Literal["recent", "relevant", "hybrid"]


class Usage(Shape):
    """Tokens and money of one answer. ``cost_usd`` is None where the price is not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None

    def plus(self, other: Usage) -> Usage:
        """The sum of both; a cost that is unknown on one side leaves the other's."""
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost_usd=sum(costs) if costs else None,
        )


CUT_OFF = "this was cut off while it ran; whether it took effect is not known"
"""The error of a tool call that was not waited for to its end."""


class ToolCall(Shape):
    """One tool call with its result. ``result`` is the JSON value the tool gave; sizes are in bytes."""

    uuid: str
    message_id: str
    index: int = 0
    timestamp: datetime
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    success: bool
    result: Any = None
    error: str | None = None
    result_size_bytes: int = 0
    truncated: bool = False
    duration_ms: int = 0
    iteration: int = 1


class Message(Shape):
    """One message of a conversation; ``seq`` counts from 1 without gaps and is the only order.

    ``kind`` is what the message says it is (a note, a decision, a rule, something to do), None for most. ``echo`` is
    true of an answer that only quotes what was said. ``tool_calls`` and ``references`` are there in histories and
    contexts. A search, a turn's own context and a snapshot read no references; `referenced_code` tells them.
    """

    uuid: str
    conversation_id: str
    seq: int
    role: Role
    content: str
    reasoning: str | None = None
    timestamp: datetime
    token_count: int | None = None
    state: MessageState = "complete"
    in_reply_to: str | None = None
    model: str | None = None
    usage: Usage | None = None
    provider_parts: Any = None
    importance: float | None = None
    trust: str | None = None
    kind: Kind | None = None
    echo: bool = False
    metadata: dict[str, Any] = Field(default_factory=dict)
    user_id: str | None = None
    project: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    references: tuple[CodeReference, ...] = ()

    @property
    def quotes(self) -> bool:
        """Whether it says nothing of its own: it quotes what was said or, answered without a model, code."""
        return self.echo or (self.model or "").startswith("extractive:")


class Correction(Shape):
    """What the user said later against a decision, and in which message.

    ``how`` is what it does to it: it corrects it, retracts it, or says that it is done.
    """

    text: str
    message_id: str
    timestamp: datetime
    how: How = "corrects"


class ScoredMessage(Shape):
    """A message that a search found; ``score`` ranks and means nothing else.

    Why it was found: ``matched_by`` is ``text``, ``meaning``, both, or ``neighbour`` for what was said right before or
    after a hit (``beside_seq``); ``matched_words`` are the question's words that it has; ``similarity`` is on the
    calibrated scale, 0 to 1, where it was compared. ``corrected`` is what was said against a decision, a note and the
    like since.
    """

    message: Message
    score: float
    conversation_id: str
    matched_by: tuple[str, ...] = ()
    matched_words: tuple[str, ...] = ()
    similarity: float | None = None
    beside_seq: int | None = None
    corrected: Correction | None = None


class ConversationInfo(Shape):
    """A conversation without its messages; ``similarity`` is set by searches alone (0 to 1).

    ``message_count`` counts its own messages. A branch says what it is a branch of, and the last seq that it shares.
    ``references`` are set by `conversations_about` alone.
    """

    uuid: str
    session_id: str | None = None
    title: str | None = None
    summary: str | None = None
    tags: tuple[str, ...] = ()
    status: ConversationStatus = "active"
    message_count: int = 0
    head_seq: int = 0
    created_at: datetime
    updated_at: datetime
    user_id: str | None = None
    project: str | None = None
    summarized_seq: int = 0
    extracted_seq: int = 0
    file_path: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    similarity: float | None = None
    branch_of: str | None = None
    from_seq: int | None = None
    references: tuple[CodeReference, ...] = ()


class ConversationContext(Shape):
    """What a turn was given besides the question; ``token_count`` is an estimate.

    Of a message that is too long for the prompt, ``recent_messages`` stands for its beginning; where it decides
    something behind that, it is among ``relevant_messages`` too.

    ``code`` is what the messages of a context that was built for the caller are tied to, each definition once; a turn's
    own context does not read it.
    """

    summary: str | None = None
    recent_messages: tuple[Message, ...] = ()
    relevant_messages: tuple[ScoredMessage, ...] = ()
    memories: tuple[Any, ...] = ()
    code: tuple[CodeReference, ...] = ()
    message_count: int = 0
    token_count: int = 0
    strategy: ContextStrategy = "hybrid"


class RequestedTool(Shape):
    """A call that the model asks for of a tool that the turn's caller runs."""

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class AssistantResponse(Shape):
    """The answer of a turn. ``degraded`` names what was not available while it was made.

    With ``graph`` the turn is kept on disk until Neo4j is back; with ``journal`` as well it is not kept. ``state`` is
    ``partial`` where the model's limit cut the answer, its provider did not say that it had finished, or no word came;
    and where the turn waits for ``requested``: tools that its caller runs.
    """

    content: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    context_used: ConversationContext = ConversationContext()
    usage: Usage = Usage()
    conversation_id: str
    message_id: str
    user_message_id: str
    model: str | None = None
    state: MessageState = "complete"
    degraded: tuple[str, ...] = ()
    requested: tuple[RequestedTool, ...] = ()


class BranchTree(Shape):
    """A conversation and the branches that were made of it; ``conversation`` is None where it was deleted since.

    ``from_seq`` and ``from_message_id`` are the last message that it shares with what it is a branch of; both are None
    at the root.
    """

    uuid: str
    conversation: ConversationInfo | None = None
    from_seq: int | None = None
    from_message_id: str | None = None
    branches: tuple[BranchTree, ...] = ()


class Comparison(Shape):
    """What two conversations of one family have alone; ``fork_seq`` is the last seq that they share, 0 if none.

    ``only_here`` and ``only_there`` are oldest first, at most 1,000 each, the newest; the counts are of all.
    """

    fork_seq: int
    only_here: tuple[Message, ...] = ()
    only_there: tuple[Message, ...] = ()
    here_count: int = 0
    there_count: int = 0


class ExportFault(Shape):
    """A conversation that could not be exported, and why."""

    conversation_id: str
    message: str


class ExportReport(Shape):
    """What an export of all conversations and memories wrote. What was deleted and is still shared by branches counts.

    ``failed`` conversations are not in it, since their texts are in files that are lost or that the agent does not
    read: the backup is not whole. ``errors`` says which, of the first 1,000.
    """

    path: str
    conversations: int = 0
    messages: int = 0
    memories: int = 0
    size_bytes: int = 0
    failed: int = 0
    errors: tuple[ExportFault, ...] = ()

    def __str__(self) -> str:
        """All of it in a sentence, with the first of the errors: ``print(report)`` tells what is missing."""
        wrote = f"exported {counted(self.conversations, 'conversation')}, {counted(self.messages, 'message')}"
        if self.memories:
            wrote += f", {counted(self.memories, 'memory', 'memories')}"
        if not self.failed:
            return wrote
        missing = f"{wrote}; not {counted(self.failed, 'conversation')}"
        return f"{missing}; {self.errors[0].message}" if self.errors else missing


T = TypeVar("T")


class Page(Shape, Generic[T]):
    """One page of a list; iterates over its items. ``next_cursor`` is None on the last page."""

    items: tuple[T, ...] = ()
    next_cursor: str | None = None

    def __iter__(self) -> Iterator[T]:  # type: ignore[override]
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


ConversationPage = Page[ConversationInfo]
"""A page that knows what its items are: it comes back from its own JSON, and can be pickled."""


@dataclass(frozen=True, slots=True)
class ConversationFilters:
    """What a list of conversations leaves out.

    Args:
        status: those of another one; None: of none.
        tags: those that have none of these; empty: none.
        since, until: those in which nothing was said then; ``until`` is the last moment that counts.
    """

    status: str | None = None
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


EVERY_CONVERSATION = ConversationFilters()
"""Leaves nothing out."""


class AgentState(Shape):
    """The state of one turn, with the nine fields of the conversation flow."""

    session_id: str
    user_id: str = ""
    user_message: str = ""
    is_remember_command: bool = False
    remember_content: str = ""
    context_messages: tuple[Message, ...] = ()
    memories: tuple[Any, ...] = ()
    response: str = ""
    error: str = ""
