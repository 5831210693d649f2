"""The port of a chat model: one method that streams, and the values it speaks in.

A provider turns a `ModelRequest` into a stream of chunks. It runs no tools, keeps no history and writes no
graph. Everything it raises is a `ModelError`; ``__cause__`` keeps the SDK's own exception.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.memory import RecalledMemory

EXTRACTIVE = "extractive"
"""The name of the provider without a model, and what a summary that was extracted says of its model."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; ``parameters`` is a JSON Schema object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The model asks for a tool. ``error`` is set, and ``arguments`` empty, where its JSON was bad."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool gave, as text for the model (JSON for everything that is not a string).

    ``error_kind`` is the name of the error's class where it is one of this library's.
    """

    id: str
    name: str
    content: str
    is_error: bool = False
    error_kind: str | None = None


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the prompt.

    ``tool``-role messages carry all outcomes of one step. ``provider_parts`` is what the same provider and
    model sent for this assistant message, verbatim and JSON-able; a provider returns it unchanged when
    ``parts_model`` is its own ``provider:model`` and ignores it otherwise.
    """

    role: Literal["user", "assistant", "tool"]
    content: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    tool_outcomes: tuple[ToolOutcome, ...] = ()
    provider_parts: Any = None
    parts_model: str | None = None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is asked with. No tools means: answer with text.

    ``purpose`` says what the answer is for: ``answer`` is a turn's own; ``summary``, ``title``, ``compression`` and
    the like are asked beside the conversation. Vendors are not told; a script answers each from a list of its own.
    ``recalled`` are the memories that ``system`` tells, as values.
    """

    system: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    purpose: str = "answer"
    recalled: tuple[RecalledMemory, ...] = ()


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningChunk:
    """A piece of the model's reasoning (its summary, where the vendor gives no more)."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolRequestChunk:
    """One whole tool request; requests come in the model's order."""

    request: ToolRequest


@dataclass(frozen=True, slots=True)
class Finished:
    """The last chunk of every complete stream.

    ``reason`` is ``stop``, ``tool_calls``, ``length`` (the answer was cut at the model's limit) or ``other``;
    ``echo`` is true where the answer only quotes what was said in conversations, or states nothing: nobody looks for it
    later. ``provider_parts`` belongs on the assistant's `ChatMessage`, with ``parts_model`` set to `model_key`.
    """

    reason: str
    usage: Usage = field(default_factory=Usage)
    provider_parts: Any = None
    echo: bool = False


ModelChunk = TextChunk | ReasoningChunk | ToolRequestChunk | Finished


@runtime_checkable
class ModelProvider(Protocol):
    """A chat model. ``name`` is the provider's (``gemini``), ``model`` the model's own name.

    A provider that answers only some purposes says so in an attribute ``purposes`` (see `answers`); one that knows what
    tokens cost has a method ``price`` (see `price_of`). An agent gives up an answer that is silent for longer than
    ``agent.model_timeout_seconds``; a provider needs no limit of its own.
    """

    @property
    def name(self) -> str:
        """The provider's name, as answers and ``ragforge doctor`` show it."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def context_window(self) -> int:
        """Tokens that fit into one request."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Answers piece by piece and ends with `Finished`. Iterate inside `contextlib.aclosing`.

        Failures are retried inside as long as nothing was yielded. Cancelling the task, or closing the
        generator, closes the connection.

        Raises:
            ModelError: of the kind that fits; a stream that ends without a finish reason raises ModelStreamCut.
        """

    async def aclose(self) -> None:
        """Closes what the provider opened."""


def answers(provider: ModelProvider, purpose: str) -> bool:
    """Whether a provider is to be asked for this: it has no ``purposes``, or ``purpose`` is one of them."""
    purposes: Collection[str] | None = getattr(provider, "purposes", None)
    return purposes is None or purpose in purposes


async def price_of(provider: ModelProvider, usage: Usage) -> float | None:
    """What these tokens cost, in US dollars, by the provider's method ``price(usage)``; None where it is not known."""
    price: Callable[[Usage], Awaitable[Usage]] | None = getattr(provider, "price", None)
    return (await price(usage)).cost_usd if price is not None else None


def model_key(provider: ModelProvider) -> str:
    """``provider:model``, the value of `ChatMessage.parts_model`."""
    return f"{provider.name}:{provider.model}"
