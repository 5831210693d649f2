"""Lists whose records are of several formats."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.reading import flawed, lines, read, read_one

ASKED = {"role": "user", "content": "How many?"}


def _call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "count", "arguments": '{"of": "rows"}'}}


def _use(call_id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "count", "input": {"of": "rows"}}


def _of_user(call_id: str, result: str, *more: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": result}, *more]}


def test_thinking_beside_calls() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "I count."}]}
    both = {"role": "assistant", "content": [thought, {"type": "text", "text": "Wait."}], "tool_calls": [_call("c1")]}
    transcript, messages = read_one(json.dumps([ASKED, both, {"role": "tool", "tool_call_id": "c1", "content": "3"}]))
    assert transcript.format == "OpenAI chat messages"
    assert (messages[1].content, messages[1].reasoning) == ("Wait.", "I count.")
    assert [(each.arguments, each.result) for each in messages[1].tool_calls] == [({"of": "rows"}, "3")]


def test_a_call_that_is_written_twice() -> None:
    both = {"role": "assistant", "content": [_use("c1")], "tool_calls": [_call("c1")]}
    [(_, messages)] = read([ASKED, both, _of_user("c1", "3")])
    assert [each.result for each in messages[1].tool_calls] == ["3"]


def test_calls_of_one_vendor_and_results_of_another() -> None:
    asking = {"role": "assistant", "content": "I ask.", "tool_calls": [_call("c1")]}
    words = {"type": "text", "text": "Hurry."}
    _, messages = read_one(lines([ASKED, asking, _of_user("c1", "3", words)]))
    assert [each.content for each in messages] == ["How many?", "I ask.", "Hurry."]
    assert [each.result for each in messages[1].tool_calls] == ["3"]


def test_all_vendors_in_one_list() -> None:
    records = [
        ASKED,
        {"role": "assistant", "content": None, "tool_calls": [_call("a")]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, _use("b")]},
        _of_user("b", "2"),
        {"type": "function_call", "call_id": "c", "name": "count", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "3"},
        {"role": "model", "parts": [{"functionCall": {"name": "count", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "count", "response": {"output": "4"}}}]},
        {"role": "assistant", "content": "Done."},
    ]
    [(transcript, messages)] = read(records)
    assert not transcript.flaws
    assert [each.result for message in messages for each in message.tool_calls] == ["1", "2", "3", "4"]
    assert messages[-1].content == "Done."


def test_tools_that_come_late() -> None:
    talk = [{"role": ("user", "assistant")[index % 2], "content": f"m{index}"} for index in range(210)]
    tools = [{"role": "assistant", "content": [_use("a")]}, _of_user("a", "3", {"type": "text", "text": "Thanks."})]
    transcript, messages = read_one(json.dumps([*talk, *tools]))
    assert (transcript.format, len(messages)) == ("Anthropic messages", 212)
    assert messages[210].tool_calls[0].result == "3"
    assert messages[211].content == "Thanks."


def test_a_plain_list_stays_strict() -> None:
    [(count, flaws)] = flawed(lines([ASKED, {"role": "assistant", "content": "Three.", "colour": "red"}]))
    assert count == 1
    assert flaws[0].startswith("line 2: unknown key 'colour'")


def test_words_beside_a_refusal_and_a_transcript() -> None:
    records = [
        ASKED,
        {"role": "assistant", "content": "Three.", "refusal": "No more."},
        {"role": "assistant", "content": "", "audio": {"id": "a", "transcript": "Spoken."}},
    ]
    [(_, messages)] = read(records)
    assert [each.content for each in messages] == ["How many?", "Three.\n\nNo more.", "Spoken."]
