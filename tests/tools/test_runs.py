"""Calls of tools: the check of their arguments, and that nothing but cancelling escapes."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from ragforge_memory.errors import GraphUnavailable, ToolError
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.tools.registry import ToolContext, ToolOutput, ToolRegistry, tool
from tests.tools.functions import CONTEXT, Colour, Point, add, run, whoami

pytestmark = pytest.mark.anyio


async def test_values_arrive_as_the_types_that_the_hints_name() -> None:
    seen: list[Any] = []

    def paint(colour: Colour, where: list[Point], schema: Annotated[int, "named like a method"] = 0) -> None:
        """Paints."""
        seen.extend([colour, where, schema])

    ran = await run(paint, colour="blue", where=[{"x": 1, "y": "2"}], schema=3)
    assert ran.success
    assert ran.content == "null"
    assert seen == [Colour.BLUE, [Point(1, 2)], 3]


async def test_a_decorated_function_is_still_itself() -> None:
    assert add(1) == 3
    assert await whoami(CONTEXT) == "ada"


async def test_sync_functions_run_in_another_thread() -> None:
    def where() -> int:
        """Says in which thread it runs."""
        return threading.get_ident()

    assert (await run(where)).value != threading.get_ident()


async def test_a_coroutine_that_a_sync_wrapper_returns_is_awaited() -> None:
    def wrapped(context: ToolContext) -> Any:
        """Wraps."""
        return whoami(context, title="Ms ")

    assert (await run(wrapped)).value == "Ms ada"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, ["a is missing", "a: integer, b: integer (optional)"]),
        ({"a": "many"}, ["a: Input should be a valid integer", "got 'many'"]),
        ({"a": 1, "c": 2}, ["there is no argument c"]),
        ({"a": {"x" * 200: 1}}, ["xxx…)"]),
    ],
)
async def test_bad_arguments_are_a_result_that_says_what_is_expected(
    arguments: dict[str, Any], says: list[str]
) -> None:
    ran = await run(add, **arguments)
    assert not ran.success
    assert ran.error is not None
    for part in says:
        assert part in ran.error
    assert json.loads(ran.content) == {"error": ran.error}


async def test_arguments_that_were_bad_json_are_a_result() -> None:
    ran = await ToolRegistry([add]).run(ToolRequest("1", "add", error="line 1: expected }"), CONTEXT)
    assert ran.error == (
        "the arguments of add are not valid JSON: line 1: expected }; it takes: a: integer, b: integer (optional)"
    )


async def test_an_unknown_tool_is_a_result_that_names_the_nearest() -> None:
    registry = ToolRegistry([add, whoami])
    assert (await registry.run(ToolRequest("1", "ad"))).error == "there is no tool ad; the nearest is add"
    other = await registry.run(ToolRequest("1", "zzzzzz"))
    assert other.error == "there is no tool zzzzzz; there are: add, whoami"


async def test_errors_inside_tools_are_results(caplog: pytest.LogCaptureFixture) -> None:
    def refuses() -> None:
        """Refuses."""
        raise ToolError("no such table", hint="ask for the list first")

    def breaks() -> None:
        """Breaks."""
        raise KeyError("x")

    def reads() -> None:
        """Reads the graph."""
        raise GraphUnavailable("Neo4j cannot be reached", hint="start it")

    assert (await run(refuses)).error == "no such table (ask for the list first)"
    ran = await run(reads)
    assert (ran.error, ran.error_kind) == ("Neo4j cannot be reached (start it)", "GraphUnavailable")
    with caplog.at_level(logging.WARNING):
        assert (await run(breaks)).error == "breaks failed: KeyError: 'x'"
    assert "the tool breaks failed" in caplog.text


async def test_a_time_out_of_the_tools_own_is_not_ours() -> None:
    async def slow() -> None:
        """Fails by itself."""
        raise TimeoutError("the other side")

    assert (await run(slow)).error == "slow failed: TimeoutError: the other side"


async def test_a_call_that_takes_too_long_is_given_up() -> None:
    release = threading.Event()

    @tool(timeout=0.01)
    async def waits() -> None:
        """Waits for ever."""
        await asyncio.Event().wait()

    @tool(timeout=0.01)
    def blocks() -> None:
        """Blocks its thread."""
        release.wait(30)

    try:
        assert (await run(waits)).error == "waits was given up after 0.01 s"
        assert (await run(blocks)).error == "blocks was given up after 0.01 s"
    finally:
        release.set()


async def test_cancelling_the_turn_comes_through() -> None:
    started = asyncio.Event()

    async def waits() -> None:
        """Waits for ever."""
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(run(waits))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_scopes_come_along_once_each() -> None:
    def shows() -> ToolOutput:
        """Shows."""
        return ToolOutput(Point(1, 2), scopes=("a", "b", "a"))

    ran = await run(shows)
    assert ran.value == {"x": 1, "y": 2}
    assert ran.content == '{"x": 1, "y": 2}'
    assert ran.scopes == (("a", "read"), ("b", "read"))


def _circle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


async def test_infinity_and_half_characters_become_what_can_be_stored() -> None:
    def odd() -> object:
        """Gives odd values."""
        return {"x": float("inf"), "y": "\ud800"}

    ran = await run(odd)
    assert ran.value == {"x": None, "y": "?"}


@pytest.mark.parametrize(("text", "limit"), [("a" * 300, 1024), ("a" * 1_200, 1024), ('é🎉"\n' * 300, 1_999)])
async def test_a_result_that_is_too_long_is_cut_and_says_so(text: str, limit: int) -> None:
    def says() -> dict[str, str]:
        """Says a lot."""
        return {"text": text * 3}

    ran = await ToolRegistry([says], result_limit=limit).run(ToolRequest("1", "says"))
    assert len(ran.content.encode()) <= limit
    assert json.loads(ran.content) == ran.value
    assert ran.truncated == (ran.size_bytes > limit)
    if ran.truncated:
        assert ran.value["truncated"] is True
        assert ran.value["total_bytes"] == ran.size_bytes


async def test_a_tool_that_needs_a_conversation_says_so_without_one() -> None:
    ran = await ToolRegistry([whoami]).run(ToolRequest("1", "whoami"))
    assert ran.error == "whoami works inside a conversation only"


class Branchy(BaseModel):
    """Holds itself."""

    name: str
    below: list[Branchy] = []


async def test_what_is_expected_says_what_an_argument_is_made_of() -> None:
    def draw(at: Point, colour: Colour, tree: Branchy | None = None) -> str:
        """Draws."""
        return "drawn"

    ran = await ToolRegistry([draw]).run(ToolRequest("1", "draw", {"at": 7, "colour": "red"}), CONTEXT)
    assert ran.error is not None
    assert ran.error.endswith(
        "it takes: at: object with x: integer, y: integer, colour: one of red, blue, "
        "tree: object with name: string, below: list of Branchy or null (optional)"
    )


@pytest.mark.parametrize("value", [b"\xff", object(), _circle()])
async def test_a_tool_whose_value_is_no_json_is_said_to_have_run(value: Any) -> None:
    ran_so_often: list[int] = []

    @tool(side_effects=True)
    def press() -> Any:
        """Presses the button."""
        ran_so_often.append(1)
        return value

    ran = await ToolRegistry([press]).run(ToolRequest("1", "press"), CONTEXT)
    assert ran_so_often == [1]
    assert not ran.success
    assert ran.error is not None
    assert ran.error.startswith("press ran, but JSON cannot hold what it gave: ")


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def bump(self, by: int = 1) -> int:
        """Counts on."""
        self.count += by
        return self.count


async def test_a_bound_method_is_a_tool_of_its_object() -> None:
    counter = Counter()
    assert (await run(counter.bump, by=3)).value == 3
    assert counter.count == 3
