"""The provider alone: callers, inheritors and bases, as the tools told them."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.tools.code_uses import _bounded
from ragforge_memory.tools.shown import size_of
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


async def test_calls_of_what_it_overrides_may_be_of_it() -> None:
    through = {"qualified_name": "main", "file": "src/app.py", "line": 1, "lines": [4], "calls": "Base.echo"}
    target = {**ECHO, "callers": [], "through": [through]}
    answer = await answer_to("who calls Talk.echo?", {"find_callers": found(target)})
    assert answer.splitlines() == [
        "`Talk.echo` (src/talk.py, line 12): no call is certain to be of it.",
        "It overrides `Base.echo`, and calls of that may be of it (1 scope):",
        "- `main` - src/app.py:4",
    ]
    base = {**ECHO, "qualified_name": "Base.echo", "file": "src/base.py", "callers": [through]}
    both = await answer_to("who calls echo?", {"find_callers": found(target, base)})
    assert "may be of it" not in both
    assert "- `main` - src/app.py:4" in both


async def test_overloads_are_not_said_to_be_called_by_nobody() -> None:
    callers = [{"qualified_name": "main", "type": "function", "file": "src/app.py", "line": 1, "lines": [4, 9]}]
    other = {**ECHO, "line": 40, "start_line": 40, "callers": []}
    answer = await answer_to("who calls echo?", {"find_callers": found({**ECHO, "callers": callers}, other)})
    assert "No calls found" not in answer
    assert "Overloads are not told apart: the calls above may be of `Talk.echo` (src/talk.py, line 40) too." in answer


async def test_what_inherits_is_counted_though_a_result_has_not_all_of_it() -> None:
    below = [{"qualified_name": "Loud", "type": "class", "file": "src/loud.py", "line": 3, "lines": [3]}]
    base = {**ECHO, "type": "class", "totals": {"subclasses": 49}}
    some = await answer_to("what inherits from Talk.echo?", {"find_callers": found({**base, "subclasses": below})})
    assert "is inherited by 49 scopes:\n- `Loud` - src/loud.py:3" in some
    assert "and 48 more" in some
    none = await answer_to("what inherits from Talk.echo?", {"find_callers": found({**base, "subclasses": []})})
    assert "inherited by 49 scopes" in none


def test_a_long_list_leaves_room_for_the_others() -> None:
    long = [{"file": f"src/module_{number}.py", "line": number, "lines": [number]} for number in range(400)]
    uses = {"callers": long[:40], "top_level": [], "possible": long, "references": long, "subclasses": long[:30]}
    kept = _bounded(uses, 20_000)
    assert kept["subclasses"] == long[:30]
    assert kept["totals"] == {"callers": 40, "top_level": 0, "possible": 400, "references": 400, "subclasses": 30}
    assert size_of([each for name in uses for each in kept[name]]) <= 20_000


async def test_what_is_inside_of_a_thing_under_its_former_name_is_told() -> None:
    was = {"qualified_name": "Talk.say", "file": "src/talk.py", "line": 9, "commit": None, "status": "moved"}
    value = {"asked": "say", "match": "moved", "was": was, "kind": "scope", "scope": ECHO, "scopes": [], "total": 0}
    answer = await answer_to("list the methods of say", {"outline": value})
    assert "When it was spoken of, `Talk.say` was in src/talk.py:9. It is `Talk.echo` in src/talk.py now." in answer


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


async def test_many_calls_that_may_be_of_another_owner_are_counted() -> None:
    def uses(number: int) -> list[dict[str, Any]]:
        return [
            {"qualified_name": f"use_{at}", "type": "function", "file": "src/app.py", "line": at, "lines": [at]}
            for at in range(1, number + 1)
        ]

    target = {**ECHO, "callers": uses(1), "possible": uses(11)}
    told = "11 scopes more call some `echo` on something whose type is not known; `who calls echo?` lists them."
    assert (await answer_to("who calls Talk.echo?", {"find_callers": found(target)})).splitlines()[-1] == told
    assert told not in await answer_to("who calls echo?", {"find_callers": found(target)})
    # Where none is certain, they are all that there is; and a few are no burden.
    alone = await answer_to("who calls Talk.echo?", {"find_callers": found({**target, "callers": []})})
    assert "- `use_11` - src/app.py:11" in alone
    few = await answer_to("who calls Talk.echo?", {"find_callers": found({**target, "possible": uses(10)})})
    assert "- `use_10` - src/app.py:10" in few


async def test_a_trait_is_implemented() -> None:
    trait = {**ECHO, "qualified_name": "Sink", "type": "trait"}
    below = [{"qualified_name": "Json", "type": "struct", "file": "src/json.rs", "line": 3, "lines": [3]}]
    for text in ("list implementations of Sink", "which types implement Sink?", "by what is Sink implemented?"):
        assert await requests_for(user(text)) == [("find_callers", {"name": "Sink"})]
        some = await answer_to(text, {"find_callers": found({**trait, "subclasses": below})})
        assert some.splitlines()[0] == "`Sink` (src/talk.py, line 12) is implemented by 1 scope:"
    wider = [{**below[0], "qualified_name": "Wide", "type": "interface"}]
    some = await answer_to("who implements Sink?", {"find_callers": found({**trait, "subclasses": wider})})
    assert some.splitlines()[0] == "`Sink` (src/talk.py, line 12) is inherited by 1 scope:"
    none = await answer_to("who implements Sink?", {"find_callers": found({**trait, "subclasses": []})})
    assert none == "`Sink` (src/talk.py, line 12): nothing in this project implements it."
    json = {**ECHO, "qualified_name": "Json", "type": "struct", "bases": [trait]}
    for text in ("what does Json implement?", "which traits are implemented by Json?"):
        above = await answer_to(text, {"find_callees": found(json)})
        assert above.splitlines()[0] == "`Json` (src/talk.py, line 12) implements 1 definition of this project:"


async def test_what_implements_an_interface_of_go_is_said_to_be_unknown() -> None:
    matcher = {**ECHO, "qualified_name": "matcher", "type": "interface", "file": "mux.go"}
    unknown = (
        "What has the methods of `matcher` (mux.go, line 12) is not followed: "
        "in Go a type implements an interface by its methods alone, without naming it."
    )
    none = await answer_to("which types implement matcher?", {"find_callers": found({**matcher, "subclasses": []})})
    assert none == unknown
    below = [{"qualified_name": "wide", "type": "interface", "file": "mux.go", "line": 3, "lines": [3]}]
    some = await answer_to("which types implement matcher?", {"find_callers": found({**matcher, "subclasses": below})})
    embedded = ["`matcher` (mux.go, line 12) is embedded in 1 interface:", "- `wide` - mux.go:3", "", unknown]
    assert some.splitlines() == embedded
    below.append({"qualified_name": "box", "type": "struct", "file": "mux.go", "line": 8, "lines": [8]})
    both = await answer_to("which types implement matcher?", {"find_callers": found({**matcher, "subclasses": below})})
    assert both.splitlines() == [
        *embedded[:3],
        "`matcher` (mux.go, line 12) is implemented by 1 scope:",
        "- `box` - mux.go:8",
        "",
        unknown,
    ]


async def test_a_method_is_implemented_by_what_overrides_it() -> None:
    over = [{"qualified_name": "Json.echo", "type": "method", "file": "src/json.rs", "line": 3, "lines": [3]}]
    answer = await answer_to("what implements Talk.echo?", {"find_callers": found({**ECHO, "overrides": over})})
    assert answer.splitlines() == [
        "`Talk.echo` (src/talk.py, line 12) is overridden by 1 definition:",
        "- `Json.echo` - src/json.rs:3",
    ]


async def test_how_something_runs_is_no_name() -> None:
    for text in ("what runs in parallel?", "which functions run at startup?", "who calls on error?"):
        assert {tool for tool, _ in await requests_for(user(text))} == {"search_code"}


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


def test_what_includes_a_module_is_below_it() -> None:
    (question,) = read_questions("which classes include Greets?")
    assert (question.form, question.target.text) == ("subclasses", "Greets")


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


async def test_what_overrides_a_name_of_many_says_what_was_not_looked_at() -> None:
    over = [{"qualified_name": "Loud.echo", "type": "method", "file": "src/loud.py", "line": 3, "lines": [3]}]
    other = {**ECHO, "qualified_name": "Wall.echo", "file": "src/wall.py"}
    target = {**ECHO, "overrides": over}
    value = {**found(other, target, {**target, "line": 40}), "total": 9}
    assert (await answer_to("what overrides echo?", {"find_callers": value})).splitlines() == [
        "`Talk.echo` (src/talk.py, line 12) is overridden by 1 definition:",
        "- `Loud.echo` - src/loud.py:3",
        "",
        "Nothing that inherits from their types overrides `Wall.echo` (src/wall.py, line 12).",
        "",
        "6 more definitions of that name, not looked at for what overrides them;",
        "`what overrides CLASS.echo?` asks of one.",
    ]


async def test_what_overrides_any_of_a_name_of_many_is_looked_for() -> None:
    over = [{"qualified_name": "Loud.echo", "type": "method", "file": "src/loud.py", "line": 3, "lines": [3]}]
    some = [{**ECHO, "qualified_name": f"Wall{number}.echo", "overrides": []} for number in range(10)]
    first = {**found(*some[:8]), "total": 11}
    every = found({**ECHO, "overrides": over}, *some)
    for text in ("what overrides echo?", "what implements echo?"):
        answer = (await answer_to(text, {"find_callers": first, "find_overrides": every})).splitlines()
        assert answer[:2] == [
            "`Talk.echo` (src/talk.py, line 12) is overridden by 1 definition:",
            "- `Loud.echo` - src/loud.py:3",
        ]
        assert answer[-1].startswith("Nothing that inherits from their types overrides `Wall0.echo` ")
        assert answer[-1].endswith("`Wall7.echo` (src/talk.py, line 12) and 2 more of that name.")


async def test_what_is_sealed_is_overridden_by_nothing() -> None:
    over = [{"qualified_name": "Loud.echo", "type": "method", "file": "src/loud.cs", "line": 3, "lines": [3]}]
    sealed = {**ECHO, "signature": "protected sealed override bool echo(Far far)", "overrides": over}
    answer = await answer_to(
        "what overrides echo?", {"find_callers": found(sealed, {**sealed, "line": 40, "signature": ""})}
    )
    assert answer.splitlines() == [
        "`Talk.echo` (src/talk.py, line 40) is overridden by 1 definition:",
        "- `Loud.echo` - src/loud.cs:3",
        "",
        "Nothing that inherits from their types overrides `Talk.echo` (src/talk.py, line 12).",
    ]
