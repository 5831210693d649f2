"""Results that were shortened on the way, that failed, or that are no such thing: every question has an answer then."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ragforge_memory.agent.context.prompt import fold_results
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ChatMessage, ModelProvider, ModelRequest, ToolOutcome, ToolRequest
from tests.extractive.asking import SYSTEM, TOOLS, user

pytestmark = pytest.mark.anyio

QUESTIONS = (
    "where is echo?",
    "show me echo",
    "who calls echo?",
    "what is in src/talk.py?",
    "what did we decide about echo?",
    "what did we talk about yesterday?",
    "what is not committed?",
    "update: echo is loud",
    "how are texts echoed?",
    'where is "token has expired" raised in parse_args?',
    "--- a/talk.py\n+++ b/talk.py\n@@ -1 +1 @@\n-a\n+b",
)


def odd() -> Iterator[tuple[str, bool]]:
    """What may come in a result's place, and whether as a failure."""
    yield json.dumps({"error": "Neo4j is away"}), True
    yield "no JSON", True
    yield json.dumps({"truncated": True, "total_bytes": 1, "note": "", "beginning": "{"}), False
    yield '{"scopes": [… (shortened)', False
    for value in ({}, [], None, "text", {"error": "no such thing"}, {"messages": "?", "kind": 3, "match": [1]}):
        yield json.dumps(value), False
    for value in (
        {"scopes": None, "matches": None, "messages": None},
        {"scopes": [{}], "match": "exact", "kind": "file"},
    ):
        yield json.dumps(value), False


@pytest.mark.parametrize("question", QUESTIONS)
async def test_every_result_has_an_answer_that_claims_no_absence(question: str) -> None:
    for content, failed in odd():
        messages = [user(question)]
        for _ in range(3):
            answer = await complete(ExtractiveProvider(), ModelRequest(SYSTEM, tuple(messages), TOOLS))
            if not answer.tool_requests:
                break
            outcomes = tuple(ToolOutcome(each.id, each.name, content, failed) for each in answer.tool_requests)
            messages += [
                ChatMessage("assistant", tool_requests=answer.tool_requests),
                ChatMessage("tool", tool_outcomes=outcomes),
            ]
        assert answer.text.strip(), (question, content)
        for claim in ("No definition here", "No code here", "No line", "Nothing found", "No note, decision or message"):
            assert claim not in answer.text, (question, content, answer.text)


async def test_a_request_without_its_outcome_is_answered() -> None:
    asked = ChatMessage("assistant", tool_requests=(ToolRequest("1", "read_scope", {"name": "echo"}),))
    answer = await complete(ExtractiveProvider(), ModelRequest(SYSTEM, (user("where is echo?"), asked), TOOLS))
    assert answer.text == "the tool gave no result."


async def test_results_that_were_folded_into_the_system_prompt_are_quoted() -> None:
    scope = {"qualified_name": "echo", "type": "function", "file": "talk.py", "line": 2, "start_line": 2, "end_line": 4}
    value = {"asked": "echo", "match": "exact", "total": 1, "scopes": [{**scope, "signature": "def echo()"}]}
    outcome = ToolOutcome("1", "read_scope", json.dumps(value))
    system = fold_results(SYSTEM, [(ToolRequest("1", "read_scope", {"name": "echo"}), outcome)])
    answer = await complete(ExtractiveProvider(), ModelRequest(system, (user("where is echo?"),)))
    assert answer.text.splitlines() == ["`echo` - talk.py:2 (function, lines 2-4)", "> `def echo()`"]


async def test_it_is_a_model_provider_that_gives_titles() -> None:
    provider = ExtractiveProvider()
    assert isinstance(provider, ModelProvider)
    assert (provider.name, provider.model) == ("extractive", "quotes")
    begun = "<data>\nQuestion:\nwhere is echo?\n\nand why?\n\nAnswer:\nHere.\n</data>"
    title = await complete(provider, ModelRequest("", (user(begun),), purpose="title"))
    assert title.text == "where is echo?"
    await provider.aclose()
