"""Objects that hold messages, and what was answered to them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.importers.reading import lines, outcomes, read, read_one

ASKED = {"role": "user", "content": "Which port?"}
ANSWERED = {"role": "assistant", "content": "Port 80."}
ITEM = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Port 80."}]}
FROM_CLAUDE = {"id": "msg_0123456789abcdef", "role": "assistant", "content": [{"type": "text", "text": "Port 80."}]}
CHOICES = [{"index": 0, "message": ANSWERED}, {"index": 1, "message": {"role": "assistant", "content": "81"}}]


@pytest.mark.parametrize(
    "held",
    [
        {"input": "Which port?", "output": [ITEM]},
        {"input": [ASKED], "output": [ITEM]},
        {"output": [ITEM], "input": [ASKED]},
        {"messages": [ASKED], "choices": CHOICES},
        {"choices": CHOICES, "messages": [ASKED]},
        {"messages": [ASKED], "response": {"choices": CHOICES}},
        {"input": "Which port?", "response": {"output": [ITEM]}},
        {"messages": [ASKED], "response": FROM_CLAUDE},
    ],
)
def test_a_request_and_its_answer(held: dict[str, Any]) -> None:
    for text in (json.dumps(held), json.dumps(held, indent=1), lines([held])):
        _, messages = read_one(text)
        assert [(each.role, each.content) for each in messages] == [("user", "Which port?"), ("assistant", "Port 80.")]


def test_instructions_come_first() -> None:
    _, messages = read_one(json.dumps({"output": [ITEM], "input": "Which port?", "instructions": "Be brief."}))
    assert [each.content for each in messages] == ["Be brief.", "Which port?", "Port 80."]


def test_calls_go_on_in_the_answer() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "ports", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c1", "output": "80"}
    _, messages = read_one(json.dumps({"input": [ASKED, call], "output": [result, ITEM]}))
    assert [each.result for each in messages[1].tool_calls] == ["80"]
    assert messages[-1].content == "Port 80."


def test_a_log_of_requests() -> None:
    log = [{"messages": [ASKED], "response": {"choices": CHOICES}}, {"input": "Why?", "output": [ITEM]}]
    assert outcomes(lines(log)) == [2, 2]


@pytest.mark.parametrize("first", [{"messages": "none"}, {"about": "this file"}])
def test_a_first_line_that_is_none(first: object) -> None:
    found = outcomes(lines([first, {"messages": [ASKED, ANSWERED]}, {"messages": [ASKED]}]))
    assert found == ["line 1: this is not a conversation, as others here are", 2, 1]


def test_an_item_with_a_list_in_it_is_an_item() -> None:
    result = {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "80"}]}
    [(_, messages)] = read([result, ITEM])
    assert [each.content for each in messages] == ["Port 80."]
    assert messages[0].tool_calls[0].result == "80"
