"""Asked in the home directory or at the top of the disk: no code is read, and the rest works."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, InvalidInput
from ragforge_memory.code.roots import check_root, refused_root
from ragforge_memory.config import RagforgeConfig, SourceConfig
from tests.cli.conftest import CommandLine

HINT = "cd into a project, or put a ragforge.config.yaml where the project is"


@pytest.fixture
def at_home(ragforge: CommandLine) -> CommandLine:
    """The command line in a home directory that is not a project."""
    (ragforge.project / "ragforge.config.yaml").unlink()
    ragforge.environment["HOME"] = str(ragforge.project)
    return ragforge


def test_what_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "users" / "ada"
    work = home / "work"
    work.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    assert refused_root(work) is None
    assert refused_root(home) == f"{home} is your home directory, and no project"
    assert refused_root(home.parent) == f"{home.parent} is above your home directory, and no project"
    assert refused_root(Path("/")) == "/ is the file system's root, and no project"
    (tmp_path / "link").symlink_to(home)
    assert refused_root(tmp_path / "link") is not None
    assert refused_root(home, RagforgeConfig(source=SourceConfig(root="."))) is None
    (home / "ragforge.config.yaml").write_text("name: mine\n")
    assert refused_root(home) is None
    (home.parent / ".git").mkdir()
    assert refused_root(home.parent) is None
    with pytest.raises(InvalidInput, match="file system's root") as caught:
        check_root(Path("/"))
    assert caught.value.hint == HINT


@pytest.mark.anyio
async def test_the_library_refuses_before_it_opens_anything() -> None:
    agent = AsyncConversationAgent("bolt://127.0.0.1:1", llm_provider="extractive", root="/")
    with pytest.raises(InvalidInput, match="no code is read: / is the file system's root"):
        await agent.ingest()
    await agent.aclose()


def test_an_ingest_is_refused_before_anything_is_written(at_home: CommandLine) -> None:
    done = at_home.run("ingest", NEO4J_URI="bolt://127.0.0.1:1")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"no code is read: {at_home.project} is your home directory, and no project" in done.stderr
    assert HINT in " ".join(done.stderr.split())
    assert at_home.run("ingest", "/", NEO4J_URI="bolt://127.0.0.1:1").returncode == 1


def test_questions_are_answered_without_code(at_home: CommandLine) -> None:
    told = f"no code is read: {at_home.project} is your home directory, and no project ({HINT})"
    done = at_home.run("ask", "--no-memory", "--model", at_home.script("Yes."), "sure?")
    assert (done.returncode, done.stdout) == (0, "Yes.\n")
    assert " ".join(done.stderr.split()).count(told) == 1
    done = at_home.run("chat", "--no-memory", "--model", at_home.script("Yes.", "No."), stdin="sure?\nreally?\n")
    assert done.returncode == 0
    assert " ".join(done.stderr.split()).count(told) == 1
    assert at_home.run("ask", "--no-memory", "--no-ingest", "--model", at_home.script("Yes."), "sure?").stderr == ""
    # Neither are the files searched as text: that would be the whole disk.
    done = at_home.run("ask", "--no-memory", "--model", "extractive", "where is check_password?")
    assert done.returncode == 0
    assert "auth.py" not in done.stdout
