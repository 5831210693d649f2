"""`ragforge conversations import --from`: finds the sessions of this project, asks once, follows them."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

from tests.cli.conftest import ENTRY, CommandLine
from tests.importers.reading import lines
from tests.importers.test_claude_code import line

TALK = [
    line(1, "user", "Where is the tax?"),
    line(2, "assistant", [{"type": "text", "text": "In a.py."}], after=1, message={"id": "m1"}),
    line(3, "user", "Thanks.", after=2),
]
IMPORT = ("conversations", "import", "--from", "claude-code")


def _session(home: Path, project: Path, count: int) -> Path:
    folder = home / ".claude" / "projects" / re.sub(r"[^a-zA-Z0-9]", "-", str(project.resolve()))
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "5f6c0f3e.jsonl"
    file.write_text(lines({**each, "cwd": str(project)} for each in TALK[:count]))
    return file


def test_what_is_found_is_shown_and_taken_after_a_question(ragforge: CommandLine, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    nothing = ragforge.run(*IMPORT, HOME=home)
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "claude-code has no sessions of" in nothing.stderr
    _session(Path(home), ragforge.project, 2)
    refused = ragforge.run(*IMPORT, HOME=home, stdin="n\n")
    assert refused.returncode != 0
    assert "1 session of claude-code" in refused.stderr
    assert ragforge.json("conversations", "list", "--json")["items"] == []
    taken = ragforge.run(*IMPORT, HOME=home, stdin="y\n")
    assert taken.returncode == 0
    assert re.search(r"imported: 1 conversation  [0-9a-f]{32}, 2 messages", taken.stdout)
    _session(Path(home), ragforge.project, 3)
    assert ragforge.json(*IMPORT, "--yes", "--json", HOME=home)["extended"] == 1
    assert ragforge.json(*IMPORT, "--yes", "--json", HOME=home)["unchanged"] == 1


def test_it_follows_what_is_new_until_it_is_ended(ragforge: CommandLine, tmp_path: Path) -> None:
    home = tmp_path / "home"
    _session(home, ragforge.project, 2)
    with subprocess.Popen(
        [*ENTRY, *IMPORT, "--yes", "--watch"],
        cwd=ragforge.project,
        env={**ragforge.environment, "HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as following:
        assert following.stdout is not None
        assert "2 messages" in following.stdout.readline()
        _session(home, ragforge.project, 3)
        assert "1 message; 1 conversation went on" in following.stdout.readline()
        following.send_signal(signal.SIGINT)
        assert following.wait(60) == 130
    [one] = ragforge.json("conversations", "list", "--json")["items"]
    assert one["message_count"] == 3


def test_it_is_a_file_or_a_program(ragforge: CommandLine) -> None:
    for arguments in ((), ("x.json", "--from", "codex"), ("x.json", "--watch"), ("--from", "codex", "--title", "x")):
        assert ragforge.run("conversations", "import", *arguments).returncode == 2
