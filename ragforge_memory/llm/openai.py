"""Answers of any server that speaks OpenAI's chat completions, through the openai SDK, streamed.

The SDK's retries are off and its time-outs are ours, so that both vendors' models behave alike.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from ragforge_memory.errors import ConfigError, ModelBlocked, ModelStreamCut, ModelTimeout
from ragforge_memory.llm import openai_wire as wire
from ragforge_memory.llm.cost import priced
from ragforge_memory.llm.local_servers import ServedModel, chat_models
from ragforge_memory.llm.port import (
    Finished,
    ModelChunk,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequestChunk,
)
from ragforge_memory.llm.retired import refuse_retired
from ragforge_memory.llm.retry import with_retries
from ragforge_memory.llm.timeouts import Timeouts, within
from ragforge_memory.models.conversation import Usage
from ragforge_memory.vendors.access import check_address, is_loopback
from ragforge_memory.vendors.openai import DEFAULT_ADDRESS, OpenAIConnection, address_of, check_installed
from ragforge_memory.vendors.retry import RetryPolicy

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

# What OpenAI names as the successor of gpt-4o, gpt-4o-mini and gpt-4.1 (its deprecations page, 2026-10).
DEFAULT_MODEL = "gpt-6-luna"

# Tokens, by the beginning of the name, the longest first (the vendor's model pages).
_WINDOWS = {
    "gpt-6": 1_050_000,
    "gpt-5.6": 1_050_000,
    "gpt-5.5": 1_000_000,
    "gpt-5": 400_000,
    "gpt-4.1": 1_000_000,
    "gpt-4o": 128_000,
    "gpt-oss": 131_072,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
}
# A model of a local server: what most are started with that hold a repository's context at all.
_UNKNOWN_WINDOW = 32_768

_LISTING_SECONDS = 5.0


class OpenAIProvider:
    """A model behind an OpenAI-compatible address.

    Args:
        model: its name.
        api_key: the key; local servers need none.
        base_url: address with ``/v1``; None is OpenAI's own.
        context_window: tokens that fit into one request; None: by the model's name.
        timeouts: limits on the model's silence.
        retry: how failed requests are repeated.

    Raises:
        ConfigError: the ``openai`` extra is not installed, no key for OpenAI's own service, or a model that it
            has shut down.
    """

    name = "openai"

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        context_window: int | None = None,
        timeouts: Timeouts | None = None,
        retry: RetryPolicy | None = None,
    ) -> None:
        # A key would not help a model that is gone.
        if address_of(base_url) == DEFAULT_ADDRESS:
            refuse_retired(self.name, model)
        self.model = model.strip()
        self._key = f"{self.name}:{self.model}"
        self._window = context_window
        self._timeouts = timeouts or Timeouts()
        self._retry = retry or RetryPolicy()
        self._connection = OpenAIConnection(
            api_key,
            base_url,
            model=self._key,
            missing="check the model's name and the address",
            connect=self._timeouts.connect,
        )

    @property
    def address(self) -> str:
        """The address that is asked, with ``/v1``."""
        return self._connection.address

    @property
    def context_window(self) -> int:
        """Tokens that fit into one request."""
        if self._window is not None:
            return self._window
        return next((window for start, window in _WINDOWS.items() if self.model.startswith(start)), _UNKNOWN_WINDOW)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Answers piece by piece; see `ragforge_memory.llm.port.ModelProvider.stream`."""
        async with aclosing(with_retries(self._retry, lambda: self._attempt(request))) as chunks:
            async for chunk in chunks:
                yield chunk

    async def aclose(self) -> None:
        """Closes the client and its connections."""
        await self._connection.aclose()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """One request. Everything that the SDK raises becomes a ModelError."""
        client = await self._connection.open()
        answer = _Answer()
        begun = False
        stream = await self._asked(client, request)
        try:
            while True:
                limit = self._timeouts.idle if begun else self._timeouts.first_chunk
                try:
                    with self._connection.failures():
                        event = await within(limit, anext(stream, None), model=self._key, begun=begun)
                except ModelTimeout:
                    if answer.finish is None:
                        raise
                    break  # It had finished; only the end of the body did not come.
                if event is None:
                    break
                begun = True
                for chunk in answer.read(event):
                    yield chunk
        finally:
            await _close(stream)
        if answer.finish is None:
            raise ModelStreamCut(f"{self._key} ended its stream without a finish reason", hint="ask again")
        if answer.finish == "content_filter":
            raise ModelBlocked(f"{self._key} broke off its answer (content_filter)", hint="rephrase the question")
        for made in answer.calls.requests():
            yield ToolRequestChunk(made)
        usage = await self.price(answer.usage)
        kept = {wire.REASONING_FIELD: answer.reasoning} if answer.reasoning is not None else None
        yield Finished(_reason(answer), usage, kept)

    async def price(self, usage: Usage) -> Usage:
        """The usage with its cost, where this address's prices are known; a server of this machine has none."""
        if is_loopback(self.address):
            return usage
        return await priced(usage, model=self.model, address=self.address)

    async def _asked(self, client: AsyncOpenAI, request: ModelRequest) -> AsyncStream[ChatCompletionChunk]:
        """The stream, once the server has accepted the request."""
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": wire.messages(request, model_key=self._key),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            asked["tools"] = wire.tools(request.tools)
        asking: Awaitable[AsyncStream[ChatCompletionChunk]] = client.chat.completions.create(**asked)
        with self._connection.failures():
            return await within(self._timeouts.first_chunk, asking, model=self._key, begun=False)


