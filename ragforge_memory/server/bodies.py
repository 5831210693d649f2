"""What requests bring, and the few answers that are not the API's own shapes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from ragforge_memory.models.access import KeyScope
from ragforge_memory.models.conversation import ConversationStatus, MessageState, Role, Usage

NAMED = 500
"""Characters of a name at most."""

Line = Annotated[str, Field(min_length=1, max_length=NAMED, pattern=r"\S")]
Text = Annotated[str, Field(min_length=1, max_length=400_000, pattern=r"\S")]
Statement = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"\S")]
Tags = Annotated[list[Line], Field(max_length=100)]

Limit = Annotated[int, Query(ge=1, le=1_000, description="At most so many.")]
Cursor = Annotated[str | None, Query(min_length=1, max_length=2_000, description="`next_cursor` of the page before.")]
Asked = Annotated[str, Query(min_length=1, max_length=10_000, pattern=r"\S", description="The question, in any words.")]
Time = Annotated[str | None, Query(max_length=100, description="A date, a datetime, or a span such as `2d`.")]
Name = Annotated[str | None, Query(min_length=1, max_length=NAMED, pattern=r"\S")]


class Body(BaseModel):
    """A request's body; a field that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")


class ChatRequest(Body):
    """A message to a session, which is begun where there is none."""

    message: Text
    session_id: Line | None = Field(None, description="The session that goes on; none: a new one.")
    user_id: Line | None = Field(None, description="For whom; the key's own user by default.")
    metadata: dict[str, Any] | None = Field(None, description="Kept on the message.")


class ChatReply(BaseModel):
    """An answer, and the session to go on with."""

    reply: str
    session_id: str
    conversation_id: str
    message_id: str
    user_message_id: str
    reasoning: str | None = None
    model: str | None = None
    usage: Usage
    state: MessageState = "complete"
    degraded: tuple[str, ...] = ()


class NewConversation(Body):
    """A conversation to begin, or to open by its session."""

    title: Line | None = None
    tags: Tags = []
    session_id: Line | None = None
    metadata: dict[str, Any] | None = None


class ConversationChanges(Body):
    """What changes of a conversation; what is left out stays."""

    title: Line | None = None
    tags: Tags | None = None
    status: ConversationStatus | None = None


class AnswerMessage(BaseModel):
    """A message of the history that has answers only: no tool call, no result, no thought."""

    id: str
    role: Role
    content: str
    timestamp: datetime


class NewBranch(Body):
    """Where a branch leaves its conversation; at its head where no message is named."""

    from_message_id: Line | None = None
    title: Line | None = None


class Edited(Body):
    """What is asked instead."""

    text: Text


class OtherConversation(Body):
    """The conversation that is merged into this one."""

    other: Line


class CodeReferences(Body):
    """Code that a message is about, named as in the project."""

    message_id: Line
    scopes: Annotated[list[Line], Field(min_length=1, max_length=100)]
    kind: Literal["discussed", "read", "edited", "tested"] = "discussed"


class NewMemory(Body):
    """A statement that was made in no conversation."""

    text: Statement
    kind: Literal["note", "decision", "rule", "todo"] = "note"


class NewFact(Body):
    """A fact: one of its type and key."""

    type: Line
    key: Line
    value: Statement
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0


class FactChange(Body):
    """Another value of a fact."""

    value: Statement
    reason: Literal["update", "correction", "refinement"] = "update"


class Forgetting(Body):
    """Why a memory is forgotten."""

    reason: Annotated[str, Field(max_length=2_000)] = ""


class ContextChanges(Body):
    """What changes of a user: preferences by their names, None takes one away; the plan takes more than an own key."""

    plan: Line | None = None
    preferences: dict[str, Any] | None = None


class NewKey(Body):
    """A key to make."""

    user_id: Line | None = None
    scope: KeyScope = "user"
    name: Annotated[str, Field(max_length=NAMED)] = ""


class Health(BaseModel):
    """Whether the server works: ``ok`` or ``away``, and what is away."""

    status: Literal["ok", "away"]
    detail: str = ""
