"""The parts of supervision that need no server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragforge_memory.graph.managed import supervisor
from ragforge_memory.graph.managed.bolt import free_port, handshake
from ragforge_memory.graph.managed.files import ProcessId, ServerFiles, State, read_state, write_state
from ragforge_memory.graph.managed.flock import is_held, take
from ragforge_memory.graph.managed.process import diagnose
from ragforge_memory.graph.managed.processes import end, identify, is_alive
from ragforge_memory.graph.managed.supervisor import Idleness, rotate_log


@pytest.fixture
def files(tmp_path: Path) -> ServerFiles:
    files = ServerFiles(tmp_path)
    files.logs.mkdir(parents=True)
    return files


def test_locks_exclude_and_end_with_their_process(tmp_path: Path) -> None:
    file = tmp_path / "a.lock"
    assert not is_held(file)
    script = (
        "import sys; from pathlib import Path; from ragforge_memory.graph.managed.flock import take\n"
        "assert take(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert is_held(file)
        assert take(file) is None
        holder.kill()
    assert not is_held(file)


def test_shared_locks_go_together(tmp_path: Path) -> None:
    one, two = take(tmp_path / "a", shared=True), take(tmp_path / "a", shared=True)
    assert one is not None
    assert two is not None
    one.release()
    assert take(tmp_path / "a") is None
    two.release()
    two.release()
    alone = take(tmp_path / "a")
    assert alone is not None
    assert take(tmp_path / "a", shared=True) is None
    alone.release()


def test_a_process_is_known_by_its_start_too() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        identity = identify(process.pid)
        assert identity is not None
        assert is_alive(identity)
        another = ProcessId(identity.pid, "long ago")
        assert not is_alive(another)
        end(another, patience=0)
        assert is_alive(identity)
        end(identity, patience=60)
        assert not is_alive(identity)
    assert identify(process.pid) is None
    assert not is_alive(None)


def test_the_record_of_the_server_survives_damage(files: ServerFiles) -> None:
    assert read_state(files) is None
    state = State("ready", "2026.09.0", "2026.09.0", 4711, ProcessId(1, "2"), ProcessId(3, "4"), "check")
    write_state(files, state)
    assert read_state(files) == state
    files.state.write_text(json.dumps({**json.loads(files.state.read_text()), "added_later": 1}))
    assert read_state(files) == state
    for damage in ("", "[]", "{", '{"status": "ready"}', '{"unknown": 1}'):
        files.state.write_text(damage)
        assert read_state(files) is None


def test_a_port_that_answers_in_another_way(files: ServerFiles) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert handshake(port, timeout=0.05) == "silent"
        assert free_port(port) != port
    assert handshake(port, timeout=0.05) == "refused"
    assert free_port(port) == port


def test_a_server_is_idle_when_nobody_holds_it_for_long_enough(files: ServerFiles) -> None:
    clock = [time.time()]
    announced: list[bool] = []
    idle = Idleness(files, 3600, clock=lambda: clock[0])

    def is_over() -> bool:
        return idle.is_over(1, "no server, so nobody can be connected", announce=lambda: announced.append(True))

    client = take(files.clients_lock, shared=True)
    assert client is not None
    clock[0] += 5000
    assert not is_over()  # held, however long
    client.release()
    clock[0] += 3000
    assert not is_over()
    os.utime(files.clients_lock, (clock[0], clock[0]))  # one came and went
    clock[0] += 3000
    assert not is_over()
    clock[0] += 700
    assert is_over()
    assert announced == [True]


def test_the_log_is_kept_short(files: ServerFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_LOG_BYTES", 10)
    with files.log.open("ab", buffering=0) as server:  # as the server does, it keeps the file open
        for round_ in range(1, 6):
            server.write(b"round %d\n" % round_ * 2)
            rotate_log(files)
        server.write(b"now")
    names = sorted(path.name for path in files.logs.iterdir())
    assert names == ["server.log", "server.log.1", "server.log.2", "server.log.3"]
    assert files.log.read_text() == "now"
    assert (files.logs / "server.log.1").read_text() == "round 5\nround 5\n"
    assert (files.logs / "server.log.3").read_text() == "round 3\nround 3\n"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("org.neo4j.internal.PortBindException: Address 127.0.0.1:1 is already in use", "port taken"),
        ("Error occurred during initialization of VM\nCould not reserve enough space", "not enough memory"),
        ("2026 ERROR Failed to start: something else", "something else"),
        ("", "ended while it started"),
    ],
)
def test_what_a_failed_start_means(tmp_path: Path, said: str, sentence: str) -> None:
    problem = diagnose(said, tmp_path)
    assert sentence in problem.sentence
    assert problem.hint
    assert problem.port_taken == ("PortBind" in said)
