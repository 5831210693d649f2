"""The line editor: what keys do, and what is kept between chats."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from ragforge_memory.cli.commands import COMMANDS
from ragforge_memory.cli.interrupts import Interrupts
from ragforge_memory.cli.prompt import LinePrompt

pytestmark = pytest.mark.anyio

HELP = {name: command.help for name, command in COMMANDS.items()}


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        yield keyboard


def prompt(history: Path | None = None) -> LinePrompt:
    return LinePrompt(HELP, history, Interrupts())


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("who calls it?\r", "who calls it?"),
        ("one\x1b\rtwo\r", "one\ntwo"),
        ("one\\\rtwo\r", "one\ntwo"),
        ("\x1b[200~def f():\n    pass\n\x1b[201~ what?\r", "def f():\n    pass\n what?"),
        ("\r\r  \rsomething\r", "  something"),
        ("forget this\x03that\r", "that"),
    ],
    ids=["enter", "meta-enter", "backslash", "paste", "nothing is not sent", "ctrl-c clears"],
)
async def test_keys(keyboard: PipeInput, keys: str, text: str) -> None:
    keyboard.send_text(keys)
    assert await prompt().ask() == text


@pytest.mark.parametrize("keys", ["\x04", "\x03\x03", "half a line\x03\x03"])
async def test_leaving(keyboard: PipeInput, keys: str) -> None:
    keyboard.send_text(keys)
    assert await prompt().ask() is None


async def test_typing_after_ctrl_c_is_not_leaving(keyboard: PipeInput) -> None:
    keyboard.send_text("a\x03b\x03c\r")
    assert await prompt().ask() == "c"


async def test_ctrl_c_behind_enter_takes_the_text_back(keyboard: PipeInput, capsys: pytest.CaptureFixture[str]) -> None:
    keyboard.send_text("send this\rand\x03something else\r")
    editor = prompt()
    assert await editor.ask() == ""
    assert "interrupted before it was sent" in capsys.readouterr().err
    assert await editor.ask() == "something else"


async def test_a_signal_while_the_editor_ends_takes_the_text_back(keyboard: PipeInput) -> None:
    interrupts = Interrupts()
    editor = LinePrompt(HELP, None, interrupts)
    # What is drawn last is drawn when the editor has ended: its key is no longer looked at then.
    editor._session.app.after_render += lambda app: os.kill(os.getpid(), signal.SIGINT) if app.is_done else None
    keyboard.send_text("send this\r")
    with interrupts.taken():
        assert await editor.ask() == ""


async def test_history_is_kept_for_its_owner_alone(keyboard: PipeInput, tmp_path: Path) -> None:
    file = tmp_path / "home" / "chat_history"
    keyboard.send_text("first\r")
    assert await prompt(file).ask() == "first"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    keyboard.send_text("\x1b[A\r")  # the arrow up, in another chat
    assert await prompt(file).ask() == "first"


async def test_a_home_that_cannot_be_written_costs_the_history_alone(keyboard: PipeInput, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, not a folder")
    keyboard.send_text("first\r")
    assert await prompt(tmp_path / "home" / "chat_history").ask() == "first"


async def test_slash_commands_are_completed(keyboard: PipeInput) -> None:
    from prompt_toolkit.completion import CompleteEvent

    completer = prompt()._session.completer
    assert completer is not None

    def offered(text: str) -> list[str]:
        return [c.text for c in completer.get_completions(Document(text), CompleteEvent())]

    assert offered("/t") == ["/title", "/tags", "/tree", "/tools"]
    assert offered("/title a") == []
    assert offered("what is in /etc") == []
