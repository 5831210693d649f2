"""The provider alone: lines that look like calls of what no call was found of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extractive.asking import ECHO, answer_to, found, requests_for, user

pytestmark = pytest.mark.anyio

SILENT = {**ECHO, "name": "make", "qualified_name": "make", "type": "function", "file": "src/make.ts", "line": 1}
NONE = "`make` (src/make.ts, line 1): no calls of it were found in this project."


def lines(*texts: tuple[str, int, str]) -> dict[str, Any]:
    return {"matches": [{"file": file, "line": line, "text": text} for file, line, text in texts], "more": False}


async def test_before_it_is_said_that_nothing_calls_it_the_text_is_looked_at() -> None:
    given = lines(
        ("README.md", 3, "make(1)"),
        ("src/make.ts", 1, "export function make(n: number) {"),
        ("src/other.ts", 8, "  // make(it) again"),
        ("src/other.ts", 9, "  function make(n) {"),
        ("tests/a.ts", 1, "import { make } from '../src'"),
        ("tests/a.ts", 4, "  expect(make(1)).toBe(1)"),
        ("tests/a.ts", 5, "  make<Some<State>>()(2)"),
    )
    for question in ("who calls make?", "where is make used?"):
        answer = await answer_to(question, {"find_callers": found({**SILENT, "callers": []}), "grep_code": given})
        assert answer.splitlines() == [
            NONE,
            "",
            "But these 2 lines look like calls of it, or of something else of that name:",
            "- tests/a.ts:4 `expect(make(1)).toBe(1)`",
            "- tests/a.ts:5 `make<Some<State>>()(2)`",
        ]
    nothing = await answer_to("who calls make?", {"find_callers": found(SILENT), "grep_code": lines()})
    assert nothing == NONE


@pytest.mark.parametrize(
    ("imports", "module"),
    [
        ("from markupsafe import escape, make", "markupsafe"),
        ("import x, { make } from 'some-lib/x'", "some-lib/x"),
        ("import static org.lib.Things.make;", "org.lib.Things"),
        ("use lib::things::make;", "lib::things"),
    ],
)
async def test_calls_of_what_a_file_imports_from_elsewhere_are_told_as_that(imports: str, module: str) -> None:
    given = lines(("u.py", 1, imports), ("u.py", 3, "    return make(1)"), ("v.py", 3, "make(2)"))
    answer = await answer_to("who calls make?", {"find_callers": found(SILENT), "grep_code": given})
    assert answer.splitlines() == [
        NONE,
        "",
        f"This line calls `make` of {module}, as the file imports it, not this one:",
        "- u.py:3 `return make(1)`",
        "",
        "But this line looks like a call of it, or of something else of that name:",
        "- v.py:3 `make(2)`",
    ]


@pytest.mark.parametrize(
    "imports",
    ["from .x import make", "import { make } from '@/x'", "from pkg.make import make", "from lib import make as m"],
)
async def test_what_may_be_of_the_project_is_not_said_to_be_of_a_library(imports: str) -> None:
    given = lines(("u.py", 1, imports), ("u.py", 3, "    return make(1)"))
    answer = await answer_to("who calls make?", {"find_callers": found(SILENT), "grep_code": given})
    assert "not this one" not in answer
    assert "But this line looks like a call" in answer


async def test_the_text_is_not_looked_at_where_calls_are_known() -> None:
    callers = [{"qualified_name": "main", "type": "function", "file": "src/app.py", "line": 1, "lines": [4]}]
    assert await requests_for(user("who calls make?")) == [("find_callers", {"name": "make"})]
    for known in ({"callers": callers}, {"possible": callers}, {"top_level": [{"file": "a.ts", "lines": [2]}]}):
        answer = await answer_to(
            "who calls make?", {"find_callers": found({**SILENT, **known}), "grep_code": lines(("v.py", 3, "make(2)"))}
        )
        assert "look" not in answer


async def test_files_that_import_the_same_are_told_together_and_that_not_all_lines_were_looked_at() -> None:
    imported = "from markupsafe import make"
    given = lines(("u.py", 1, imported), ("u.py", 3, "make(1)"), ("v.py", 1, imported), ("v.py", 3, "make(2)"))
    answer = await answer_to("who calls make?", {"find_callers": found(SILENT), "grep_code": {**given, "more": True}})
    assert answer.splitlines()[2:] == [
        "These 2 lines call `make` of markupsafe, as their files import it, not this one:",
        "- u.py:3 `make(1)`",
        "- v.py:3 `make(2)`",
        "There may be others.",
    ]
