"""Functions as tools: what is told of them, and what cannot be one."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from typing import Any, Literal

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.errors import InvalidInput
from ragforge_memory.tools.registry import ToolRegistry, tool
from tests.tools.functions import Colour, Point, add, whoami


def test_the_schema_says_types_defaults_and_what_the_docstring_says() -> None:
    (spec,) = ToolRegistry([add]).specs
    assert spec.name == "add"
    assert spec.description == "Adds two numbers.\n\nBoth are whole.\n\nReturns: Their sum."
    assert spec.parameters == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "a": {"type": "integer", "description": "the first number, as it comes."},
            "b": {"type": "integer", "default": 2, "description": "the second."},
        },
        "required": ["a"],
    }


def test_the_context_is_not_in_the_schema_and_a_property_called_title_stays() -> None:
    (spec,) = ToolRegistry([whoami]).specs
    assert set(spec.parameters["properties"]) == {"title"}


def test_rich_types_become_json_schema() -> None:
    def paint(colour: Colour, where: list[Point], how: Literal["wet", "dry"] = "wet", _x: int | None = None) -> None:
        """Paints."""

    (spec,) = ToolRegistry([paint]).specs
    assert spec.parameters["properties"]["how"]["enum"] == ["wet", "dry"]
    assert spec.parameters["properties"]["where"]["type"] == "array"
    assert set(spec.parameters["properties"]) == {"colour", "where", "how", "_x"}
    assert json.dumps(spec.parameters)


def test_what_cannot_be_a_tool_is_refused_with_a_reason() -> None:
    def silent() -> None: ...

    def unhinted(x) -> None:  # type: ignore[no-untyped-def]
        """Has no hint."""

    def star(*rest: int) -> None:
        """Takes any."""

    def strange(x: threading.Lock) -> None:  # type: ignore[valid-type]
        """Takes a lock."""

    def unknown(x: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Has a hint that is nowhere."""

    def yields() -> Any:
        """Yields."""
        yield 1

    for function, reason in [
        (lambda: 1, "lambda"),
        (silent, "no docstring"),
        (unhinted, "no type hint"),
        (star, "by name only"),
        (strange, "cannot be described"),
        (unknown, "cannot be read"),
        (yields, "generator"),
        (print, "must be a function"),
        (Point(1, 2), "must be a function"),
    ]:
        with pytest.raises(InvalidInput, match=reason):
            ToolRegistry([function])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="docstring"):
        tool(silent)
    with pytest.raises(InvalidInput, match="name"):
        tool(name="no spaces")(add.__wrapped__ if hasattr(add, "__wrapped__") else lambda: None)
    with pytest.raises(InvalidInput, match="two tools"):
        ToolRegistry([add, add])
    # An agent finds out before it opens anything.
    for refused, reason in [([star], "by name only"), ([unhinted], "no type hint"), ([add, add], "two tools")]:
        with pytest.raises(InvalidInput, match=reason):
            AsyncConversationAgent(tools=refused)
    with pytest.raises(InvalidInput, match="time-out"):
        ToolRegistry([], timeout=0)


def test_settings_of_the_decorator_are_kept() -> None:
    @tool(name="write-it", side_effects=True)
    def write() -> None:
        """Writes."""

    @tool(concurrent=False)
    def alone() -> None:
        """Runs alone."""

    registry = ToolRegistry([write, alone, add])
    assert registry.names == ("write-it", "alone", "add")
    assert [registry.side_effects(name) for name in registry.names] == [True, False, False]
    assert [registry.concurrent(name) for name in registry.names] == [False, False, True]
    assert "add" in registry
    assert len(registry) == 3


def test_the_arguments_of_a_function_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(number: int) -> int:
        """Doubles."""
        return 2 * number

    [first] = ToolRegistry([double]).specs
    with monkeypatch.context() as broken:
        broken.setattr("pydantic.create_model", None)
        [again] = ToolRegistry([double]).specs
    assert again == first
    double.__doc__ = "Says something else."
    [told] = ToolRegistry([double]).specs
    assert told.description == "Says something else."


# No JSON has such a default.
@pytest.mark.filterwarnings("ignore::pydantic.json_schema.PydanticJsonSchemaWarning")
def test_a_function_that_nobody_has_any_more_dies() -> None:
    class Held(str):
        by: Any = None

    def made() -> list[weakref.ref[Any]]:
        def plain(number: int = 1) -> int:
            """Gives it back."""
            return number

        def held(text: str = Held("x")) -> str:
            """Is held by its own default."""
            return text

        held.__defaults__[0].by = held  # type: ignore[index]
        ToolRegistry([plain, held])
        return [weakref.ref(plain), weakref.ref(held)]

    functions = made()
    gc.collect()
    assert [each() for each in functions] == [None, None]
