"""What is deprecated, what nothing calls, and where errors are raised at all."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.reading.questions import read_questions
from tests.extractive.asking import ECHO, answer_to, found, requests_for, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("is Talk.echo deprecated?", "deprecated", "Talk.echo"),
        ("has echo been deprecated", "deprecated", "echo"),
        ("what is deprecated?", "deprecated", ""),
        ("which functions are deprecated here?", "deprecated", ""),
        ("is there any deprecated code in this project?", "deprecated", ""),
        ("which functions are never called?", "unused", ""),
        ("is there dead code?", "unused", ""),
        ("list the unused classes", "unused", ""),
        ("which classes are unused?", "unused", ""),
        ("is echo dead code?", "uses", "echo"),
        ("where are errors thrown?", "raises", ""),
        ("where does this project raise exceptions?", "raises", ""),
        ("which functions throw errors?", "raises", ""),
        ("what raises Error?", "raises", "Error"),
        ("where are exceptions caught?", "catches", ""),
        ("where do we catch exceptions?", "catches", ""),
    ],
)
def test_questions_are_read(text: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [(form, target)]


def line(file: str, number: int, text: str) -> dict[str, Any]:
    return {"file": file, "line": number, "text": text}


async def test_a_definition_that_says_it_is_deprecated() -> None:
    asked = "is echo deprecated?"
    assert [tool for tool, _ in await requests_for(user(asked))] == ["read_scope", "grep_code"]
    none: dict[str, Any] = {"matches": []}
    own = {
        **ECHO,
        "source": "    @cached\n    def echo(self):\n        warn('old', DeprecationWarning)\n        return 1",
    }
    assert (await answer_to(asked, {"read_scope": found(own), "grep_code": none})).splitlines()[1:] == [
        "These lines of it speak of that:",
        "- src/talk.py:13 `warn('old', DeprecationWarning)`",
    ]
    above = {**ECHO, "docstring": "Says it.\n\n@deprecated use shout"}
    assert (await answer_to(asked, {"read_scope": found(above), "grep_code": none})).splitlines()[1:] == [
        "Its documentation speaks of that:",
        "> @deprecated use shout",
    ]
    told = {"matches": [line("CHANGES.md", 3, "- echo is deprecated")]}
    assert (await answer_to(asked, {"read_scope": found(ECHO), "grep_code": told})).splitlines()[1:] == [
        "Nothing in it says that it is deprecated.",
        "These lines name `echo` and speak of what is deprecated:",
        "- CHANGES.md:3 `- echo is deprecated`",
    ]
    gone = {"read_scope": found(match="none"), "grep_code": told}
    assert (await answer_to(asked, gone)).startswith("These lines name `echo`")
    assert (await answer_to(asked, {**gone, "grep_code": none})).startswith("Nothing found for `echo`")


async def test_all_that_is_deprecated() -> None:
    ((tool, arguments),) = await requests_for(user("what is deprecated?"))
    assert (tool, arguments["ignore_case"]) == ("grep_code", True)
    lines = {"matches": [line("docs/a.md", 1, "deprecated"), line("a.py", 2, "@deprecated")], "more": False}
    assert (await answer_to("what is deprecated?", {"grep_code": lines})).splitlines() == [
        "2 lines speak of what is deprecated:",
        "- a.py:2 `@deprecated`",
        "- docs/a.md:1 `deprecated`",
    ]
    assert (await answer_to("what is deprecated?", {"grep_code": {"matches": []}})).startswith("Nothing found")


async def test_what_nothing_calls() -> None:
    assert await requests_for(user("which classes are unused?")) == [("find_unused", {"kind": "class"})]
    asked = "which functions are never called?"
    assert await requests_for(user(asked)) == [("find_unused", {"kind": "function"})]
    value = {"kind": "function", "late": False, "total": 2, "scopes": [{**ECHO, "decorated": True}]}
    assert (await answer_to(asked, {"find_unused": value})).splitlines()[:3] == [
        "The names of 2 functions and methods stand nowhere in the code but where they are defined:",
        "- `Talk.echo` - src/talk.py:12 (method), decorated",
        "… and 1 more.",
    ]
    assert (await answer_to(asked, {"find_unused": {**value, "scopes": [], "total": 0}})).startswith("Nothing found")
    assert "no time" in await answer_to(asked, {"find_unused": {**value, "late": True}})
    assert "could not read `src/x.py`" in await answer_to(asked, {"find_unused": {**value, "unread": ["src/x.py"]}})


async def test_where_errors_are_raised_at_all() -> None:
    lines = {"matches": [line("a.py", 2, "raise X"), line("a.py", 9, "raise"), line("b.go", 1, "panic(1)")]}
    assert (await answer_to("where are errors thrown?", {"grep_code": lines})).splitlines() == [
        "Errors are raised in 3 lines of 2 files:",
        "- a.py:2, 9",
        "- b.go:1",
    ]
    assert (await answer_to("where are errors caught?", {"grep_code": {"matches": []}})).startswith("Nothing found")
