"""The provider alone: what it asks for and what it makes of what comes back; no tools run here."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ragforge_memory.language.said.stock import is_stock
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ChatMessage, ModelProvider, ModelRequest, ToolOutcome, ToolRequest
from ragforge_memory.retrieval.relevance import line_pattern
from tests.extractive.asking import ECHO, TOOLS, answer_to, found, requests_for, user

pytestmark = pytest.mark.anyio


async def test_it_is_a_model_provider() -> None:
    provider = ExtractiveProvider()
    assert isinstance(provider, ModelProvider)
    assert (provider.name, provider.model) == ("extractive", "quotes")
    await provider.aclose()


async def test_a_misspelled_question_word_is_read_and_said() -> None:
    answer = await answer_to("waht does echo do", {"read_scope": found(ECHO)})
    assert answer.startswith("`Talk.echo` - src/talk.py:12")
    assert answer.endswith("I read `waht` as `what`.")


async def test_each_form_asks_the_tool_that_fits() -> None:
    for text, wanted in [
        ("where is Talk.echo?", ("read_scope", {"name": "Talk.echo", "include_source": False})),
        ("what does echo do?", ("read_scope", {"name": "echo"})),
        ("who calls echo in talk.py?", ("find_callers", {"name": "echo", "file": "talk.py"})),
        ("what does echo call?", ("find_callees", {"name": "echo"})),
        ("what is in talk.py?", ("outline", {"target": "talk.py"})),
        ("what did we say about echo?", ("search_conversation", {"query": "echo", "limit": 30})),
        ("which functions parse options?", ("search_code", {"query": "parse options", "limit": 40})),
        ("talk.py:3-5", ("outline", {"target": "talk.py"})),
        ("what did we talk about last week?", ("recent_conversations", {"limit": 11})),
    ]:
        assert await requests_for(user(text)) == [wanted], text


async def test_request_ids_differ() -> None:
    asked = await complete(ExtractiveProvider(), ModelRequest("", (user("where is a_b and who calls it?"),), TOOLS))
    assert len({each.id for each in asked.tool_requests}) == 2
    assert [each.name for each in asked.tool_requests] == ["read_scope", "find_callers"]


async def test_it_is_what_the_same_sentence_asks_first() -> None:
    before = (user("what does nowhere do?"), ChatMessage("assistant", "Nothing found for `nowhere` in this project."))
    request = ModelRequest("", (*before, user("who calls echo and what does it call?")), TOOLS)
    asked = await complete(ExtractiveProvider(), request)
    assert [(each.name, each.arguments["name"]) for each in asked.tool_requests] == [
        ("find_callers", "echo"),
        ("find_callees", "echo"),
    ]


async def test_where_cites_the_line_of_the_definition_first() -> None:
    answer = await answer_to("where is echo?", {"read_scope": found(ECHO)})
    assert answer.splitlines() == [
        "`Talk.echo` - src/talk.py:12 (method, lines 11-14, decorators included)",
        "> `def echo(self)`",
        "> Says it again.",
    ]


async def test_several_definitions_are_all_listed() -> None:
    other = {**ECHO, "qualified_name": "echo", "file": "src/other.py", "line": 3, "type": "function"}
    answer = await answer_to("where is echo?", {"read_scope": found(ECHO, other)})
    assert "Also defined:\n- `echo` - src/other.py:3 (function)" in answer


async def test_what_a_name_is_said_to_be_is_told_to_the_tool() -> None:
    for text, name, kind in [
        ("where is the function echo?", "echo", "function"),
        ("where is the echo class?", "echo", "class"),
        ("where is class Echo defined?", "Echo", "class"),
        ("where is the method Talk.echo?", "Talk.echo", "method"),
        ("where is the `Function` class?", "Function", "class"),
        ("where is the Function class?", "Function", "class"),
        ("where is the constant LIMIT?", "LIMIT", "constant"),
    ]:
        wanted = {"name": name, "kind": kind, "include_source": False}
        assert await requests_for(user(text)) == [("read_scope", wanted)], text
    assert await requests_for(user("who calls the method echo?")) == [
        ("find_callers", {"name": "echo", "kind": "method"})
    ]
    assert await requests_for(user("where is type?")) == [("read_scope", {"name": "type", "include_source": False})]


async def test_a_method_that_nothing_calls_is_told_of_where_the_method_was_asked_for() -> None:
    callers = [{"qualified_name": "main", "type": "function", "file": "src/app.py", "line": 1, "lines": [4]}]
    function = {**ECHO, "qualified_name": "echo", "type": "function", "line": 40, "callers": callers}
    value = found({**ECHO, "callers": []}, function)
    answer = await answer_to("who calls the method echo?", {"find_callers": value})
    assert answer.startswith(
        "`Talk.echo` (src/talk.py, line 12): no calls of it were found in this project.\n\n`echo` ("
    )
    assert (await answer_to("who calls echo?", {"find_callers": value})).startswith("`echo` (src/talk.py, line 40) is")


async def test_overloads_are_mentioned_behind_what_is_implemented() -> None:
    stubs = [{**ECHO, "line": line, "start_line": line, "overload": True} for line in (3, 6)]
    other = {**ECHO, "qualified_name": "echo", "file": "src/other.py", "line": 3, "type": "function"}
    answer = await answer_to("where is echo?", {"read_scope": found(ECHO, other, *stubs)})
    assert answer.startswith("`Talk.echo` - src/talk.py:12")
    assert answer.endswith("\n\nOverloaded in lines 3, 6.\n\nAlso defined:\n- `echo` - src/other.py:3 (function)")
    one = await answer_to("show me echo", {"read_scope": found(ECHO, stubs[0])})
    assert one.endswith("\n\nOverloaded in line 3.")


async def test_that_a_syntax_error_hides_what_it_is_now_is_said() -> None:
    said = "A syntax error hides it now: this is how it was when its file was whole."
    for question in ("where is echo?", "show me echo", "what is echo?"):
        assert said in await answer_to(question, {"read_scope": found({**ECHO, "hidden": True})})
        assert said not in await answer_to(question, {"read_scope": found(ECHO)})


async def test_a_typo_is_said() -> None:
    answer = await answer_to("where is ehco?", {"read_scope": found(ECHO, match="typo")})
    assert answer.startswith("`Talk.echo` - src/talk.py:12")
    assert "Did you mean `Talk.echo`? Nothing is called `ehco`" in answer


async def test_nothing_found_is_always_said_the_same_way() -> None:
    none = found(match="none")
    for text, results in [
        ("where is frobnicate_it?", {"read_scope": none, "grep_code": {"matches": []}}),
        ("who calls frobnicate_it?", {"find_callers": none}),
        ("what does frobnicate_it call?", {"find_callees": none}),
        ("what is in frobnicate_it.py?", {"outline": {"kind": "none", "scopes": []}, "read_file": {}}),
        ("what did we say about frobnicate_it?", {"search_conversation": {"query": "frobnicate_it", "messages": []}}),
        ("how are zebras harvested?", {"search_code": {"results": []}}),
    ]:
        assert (await answer_to(text, results)).startswith("Nothing found"), text


async def test_a_name_that_is_no_definition_is_shown_where_it_stands() -> None:
    matches = {"matches": [{"file": "a.py", "line": 3, "text": "use(max_age)"}], "more": False}
    answer = await answer_to("where is max_age?", {"read_scope": found(match="none"), "grep_code": matches})
    assert answer.startswith("Nothing found that is defined as `max_age`.")
    assert "- a.py:3 `use(max_age)`" in answer


async def test_lines_that_name_a_member_tell_of_it_only_where_its_owner_exists() -> None:
    text = "who calls Talk.volume?"
    lines = {"matches": [{"file": "a.py", "line": 3, "text": "talk.volume()"}], "more": False}
    results = {"find_callers": found(match="none"), "grep_code": lines, "read_scope": found(match="none")}
    assert await answer_to(text, results) == "Nothing found for `Talk.volume` in this project."
    owner = {**ECHO, "qualified_name": "Talk", "type": "class"}
    answer = await answer_to(text, {**results, "read_scope": found(owner)})
    assert "of it or of something else:\n- a.py:3 `talk.volume()`" in answer


async def test_code_that_holds_a_fence_is_fenced_with_a_longer_one() -> None:
    answer = await answer_to("show me echo", {"read_scope": found(ECHO)})
    assert "````python\n    @cached\n" in answer
    assert answer.rstrip().endswith("````")


async def test_a_pronoun_is_no_part_of_a_name() -> None:
    history = (user("earlier"), ChatMessage("assistant", "`Talk.echo` - src/talk.py:12 (method, lines 11-14)"))
    for text in ("and where does it catch exceptions?", "where does it catch them?"):
        asked = await requests_for(*history, user(text))
        assert [name for name, _ in asked] == ["search_code"], text
        assert asked[0][1]["query"].startswith("catch"), text


async def test_lines_with_the_words_are_shown_where_no_definition_answers() -> None:
    text = "which functions are retried?"
    matches = {"matches": [{"file": "a.py", "line": 3, "text": "    @retried('x')"}], "more": False}
    answer = await answer_to(text, {"search_code": {"results": []}, "grep_code": matches})
    assert answer.splitlines() == [
        "Nothing found that is defined as or described by `retried`, but these lines have it:",
        "- a.py:3 `@retried('x')`",
        "",
        "I did not understand the question itself: I looked for `retried`.",
    ]
    none = await answer_to(text, {"search_code": {"results": []}, "grep_code": {"matches": []}})
    assert none.splitlines()[0] == "Nothing found for `retried` in this project."
    assert "I did not understand the question itself" in none
    described = {**ECHO, "docstring": "Is retried."}
    assert (await answer_to(text, {"search_code": {"results": [described]}})).startswith("`Talk.echo` - src/talk.py:12")


def test_lines_are_looked_for_with_all_words_in_any_form() -> None:
    found = re.compile(line_pattern(("deprecated", "aliases")), re.I)
    assert found.search("warn(ALIAS_OF, DeprecationWarning)")
    assert not found.search("warn(DeprecationWarning)")
    most = re.compile(line_pattern(("validate", "host", "header")), re.I)
    assert most.search("is_valid_host = False")
    assert not most.search("self.host = host")


async def test_lines_that_have_most_of_the_words_are_told_as_such_the_fullest_first() -> None:
    lines = ["host = headers['host']", "if not valid_host(header):"]
    found = {"matches": [{"file": "a.py", "line": at, "text": text} for at, text in enumerate(lines, 1)], "more": False}
    answer = await answer_to("how is the host header validated?", {"search_code": {"results": []}, "grep_code": found})
    assert answer.splitlines()[:2] == [
        "Nothing found that is defined as or described by `host header validated`, but these lines have it:",
        "- a.py:2 `if not valid_host(header):`",
    ]
    found["matches"] = found["matches"][:1]
    answer = await answer_to("how is the host header validated?", {"search_code": {"results": []}, "grep_code": found})
    assert "but these lines have most of it:" in answer


async def test_it_means_what_the_last_answer_was_about() -> None:
    for earlier in (
        "`Talk.echo` - src/talk.py:12 (method, lines 11-14)",
        "`Talk.echo` (src/talk.py, line 12) is called by 1 scope:\n- `main` - src/app.py:4",
        "Hm.\n\n`Talk.echo` - src/talk.py:12 (method)\n- `other` - src/talk.py:30 (method)",
    ):
        history = (user("earlier"), ChatMessage("assistant", earlier))
        for text in ("who calls it?", "and its callers?", "Who calls that method?"):
            assert await requests_for(*history, user(text)) == [
                ("find_callers", {"name": "Talk.echo", "file": "src/talk.py"})
            ]


async def test_ordinals_and_plurals_mean_the_list() -> None:
    listed = "`echo` (src/talk.py, line 12) is called by 2 scopes:\n- `main` - src/app.py:4\n- `A.run` - src/b.py:7"
    history = (user("who calls echo"), ChatMessage("assistant", listed))
    assert await requests_for(*history, user("show me the second one")) == [
        ("read_scope", {"name": "A.run", "file": "src/b.py"})
    ]
    assert [each[1]["name"] for each in await requests_for(*history, user("what do they do?"))] == ["main", "A.run"]
    assert "cannot tell" in await answer_to("show me the fifth one", {}, *history)


async def test_a_name_that_the_user_said_serves_too() -> None:
    history = (user("I am looking at Talk.echo today."), ChatMessage("assistant", "Fine."))
    assert await requests_for(*history, user("who calls it?")) == [("find_callers", {"name": "Talk.echo"})]


async def test_without_anything_named_it_asks_back() -> None:
    assert "cannot tell what you refer to" in await answer_to("who calls it?", {})


async def test_failures_of_tools_are_told() -> None:
    assert await answer_to("where is echo?", {"read_scope": {"error": "no graph"}}, failing=True) == (
        "I could not look it up: no graph"
    )
    long = {"truncated": True, "beginning": "{", "total_bytes": 99}
    assert "too long" in await answer_to("where is echo?", {"read_scope": long})


async def test_without_tools_it_says_that_it_cannot() -> None:
    answer = await complete(ExtractiveProvider(), ModelRequest("", (user("where is echo?"),)))
    assert answer.text.startswith("I can only quote")


async def test_results_folded_into_the_prompt_are_read() -> None:
    result = f"<data>\n{json.dumps(found(ECHO))}\n</data>"
    folded = f'Be brief.\n\n## What the tools returned\n\nread_scope({{"name": "echo"}}) returned:\n{result}'
    answer = await complete(ExtractiveProvider(), ModelRequest(folded, (user("where is echo?"),)))
    assert answer.text.startswith("`Talk.echo` - src/talk.py:12")


async def test_what_was_stated_comes_before_what_was_asked() -> None:
    def said(role: str, text: str) -> dict[str, Any]:
        return {
            "message_id": text[:3],
            "conversation_id": "c1",
            "role": role,
            "timestamp": "2026-11-21T10:02:00+00:00",
            "excerpt": text,
        }

    messages = [
        said("assistant", "Nothing found for `echo` in this project."),
        said("user", "where is echo defined?"),
        said("assistant", "`echo` - src/talk.py:12 (function)"),
        said("user", "We decided that echo must stay quiet."),
    ]
    answer = await answer_to(
        "what did we decide about echo?", {"search_conversation": {"query": "echo", "messages": messages}}
    )
    assert answer.splitlines() == [
        "What was said about `echo`:",
        "- You, 2026-11-21 10:02, conversation c1, message We :",
        "  > We decided that echo must stay quiet.",
    ]


async def test_search_results_need_enough_of_the_words() -> None:
    result = {**ECHO, "qualified_name": "parse_options", "docstring": "Parses what was given.", "similarity": None}
    good = await answer_to("which functions parse options?", {"search_code": {"results": [result]}})
    assert good.startswith("`parse_options` - src/talk.py:12")
    half = await answer_to("which functions parse invoices?", {"search_code": {"results": [result]}})
    assert half.startswith("Nothing found for `invoices`")
    assert "- `parse_options` - src/talk.py:12" in half
    sure = {**result, "similarity": 0.9}
    assert (await answer_to("how are invoices read?", {"search_code": {"results": [sure]}})).startswith("`parse_opt")


async def test_small_talk_needs_no_tools() -> None:
    assert (await answer_to("Hello!", {})).startswith("Hello!")
    assert "who calls" in await answer_to("what can you do?", {})
    assert await answer_to("thanks", {}) == "You are welcome."
    named = await answer_to("we decided that make_str stays strict", {})
    assert named == "Noted: `what did we decide about make_str` finds it again."
    assert await answer_to("note: the release is on Friday", {}) == "Noted: `what did we decide` lists it."
    assert all(map(is_stock, (named, "Noted: `what did we decide` lists it.")))
    assert is_stock("I did not understand the question itself: I looked for `prefix`.")
    assert is_stock("Did you mean `rows`? Nothing is called `rowz`; that is the closest name.")
    assert is_stock("Nothing is called `rowz`; that is the closest name.")
    assert is_stock("Other calls as written: `functools.partial`, `f`.")
    assert not is_stock("I did not understand why it fails.")
    assert not is_stock("Did you mean that it fails?")


async def test_an_unfinished_tool_call_is_no_result() -> None:
    request = ToolRequest("1", "read_scope", {"name": "echo", "include_source": False})
    messages = (user("where is echo?"), ChatMessage("assistant", "", tool_requests=(request,)))
    answer = await complete(ExtractiveProvider(), ModelRequest("", messages, TOOLS))
    assert answer.text == "I could not look it up: the tool gave no result"


async def test_without_the_graph_it_says_so_and_other_failures_in_their_own_words() -> None:
    request = ToolRequest("1", "read_scope", {"name": "echo", "include_source": False})
    said = {
        "GraphUnavailable": "Neo4j is away. Ask again when it is back.",
        "GraphError": "Neo4j at x: no (start it)",
        None: "Neo4j at x: no (start it)",
    }
    for kind, text in said.items():
        outcome = ToolOutcome("1", "read_scope", '{"error": "Neo4j at x: no (start it)"}', True, kind)
        messages = (
            user("where is echo?"),
            ChatMessage("assistant", "", tool_requests=(request,)),
            ChatMessage("tool", tool_outcomes=(outcome,)),
        )
        answer = await complete(ExtractiveProvider(), ModelRequest("", messages, TOOLS))
        assert answer.text == f"I could not look it up: {text}"
