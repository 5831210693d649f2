"""Which tools a message asks, and with what: the forms of each intent, at the provider's door."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.extractive.asking import TOOLS, requests_for, said, user

pytestmark = pytest.mark.anyio

ANSWER = said(
    "`Talk.echo` - src/talk.py:12 (method, lines 11-14) is called by 2 scopes:\n- `main` - src/app.py:4\n"
    "- `Shell.run` - src/shell.py:9, 12\nSee also `Other` - not/a.py:1"
)


def where(name: str, **more: str) -> tuple[str, dict[str, Any]]:
    return "read_scope", {"name": name, **more, "include_source": False}


def what(name: str, **more: str) -> tuple[str, dict[str, Any]]:
    return "read_scope", {"name": name, **more}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("where is Talk.echo?", where("Talk.echo")),
        ("Can you tell me where `echo` is defined?", where("echo")),
        ("Which file defines echo?", where("echo")),
        ("where is the echo method", where("echo", kind="method")),
        ("where is the Function class?", where("Function", kind="class")),
        ("where is echo in src/talk.py?", where("echo", file="src/talk.py")),
        ("where is the invoke of Command?", where("Command.invoke")),
        (r"where is \FastRoute\simpleDispatcher defined?", where(r"\FastRoute\simpleDispatcher")),
        ("what does echo do?", what("echo")),
        ("what is the purpose of Talk::echo?", what("Talk::echo")),
        ("show me the code of echo", what("echo")),
        ("how is echo implemented?", what("echo")),
        ("echo_twice", what("echo_twice")),
        ("who calls echo in talk.py?", ("find_callers", {"name": "echo", "file": "talk.py"})),
        ("which functions use echo?", ("find_callers", {"name": "echo"})),
        ("list all callers of the function echo", ("find_callers", {"name": "echo", "kind": "function"})),
        ("what does echo call?", ("find_callees", {"name": "echo"})),
        ("what functions are called by `echo`?", ("find_callees", {"name": "echo"})),
        ("what's in talk.py", ("outline", {"target": "talk.py"})),
        ("what is in the tests folder?", ("outline", {"target": "tests/"})),
        ("list the methods of Talk", ("outline", {"target": "Talk"})),
        ("where is talk.py?", ("outline", {"target": "talk.py"})),
        ("what does this touch?", ("impact", {"revision": ""})),
        ("what is not committed?", ("impact", {"revision": ""})),
        ("what changed in the last commit?", ("impact", {"revision": "HEAD"})),
    ],
)
async def test_each_form_asks_the_tool_that_fits(text: str, wanted: tuple[str, dict[str, Any]]) -> None:
    assert await requests_for(user(text)) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "how are passwords hashed?",
        "where do we handle timeouts?",
        "which functions parse options?",
        "what happens in the parser when a quote is open?",
        "I think that we should drop the cache",
    ],
)
async def test_everything_else_is_searched_for_as_it_was_asked(text: str) -> None:
    assert await requests_for(user(text)) == [
        ("search_code", {"query": text, "limit": 5}),
        ("search_conversation", {"query": text, "limit": 9}),
    ]


async def test_names_in_a_longer_question_are_looked_up_beside_the_search() -> None:
    for text, names in [
        ("what happens in parse_args when a flag is unknown?", ["parse_args"]),
        ("is `get` faster than fetchAll()?", ["get", "fetchAll"]),
        ("why does Talk.echo say it twice, e.g. at night?", ["Talk.echo"]),
        ("where is parse_args and who calls it?", ["parse_args"]),
    ]:
        asked = await requests_for(user(text))
        assert [call["name"] for tool, call in asked if tool == "read_scope"] == names, text
        assert [tool for tool, _ in asked][len(names) :] == ["search_code", "search_conversation"], text


@pytest.mark.parametrize(
    ("text", "name", "file"),
    [
        ("show me it", "Talk.echo", "src/talk.py"),
        ("what does the second one do?", "Shell.run", "src/shell.py"),
        ("and its callers?", "Talk.echo", "src/talk.py"),
        ("how does it handle an empty text?", "Talk.echo", "src/talk.py"),
    ],
)
async def test_it_and_the_second_are_what_the_last_answer_quoted(text: str, name: str, file: str) -> None:
    first = (await requests_for(ANSWER, said("Noted."), user(text)))[0]
    assert (first[1]["name"], first[1]["file"]) == (name, file)


async def test_it_is_nothing_where_no_answer_quoted_code() -> None:
    assert await requests_for(said("It is `Talk` in talk.py, I think."), user("who calls it?")) == []


async def test_what_was_said_is_asked_for_with_its_words_and_days() -> None:
    for text, about, days in [
        ("what did we decide about the page size?", "the page size", {}),
        ("What did I tell you about `echo`?", "echo", {}),
        ("why did we decide on argon2?", "argon2", {}),
        ("what did we say yesterday about echo?", "echo", {"since": "2026-11-28", "until": "2026-11-28"}),
        ("rules about caching", "caching", {}),
        ("what was decided since 2026-11-01 about echo?", "echo", {"since": "2026-11-01"}),
    ]:
        assert await requests_for(user(text)) == [
            ("list_decisions", {"about": about, "limit": 30, **days}),
            ("search_conversation", {"query": about, "limit": 20, **days}),
        ], text
    assert await requests_for(user("what did we talk about in the last 3h?")) == [
        ("list_decisions", {"about": "", "limit": 30, "since": "3h"}),
        ("recent_conversations", {"limit": 10, "since": "3h"}),
    ]


async def test_notes_ask_nothing_and_corrections_what_they_correct() -> None:
    assert await requests_for(user("note: echo is loud")) == []
    assert await requests_for(user("remember that echo is loud")) == []
    for text in ("update: echo is quiet", "forget: echo is loud", "done: make echo quiet"):
        assert await requests_for(user(text)) == [("list_decisions", {"doubtful": True, "limit": 100})], text


async def test_a_decision_before_a_question_leaves_the_question() -> None:
    asked = await requests_for(user("We decided to use bcrypt. Where do we compute hashes?"))
    assert [tool for tool, _ in asked] == ["search_code", "search_conversation"]


async def test_a_pasted_error_is_looked_for_without_the_values_in_it() -> None:
    frame = 'File "/home/ada/src/talk.py", line 12, in echo'
    text = f"Traceback:\n  {frame}\nValueError: the text 'x' is too long for 80 columns"
    asked = dict(await requests_for(user(f"why?\n\n```\n{text}\n```")))
    assert asked["grep_code"] == {"pattern": r"is\ too\ long\ for", "limit": 5}
    assert asked["outline"] == {"target": "/home/ada/src/talk.py"}
    asked = dict(await requests_for(user('where is "token has expired" raised?')))
    assert asked["grep_code"] == {"pattern": r"token\ has\ expired", "limit": 5}


async def test_a_diff_asks_for_its_files_and_what_was_decided_about_them() -> None:
    diff = "diff --git a/src/talk.py b/src/talk.py\n--- a/src/talk.py\n+++ b/src/talk.py\n@@ -1 +1 @@\n-a\n+b"
    for text in (diff, f"what does this touch?\n\n```\n{diff}\n```"):
        assert await requests_for(user(text)) == [
            ("impact", {"revision": ""}),
            ("list_decisions", {"about": "src/talk.py", "limit": 25}),
        ]


async def test_only_tools_and_arguments_that_are_offered_are_asked_for() -> None:
    code = tuple(each for each in TOOLS if each.name == "search_code")
    assert await requests_for(user("how are passwords hashed?"), tools=code) == [
        ("search_code", {"query": "how are passwords hashed?", "limit": 5})
    ]
    assert await requests_for(user("where is echo?"), tools=code) == []


async def test_greetings_and_thanks_ask_nothing() -> None:
    for text in ("hi", "Thanks!", "help", "ok", "???"):
        assert await requests_for(user(text)) == [], text


LONG = (
    " " * 100_000 + "x",
    "a" * 200_000,
    'File "' * 30_000,
    "```\n" * 30_000,
    "@@ -1 +1 @@\n+a\n" * 20_000,
    "what " * 60 + "?",
    "what did " + "a " * 140,
    "error: " + "(" * 290,
)


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:8].strip() or "blank")
async def test_no_text_takes_long_to_read(text: str) -> None:
    begun = time.process_time()
    await requests_for(user(text))
    assert time.process_time() - begun < 2
