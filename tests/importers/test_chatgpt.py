"""ChatGPT's export."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.reading import flawed, outcomes, read, read_all_ways


def node(name: str, parent: str | None, role: str | None = None, content: Any = None, **more: Any) -> dict[str, Any]:
    """A node of a mapping."""
    message = None
    if role is not None:
        body = content if isinstance(content, dict) else {"content_type": "text", "parts": [content]}
        message = {
            "id": f"{name:->36}",
            "author": {"role": role, "name": more.pop("tool", None)},
            "content": body,
            "create_time": more.pop("time", None),
            "recipient": more.pop("recipient", "all"),
            "metadata": more,
        }
    return {"id": name, "parent": parent, "children": [], "message": message}


def tree(*nodes: dict[str, Any], current: str | None, title: str = "A talk") -> dict[str, Any]:
    """A conversation."""
    return {
        "title": title,
        "create_time": 1700000000.5,
        "mapping": {each["id"]: each for each in nodes},
        "current_node": current,
        "conversation_id": "c0ffee00-0000",
    }


def code(text: str) -> dict[str, Any]:
    """What is asked of a tool."""
    return {"content_type": "code", "language": "unknown", "text": text}


TALK = tree(
    node("root", None),
    node("sys", "root", "system", "", is_visually_hidden_from_conversation=True),
    node(
        "about",
        "sys",
        "user",
        {"content_type": "user_editable_context", "user_profile": "Ada", "user_instructions": "brief"},
        is_visually_hidden_from_conversation=True,
    ),
    node(
        "q",
        "about",
        "user",
        {
            "content_type": "multimodal_text",
            "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file://1"}, "Plot it."],
        },
        time=1700000001,
    ),
    node("lost", "q", "assistant", "another branch"),
    node(
        "think",
        "q",
        "assistant",
        {"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "Use python."}]},
    ),
    node("recap", "think", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 2 seconds"}),
    node("run", "recap", "assistant", code("plot(1)"), recipient="python", model_slug="gpt"),
    node("out", "run", "tool", {"content_type": "execution_output", "text": "<image>"}, tool="python"),
    node("more", "out", "tool", {"content_type": "multimodal_text", "parts": ["second piece"]}, tool="python"),
    node("web", "more", "assistant", code('{"query": "x"}'), recipient="browser"),
    node("err", "web", "tool", {"content_type": "system_error", "name": "E", "text": "down"}, tool="browser"),
    node("a", "err", "assistant", "Here it is.", time=1700000009, model_slug="gpt"),
    node("t", "a", "user", "Thanks."),
    current="t",
)


def test_a_conversation() -> None:
    [(transcript, messages)] = read_all_ways(json.dumps([TALK], indent=1))
    assert (transcript.title, transcript.session_id) == ("A talk", "c0ffee00-0000")
    assert transcript.created_at is not None
    assert [(each.role, each.content) for each in messages] == [
        ("system", "Ada\n\nbrief"),
        ("user", "[image: file://1]\nPlot it."),
        ("assistant", "Here it is."),
        ("user", "Thanks."),
    ]
    answer = messages[2]
    assert (answer.reasoning, answer.model, answer.uuid) == ("Plan\nUse python.", "gpt", f"{'a':->36}")
    assert answer.timestamp is not None
    assert answer.timestamp.timestamp() == 1700000009
    assert messages[0].timestamp == transcript.created_at
    ran, searched = answer.tool_calls
    assert (ran.tool_name, ran.arguments) == ("python", {"input": "plot(1)"})
    assert ran.result == "<image>\nsecond piece"
    assert (searched.arguments, searched.success, searched.error) == ({"query": "x"}, False, "down")


def test_many_one_without_a_current_node_and_one_by_itself() -> None:
    old = tree(
        node("r", None), node("x", "r", "user", "one", time=1), node("y", "r", "user", "two", time=2), current=None
    )
    found = read(json.dumps([TALK, old]))
    assert [[each.content for each in messages][-1] for _, messages in found] == ["Thanks.", "two"]
    assert outcomes(json.dumps(old)) == [1]
    assert outcomes(old) == [1]


def test_a_result_without_its_call_belongs_to_the_answer_that_follows() -> None:
    talk = tree(
        node("q", None, "user", "Read both."),
        node("f", "q", "tool", "first file", tool="files"),
        node("a", "f", "assistant", "One."),
        node("g", "a", "tool", "second file", tool="files"),
        node("h", "g", "tool", "its end", tool="files"),
        node("b", "h", "assistant", "Two."),
        current="b",
    )
    [(_, messages)] = read(json.dumps(talk))
    assert [(each.content, [call.result for call in each.tool_calls]) for each in messages] == [
        ("Read both.", []),
        ("One.", ["first file"]),
        ("Two.", ["second file\nits end"]),
    ]


def test_what_is_bad_is_named_and_the_next_one_is_read() -> None:
    ring = tree(node("a", "b", "user", "x"), node("b", "a", "user", "y"), current="a", title="Ring")
    gap = tree(node("a", "gone", "user", "x"), current="a")
    odd = tree(node("a", None, "robot", "x"), current="a")
    lost = tree(node("a", None, "user", "x"), current="gone")
    found = flawed(json.dumps([ring, gap, lost, TALK], indent=0))
    assert [count for count, _ in found] == [2, 1, 1, 4]
    assert [[flaw.partition("): ")[2] for flaw in flaws] for _, flaws in found] == [
        ["node a is its own ancestor"],
        ["there is no node 'gone', which a names"],
        ["there is no node 'gone', which current_node names"],
        [],
    ]
    refused = outcomes(json.dumps([odd, {"x": 1}, TALK], indent=0))
    assert [str(each).partition(": ")[2] for each in refused[:2]] == [
        "there is no role 'robot' (user, assistant, system, tool)",
        "this is not a conversation, as others here are",
    ]
    assert refused[2] == 4


def test_a_branch_in_a_talk_of_its_own_has_its_own_uuids() -> None:
    first = tree(node("q", None, "user", "x"), node("a", "q", "assistant", "y"), current="a")
    branch = {**tree(node("q", None, "user", "x"), node("b", "q", "assistant", "z"), current="b"), "id": "other"}
    branch["conversation_id"] = "c0ffee00-1111"
    text = json.dumps([first, branch, first])
    [one, other, again] = [[each.uuid for each in messages] for _, messages in read(text)]
    assert one == again == [f"{name:->36}" for name in "qa"]
    assert other[1] == f"{'b':->36}"
    assert other[0] not in one
    assert [[each.uuid for each in messages] for _, messages in read(text)][1] == other


def test_without_times_the_last_leaf_was_shown_last() -> None:
    nodes = [node("q", None, "user", "x"), node("a", "q", "assistant", "one"), node("b", "q", "assistant", "two")]
    for current in (None, "gone"):
        [(_, messages)] = read(json.dumps([tree(*nodes, current=current)]))
        assert [each.content for each in messages] == ["x", "two"]


def test_nodes_that_are_known_by_their_children() -> None:
    nodes = [node("r", None), node("q", None, "user", "x"), node("a", None, "assistant", "y")]
    nodes[0]["children"], nodes[1]["children"] = ["q", 7, "gone"], ["a"]
    for each in nodes:
        del each["parent"]
    for current in ("a", None):
        [(transcript, messages)] = read([tree(*nodes, current=current)])
        assert [each.content for each in messages] == ["x", "y"]
        assert not transcript.left_out


def test_a_mapping_that_is_none_costs_its_conversation() -> None:
    found = outcomes(json.dumps([{**TALK, "mapping": "torn"}, TALK], indent=0))
    assert found == ["record 0 (line 2): this is not a conversation, as others here are", 4]
