"""A turn's events as text on a terminal and in a pipe."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from ragforge_memory import events
from ragforge_memory.cli.commands import run_command
from ragforge_memory.cli.main import _show
from ragforge_memory.cli.render import TurnView, one_line, tool_line
from ragforge_memory.cli.talk import Talk
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.errors import ModelError
from ragforge_memory.models.conversation import AssistantResponse

if TYPE_CHECKING:
    from ragforge_memory.cli.session import Session

TERMINAL = Terminal(rendered=True, progress=True, color=False)
PIPE = Terminal(rendered=False, progress=False, color=False)


def completed(content: str, *degraded: str) -> events.MessageCompleted:
    return events.MessageCompleted(
        response=AssistantResponse(
            content=content, conversation_id="c", message_id="m", user_message_id="u", degraded=degraded
        )
    )


def test_long_lines_end_on_a_word_and_go_on_where_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    long = "  drifted, its code has changed since\nshort"
    assert TERMINAL.wrap(long) == "  drifted, its code has\n  changed since\nshort"
    assert (
        TERMINAL.wrap("ok    Java    found in the wheel", margin=14)
        == "ok    Java    found in\n              the wheel"
    )
    assert PIPE.wrap(long) == long


@pytest.mark.parametrize("is_terminal", [True, False])
def test_notes_and_errors_are_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    note("read 2 files, 8 scopes (8 added)")
    note("\ngo on with: ragforge ask -r 01234567", whole=True)
    _show(ModelError("the model did not answer", hint="ask it once more in a while"), ["ask"])
    shown = capsys.readouterr().err
    lines = ["read 2 files, 8 scopes (8 added)", "", "go on with: ragforge ask -r 01234567"]
    lines += ["ragforge: the model did not answer", "hint: ask it once more in a while"]
    if is_terminal:
        lines = ["read 2 files, 8 scopes", "(8 added)", *lines[1:3]]
        lines += ["ragforge: the model did", "not answer", "hint: ask it once more", "in a while"]
    assert shown.splitlines() == lines


@pytest.mark.anyio
async def test_the_list_of_commands_keeps_its_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    session = SimpleNamespace(terminal=TERMINAL, spinner=Spinner(TERMINAL))
    assert await run_command(Talk(cast("Session", session), None), "/help")
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("/resume REF              go on with another conversation: its id, session or")
    assert lines[at + 1] == f"{' ' * 25}title"
    assert max(map(len, lines)) <= 80


def turn() -> list[events.Event]:
    return [
        events.MessageStarted(conversation_id="c", user_message_id="u", message_id="m"),
        events.TextDelta(text="Let me "),
        events.TextDelta(text="look."),
        events.ToolUse(tool_call_id="t1", tool_name="search_code", arguments={"query": "log\nin"}, iteration=1),
        events.ToolUse(tool_call_id="t2", tool_name="read_file", arguments={"path": "x" * 100}, iteration=1),
        events.ToolResult(
            tool_call_id="t2", tool_name="read_file", success=False, error="no such file", duration_ms=3, iteration=1
        ),
        events.ToolResult(tool_call_id="t1", tool_name="search_code", success=True, duration_ms=12, iteration=1),
        events.TextDelta(text="\n\n"),
        events.TextDelta(text="It is in\n`a.py:1`.\n\n- one\n- tw"),
        events.TextDelta(text="o"),
        completed("Let me look.It is in ..."),
    ]


def show(terminal: Terminal, shown: list[events.Event]) -> None:
    view = TurnView(terminal, Spinner(terminal))
    for event in shown:
        view.show(event)


def test_a_terminal_gets_laid_out_blocks_and_a_line_for_each_tool(capsys: pytest.CaptureFixture[str]) -> None:
    show(TERMINAL, turn())
    out, err = capsys.readouterr()
    assert out == "Let me look.\n\nIt is in\na.py:1.\n\n • one\n • two\n"
    empty, failed, found = err.splitlines()
    assert empty == ""
    assert failed.startswith('· read_file(path="xxx')
    assert failed.endswith("  3 ms  failed: no such file")
    assert found == r'· search_code(query="log\nin")  12 ms'


def test_a_pipe_gets_the_answer_alone(capsys: pytest.CaptureFixture[str]) -> None:
    show(PIPE, turn())
    assert capsys.readouterr() == ("Let me look.\n\nIt is in\n`a.py:1`.\n\n- one\n- two\n", "")


def test_an_answer_that_was_not_streamed_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show(PIPE, [completed("Nothing found.")])
    assert capsys.readouterr().out == "Nothing found.\n"


def test_what_was_not_available_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    degraded = events.Degraded(what="embeddings", detail="no local model")
    for known, told in ((), "not available: embeddings (no local model)\n"), (("embeddings",), ""):
        view = TurnView(PIPE, Spinner(PIPE), known=known)
        for event in (degraded, completed("x", "embeddings", "journal")):
            view.show(event)
        assert capsys.readouterr().err == f"{told}not available: journal\n"


def test_other_notes(capsys: pytest.CaptureFixture[str]) -> None:
    show(
        PIPE,
        [
            events.Recalled(),
            events.Compressed(tokens_before=900, tokens_after=100, tokens_saved=800),
            events.ReasoningDelta(text="hm"),
            events.MemorySaved(memory_id="m", content="tabs\x1b[2J"),
            events.Error(error="ModelError", message="gone"),
        ],
    )
    assert capsys.readouterr() == (
        "",
        "context condensed: 900 tokens to 100, 800 saved; the messages stay in the graph\nremembered: tabs[2J\n",
    )


def test_tool_lines_fit() -> None:
    assert tool_line("outline", {}, 1234, None, 80) == "· outline()  1,234 ms"
    assert tool_line("grep", {"query": "é", "limit": 5}, 3, None, 80) == '· grep(query="é", limit=5)  3 ms'
    assert tool_line("read", {"path": "x"}, 3, "no such\nfile", 80) == '· read(path="x")  3 ms  failed: no such file'
    for error in (None, "e" * 500):
        line = tool_line("a", {"b": "c" * 500, "d": ["e"] * 500}, 12, error, 50)
        assert len(line) == 50
        assert "  12 ms" in line
    assert one_line("a\n b\tc", 10) == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("one two three", 11, whole_words=True) == "one two…"
    assert one_line("one twothreefour", 11, whole_words=True) == "one twothr…"