async def list_models(address: str, api_key: str | None) -> tuple[ServedModel, ...]:
    """The chat models that a server lists, in its order.

    Raises:
        ConfigError: the SDK is missing, requests are off, or the server does not answer within five seconds.
    """
    check_installed()
    check_address(address, os.environ)
    import httpx2

    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        async with httpx2.AsyncClient(timeout=_LISTING_SECONDS, trust_env=not is_loopback(address)) as http:
            response = await http.get(f"{address.rstrip('/')}/models", headers=headers)
            response.raise_for_status()
            return chat_models(response.json())
    except (httpx2.HTTPError, ValueError) as error:
        raise ConfigError(
            f"{address} does not list its models: {error}", hint="check the address, or name a model: openai:MODEL"
        ) from error


class _Answer:
    """What has come of an answer so far."""

    def __init__(self) -> None:
        self.calls = wire.ToolCallAssembly()
        self.finish: str | None = None
        self.reasoning: str | None = None
        self.usage = Usage()

    def read(self, event: ChatCompletionChunk) -> list[ModelChunk]:
        """Takes one event in; the chunks that it holds."""
        if event.usage is not None:
            self.usage = _usage(event.usage)
        if not event.choices:
            return []
        choice = event.choices[0]
        self.finish = choice.finish_reason or self.finish
        delta = choice.delta
        chunks: list[ModelChunk] = []
        # Not OpenAI's: what DeepSeek and llama.cpp call it, then what Ollama, vLLM and OpenRouter do.
        thought = getattr(delta, wire.REASONING_FIELD, None)
        if isinstance(thought, str):
            self.reasoning = (self.reasoning or "") + thought
        thought = thought or getattr(delta, "reasoning", None)
        if isinstance(thought, str) and thought:
            chunks.append(ReasoningChunk(thought))
        if said := delta.content or delta.refusal:
            chunks.append(TextChunk(said))
        for piece in delta.tool_calls or ():
            function = piece.function
            self.calls.add(
                piece.index or 0,
                piece.id,
                function.name if function else None,
                function.arguments if function else None,
            )
        return chunks


def _usage(counted: Any) -> Usage:
    said, asked = counted.completion_tokens_details, counted.prompt_tokens_details
    return Usage(
        input_tokens=counted.prompt_tokens or 0,
        output_tokens=counted.completion_tokens or 0,
        reasoning_tokens=(said.reasoning_tokens or 0) if said else 0,
        cached_tokens=(asked.cached_tokens or 0) if asked else 0,
    )


def _reason(answer: _Answer) -> str:
    if answer.finish == "length":
        return "length"
    if answer.calls:
        return "tool_calls"
    return "stop" if answer.finish in ("stop", "tool_calls") else "other"


async def _close(stream: AsyncStream[ChatCompletionChunk]) -> None:
    """Closes the connection now, also in a task that is being cancelled."""
    import anyio

    with anyio.move_on_after(2, shield=True):
        await stream.close()
