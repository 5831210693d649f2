"""What is bad in a file of every format is named by its line, or by record and node, and nothing of it is left."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from ragforge_memory import InvalidInput
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.importers.reading import flawed, lines, outcomes
from tests.importers.test_chatgpt import node, tree
from tests.importers.test_claude_code import line

pytestmark = pytest.mark.anyio

Cypher = Callable[..., list[dict[str, Any]]]

OF_OWNER = "MATCH (n) WHERE n.user_id = $user_id AND n.project = $project RETURN count(n) AS n"
LONG = "x" * 400_001
LONG_WHY = "its content has 400,001 characters; 400,000 are the most"
TWIN = "the-same-uuid-twice"


def said(text: Any = "Hello", **more: Any) -> dict[str, Any]:
    """A plain message."""
    return {"role": "user", "content": text, **more}


def human(text: Any = "Hello", **more: Any) -> dict[str, Any]:
    """LangChain's."""
    return {"type": "human", "data": {"content": text, "type": "human", **more}}


def called(name: str) -> dict[str, Any]:
    """OpenAI's call of a tool."""
    return {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": name, "arguments": "{}"}}]}


def twin(given: dict[str, Any], of: str) -> dict[str, Any]:
    """A node whose message has the id of another node's."""
    given["message"]["id"] = node(of, None, "user", "")["message"]["id"]
    return given


PASSED_OVER = {
    "plain: nothing said": (
        json.dumps([{"role": "user"}, said()], indent=1),
        "record 0 (line 2): its content is text, not NoneType",
    ),
    "plain: size": (lines([said(), said(LONG)]), f"line 2: {LONG_WHY}"),
    "plain: malformed": (lines([said()]) + '{"role": "user"', "line 2: this is not JSON: Expecting"),
    "plain: twice": (lines([said(uuid=TWIN), said(), said("Other", uuid=TWIN)]), "line 3: its uuid is that of line 1"),
    "openai: size": (lines([said(), called("x" * 201)]), "line 2: the name of a tool has 201 characters"),
    "openai: malformed": (lines([called("f"), {"role": "tool", "content": "x"}]), "line 2: a result names its call"),
    "openai: in a list": (
        json.dumps([called("f"), said(), said(7)], indent=1),
        "record 2 (line 18): its content is text or a list of parts, not int",
    ),
    "langchain: size": (json.dumps([human(), human(LONG)], indent=1), f"record 1 (line 9): {LONG_WHY}"),
    "langchain: malformed": (json.dumps([human(), human()], indent=1)[:-4], "line 15: this is not JSON: Expecting"),
    "claude code: size": (lines([line(1, "user", "a"), line(2, "user", LONG, after=1)]), f"line 2: {LONG_WHY}"),
    "claude code: malformed": (lines([line(1, "user", "a")]) + '{"type": "user", "mess', "line 2: this is not JSON: "),
    "claude code: twice": (
        lines([line(1, "user", "a"), line(2, "user", "b", after=1), line(1, "user", "c", after=2)]),
        "line 3: its uuid is that of line 1, which says something else",
    ),
    "chatgpt: size": (
        json.dumps([tree(node("a", None, "user", "x"), node("b", "a", "user", LONG), current="b")], indent=1),
        f"record 0 (line 2), node b: {LONG_WHY}",
    ),
    "chatgpt: cycle": (
        json.dumps([tree(node("a", "b", "user", "x"), node("b", "a", "user", "y"), current="a")], indent=1),
        "record 0 (line 2) (A talk): node a is its own ancestor",
    ),
    "chatgpt: twice": (
        json.dumps(
            [tree(node("a", None, "user", "x"), twin(node("b", "a", "user", "y"), of="a"), current="b")], indent=1
        ),
        "record 0 (line 2), node b: its id is that of node a",
    ),
}
"""A file of each format with a record that is bad, and what is said of it; the others are imported."""


REFUSED = {
    "plain": (json.dumps([said(LONG)], indent=1), f"record 0 (line 2): {LONG_WHY}"),
    "openai": (lines([called("x" * 201)]), "line 1: the name of a tool has 201 characters"),
    "claude code": (lines([line(1, "user", LONG)]), f"line 1: {LONG_WHY}"),
    "chatgpt": (
        json.dumps([tree(node("a", None, "user", LONG), current="a")], indent=1),
        f"record 0 (line 2), node a: {LONG_WHY}",
    ),
    "aider: size": (f"# aider chat started at 2026-01-01 10:00:00\n\n#### Hello\n\n{LONG}\n", f"line 4: {LONG_WHY}"),
}
"""A file of which nothing is left, and what its refusal begins with."""


def test_a_result_has_a_most() -> None:
    result = {"role": "tool", "tool_call_id": "c1", "content": "x" * 10_000_001}
    [(count, flaws)] = flawed(lines([said(), called("f"), result]))
    assert (count, flaws) == (2, ["line 3: its content has 10,000,001 characters; 10,000,000 are the most"])


def test_what_a_program_hands_over_is_taken_whole_or_not_at_all() -> None:
    [found] = outcomes([said(), {"role": "robot", "content": "x"}])
    assert str(found).startswith("record 1: there is no role 'robot'")


@pytest.mark.parametrize(
    "data",
    ["# aider chat started at 2024-05-01 10:00:00\n\n> Aider v0.35\n", '{"type": "summary", "summary": "Doors"}\n'],
    ids=["aider", "claude code"],
)
async def test_a_history_in_which_nothing_was_said(make_agent: MakeAgent, data: str) -> None:
    async with make_agent() as agent:
        with pytest.raises(InvalidInput, match="nothing was said") as refused:
            await agent.import_conversation(data)
        assert refused.value.hint
        assert (await agent.import_conversations(io.StringIO(data))).conversations == 0


async def test_nothing_of_it_is_left(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    async with make_agent() as agent:
        for name, (text, why) in REFUSED.items():
            report = await agent.import_conversations(io.BytesIO(text.encode()))
            assert (report.conversations, report.messages, report.failed) == (0, 0, 1), name
            assert report.errors[0].message.startswith(why), report.errors
            assert cypher(OF_OWNER, user_id=owner.user_id, project=owner.project) == [{"n": 0}], name


async def test_a_bad_record_costs_itself_and_is_named(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        for name, (text, why) in PASSED_OVER.items():
            report = await agent.import_conversations(io.BytesIO(text.encode()), on_conflict="copy")
            assert (report.conversations, report.failed) == (1, 0), (name, report.errors)
            assert report.messages >= 1, name
            told = [f"{each.place}: {each.message}" for each in report.passed_over]
            assert report.flawed == len(told) >= 1, name
            assert any(each.startswith(why) for each in told), (name, told)


async def test_what_stands_before_a_break_is_kept(make_agent: MakeAgent) -> None:
    talks = [tree(node(name, None, "user", name), current=name) for name in ("a", "b")]
    text = json.dumps(talks, indent=1)[:-4]
    async with make_agent() as agent:
        report = await agent.import_conversations(io.BytesIO(text.encode()))
        assert (report.conversations, report.messages, report.failed) == (1, 1, 1)
        assert report.errors[0].message.startswith(f"line {text.count(chr(10)) + 1}: this is not JSON: Expecting")
        with pytest.raises(InvalidInput, match=r"^line \d+: this is not JSON: Expecting"):
            await agent.import_conversations(io.BytesIO(json.dumps(talks[:1], indent=1)[:-4].encode()))
        assert len(await agent.list_conversations()) == 1
