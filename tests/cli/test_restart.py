"""A Neo4j that goes away under the command line: the chat goes on, and no question is lost or doubled."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.managed.server import ensure_running, release, status, stop
from ragforge_memory.home import cache_home
from tests.cli.conftest import ENTRY, CommandLine
from tests.cli.pseudo_terminal import CTRL_D, ENTER, PseudoTerminal
from tests.neo4j_servers import QUICK_START

pytestmark = pytest.mark.long

PROMPT = r"(?m)^>"
SLOW = 90  # seconds; the first statements of a server that has just started, on a machine that is busy


@pytest.fixture
def managed(project: Path, bare_environment: dict[str, str]) -> Iterator[CommandLine]:
    """The command line on a managed server of its own."""
    (project / "ragforge.config.yaml").write_text("agent: {memory: {embeddings: {provider: hashing}}}\n")
    home = Path(bare_environment["RAGFORGE_HOME"])
    cache = str(cache_home())  # the jars and the Java runtime are the user's, the data is not
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGFORGE_CACHE", cache)
        patch.setenv(*QUICK_START)
        ensure_running(home)
        yield CommandLine(project, {**bare_environment, "RAGFORGE_CACHE": cache, **dict([QUICK_START])})
        stop(home)
        release(home)


def kill(ragforge: CommandLine) -> None:
    """Kills the Java process."""
    server = status(Path(ragforge.environment["RAGFORGE_HOME"])).pid
    assert server is not None
    os.kill(server, signal.SIGKILL)


def test_a_server_that_is_killed_under_a_chat(managed: CommandLine) -> None:
    model = managed.script("One.", "Two.")
    command = [*ENTRY, "chat", "--no-ingest", "--model", model]
    with PseudoTerminal(command, folder=managed.project, environment=managed.environment) as terminal:
        terminal.expect(PROMPT, seconds=SLOW)
        terminal.type("first" + ENTER)
        terminal.expect(r"One\.", seconds=SLOW)
        terminal.expect(PROMPT)
        kill(managed)
        terminal.type("second" + ENTER)
        terminal.expect(r"Neo4j is away; this turn is kept on disk until it is back", seconds=SLOW)
        terminal.expect(r"Two\.", seconds=SLOW)
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
    # Whoever comes next waits for the server where it is not back yet, and stores what waits before anything else.
    done = managed.process("ask", "-r", resume, "third", "--no-ingest", "--model", managed.script("Three."))
    assert (done.returncode, done.stdout) == (0, "Three.\n"), done.stderr
    messages = managed.json("conversations", "show", resume, "--json")["messages"]
    assert [m["content"] for m in messages] == ["first", "One.", "second", "Two.", "third", "Three."]
    assert {m["state"] for m in messages} == {"complete"}


def test_a_server_that_is_stopped_under_a_chat_that_reads_the_code(managed: CommandLine) -> None:
    command = [*ENTRY, "chat", "--model", "extractive"]
    with PseudoTerminal(command, folder=managed.project, environment=managed.environment) as terminal:
        terminal.expect(PROMPT, seconds=SLOW)
        terminal.type("where is login?" + ENTER)
        terminal.expect(r"auth\.py:9", seconds=SLOW)
        terminal.expect(PROMPT)
        assert stop(Path(managed.environment["RAGFORGE_HOME"]))
        terminal.type("where is check_password?" + ENTER)
        terminal.expect(r"went away and is being started again; waiting up to 15 s", seconds=SLOW)
        # A busy machine needs longer than that: the question is kept, and answered with what is there.
        said = terminal.expect(r"auth\.py:4|nothing can be looked up", seconds=SLOW)[0]
        assert "started again" not in said
        terminal.expect(PROMPT)
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
    messages = managed.json("conversations", "show", resume, "--json")["messages"]
    assert [m["content"] for m in messages if m["role"] == "user"] == ["where is login?", "where is check_password?"]


class Relay:
    """A way to a server that can be closed and opened again at the same address."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._listening: socket.socket | None = None
        self._open: list[socket.socket] = []
        self.port = 0
        self.open()

    def open(self) -> None:
        listening = self._listening = socket.create_server(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        threading.Thread(target=self._accept, args=(listening,), daemon=True).start()

    def close(self) -> None:
        assert self._listening is not None
        for each in (self._listening, *self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open = []

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(self._target)
                self._open += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


def test_a_server_that_refuses_under_a_chat(ragforge: CommandLine, neo4j_config: Neo4jConfig) -> None:
    address = urlsplit(neo4j_config.uri)
    relay = Relay((address.hostname or "", address.port or 7687))
    environment = {**ragforge.environment, "NEO4J_URI": f"bolt://127.0.0.1:{relay.port}"}
    command = [*ENTRY, "chat", "--no-ingest", "--model", ragforge.script("One.", "Two.")]
    with PseudoTerminal(command, folder=ragforge.project, environment=environment) as terminal:
        terminal.expect(PROMPT)
        terminal.type("first" + ENTER)
        terminal.expect(r"One\.")
        terminal.expect(PROMPT)
        relay.close()
        terminal.type("second" + ENTER)
        said = terminal.expect(r"not available: graph .*(?s:.)*?Two\.")[0]
        assert said.count("kept on disk until it is back") == 1
        assert "input again" not in said
        terminal.expect(PROMPT)
        relay.open()
        terminal.type(CTRL_D)
        resume = terminal.expect(r"ragforge chat -r ([0-9a-f]{8})")[1]
        assert terminal.wait() == 0
    relay.close()
    messages = ragforge.json("conversations", "show", resume, "--json")["messages"]
    assert [m["content"] for m in messages] == ["first", "One.", "second", "Two."]
