"""What came of tools that a vendor runs itself: searches, pages, code."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.models.transcript import TranscriptCall
from tests.importers.reading import read

ASKED = {"role": "user", "content": "Do it."}


def _of_anthropic(kind: str, content: Any, **more: Any) -> TranscriptCall:
    use = {"type": "server_tool_use", "id": "s1", "name": "tool", "input": {"q": "tax"}}
    result = {"type": kind, "tool_use_id": "s1", "content": content, **more}
    [(_, messages)] = read([ASKED, {"role": "assistant", "content": [use, result]}])
    [call] = messages[1].tool_calls
    return call


PAGE = {"type": "document", "title": "Tax", "source": {"type": "text", "media_type": "text/plain", "data": "8 %"}}


@pytest.mark.parametrize(
    ("kind", "content", "result"),
    [
        (
            "web_search_tool_result",
            [{"type": "web_search_result", "title": "Tax", "url": "https://a.example", "encrypted_content": "E"}],
            '{"type": "web_search_result", "title": "Tax", "url": "https://a.example"}',
        ),
        (
            "web_fetch_tool_result",
            {"type": "web_fetch_result", "url": "https://a.example", "content": PAGE},
            "https://a.example\nTax\n8 %",
        ),
        (
            "bash_code_execution_tool_result",
            {"type": "bash_code_execution_result", "stdout": "42\n", "stderr": "", "return_code": 0},
            '{"type": "bash_code_execution_result", "stdout": "42\\n", "stderr": "", "return_code": 0}',
        ),
        (
            "text_editor_code_execution_tool_result",
            {"type": "text_editor_code_execution_view_result", "file_type": "text", "content": "x = 1"},
            "x = 1",
        ),
        (
            "tool_result",
            [{"type": "search_result", "source": "kb", "title": "Tax", "content": [{"type": "text", "text": "8 %"}]}],
            "Tax\nkb\n8 %",
        ),
        (
            "mcp_tool_result",
            [{"type": "text", "text": "8 %"}, {"type": "image", "source": {"type": "base64"}}],
            "8 %\n[image]",
        ),
    ],
)
def test_results_of_anthropic(kind: str, content: Any, result: str) -> None:
    call = _of_anthropic(kind, content)
    assert (call.result, call.success) == (result, True)


@pytest.mark.parametrize("kind", ["web_search_tool_result", "code_execution_tool_result"])
def test_failures_of_anthropic(kind: str) -> None:
    call = _of_anthropic(kind, {"type": f"{kind}_error", "error_code": "unavailable"})
    assert (call.success, call.error) == (False, "unavailable")


@pytest.mark.parametrize(("outcome", "success"), [("OUTCOME_OK", True), ("OUTCOME_FAILED", False)])
def test_code_of_gemini(outcome: str, success: bool) -> None:
    ran = {"executableCode": {"language": "PYTHON", "code": "print(6 * 7)"}}
    came = {"codeExecutionResult": {"outcome": outcome, "output": "42"}}
    parts = [ran, came, {"text": "It is 42."}]
    checkpoint = [{"role": "user", "parts": [{"text": "How many?"}]}, {"role": "model", "parts": parts}]
    head = {"sessionId": "session-1", "projectHash": "abc"}
    session = {**head, "messages": [{"id": "a", "type": "gemini", "content": parts}]}
    for data in (checkpoint, session):
        [(_, messages)] = read(data)
        [call] = messages[-1].tool_calls
        assert (call.tool_name, call.arguments) == ("code_execution", ran["executableCode"])
        assert (call.success, call.result or call.error) == (success, "42")
        assert messages[-1].content == "It is 42."
