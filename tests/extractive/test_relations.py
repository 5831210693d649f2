"""The provider alone: callers, inheritors and bases, as the tools told them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extractive.asking import ECHO, answer_to, found, requests_for, user

pytestmark = pytest.mark.anyio


async def test_callers_are_listed_with_their_lines() -> None:
    callers = [{"qualified_name": "main", "type": "function", "file": "src/app.py", "line": 1, "lines": [4, 9]}]
    target = {**ECHO, "callers": callers, "top_level": [{"file": "run.py", "lines": [2]}], "totals": {"callers": 1}}
    answer = await answer_to("who calls echo?", {"find_callers": found(target)})
    assert answer.splitlines() == [
        "`Talk.echo` (src/talk.py, line 12) is called by 1 scope:",
        "- `main` - src/app.py:4, 9",
        "Outside of functions:",
        "- run.py:2",
    ]
    alone = await answer_to("who calls echo?", {"find_callers": found({**ECHO, "callers": []})})
    assert "no calls of it were found" in alone


async def test_what_only_may_be_a_call_is_not_stated() -> None:
    possible = [
        {"qualified_name": "main", "type": "function", "file": "src/app.py", "line": 1, "lines": [4]},
        {"qualified_name": "", "type": "", "file": "run.py", "line": 0, "lines": [2]},
    ]
    answer = await answer_to("who calls echo?", {"find_callers": found({**ECHO, "callers": [], "possible": possible})})
    assert answer.splitlines() == [
        "`Talk.echo` (src/talk.py, line 12): no call is certain to be of it.",
        "",
        "Calls of some `echo` on something whose type is not known:",
        "- `main` - src/app.py:4",
        "- run.py:2",
    ]


async def test_a_scope_that_uses_a_thing_in_two_ways_is_one() -> None:
    def uses(*lines: int) -> list[dict[str, Any]]:
        return [{"qualified_name": "main", "type": "function", "file": "src/app.py", "line": 1, "lines": list(lines)}]

    target = {**ECHO, "callers": uses(9), "references": uses(4), "totals": {"callers": 1}}
    answer = await answer_to("who uses echo?", {"find_callers": found(target)})
    assert answer.splitlines() == [
        "`Talk.echo` (src/talk.py, line 12) is used by 1 scope:",
        "- `main` - src/app.py:4, 9",
    ]


async def test_each_class_of_a_name_has_its_own_inheritors() -> None:
    def worker(file: str, *below: str) -> dict[str, Any]:
        uses = [{"qualified_name": each, "type": "class", "file": file, "line": 9, "lines": [9]} for each in below]
        return {**ECHO, "qualified_name": "Worker", "type": "class", "file": file, "line": 1, "subclasses": uses}

    value = found(worker("a.py", "Nightly"), worker("b.py"), worker("c.py", "Sender"), {**ECHO, "subclasses": []})
    answer = await answer_to("which classes inherit from Worker?", {"find_callers": value})
    assert answer.splitlines() == [
        "`Worker` (a.py, line 1) is inherited by 1 scope:",
        "- `Nightly` - a.py:9",
        "",
        "`Worker` (c.py, line 1) is inherited by 1 scope:",
        "- `Sender` - c.py:9",
        "",
        "Nothing in this project inherits from `Worker` (b.py, line 1).",
    ]
    alone = await answer_to("which classes inherit from Worker?", {"find_callers": found(worker("b.py"))})
    assert alone == "`Worker` (b.py, line 1): nothing in this project inherits from it."


async def test_bases_are_told_with_their_places_and_others_as_written() -> None:
    flask = {**ECHO, "qualified_name": "Flask", "type": "class", "signature": "class Flask(App, abc.ABC)"}
    above = {"qualified_name": "App", "type": "class", "file": "src/app.py", "line": 3, "lines": [12]}
    text = "what does Flask inherit from?"
    assert await requests_for(user(text)) == [("find_callees", {"name": "Flask"})]
    answer = await answer_to(text, {"find_callees": found({**flask, "bases": [above]}, {**ECHO, "bases": []})})
    assert answer.splitlines() == [
        "`Flask` (src/talk.py, line 12) inherits from 1 definition of this project:",
        "- `App` - src/app.py:3 (class)",
        "It is written as:",
        "> `class Flask(App, abc.ABC)`",
    ]
    alone = await answer_to(text, {"find_callees": found({**flask, "bases": []})})
    assert alone.startswith("`Flask` (src/talk.py, line 12) inherits from nothing that is defined in this project.\n")
    assert alone.endswith("> `class Flask(App, abc.ABC)`")
    assert (await answer_to(text, {"find_callees": found(match="none")})).startswith("Nothing found for `Flask`")
