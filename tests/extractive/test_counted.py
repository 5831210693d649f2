"""The provider alone: what is counted is what is listed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extractive.asking import ECHO, answer_to

pytestmark = pytest.mark.anyio


def outlined(*scopes: tuple[str, str], total: int | None = None) -> dict[str, Any]:
    entries = [
        {"name": name.rpartition(".")[2], "qualified_name": name, "type": kind, "line": line}
        for line, (name, kind) in enumerate(scopes, 1)
    ]
    return {
        "kind": "file",
        "match": "exact",
        "file": "src/talk.py",
        "other_files": [],
        "total": total or len(entries),
        "scopes": entries,
    }


async def test_tests_are_counted_without_what_helps_them() -> None:
    rust = outlined(("run", "function"), ("help", "function"), ("runs", "function"))
    rust["scopes"][1]["test_only"], rust["scopes"][2]["test"] = True, True
    answer = await answer_to("how many tests are in talk.py?", {"outline": rust})
    assert answer == "`src/talk.py` contains 1 test:\n- `runs` - src/talk.py:3 (function)"
    python = {**outlined(("fixed", "function"), ("test_run", "function")), "file": "tests/test_talk.py"}
    answer = await answer_to("list the tests in test_talk.py", {"outline": python})
    assert answer == "`tests/test_talk.py` contains 1 test:\n- `test_run` - tests/test_talk.py:2 (function)"


async def test_what_is_counted_is_what_is_listed() -> None:
    value = {
        "outline": outlined(("Talk", "class"), ("Talk.echo", "method"), ("run", "function"), ("LIMIT", "constant"))
    }
    for asked, first, listed in [
        ("what is in talk.py?", "contains 4 definitions:", 4),
        ("list all classes in talk.py", "contains 1 class:", 1),
        ("list all functions in talk.py", "contains 1 method and 1 function:", 2),
        ("list the classes and functions in talk.py", "contains 1 class, 1 method and 1 function:", 3),
        ("list all constants in talk.py", "contains 1 constant:", 1),
        ("list all enums in talk.py", "contains no enum, but 4 definitions:", 4),
    ]:
        answer = await answer_to(asked, value)
        assert answer.splitlines()[0] == f"`src/talk.py` {first}", asked
        assert answer.count("\n- `") == listed, asked
    two = outlined(("Talk", "class"), ("Walk", "class"))
    assert "contains 2 classes:" in await answer_to("list all classes in talk.py", {"outline": two})
    empty = {"outline": {**outlined(), "total": 0}}
    assert await answer_to("what is in talk.py?", empty) == "`src/talk.py` contains 0 definitions."


async def test_a_long_list_leaves_nothing_out_without_saying_so() -> None:
    methods = [("Talk", "class"), *((f"Talk.m{number}", "method") for number in range(130))]
    answer = await answer_to("list all methods in talk.py", {"outline": outlined(*methods)})
    assert answer.startswith("`src/talk.py` contains 130 methods:\n- `Talk.m0`")
    assert answer.count("\n- `") == 120
    assert answer.endswith("… and 10 more.")
    whole = await answer_to("what is in talk.py?", {"outline": outlined(*methods)})
    assert whole.startswith("`src/talk.py` contains 131 definitions:\n- `Talk` - src/talk.py:1 (class): `m0`, `m1`")
    cut = await answer_to("list all methods in talk.py", {"outline": outlined(*methods[:10], total=500)})
    assert cut.startswith("`src/talk.py` contains 9 methods:")
    assert cut.endswith("… and 490 more definitions deeper inside, which are not looked at here.")


async def test_overloads_are_not_counted_beside_what_they_overload() -> None:
    value = outlined(("say", "function"), ("say", "function"))
    value["scopes"][0]["overload"] = True
    answer = await answer_to("list all functions in talk.py", {"outline": value})
    assert answer == "`src/talk.py` contains 1 function:\n- `say` - src/talk.py:2 (function), overloaded in line 1"


async def test_the_members_of_a_class_are_counted_as_what_they_are() -> None:
    members = outlined(("Talk.echo", "method"), ("Talk.LIMIT", "constant"))["scopes"]
    owner = {**ECHO, "qualified_name": "Talk", "type": "class"}
    value = {"kind": "scope", "match": "exact", "scope": owner, "scopes": members, "total": 2}
    answer = await answer_to("list the methods of Talk", {"outline": value})
    assert answer.splitlines()[1:] == ["It has 1 method inside:", "- `Talk.echo` - src/talk.py:1 (method)"]
    assert "It has 2 definitions inside:" in await answer_to("what is in Talk?", {"outline": value})


async def test_what_the_project_has_is_counted() -> None:
    types = {"class": 2, "function": 7, "method": 4, "test": 1}
    folder = {"kind": "folder", "asked": ".", "match": "exact", "total": 3, "files": ["a.py"], "types": types}
    for asked, number in [
        ("how many tests are there?", "1 test in 3 source files:"),
        ("how many tests does this project have?", "1 test in 3 source files:"),
        ("how many functions are there?", "7 functions and 4 methods in 3 source files:"),
        ("how many enums are there?", "0 enums in 3 source files:"),
        ("what is in this project?", "3 source files:"),
    ]:
        answer = await answer_to(asked, {"outline": folder})
        assert answer.splitlines()[0] == f"This project contains {number}", asked


async def test_of_many_the_names_are_told_by_file_and_of_too_many_their_number() -> None:
    folder = {
        "kind": "folder",
        "asked": ".",
        "match": "exact",
        "total": 1,
        "files": ["a.py"],
        "types": {"function": 70},
    }
    scopes = [{"qualified_name": f"run{n}", "type": "function", "file": "a.py", "line": n} for n in range(70)]
    some = {"kinds": ["function"], "total": 70, "types": {"function": 70}, "scopes": scopes}
    answer = await answer_to("which functions are there?", {"outline": folder, "list_definitions": some})
    assert answer.startswith("This project has 70 functions in 1 file:\n- a.py: `run0`, `run1`,")
    assert answer.endswith("`run11` and 58 more")
    # What is left out of a long list may have lost its lines and types before.
    some["scopes"] = [{"qualified_name": "run0", "file": "a.py"}]
    answer = await answer_to("which functions are there?", {"outline": folder, "list_definitions": some})
    assert answer.startswith("This project has 70 functions, too many to list. Its files:\n- a.py\n")
