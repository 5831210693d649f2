"""A Neo4j that is killed under the command line: its restart is waited for, and no question is lost or doubled."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragforge_memory.graph.managed.server import ensure_running, release, status, stop
from ragforge_memory.home import cache_home
from tests.cli.conftest import ENTRY, CommandLine
from tests.cli.pseudo_terminal import CTRL_D, ENTER, PseudoTerminal

PROMPT = r"(?m)^>"


@pytest.fixture
def managed(project: Path, bare_environment: dict[str, str]) -> Iterator[CommandLine]:
    """The command line on a managed server of its own."""
    (project / "ragforge.config.yaml").write_text("agent: {memory: {embeddings: {provider: hashing}}}\n")
    home = Path(bare_environment["RAGFORGE_HOME"])
    cache = str(cache_home())  # the jars and the Java runtime are the user's, the data is not
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGFORGE_CACHE", cache)
        ensure_running(home)
        yield CommandLine(project, {**bare_environment, "RAGFORGE_CACHE": cache})
        stop(home)
        release(home)


def kill(ragforge: CommandLine) -> None:
    """Kills the Java process."""
    server = status(Path(ragforge.environment["RAGFORGE_HOME"])).pid
    assert server is not None
    os.kill(server, signal.SIGKILL)


def test_a_killed_server_is_waited_for(managed: CommandLine) -> None:
    model = managed.script("One.", "Two.")
    command = [*ENTRY, "chat", "--no-ingest", "--model", model]
    with PseudoTerminal(command, folder=managed.project, environment=managed.environment) as terminal:
        terminal.expect(PROMPT, seconds=60)
        terminal.type("first" + ENTER)
        terminal.expect(r"One\.")
        terminal.expect(PROMPT)
        kill(managed)
        terminal.type("second" + ENTER)
        terminal.expect(r"Neo4j went away; waiting up to 60 s for its restart")
        terminal.expect(r"Two\.", seconds=60)
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
    kill(managed)
    done = managed.process("ask", "-r", resume, "third", "--no-ingest", "--model", managed.script("Three."))
    assert (done.returncode, done.stdout) == (0, "Three.\n"), done.stderr
    assert "Waiting: Neo4j is being started" in done.stderr
    messages = managed.json("conversations", "show", resume, "--json")["messages"]
    assert [m["content"] for m in messages] == ["first", "One.", "second", "Two.", "third", "Three."]
    assert {m["state"] for m in messages} == {"complete"}
