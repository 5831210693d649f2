"""What somebody else's words can do to a terminal: nothing."""

from __future__ import annotations

import io
import json
import sys

import pytest

from ragforge_memory.cli.output import as_json, print_json
from ragforge_memory.cli.shown import coloured, echo, printable
from ragforge_memory.cli.terminal import fitted, note

ODD = "a\x1b]0;title\x07b\x9b2Jc\rd\u202ee\u2066f\x7fg"
PLAIN = "a]0;titleb2Jcdefg"


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_only_our_own_colours_are_left() -> None:
    assert printable(ODD) == PLAIN
    assert coloured(f"\x1b[2m{ODD}\x1b[0m\x1b[8mhidden") == f"\x1b[2m{PLAIN}\x1b[0m[8mhidden"
    assert printable("a\tb\nשלום") == "a\tb\nשלום"


def test_a_terminal_gets_no_commands_and_a_pipe_gets_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe, errors = Screen(), io.StringIO(), Screen()
    monkeypatch.setattr(sys, "stderr", errors)
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stdout", stream)
        echo(ODD)
    note(ODD)
    assert (screen.getvalue(), pipe.getvalue()) == (f"{PLAIN}\n", f"{ODD}\n")
    assert ODD not in errors.getvalue()
    assert PLAIN in errors.getvalue()
    assert fitted(ODD) == PLAIN


def test_json_escapes_what_a_terminal_would_obey(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"title": ODD, "é": "ü"})
    said = capsys.readouterr().out
    assert json.loads(said) == {"title": ODD, "é": "ü"}
    assert not [sign for sign in said if sign != "\n" and printable(sign) != sign]
    assert "é" in said
    assert json.loads(as_json([ODD])) == [ODD]
