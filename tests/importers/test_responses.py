"""Items of the Responses API: what calls were given, and what came of them."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.models.transcript import TranscriptCall
from tests.importers.reading import read

ASKED = {"role": "user", "content": "Do it."}


def _call(*items: dict[str, Any]) -> TranscriptCall:
    [(transcript, messages)] = read([ASKED, *items])
    assert not transcript.flaws
    [call] = [call for message in messages for call in message.tool_calls]
    return call


@pytest.mark.parametrize(
    ("item", "arguments", "result"),
    [
        (
            {"type": "code_interpreter_call", "code": "1 + 1", "outputs": [{"type": "logs", "logs": "2"}]},
            {"code": "1 + 1"},
            "2",
        ),
        (
            {"type": "file_search_call", "queries": ["tax"], "results": [{"filename": "a.md", "text": "8 %"}]},
            {"queries": ["tax"]},
            '{"filename": "a.md", "text": "8 %"}',
        ),
        (
            {"type": "image_generation_call", "revised_prompt": "A cat", "result": "AAAA"},
            {"revised_prompt": "A cat"},
            "[image]",
        ),
        ({"type": "mcp_call", "name": "roll", "arguments": '{"d": 6}', "output": "4"}, {"d": 6}, "4"),
    ],
)
def test_calls_that_the_vendor_runs(item: dict[str, Any], arguments: dict[str, Any], result: str) -> None:
    call = _call({"id": "call_1", "status": "completed", "container_id": "c", **item})
    assert (call.arguments, call.result, call.success) == (arguments, result, True)


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ([{"type": "input_text", "text": "Seen."}, {"type": "input_image", "image_url": "data:x"}], "Seen.\n[image]"),
        ({"type": "computer_screenshot", "image_url": "data:x"}, "[image]"),
        ([{"type": "input_file", "file_data": "AAAA", "filename": "a.pdf"}], "[input file: a.pdf]"),
        ([{"stdout": "a.py", "stderr": "no b.py"}], '{"stdout": "a.py", "stderr": "no b.py"}'),
        ({"content": "Done.", "success": True}, "Done."),
        ({"rows": [1, 2]}, '{"rows": [1, 2]}'),
        ([3, None], "3"),
        (None, None),
    ],
)
def test_outputs_that_are_no_text(output: object, result: str | None) -> None:
    asked = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    call = _call(asked, {"type": "function_call_output", "call_id": "c1", "output": output})
    assert (call.result or None, call.success) == (result, True)


@pytest.mark.parametrize(
    "outcome",
    [{"status": "failed", "output": "No."}, {"output": {"content": "No.", "success": False}}],
)
def test_an_output_that_says_that_it_failed(outcome: dict[str, Any]) -> None:
    asked = {"type": "apply_patch_call", "call_id": "c1", "operation": {"path": "a.py"}}
    call = _call(asked, {"type": "apply_patch_call_output", "call_id": "c1", **outcome})
    assert (call.success, call.error) == (False, "No.")


def test_a_call_of_the_vendors_that_failed() -> None:
    call = _call({"type": "mcp_call", "id": "m1", "name": "roll", "arguments": "{}", "error": {"message": "No dice."}})
    assert (call.success, call.error) == (False, "No dice.")
    call = _call({"type": "web_search_call", "id": "w1", "status": "failed", "action": {"query": "tax"}})
    assert (call.success, call.error) == (False, "failed")


def test_a_local_shell_names_its_call_by_its_id() -> None:
    asked = {"type": "local_shell_call", "call_id": "l1", "action": {"command": ["ls"]}}
    other = {"type": "function_call", "call_id": "f1", "name": "f", "arguments": "{}"}
    output = {"type": "local_shell_call_output", "id": "l1", "output": "a.py"}
    [(_, messages)] = read([ASKED, other, asked, output])
    assert [(call.tool_name, call.result) for call in messages[1].tool_calls] == [("f", None), ("local_shell", "a.py")]


def test_what_says_nothing_is_counted() -> None:
    kinds = ["mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference", "compaction"]
    call = {"type": "mcp_call", "id": "m1", "name": "roll", "arguments": "{}", "output": "4"}
    [(transcript, messages)] = read([ASKED, *({"type": kind, "id": "x"} for kind in kinds), call])
    assert transcript.left_out == dict.fromkeys(kinds, 1)
    assert not transcript.flaws
    assert len(messages) == 2
