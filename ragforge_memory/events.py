"""The typed events of a streamed turn. ``type`` is the SSE event name and the ``type`` of a ``--jsonl`` line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ragforge_memory.models.conversation import AssistantResponse
from ragforge_memory.models.memory import RecalledMemory, Tier
from ragforge_memory.models.shape import Shape


class MessageStarted(Shape):
    """The turn runs, and the user's message is kept: in the graph, or on disk while that is away.

    ``kept`` is False where neither could take it; then a ``degraded`` event has said so.
    """

    type: Literal["message_started"] = "message_started"
    conversation_id: str
    user_message_id: str
    message_id: str
    kept: bool = True


class Recalled(Shape):
    """What memory gave to this turn."""

    type: Literal["recalled"] = "recalled"
    items: tuple[RecalledMemory, ...] = ()
    tiers_answered: tuple[Tier, ...] = ()
    tiers_missed: tuple[Tier, ...] = ()
    elapsed_ms: float = 0.0


class Compressed(Shape):
    """The context was condensed before the model was asked; the originals stay in the graph.

    ``tokens_before`` and ``tokens_after`` are those of the prompt, ``tokens_saved`` those of the ``messages`` that are
    condensed less those of their compression, which is the summary ``summary_id``.
    """

    type: Literal["compressed"] = "compressed"
    tokens_before: int
    tokens_after: int
    tokens_saved: int = 0
    summary_id: str | None = None
    messages: int = 0


class TextDelta(Shape):
    """A piece of the answer."""

    type: Literal["text_delta"] = "text_delta"
    text: str


class ReasoningDelta(Shape):
    """A piece of the model's reasoning."""

    type: Literal["reasoning_delta"] = "reasoning_delta"
    text: str


class ToolUse(Shape):
    """A tool is about to run; ``iteration`` counts from 1."""

    type: Literal["tool_use"] = "tool_use"
    tool_call_id: str
    tool_name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    iteration: int


class ToolResult(Shape):
    """A tool has run; ``duration_ms`` is wall time."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: str
    tool_name: str
    success: bool
    result: Any = None
    error: str | None = None
    duration_ms: int = 0
    iteration: int


class MemorySaved(Shape):
    """Something was remembered."""

    type: Literal["memory_saved"] = "memory_saved"
    memory_id: str
    content: str


class Degraded(Shape):
    """Something is not available this turn; the turn goes on.

    ``what`` is ``graph`` where the turn is kept on disk until Neo4j is back, ``journal`` where the disk refuses too,
    ``embeddings`` where nothing is found by meaning, ``model`` where another answers than was configured. A turn says
    each once; where it waits for a managed server's restart first, it says that as well.
    """

    type: Literal["degraded"] = "degraded"
    what: str
    detail: str = ""


class MessageCompleted(Shape):
    """The answer is whole, and kept as ``response.degraded`` says."""

    type: Literal["message_completed"] = "message_completed"
    response: AssistantResponse


class Error(Shape):
    """The turn failed; the iterator raises the error after this event."""

    type: Literal["error"] = "error"
    error: str
    message: str
    hint: str | None = None
    exit_code: int = 1
    message_id: str | None = None


Event = Annotated[
    MessageStarted
    | Recalled
    | Compressed
    | TextDelta
    | ReasoningDelta
    | ToolUse
    | ToolResult
    | MemorySaved
    | Degraded
    | MessageCompleted
    | Error,
    Field(discriminator="type"),
]
