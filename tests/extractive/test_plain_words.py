"""Plain words that are names of code are looked up as names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.answer import write
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.port import ChatMessage, ModelRequest
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolRegistry
from tests.extractive.asking import ECHO, answer_to, ask, requests_for, user

pytestmark = pytest.mark.anyio


def scope(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "qualified_name": name,
        "type": "function",
        "file": "src/auth.py",
        "line": 3,
        "start_line": 3,
        "end_line": 4,
        "signature": f"def {name}()",
        "docstring": "Does it.",
    }


@pytest.mark.parametrize(
    "text",
    ["how login works", "is there a login function?", "what login does", "how to use login", "the login function"],
)
async def test_a_plain_word_is_a_name_where_it_is_one(text: str) -> None:
    request = ModelRequest("", (ChatMessage("user", text),), ToolRegistry(CODE_SEARCH_TOOLS).specs)
    asked = [(each.name, each.arguments) for each in (await complete(ExtractiveProvider(), request)).tool_requests]
    assert asked[0] == ("read_scope", {"name": "login"})
    assert [name for name, _ in asked[1:]] == ["search_code"]
    [question] = read_questions(text)
    calls = [Call(name, tuple(arguments.items())) for name, arguments in asked]
    results: dict[str, Any] = {"results": []}
    found = [Found(calls[0], {"match": "exact", "total": 1, "scopes": [scope("login")]}), Found(calls[1], results)]
    assert write(question, "login", found).startswith("`login` - src/auth.py:3 (function")
    # Something that is only called nearly so is no answer.
    near = [Found(calls[0], {"match": "partial", "total": 1, "scopes": [scope("login")]}), Found(calls[1], results)]
    assert write(question, "login", near).startswith("Nothing found")


@pytest.mark.parametrize("text", ["compare quote and unquote", "what is the difference between quote and unquote?"])
async def test_two_plain_words_that_are_names_are_both_shown(text: str) -> None:
    request = ModelRequest("", (ChatMessage("user", text),), ToolRegistry(CODE_SEARCH_TOOLS).specs)
    asked = [(each.name, each.arguments) for each in (await complete(ExtractiveProvider(), request)).tool_requests]
    assert asked[:2] == [("read_scope", {"name": "quote"}), ("read_scope", {"name": "unquote"})]
    found = [
        Found(
            Call("read_scope", (("name", name),)),
            {"match": "exact", "total": 1, "scopes": [scope(name)]},
        )
        for name in ("quote", "unquote")
    ]
    answer = write(read_questions(text)[0], text, found)
    assert "`quote` - src/auth.py:3" in answer
    assert "`unquote` - src/auth.py:3" in answer


@pytest.mark.parametrize("text", ["show callers", "list usages", "the callers", "find references", "any callers?"])
def test_a_verb_is_no_name(text: str) -> None:
    assert {each.target.text for each in read_questions(text)}.isdisjoint({"show", "list", "the", "find", "any"})


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("echo callers", "callers", "echo"),
        ("echo usages", "uses", "echo"),
        ("does login exist?", "where", "login"),
        ("is there a function called login?", "where", "login"),
        ("is login defined anywhere?", "where", "login"),
        ("can you explain login to me?", "what", "login"),
    ],
)
def test_plain_words_in_short_questions_are_names(text: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [(form, target)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("how does OkHttpCall parse the response?", "OkHttpCall parse response"),
        ("How does `Engine` match routes?", "Engine match routes"),
        ("how is the response parsed by OkHttpCall?", "response parsed OkHttpCall"),
    ],
)
async def test_how_something_is_done_is_searched_for_although_a_name_is_given(text: str, said: str) -> None:
    assert await requests_for(user(text)) == [("search_code", {"query": said, "limit": 40})]


@pytest.mark.parametrize("text", ["how does Engine work?", "how do I use Engine.run?", "how does `Engine` fail?"])
async def test_how_something_works_asks_for_it_alone(text: str) -> None:
    (first, *_) = await requests_for(user(text))
    assert first[0] == "read_scope"


async def test_the_code_of_what_is_called_like_that_says_how_it_is_done() -> None:
    source = "    def parse_response(self, raw):\n        return self.decode(raw)"
    method = {**ECHO, "name": "parse_response", "qualified_name": "HttpCall.parse_response", "source": source}
    of_test = {**method, "qualified_name": "HttpCallTest.parse_response_twice", "file": "tests/test_call.py"}
    near = {**method, "name": "parse", "qualified_name": "HttpCall.parse"}
    results = {
        "search_code": {"results": [near, of_test, method]},
        "read_scope": {"match": "exact", "total": 1, "scopes": [method]},
    }
    text = await answer_to("how does HttpCall parse the response?", results)
    assert text.startswith("`HttpCall.parse_response` - src/talk.py:12 (method")
    assert "return self.decode(raw)" in text
    assert "HttpCallTest" not in text
    # What has only some of the words is told by its head, and not as if it were the answer.
    results["search_code"] = {"results": [of_test, near]}
    text = await answer_to("how does HttpCall parse the response?", results)
    assert "`HttpCall.parse` - src/talk.py:12" in text
    assert "return self.decode(raw)" not in text


async def test_what_only_a_name_was_understood_of_is_said() -> None:
    folder = {"kind": "file", "match": "exact", "file": "src/talk.py", "other_files": [], "total": 0, "scopes": []}
    exact = {"match": "exact", "total": 1, "scopes": [ECHO]}
    read_as = "\n\nI read this as `what is in src/talk.py?`: the rest of the question I did not understand."
    for text in ("what changed in src/talk.py since spring?", "is the speed of src/talk.py good?"):
        assert (await answer_to(text, {"outline": folder})).endswith(read_as), text
    for text in ("src/talk.py", "src/talk.py please", "what is in src/talk.py?"):
        assert "I read this" not in await answer_to(text, {"outline": folder}), text
    assert "I read this" not in await answer_to("Talk.echo", {"read_scope": exact})
    text = await answer_to("compose Talk.echo with hats", {"read_scope": exact})
    assert text.endswith("I read this as `what is Talk.echo?`: the rest of the question I did not understand.")


ROUTER = {**scope("Router"), "type": "class", "file": "mux.go", "docstring": "Router matches requests."}
OF_TEST = {**scope("TestSubRouting"), "file": "mux_test.go", "source": "func TestSubRouting() {}"}


async def test_a_test_that_is_called_nearly_so_is_the_last_to_tell_how_something_works() -> None:
    nothing = {"kind": "none", "match": "none"}
    results = {
        "read_scope": {"match": "partial", "total": 1, "scopes": [OF_TEST]},
        "search_code": {"results": [OF_TEST, ROUTER]},
        "outline": nothing,
        "search_conversation": {"messages": []},
        "list_decisions": {"decisions": []},
    }
    assert (await answer_to("how does routing work?", results)).startswith("`Router` - mux.go:3 (class")
    results["search_code"] = {"results": []}
    assert (await answer_to("how does routing work?", results)).startswith("`TestSubRouting` - mux_test.go:3")


@pytest.mark.parametrize("text", ["why does Route.match return false?", "why is Route.match so strict?"])
async def test_why_something_is_so_its_code_tells_where_nobody_has_said_it(text: str) -> None:
    source = "    def match(self):\n        return bool(self.matchers)"
    method = {**ECHO, "name": "match", "qualified_name": "Route.match", "source": source}
    results: dict[str, Any] = {
        "read_scope": {"match": "exact", "total": 1, "scopes": [method]},
        "search_conversation": {"messages": []},
    }
    answer = await answer_to(text, results)
    assert "> Says it again." in answer
    assert "return bool(self.matchers)" in answer
    assert answer.endswith("Nobody has said why; the code is all that tells.")
    assert "the rest of the question" not in answer


async def test_tests_take_no_place_of_code_whose_name_contains_a_word(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    (root / "tests" / "test_checkup.py").write_text("".join(f"def test_checkup_{n}(): ...\n" for n in "abcdefghi"))
    (root / "bank" / "clinic.py").write_text("def run_the_checkup_now():\n    return 1\n")
    await agent.ingest(root)
    assert (await ask(agent, "where is checkup?"))[0].startswith("`run_the_checkup_now` - bank/clinic.py:1 (function")


async def test_an_abbreviation_is_the_first_word_of_a_longer_name(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    (tmp_path / "project" / "bank" / "middleware.py").write_text(
        'class CSRFProtectionMiddleware:\n    """Refuses what was sent from elsewhere."""\n\nLIST = 1  # no CSRF here\n'
    )
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    for asked in ("how does CSRF work?", "what is CSRF?", "where is CSRF?"):
        answer = (await talk.send_message(asked)).content
        assert answer.startswith("`CSRFProtectionMiddleware` - bank/middleware.py:1 (class, lines 1-2)")
        assert answer.endswith("Nothing is called exactly `CSRF`; `CSRFProtectionMiddleware` contains it.")
    assert (await talk.send_message("what is JSON?")).content.startswith("Nothing found")


async def test_whether_a_definition_is_declared_so_its_signature_says(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    (tmp_path / "project" / "bank" / "wire.py").write_text(
        "async def send_money(): ...\n\n\ndef pay():\n    send_money()\n"
    )
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    answer = (await talk.send_message("is send_money async and who calls it?")).content
    assert answer.startswith(
        "`send_money` - bank/wire.py:1 (function)\nIts signature says `async`.\n> `async def send_money()`"
    )
    assert "- `pay` - bank/wire.py:5" in answer
    assert "Its signature does not say `async`." in (await talk.send_message("is pay an async function?")).content
    assert "signature" not in (await talk.send_message("what is pay?")).content


async def test_plain_words_may_be_a_slip_of_a_name(agent: AsyncConversationAgent) -> None:
    answer = (await (await agent.create_conversation()).send_message("where is the shoping baskit?")).content
    assert answer.startswith("`ShoppingBasket` - web/index.ts:1 (class, lines 1-4)")
    assert answer.endswith(
        "Did you mean `ShoppingBasket`? Nothing is called `shoping baskit`; that is the closest name."
    )


async def test_beside_tests_alone_the_nearest_code_is_told(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    (tmp_path / "project" / "tests" / "test_safe.py").write_text(
        "def test_locked_safe_refuses_thieves(): ...\n\n\ndef test_a_locked_safe_refuses_other_thieves(): ...\n"
    )
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    answer = (await talk.send_message("where are thieves refused by a locked safe?")).content
    assert answer.startswith("`test_locked_safe_refuses_thieves` - tests/test_safe.py:1")
    assert "\n\nNearest outside of tests and examples by " in answer
    assert "\n- `SafeLocked` - bank/safe.py:1 (class)" in answer
