"""The scripted model: what it can be told to do, from Python and from a file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from ragforge_memory.errors import ConfigError, ModelError, ModelRateLimited, ModelStreamCut
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.port import (
    Finished,
    ModelProvider,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequest,
    ToolRequestChunk,
)
from ragforge_memory.llm.scripted import Hang, Pause, ScriptedProvider
from ragforge_memory.models.conversation import Usage
from tests.llm.asking import collect, question

pytestmark = pytest.mark.anyio


def written(path: Path, script: object) -> Path:
    path.write_text(json.dumps(script), encoding="utf-8")
    return path


async def test_each_request_gets_the_next_step_and_is_kept() -> None:
    asked = ToolRequest("a", "search_code", {"query": "x"})
    model = ScriptedProvider([[ReasoningChunk("hm"), "Let me see.", asked], "In auth.py."])

    one = await complete(model, question("first"))
    two = await complete(model, question("second"))

    assert (one.reasoning, one.text, one.tool_requests, one.finished.reason) == (
        "hm",
        "Let me see.",
        (asked,),
        "tool_calls",
    )
    assert (two.text, two.finished.reason) == ("In auth.py.", "stop")
    assert [request.messages[-1].content for request in model.requests] == ["first", "second"]
    assert isinstance(model, ModelProvider)


async def test_one_request_too_many_is_an_error_unless_it_loops() -> None:
    model = ScriptedProvider(["a"])
    await complete(model, question())
    with pytest.raises(ModelError, match="at its end after 1 steps"):
        await complete(model, question())

    looping = ScriptedProvider(["a", "b"], loop=True)
    assert [(await complete(looping, question())).text for _ in range(3)] == ["a", "b", "a"]


async def test_an_exception_is_raised_where_it_stands() -> None:
    model = ScriptedProvider([["so far", ModelStreamCut("gone")], ModelRateLimited("wait", retry_after=3)])

    async with aclosing(model.stream(question())) as chunks:
        assert await anext(chunks) == TextChunk("so far")
        with pytest.raises(ModelStreamCut, match="gone"):
            await anext(chunks)
    with pytest.raises(ModelRateLimited):
        await complete(model, question())


async def test_an_event_holds_the_answer_and_a_hang_lasts_until_cancelled() -> None:
    gate = asyncio.Event()
    model = ScriptedProvider([["one ", gate, Pause(0), "two"], ["never ends", Hang()]])

    held = asyncio.create_task(complete(model, question()))
    while not model.requests:  # noqa: ASYNC110 - one turn of the loop is all that is waited for
        await asyncio.sleep(0)
    assert not held.done()
    gate.set()
    assert (await held).text == "one two"

    stuck = asyncio.create_task(complete(model, question()))
    while len(model.requests) < 2:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)
    stuck.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stuck


async def test_a_step_may_be_a_function_of_the_request_of_any_kind() -> None:
    def echo(request: ModelRequest) -> str:
        return request.messages[-1].content

    async def shout(request: ModelRequest) -> list[str]:
        return [echo(request).upper()]

    async def spell(request: ModelRequest) -> AsyncIterator[str]:
        for letter in echo(request):
            yield letter

    model = ScriptedProvider([echo, shout, spell])

    assert [(await complete(model, question("hey"))).text for _ in range(3)] == ["hey", "HEY", "hey"]
    assert len(await collect(ScriptedProvider([spell]), question("hey"))) == 4


async def test_a_file_makes_the_same_model(tmp_path: Path) -> None:
    script = {
        "model": "demo",
        "delay_ms": 0,
        "steps": [
            {"reasoning": "Let me look.", "tools": [{"name": "search_code", "arguments": {"query": "login"}}]},
            {"text": "It is in auth.py.", "delay_ms": 1, "usage": {"input_tokens": 10, "output_tokens": 5}},
            {"text": ["one", "two"], "finish": "length", "usage": {}},
            {"text": "breaks", "error": {"type": "ModelStreamCut", "message": "the line went dead"}},
            "a string",
        ],
    }
    model = ScriptedProvider.from_file(written(tmp_path / "script.json", script))

    one = await complete(model, question())
    two = await complete(model, question())
    three = await collect(model, question())
    with pytest.raises(ModelStreamCut, match="went dead"):
        await complete(model, question())
    five = await collect(model, question())

    assert model.model == "demo"
    assert one.tool_requests == (ToolRequest("call_1", "search_code", {"query": "login"}),)
    assert one.reasoning == "Let me look."
    assert (two.text, two.finished.usage.input_tokens, two.finished.reason) == ("It is in auth.py.", 10, "stop")
    assert three[:2] == [TextChunk("one"), TextChunk("two")]
    assert isinstance(three[2], Finished)
    assert three[2].reason == "length"
    assert five[:2] == [TextChunk("a "), TextChunk("string")]


@pytest.mark.parametrize(
    "script",
    [
        [],
        {"steps": [1]},
        {"steps": [{"error": {"type": "ValueError"}}]},
        {"steps": [], "delay_ms": "soon"},
    ],
)
def test_a_file_that_is_no_script_is_a_configuration_error(tmp_path: Path, script: object) -> None:
    with pytest.raises(ConfigError) as caught:
        ScriptedProvider.from_file(written(tmp_path / "script.json", script))

    assert caught.value.file == str(tmp_path / "script.json")
    with pytest.raises(ConfigError, match="cannot be read"):
        ScriptedProvider.from_file(tmp_path / "none.json")


async def test_chunks_are_given_as_they_are_and_a_finished_is_the_last_word() -> None:
    asked, last = ToolRequestChunk(ToolRequest("a", "f")), Finished("length", Usage(input_tokens=7), {"kept": True})

    chunks = await collect(ScriptedProvider([["a", asked, last, "not said"]]), question())

    assert chunks == [TextChunk("a"), asked, last]


async def test_pieces_that_mean_nothing_are_a_mistake_of_the_test() -> None:
    with pytest.raises(ModelError, match="cannot hold int"):
        await complete(ScriptedProvider([[1]]), question())  # type: ignore[list-item]
    with pytest.raises(ModelError, match="cannot hold dict"):  # the form of a file
        await complete(ScriptedProvider([{"hang": True}]), question())
