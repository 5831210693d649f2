"""Answers of Gemini through google-genai, streamed; tools are run by the turn, not by the SDK.

What the SDK leaves to its callers is done here: time-outs (it has none by default), a stream that ends without a finish
reason (it raises nothing), and closing the connection at once when the caller goes (its nested generators would leave
that to the garbage collector).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ragforge_memory.config.known_models import DEFAULT_CHAT_MODEL
from ragforge_memory.errors import ModelBlocked, ModelError, ModelMalformed, ModelRefused, ModelStreamCut
from ragforge_memory.llm import gemini_wire as wire
from ragforge_memory.llm.cost import priced
from ragforge_memory.llm.port import (
    Finished,
    ModelChunk,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequest,
    ToolRequestChunk,
    ToolSpec,
)
from ragforge_memory.llm.retired import refuse_retired
from ragforge_memory.llm.retry import with_retries
from ragforge_memory.llm.timeouts import Timeouts, within
from ragforge_memory.models.conversation import Usage
from ragforge_memory.vendors.gemini import GeminiConnection
from ragforge_memory.vendors.retry import RetryPolicy

if TYPE_CHECKING:
    import httpx2
    from google.genai import types

# Tokens (ai.google.dev/gemini-api/docs/models): every Gemini since 1.5; Gemma has less.
_GEMINI_WINDOW = 1_048_576
_GEMMA_WINDOW = 131_072

# The responses that the request of this task has opened, for closing them by hand.
_opened: ContextVar[list[httpx2.Response] | None] = ContextVar("_opened", default=None)


class GeminiProvider:
    """A Gemini model.

    Args:
        model: its name; ``models/`` before it is taken off.
        api_key: the vendor's key.
        base_url: another address of the same API; None is Google's.
        timeouts: limits on the model's silence.
        retry: how failed requests are repeated.

    Raises:
        ConfigError: no key, or a model that its vendor has shut down.
    """

    name = "gemini"

    def __init__(
        self,
        model: str = DEFAULT_CHAT_MODEL,
        *,
        api_key: str,
        base_url: str | None = None,
        timeouts: Timeouts | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        self.model = model.strip().removeprefix("models/")
        # A key would not help a model that is gone.
        refuse_retired(self.name, self.model)
        self._key = f"{self.name}:{self.model}"
        self._timeouts = timeouts or Timeouts()
        self._retry = retry or RetryPolicy()
        self._connection = GeminiConnection(
            api_key,
            base_url,
            model=self._key,
            missing=f"use a model that runs, such as {DEFAULT_CHAT_MODEL}",
            connect=self._timeouts.connect,
            on_response=_note,
        )

    @property
    def context_window(self) -> int:
        """Tokens that fit into one request."""
        return _GEMMA_WINDOW if self.model.startswith("gemma") else _GEMINI_WINDOW

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Answers piece by piece; see `ragforge_memory.llm.port.ModelProvider.stream`."""
        async with aclosing(with_retries(self._retry, lambda: self._attempt(request))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def aclose(self) -> None:
        """Closes the SDK's clients and their connections."""
        await self._connection.aclose()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """One request. Everything that the SDK raises becomes a ModelError."""
        client = await self._connection.open()
        answer = _Answer()
        opened: list[httpx2.Response] = []
        stream: AsyncIterator[types.GenerateContentResponse] | None = None
        begun = False
        try:
            stream = await client.aio.models.generate_content_stream(
                model=self.model,
                contents=_contents(wire.contents(request.messages, model_key=self._key)),
                config=self._config(request),
            )
            while True:
                limit = self._timeouts.idle if begun else self._timeouts.first_chunk
                with self._connection.failures():
                    event = await within(limit, _next(stream, opened), model=self._key, begun=begun)
                if event is None:
                    break
                begun = True
                for chunk in answer.read(event):
                    yield chunk
        finally:
            await _close(stream, opened)
        self._check_end(answer)
        usage = await self.price(answer.usage)
        reason = "tool_calls" if answer.calls else wire.finish_kind(answer.finish or "")
        yield Finished(reason, usage, wire.kept_parts(answer.parts))

    async def price(self, usage: Usage) -> Usage:
        """The usage with its cost, where the model's price is known."""
        return await priced(usage, model=self.model, vendor="google")

    def _check_end(self, answer: _Answer) -> None:
        """Raises for every end that is not an answer."""
        if answer.blocked is not None:
            raise ModelBlocked(
                f"{self._key} refused the prompt ({answer.blocked})",
                hint="rephrase the question, or remove what it quotes",
            )
        if answer.finish in (None, "FINISH_REASON_UNSPECIFIED"):
            raise ModelStreamCut(f"{self._key} ended its stream without a finish reason", hint="ask again")
        reason = f"{answer.finish}: {answer.finish_message}" if answer.finish_message else str(answer.finish)
        match wire.finish_kind(str(answer.finish)):
            case "blocked":
                raise ModelBlocked(f"{self._key} broke off its answer ({reason})", hint="rephrase the question")
            case "malformed":
                raise ModelMalformed(f"{self._key} wrote a tool call that cannot be read ({reason})", hint="ask again")
            case "refused":
                raise ModelRefused(f"{self._key} misses a thought signature in the request ({reason})")
            case "other" if not answer.parts:
                raise ModelError(f"{self._key} gave no answer ({reason})", hint="ask again")

    def _config(self, request: ModelRequest) -> types.GenerateContentConfig:
        from google.genai import types

        return types.GenerateContentConfig(
            system_instruction=request.system or None,
            tools=[types.Tool(function_declarations=[_declaration(tool) for tool in request.tools])]
            if request.tools
            else None,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            thinking_config=types.ThinkingConfig(include_thoughts=True) if self.model.startswith("gemini") else None,
        )


class _Answer:
    """What has come of an answer so far."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self.calls = 0
        self.finish: str | None = None
        self.finish_message: str | None = None
        self.blocked: str | None = None
        self.usage = Usage()

    def read(self, event: types.GenerateContentResponse) -> list[ModelChunk]:
        """Takes one event in; the chunks that it holds."""
        if event.usage_metadata is not None:
            self.usage = _usage(event.usage_metadata)
        if event.prompt_feedback is not None and event.prompt_feedback.block_reason is not None:
            self.blocked = _word(event.prompt_feedback.block_reason)
        if not event.candidates:
            return []
        candidate = event.candidates[0]
        if candidate.finish_reason is not None:
            self.finish = _word(candidate.finish_reason)
            self.finish_message = candidate.finish_message
        chunks: list[ModelChunk] = []
        for part in (candidate.content.parts if candidate.content is not None else None) or ():
            self.parts.append(part.model_dump(mode="json", by_alias=True, exclude_none=True))
            if part.function_call is not None:
                self.calls += 1
                call = part.function_call
                made = ToolRequest(call.id or f"call_{uuid.uuid4().hex[:16]}", call.name or "", dict(call.args or {}))
                chunks.append(ToolRequestChunk(made))
            elif part.text:
                chunks.append(ReasoningChunk(part.text) if part.thought else TextChunk(part.text))
        return chunks


def _contents(told: list[dict[str, Any]]) -> list[types.Content]:
    """Through JSON: only so does the SDK read signatures back into the bytes that they were."""
    from google.genai import types

    return [types.Content.model_validate_json(json.dumps(content)) for content in told]


def _declaration(tool: ToolSpec) -> types.FunctionDeclaration:
    from google.genai import types

    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
    )


def _usage(counted: types.GenerateContentResponseUsageMetadata) -> Usage:
    thoughts = counted.thoughts_token_count or 0
    return Usage(
        input_tokens=(counted.prompt_token_count or 0) + (counted.tool_use_prompt_token_count or 0),
        output_tokens=(counted.candidates_token_count or 0) + thoughts,
        reasoning_tokens=thoughts,
        cached_tokens=counted.cached_content_token_count or 0,
    )


def _word(value: Any) -> str:
    """An enum's name as the vendor writes it."""
    return str(getattr(value, "value", value))


async def _note(response: httpx2.Response) -> None:
    opened = _opened.get()
    if opened is not None:
        opened.append(response)


async def _next(
    stream: AsyncIterator[types.GenerateContentResponse], opened: list[httpx2.Response]
) -> types.GenerateContentResponse | None:
    """The next event, or None at the end; responses that this opens are noted."""
    token = _opened.set(opened)
    try:
        return await anext(stream, None)
    finally:
        _opened.reset(token)


async def _close(stream: AsyncIterator[Any] | None, opened: list[httpx2.Response]) -> None:
    """Closes the connection now, also in a task that is being cancelled."""
    import anyio

    closers: list[Callable[[], Any]] = [getattr(stream, "aclose", None) or _nothing]
    closers += [response.aclose for response in opened]
    for close in closers:
        # Each has its time: where the first takes too long, the connection is closed all the same.
        with anyio.move_on_after(2, shield=True):
            await close()


async def _nothing() -> None:
    """For a stream that was never opened."""
