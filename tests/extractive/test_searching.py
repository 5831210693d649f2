"""The answer to everything else: what a search found, in few lines, and nothing that is not so."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolRegistry
from tests.extractive.asking import answer_to, played, said

pytestmark = pytest.mark.anyio

MODEL = "This is a search; a model would answer."
QUESTION = "how are passwords hashed?"


def scope(name: str, line: int, *text: str, file: str = "app/auth.py", **more: Any) -> dict[str, Any]:
    """A result of `search_code`."""
    lines = [{"line": line + at, "text": each} for at, each in enumerate(text)]
    return {
        "name": name.rpartition(".")[2],
        "qualified_name": name,
        "uuid": name,
        "file": file,
        "line": line,
        "end_line": line + 9,
        "kind": "function",
        "signature": f"def {name}()",
        "lines": lines,
        **more,
    }


def found(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "query": QUESTION,
        "words": ["passwords", "hashed"],
        "results": list(results),
        "searched": {"scopes": 1234, "files": 56, "embedded": 0},
        **more,
    }


def message(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    """A message of `search_conversation`, or a decision."""
    return {
        "message_id": text,
        "conversation_id": "c",
        "this_conversation": False,
        "role": role,
        "timestamp": "2026-11-28T12:00:00+00:00",
        "excerpt": text,
        "code": [],
        **more,
    }


NOTHING: dict[str, Any] = {"messages": []}


async def test_code_is_shown_with_its_lines_then_that_it_is_a_search() -> None:
    results = found(
        scope("hash_password", 4, "def hash_password(text):", "    return argon2(text)"),
        scope("Store.put", 30, "    for each in passwords:", "        put(each)", file="app/store.py", kind="method"),
    )
    answer, asked = await played(QUESTION, {"search_code": results, "search_conversation": NOTHING})
    *lines, last = answer.text.splitlines()
    assert lines == [
        "`hash_password` - app/auth.py:4 (function)",
        "> 4: `def hash_password(text):`",
        "> 5: `    return argon2(text)`",
        "",
        "`Store.put` - app/store.py:30 (method)",
        "> 30: `for each in passwords:`",
        "> 31: `    put(each)`",
        "",
    ]
    assert last.startswith(MODEL)
    assert not answer.finished.echo
    # What was decided about the code that was found.
    decisions = [call["about"] for tool, call in asked if tool == "list_decisions"]
    assert decisions == ["hash_password", "Store.put"]


async def test_a_word_that_is_nowhere_comes_first() -> None:
    results = {"search_code": found(scope("pay", 1, "def pay():"), nowhere=["refund"]), "search_conversation": NOTHING}
    assert (await answer_to(QUESTION, results))[0] == "No code here has the word `refund`."
    results["search_code"]["nowhere"] = ["refund", "invoice", "tax"]
    assert (await answer_to(QUESTION, results))[0] == "No code here has the words `refund`, `invoice` or `tax`."
    results["search_code"] |= {"nowhere": ["refund", "mock"], "nowhere_but_in_tests": ["mock"]}
    assert (await answer_to(QUESTION, results))[:3] == [
        "No code here has the word `refund`.",
        "",
        "Of the code only tests and examples have the word `mock`.",
    ]


async def test_what_was_not_read_limits_what_is_nowhere() -> None:
    results = found(scope("pay", 1, "def pay():"), nowhere=["refund"], not_read={"count": 2, "files": ["app/odd.py"]})
    lines = await answer_to(QUESTION, {"search_code": results, "search_conversation": NOTHING})
    assert lines[2] == "Not read, or in part: app/odd.py; … and 1 more."
    lines = await answer_to(
        QUESTION, {"search_code": found(not_read={"count": 1, "files": ["a.py"]}), "search_conversation": NOTHING}
    )
    assert lines[:3] == [
        "Not read, or in part: a.py",
        "",
        "Nothing found. Looked in 1,234 definitions of 56 files and the conversations.",
    ]


async def test_where_no_code_was_read_nothing_is_said_to_be_nowhere() -> None:
    results = found(nowhere=["refund"], searched={"scopes": 0, "files": 0, "embedded": 0, "languages": []})
    lines = await answer_to(QUESTION, {"search_code": results, "search_conversation": NOTHING})
    assert lines[0] == "No code was read here yet: `ragforge ingest` does that."
    assert "refund" not in "\n".join(lines)
    missing = {"asked": "refund", "match": "none", "scopes": []}
    results = {"read_scope": missing, "search_code": results, "search_conversation": NOTHING}
    assert (await answer_to("where is refund_all?", results))[0] == lines[0]


async def test_a_name_that_is_not_there_leaves_the_search_less_room() -> None:
    near = [{**scope(f"pay{at}", 5, "def pay():"), "type": "function"} for at in range(9)]
    many = [scope(f"f{n}", 10 * n + 5, *(f"pay {at}" for at in range(6)), file=f"{n}.py") for n in range(9)]
    missing = {"asked": "pai", "match": "typo", "scopes": near}
    results = {"read_scope": missing, "search_code": found(*many), "search_conversation": NOTHING}
    lines = await answer_to("where is pai_all?", results)
    assert len(lines) <= 36  # with the line on the model
    uses = {"find_callers": {**missing, "scopes": [{**near[0], "callers": []}]}}
    assert not [line for line in await answer_to("who calls pai_all?", results | uses) if line.startswith("`f")]


async def test_the_code_takes_so_many_lines_and_no_more() -> None:
    many = [scope(f"f{n}", 10 * n + 5, *(f"passwords {at}" for at in range(6)), file=f"{n}.py") for n in range(9)]
    lines = await answer_to(QUESTION, {"search_code": found(*many), "search_conversation": NOTHING})
    assert sum(line.startswith("`f") for line in lines) == 5
    assert len(lines) - 1 <= 35  # and the line on the model


async def test_of_many_lines_those_with_the_words_are_shown() -> None:
    text = [f"line {at}" for at in range(9)]
    text[7] = "passwords are hashed"
    many = [scope(f"f{n}", 10, *text, file=f"{n}.py") for n in range(5)]
    lines = await answer_to(QUESTION, {"search_code": found(*many), "search_conversation": NOTHING})
    assert lines.count("> 17: `passwords are hashed`") == 5


async def test_a_name_of_the_question_comes_before_the_search() -> None:
    named = {
        **scope("Store.put", 30, file="app/store.py"),
        "type": "method",
        "start_line": 29,
        "source": "    @cached\n    def put(self):\n        x = 1\n        y = 2\n        passwords(x)\n",
    }
    results = {
        "read_scope": {"asked": "Store.put", "match": "exact", "total": 1, "scopes": [named]},
        "search_code": found(scope("hash_password", 4), scope("Store.put", 30, file="app/store.py")),
        "search_conversation": NOTHING,
    }
    lines = await answer_to("how does Store.put hash passwords?", results)
    assert lines[0] == "`Store.put` - app/store.py:30 (function)"
    assert "> 33: `    passwords(x)`" in lines
    assert sum(line.startswith("`") for line in lines) == 2
    # One that nothing has, or that is only like another one, leaves the search alone.
    results["read_scope"] = {"asked": "x", "match": "partial", "total": 1, "scopes": [named]}
    assert (await answer_to("how does put_x hash passwords?", results))[0].startswith("`hash_password`")


async def test_what_was_said_and_decided_follows_the_code() -> None:
    corrected = {
        "message_id": "m",
        "timestamp": "2026-11-29T12:00:00+00:00",
        "excerpt": "Update: scrypt.",
        "how": "corrects",
    }
    became = [
        {"name": "hash_password", "file": "app/auth.py", "kind": "discussed", "status": "drifted"},
        {
            "name": "salt",
            "file": "a.py",
            "kind": "discussed",
            "status": "moved",
            "moved_to": "b.py salt",
            "changed": True,
        },
        {"name": "fresh", "file": "a.py", "kind": "discussed", "status": "fresh"},
    ]
    results = {
        "search_code": found(scope("hash_password", 4, "def hash_password():")),
        "search_conversation": {
            "messages": [
                message("how are passwords hashed?"),
                message("show me hash_password"),
                message("Argon2 is the one that\nauditors like.", role="assistant"),
                message("We decided to use argon2.", kind="decision", corrected=corrected),
            ]
        },
        "list_decisions": {"decisions": [message("rule: no md5", kind="rule", code=became)]},
    }
    lines = await answer_to(QUESTION, results)
    at = lines.index("Said before:")
    day = "2026-11-28"
    assert [line.replace(" 12:00", "").replace(" 13:00", "") for line in lines[at:-1]][:4] == [
        "Said before:",
        f'- {day}, you (decision): "We decided to use argon2."',
        '  corrected 2026-11-29: "Update: scrypt."',
        f'- {day}, assistant: "Argon2 is the one that auditors like."',
    ]
    at = lines.index("Decided about this code:")
    assert '(rule): "rule: no md5"' in lines[at + 1]
    assert lines[at + 2 : at + 5] == [
        "  about `hash_password` (app/auth.py): its code has changed since",
        "  about `salt` (a.py): moved to b.py salt, and its code has changed",
        "",
    ]


async def test_lines_that_have_a_message_come_first_or_it_is_said_that_none_has_it() -> None:
    text = 'where is "token has expired" raised?'
    results: dict[str, Any] = {"search_code": found(), "search_conversation": NOTHING}
    results["grep_code"] = {
        "matches": [{"file": "a.py", "line": 3, "text": '  raise E("token has expired")'}],
        "files": 9,
    }
    assert (await answer_to(text, results))[:2] == [
        "The text `token has expired` stands in:",
        '- a.py:3 `raise E("token has expired")`',
    ]
    results["grep_code"] = {"matches": [], "files": 9, "gave_up_after_seconds": None}
    assert (await answer_to(text, results))[0] == "No line of this project has the text `token has expired`."
    results["grep_code"] = {"matches": [], "files": 9, "gave_up_after_seconds": 8.0}
    assert not any(line.startswith("No line") for line in await answer_to(text, results))


async def test_the_definitions_that_a_traceback_points_into_are_told() -> None:
    inner = {**scope("Store.put", 30, file="app/store.py"), "type": "method", "start_line": 29, "end_line": 40}
    outer = {**scope("Store", 1, file="app/store.py"), "type": "class", "start_line": 1, "end_line": 90}
    outline = {"asked": "/srv/app/store.py", "match": "partial", "kind": "file", "file": "app/store.py", "total": 2}
    outlined = {**outline, "scopes": [outer, inner]}
    text = 'Traceback:\n  File "/srv/app/store.py", line 33, in put\nKeyError: no such key in the store'
    results = {"search_code": found(), "search_conversation": NOTHING, "outline": outlined}
    assert (await answer_to(text, {**results, "grep_code": {"matches": []}}))[:2] == [
        "The text points into:",
        "- `Store.put` - app/store.py:30 (function, lines 29-40)",
    ]


async def test_a_search_that_failed_is_said_and_claims_nothing() -> None:
    answer, _ = await played(QUESTION, {"search_code": "Neo4j is away", "search_conversation": NOTHING})
    assert answer.text.splitlines()[0] == "Nothing found. Looked in the conversations."
    assert "The code could not be searched: Neo4j is away." in answer.text
    answer, _ = await played(QUESTION, {"search_code": "Neo4j is away", "search_conversation": "Neo4j is away"})
    assert "Nothing found" not in answer.text
    assert answer.finished.echo


async def test_an_answer_without_code_is_an_echo() -> None:
    heard = {"messages": [message("Argon2 it is.")]}
    for results, echo in [
        ({"search_code": found(), "search_conversation": heard}, True),
        ({"search_code": found(scope("f", 1, "x")), "search_conversation": heard}, False),
    ]:
        assert (await played(QUESTION, results))[0].finished.echo is echo


async def test_an_agent_without_tools_says_so() -> None:
    answer, _ = await played(QUESTION, {}, tools=())
    assert answer.text.startswith("This agent offers no tool that looks this up")
    custom = ToolRegistry([each for each in CODE_SEARCH_TOOLS if each.__name__ == "read_file"]).specs
    assert (await played(QUESTION, {}, tools=custom))[0].text == answer.text


async def test_the_second_of_a_search_can_be_meant() -> None:
    before = "`hash_password` - app/auth.py:4 (function)\n\n`Store.put` - app/store.py:30 (method)\n> 31: `put(each)`"
    _, asked = await played("who calls the second one?", {"find_callers": "?"}, said(before))
    assert asked[0] == ("find_callers", {"name": "Store.put", "file": "app/store.py"})


async def test_a_plain_word_that_is_no_definition_is_only_searched_for() -> None:
    near = {"asked": "caching", "match": "partial", "total": 1, "scopes": [scope("caching_on", 9)]}
    results = {"read_scope": near, "search_code": found(scope("Cache", 1, "x")), "search_conversation": NOTHING}
    assert (await answer_to("how does caching work?", results))[0] == "`Cache` - app/auth.py:1 (function)"
    assert (await answer_to("where is caching?", results))[:2] == [
        "No definition here is called `caching`. The nearest, as a guess:",
        "- `caching_on` - app/auth.py:9 (function)",
    ]
