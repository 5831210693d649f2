"""What a provider gives is checked as it comes, and what it raises is a ModelError, whoever wrote it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from ragforge_memory.errors import ModelError, ModelMalformed, ModelStreamCut
from ragforge_memory.llm.asking import chunks_of, complete
from ragforge_memory.llm.port import Finished, ModelRequest, TextChunk, ToolRequest, ToolRequestChunk
from ragforge_memory.llm.timeouts import LimitedProvider, Timeouts
from ragforge_memory.models.conversation import Usage

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest("be brief", ())


class Mine:
    """A provider of somebody's own: its stream is what it was given, in which an exception is raised."""

    name, model, context_window = "mine", "one", 100_000

    def __init__(self, *given: Any) -> None:
        self._given = given
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
        try:
            for each in self._given:
                if isinstance(each, BaseException):
                    raise each
                yield each
        finally:
            self.closed = True

    async def aclose(self) -> None:
        raise AssertionError("it was given, and is its giver's to close")


def _asks(arguments: Any, **others: Any) -> ToolRequestChunk:
    return ToolRequestChunk(ToolRequest(**{"id": "c", "name": "look", "arguments": arguments, **others}))


def _nested() -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(500):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("chunk", "told"),
    [
        ("just text", "'just text', which is not a chunk"),
        (TextChunk(None), "TextChunk.text=None.: its text is none"),  # type: ignore[arg-type]
        (ToolRequestChunk({"name": "look"}), "its request is not a ToolRequest"),  # type: ignore[arg-type]
        (_asks('{"a": 1}'), "arguments are a dict, not str"),
        (_asks({"a": {1, 2}}), "arguments are not JSON"),
        (_asks(_nested()), "arguments are nested too deeply"),
        (_asks({}, id=7), "id, name and error of a request are text"),
        (Finished(None), "its reason is not text"),  # type: ignore[arg-type]
        (Finished("stop", None), "usage is a Usage, not NoneType"),  # type: ignore[arg-type]
        (Finished("stop", provider_parts=[b"x"]), "provider_parts are not JSON"),
    ],
)
@pytest.mark.parametrize("limited", [False, True])
async def test_what_is_no_chunk_is_named(chunk: Any, told: str, limited: bool) -> None:
    provider = Mine(TextChunk("well "), chunk)
    asked = LimitedProvider(provider, Timeouts()) if limited else provider
    with pytest.raises(ModelMalformed, match=f"^mine:one gave .*{told}") as caught:
        await complete(asked, REQUEST)
    assert caught.value.partial
    assert "docs/models.md" in (caught.value.hint or "")
    assert provider.closed


def _plain_function(request: ModelRequest) -> Any:
    return iter(())


async def _coroutine(request: ModelRequest) -> int:
    return 3


@pytest.mark.parametrize("stream", [_plain_function, _coroutine])
@pytest.mark.parametrize("limited", [False, True])
async def test_a_stream_that_is_none_is_named(
    stream: Callable[[ModelRequest], Any], limited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = Mine()
    monkeypatch.setattr(provider, "stream", stream)
    with pytest.raises(ModelMalformed, match=r"mine:one stream\(\) gave .*, no asynchronous generator"):
        await complete(LimitedProvider(provider, Timeouts()) if limited else provider, REQUEST)


@pytest.mark.parametrize("raised", [KeyError("boom"), SystemExit(3), asyncio.CancelledError("an inner scope")])
@pytest.mark.parametrize("limited", [False, True])
async def test_whatever_it_raises_is_a_model_error(raised: BaseException, limited: bool) -> None:
    provider = Mine(TextChunk("well "), raised)
    with pytest.raises(ModelError, match=f"mine:one failed: {type(raised).__name__}") as caught:
        await complete(LimitedProvider(provider, Timeouts()) if limited else provider, REQUEST)
    assert caught.value.__cause__ is raised
    assert caught.value.partial


async def test_a_cancelled_task_stays_cancelled() -> None:
    class Silent(Mine):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Any, None]:
            await asyncio.Event().wait()
            yield TextChunk("never")

    asking = asyncio.create_task(complete(Silent(), REQUEST))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_nothing_is_read_behind_the_end() -> None:
    provider = Mine(TextChunk("x"), Finished("stop", Usage(output_tokens=1)), TextChunk("y"))
    async with aclosing(chunks_of(provider, REQUEST)) as chunks:
        assert [type(chunk) async for chunk in chunks] == [TextChunk, Finished]
    assert provider.closed


async def test_a_stream_without_an_end_was_cut() -> None:
    with pytest.raises(ModelStreamCut):
        await complete(Mine(TextChunk("half")), REQUEST)
