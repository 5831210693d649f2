"""OpenAI's chat messages and LangChain's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory.importers.exchange import NO_RESULT
from tests.importers.reading import lines, outcomes, read, read_one


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """A tool call as OpenAI writes it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": "data:x"}}],
    },
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "I must look.",
        "tool_calls": [call("c1", "grep", '{"q": "é🎉"}'), call("c2", "read", '"{\\"path\\": \\"a.py\\"}"')],
    },
    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "two"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "one"},
    {"role": "assistant", "content": "There.", "tool_calls": [call("c3", "odd", "[1]")]},
    {"role": "user", "content": "Thanks."},
]


def test_openai() -> None:
    transcript, messages = read_one(json.dumps(OPENAI, ensure_ascii=False))
    assert transcript.format == "OpenAI chat messages"
    assert [each.role for each in messages] == ["system", "user", "assistant", "assistant", "user"]
    assert [each.content for each in messages] == ["Be brief.", "Look.\n[image]", "", "There.", "Thanks."]
    assert [each.place for each in messages][:2] == ["record 0 (line 1)", "record 1 (line 1)"]
    first, second = messages[2].tool_calls
    assert messages[2].reasoning == "I must look."
    assert (first.tool_name, first.arguments, first.result, first.success) == ("grep", {"q": "é🎉"}, "one", True)
    assert (second.tool_name, second.arguments, second.result) == ("read", {"path": "a.py"}, "two")
    [third] = messages[3].tool_calls
    assert (third.arguments, third.success, third.error) == ({"input": [1]}, False, NO_RESULT)


def test_the_same_as_lines_as_an_object_and_as_values() -> None:
    whole = [message for _, message in zip(OPENAI, read(OPENAI)[0][1], strict=False)]
    for data in (
        lines(OPENAI),
        json.dumps({"title": "Looking", "messages": OPENAI}),
        json.dumps({"messages": OPENAI, "title": "Looking"}, indent=2),
        {"messages": OPENAI, "title": "Looking"},
    ):
        transcript, messages = read_one(data)
        assert [each.content for each in messages] == [each.content for each in whole]
        assert [each.tool_calls for each in messages] == [each.tool_calls for each in whole]
        assert transcript.title == (None if data == lines(OPENAI) else "Looking")


def test_lines_of_conversations_are_conversations() -> None:
    text = lines([{"messages": OPENAI}, {"messages": [{"role": "user"}]}, {"x": 1}, {"messages": OPENAI[:2]}])
    assert outcomes(text) == [
        5,
        "line 2, message 0: this is not a message of a known format",
        "line 3: this is not a conversation, as others here are",
        2,
    ]
    assert outcomes(json.dumps([{"messages": OPENAI}, {"messages": OPENAI[:1]}])) == [5, 1]


def test_older_function_calls() -> None:
    _, messages = read_one(
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": "not json"}},
            {"role": "function", "name": "weather", "content": "sunny"},
            {"role": "function", "name": "late", "content": "lost"},
        ]
    )
    assert [call.tool_name for each in messages for call in each.tool_calls] == ["weather", "late"]
    assert messages[1].tool_calls[0].arguments == {"input": "not json"}
    assert [each.tool_calls[0].result for each in messages[1:]] == ["sunny", "lost"]


@pytest.mark.parametrize(
    ("given", "answered", "results"),
    [
        (("", ""), ("", ""), ("one", "two")),
        ((None, None), (" ", ""), ("one", "two")),
        (("", ""), ("call_1", "call_2"), ("one", "two")),
        (("call_1", "call_2"), ("", ""), ("one", "two")),
        (("", "call_2"), ("call_2", "call_1"), ("two", "one")),
        ((1, 2), (2, 1), ("two", "one")),
        (("a" * 300, "b" * 300), ("b" * 300, "a" * 300), ("two", "one")),
    ],
)
def test_calls_whose_ids_say_nothing_are_answered_in_their_order(given: Any, answered: Any, results: Any) -> None:
    """Local servers leave ids empty, some count them, and some write all that they know into them."""
    _, messages = read_one(
        lines(
            [
                OPENAI[0],
                {"role": "assistant", "id": "", "tool_calls": [call(each, "look", "{}") for each in given]},
                *(
                    {"role": "tool", "tool_call_id": name, "content": said}
                    for name, said in zip(answered, results, strict=True)
                ),
            ]
        )
    )
    assert [[each.result for each in message.tool_calls] for message in messages] == [[], ["one", "two"]]
    calls = [{"name": "look", "args": {}, "id": each} for each in given]
    tools = [
        {"type": "tool", "data": {"content": said, "tool_call_id": name, "id": ""}}
        for name, said in zip(answered, results, strict=True)
    ]
    _, messages = read_one(lines([{"type": "ai", "data": {"content": "", "id": "", "tool_calls": calls}}, *tools]))
    assert [[each.result for each in message.tool_calls] for message in messages] == [["one", "two"]]


LANGCHAIN: list[dict[str, Any]] = [
    {"type": "system", "data": {"content": "Be brief.", "type": "system", "id": None}},
    {"type": "human", "data": {"content": "Add.", "additional_kwargs": {}, "type": "human", "id": "h" * 36}},
    {
        "type": "ai",
        "data": {
            "content": [
                {"type": "thinking", "thinking": "Two numbers.", "signature": "s"},
                {"type": "text", "text": "Adding."},
                {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}},
            ],
            "response_metadata": {"model_name": "a-model"},
            "usage_metadata": {"input_tokens": 5, "output_tokens": 2, "input_token_details": {"cache_read": 3}},
            "tool_calls": [{"name": "add", "args": {"a": 1}, "id": "t1", "type": "tool_call"}],
            "invalid_tool_calls": [{"name": "sub", "args": "{broken", "id": "t2", "error": "x"}],
            "id": "run-" + "a" * 32,
        },
    },
    {"type": "tool", "data": {"content": "2", "tool_call_id": "t1", "status": "success"}},
    {"type": "tool", "data": {"content": "cannot", "tool_call_id": "t2", "status": "error"}},
    {"type": "AIMessageChunk", "data": {"content": "", "additional_kwargs": {"tool_calls": [call("o1", "old", "{}")]}}},
    {"type": "chat", "data": {"content": "critic's word", "role": "critic"}},
]


def test_langchain() -> None:
    transcript, messages = read_one(json.dumps(LANGCHAIN, indent=1))
    assert transcript.format == "LangChain messages"
    assert [each.role for each in messages] == ["system", "user", "assistant", "assistant", "system"]
    answer = messages[2]
    assert (answer.content, answer.reasoning, answer.model) == ("Adding.", "Two numbers.", "a-model")
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cached_tokens) == (5, 2, 3)
    assert answer.uuid == "run-" + "a" * 32
    added, failed = answer.tool_calls
    assert (added.arguments, added.result, added.success) == ({"a": 1}, "2", True)
    assert (failed.arguments, failed.result, failed.error) == ({"input": "{broken"}, None, "cannot")
    assert messages[3].tool_calls[0].tool_name == "old"
