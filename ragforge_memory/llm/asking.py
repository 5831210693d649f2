"""Asking a provider: what it gives is checked as it comes, and whatever it raises is a `ModelError`.

A provider may be somebody else's code: the rest of the library sees its mistakes as errors that name them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from dataclasses import dataclass
from typing import Any

from ragforge_memory.errors import SEE_CAUSE, ModelError, ModelMalformed, ModelStreamCut, RagforgeError
from ragforge_memory.llm.port import (
    Finished,
    ModelChunk,
    ModelProvider,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequest,
    ToolRequestChunk,
    model_key,
)
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.text import is_deep, truncated
from ragforge_memory.tracing import Span, leaf

# Characters of what a provider gave, where that is told.
_MOST_SHOWN = 120
_HINT = "what a provider yields: docs/models.md, “A model of your own”"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A stream, collected."""

    text: str
    reasoning: str
    tool_requests: tuple[ToolRequest, ...]
    finished: Finished


@contextmanager
def foreign_failures(model: str) -> Iterator[None]:
    """A provider of somebody else's may raise anything: it comes out as a ModelError, with its cause.

    A cancellation that nobody asked for is the provider's too (a cancel scope of its client's). Not so Ctrl-C, and the
    cancelling of the task that asks.
    """
    try:
        yield
    except (RagforgeError, GeneratorExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        raise ModelError(f"{model} failed: {type(error).__name__}: {error}", hint=SEE_CAUSE) from error


def stream_of(provider: ModelProvider, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
    """What the provider's ``stream`` gives, where that can be iterated and closed.

    Raises:
        ModelMalformed: it cannot.
    """
    stream = provider.stream(request)
    if hasattr(stream, "__anext__") and hasattr(stream, "aclose"):
        return stream
    if hasattr(stream, "close"):
        stream.close()  # a coroutine that nobody awaits says so in the log
    raise _malformed(model_key(provider), f"stream() gave {_shown(stream)}, no asynchronous generator")


async def chunks_of(provider: ModelProvider, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
    """The chunks of an answer, each of them checked, up to `Finished`. Iterate inside `contextlib.aclosing`.

    Raises:
        ModelMalformed: the provider gave something that is not a chunk, or a chunk that holds what it cannot.
        ModelError: as `ModelProvider.stream` does, and for whatever else it raises.
    """
    begun = False
    try:
        with foreign_failures(model_key(provider)), _asked(provider, request) as span:
            async with aclosing(stream_of(provider, request)) as chunks:
                async for chunk in chunks:
                    _check(chunk, model_key(provider))
                    begun = True
                    if isinstance(chunk, Finished):
                        span.tell(
                            gen_ai__response__finish_reasons=[chunk.reason],
                            gen_ai__usage__input_tokens=chunk.usage.input_tokens,
                            gen_ai__usage__output_tokens=chunk.usage.output_tokens,
                        )
                    yield chunk
                    if isinstance(chunk, Finished):
                        return
    except ModelError as error:
        error.partial = error.partial or begun
        raise


def _asked(provider: ModelProvider, request: ModelRequest) -> AbstractContextManager[Span]:
    return leaf(
        f"chat {provider.model}",
        gen_ai__operation__name="chat",
        gen_ai__provider__name=provider.name,
        gen_ai__request__model=provider.model,
        ragforge__purpose=request.purpose,
    )


async def complete(provider: ModelProvider, request: ModelRequest) -> ModelAnswer:
    """Asks without streaming: collects the whole answer.

    Raises:
        ModelError: as `chunks_of` does; ModelStreamCut for a stream that ends without `Finished`.
    """
    text: list[str] = []
    reasoning: list[str] = []
    requests: list[ToolRequest] = []
    async with aclosing(chunks_of(provider, request)) as chunks:
        async for chunk in chunks:
            match chunk:
                case TextChunk():
                    text.append(chunk.text)
                case ReasoningChunk():
                    reasoning.append(chunk.text)
                case ToolRequestChunk():
                    requests.append(chunk.request)
                case Finished():
                    return ModelAnswer("".join(text), "".join(reasoning), tuple(requests), chunk)
    raise ModelStreamCut("the model's stream ended without a finish reason", hint="ask again")


def _check(chunk: object, model: str) -> None:
    """Refuses what is not a chunk, and one that holds what it cannot."""
    match chunk:
        case TextChunk(text) | ReasoningChunk(text):
            problem = None if isinstance(text, str) else "its text is none"
        case ToolRequestChunk(ToolRequest() as asked):
            problem = _request_problem(asked)
        case ToolRequestChunk():
            problem = "its request is not a ToolRequest"
        case Finished():
            problem = _end_problem(chunk)
        case _:
            raise _malformed(model, f"gave {_shown(chunk)}, which is not a chunk")
    if problem is not None:
        raise _malformed(model, f"gave {_shown(chunk)}: {problem}")


def _request_problem(asked: ToolRequest) -> str | None:
    if not (isinstance(asked.id, str) and isinstance(asked.name, str) and isinstance(asked.error, str | None)):
        return "id, name and error of a request are text"
    if not isinstance(asked.arguments, dict):
        return f"arguments are a dict, not {type(asked.arguments).__name__}"
    if not all(isinstance(name, str) for name in asked.arguments):
        return "names of arguments are text"
    return _json_problem(asked.arguments, "arguments")


def _end_problem(finished: Finished) -> str | None:
    if not isinstance(finished.reason, str):
        return "its reason is not text"
    if not isinstance(finished.usage, Usage):
        return f"usage is a Usage, not {type(finished.usage).__name__}"
    return _json_problem(finished.provider_parts, "provider_parts")


def _json_problem(value: Any, what: str) -> str | None:
    """What JSON cannot hold would break the record of the whole turn."""
    if is_deep(value):
        return f"{what} are nested too deeply"
    try:
        json.dumps(value)
    except (TypeError, ValueError) as error:
        return f"{what} are not JSON: {error}"
    return None


def _malformed(model: str, what: str) -> ModelMalformed:
    return ModelMalformed(f"{model} {what}", hint=_HINT)


def _shown(value: object) -> str:
    return truncated(repr(value), _MOST_SHOWN)
