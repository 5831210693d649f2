"""One managed server through its whole life. The tests run in order: each leaves the server as the next finds it."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path

import neo4j
import pytest
from neo4j.exceptions import AuthError
from typer.testing import CliRunner

from ragforge_memory.cli import neo4j as commands
from ragforge_memory.errors import ConfigError, InvalidInput, ServerStartError
from ragforge_memory.graph.managed import ensure_running, external_status, logs, release, status, stop
from ragforge_memory.graph.managed.files import ProcessId, ServerFiles, read_state
from ragforge_memory.graph.managed.flock import take
from ragforge_memory.graph.managed.login import count_connections
from ragforge_memory.graph.managed.processes import identify, is_alive
from tests.downloads.repository import serving
from tests.managed.clients import Client, ask
from tests.managed.signals import kill, stop_whole

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]  # a start takes ten seconds, on a busy machine a minute


def supervisor(home: Path) -> ProcessId:
    state = read_state(ServerFiles(home))
    assert state is not None
    assert state.supervisor is not None
    return state.supervisor


def test_before_the_first_start(home: Path) -> None:
    assert not status(home).running
    assert not stop(home)
    assert logs(home) == ""
    assert not home.exists()


def test_two_that_come_at_once_start_one_server(home: Path) -> None:
    clients = [Client(home), Client(home)]
    infos = [client.info() for client in clients]
    for client in clients:
        client.leave()
    mine = ensure_running(home)
    assert {(info["pid"], info["port"]) for info in infos} == {(mine.pid, mine.port)}


def test_a_client_of_a_running_server_loads_little(home: Path) -> None:
    client = Client(home)
    loaded = set(client.info()["modules"])
    client.leave()
    assert not loaded & {"neo4j", "asyncio", "subprocess", "filelock", "typer", "rich", "pydantic", "urllib.request"}


def test_only_the_random_password_logs_in(home: Path) -> None:
    info = ensure_running(home)
    assert ask(info, "RETURN 1") == [1]
    for password in ("neo4j", ""):
        with (
            pytest.raises(AuthError),
            neo4j.GraphDatabase.driver(info.uri, auth=("neo4j", password)) as driver,
        ):
            driver.verify_connectivity()


def test_secrets_are_readable_by_their_user_only(home: Path) -> None:
    files = ServerFiles(home)
    assert files.root.stat().st_mode & 0o777 == 0o700
    for secret in (files.password, files.state, files.conf / "neo4j.conf"):
        assert secret.stat().st_mode & 0o777 == 0o600, secret
    assert files.password.read_text().strip() not in logs(home, lines=10_000)


def test_status_tells_where_it_is(home: Path) -> None:
    info = ensure_running(home)
    assert status(home).as_dict() == {
        "running": True,
        "managed": True,
        "uri": f"bolt://127.0.0.1:{info.port}",
        "username": "neo4j",
        "password": info.password,
        "version": info.version,
        "pid": info.pid,
        "home": str(home),
    }
    assert "Started." in logs(home)


def test_a_server_that_is_not_ours(home: Path) -> None:
    info = ensure_running(home)
    external = external_status(info.uri, "neo4j", info.password)
    assert (external.running, external.managed, external.version) == (True, False, info.version)
    assert not external_status(info.uri, "neo4j", "wrong").running


def test_a_killed_server_comes_back_with_its_data(home: Path) -> None:
    before = ensure_running(home)
    ask(before, "CREATE (:Kept {by: 'the kill'})")
    kill(identify(before.pid))
    after = ensure_running(home)
    assert after.pid != before.pid
    assert (after.port, after.password) == (before.port, before.password)
    assert ask(after, "MATCH (kept:Kept) RETURN kept.by") == ["the kill"]


def test_a_killed_supervisor_is_replaced_under_the_running_server(home: Path) -> None:
    before, owner = ensure_running(home), supervisor(home)
    kill(owner)
    after = ensure_running(home)
    assert after == before
    assert supervisor(home) != owner


def test_a_server_that_hangs_is_an_error_and_not_a_wait(home: Path) -> None:
    info = ensure_running(home)
    stop_whole(info.pid)
    try:
        with pytest.raises(ServerStartError, match=f"process {info.pid}.*does not answer"):
            ensure_running(home)
        assert not status(home).running
    finally:
        os.kill(info.pid, signal.SIGCONT)
    assert ensure_running(home) == info


def test_a_changed_password_file_is_noticed(home: Path) -> None:
    info, file = ensure_running(home), ServerFiles(home).password
    file.write_text("another\n")
    with pytest.raises(ServerStartError, match="lost or changed") as caught:
        ensure_running(home)
    assert caught.value.hint
    assert "Restore" in caught.value.hint
    file.unlink()
    with pytest.raises(ServerStartError, match="lost or changed"):
        ensure_running(home)
    file.write_text(info.password)
    assert ensure_running(home) == info


def test_connections_of_others_are_counted(home: Path) -> None:
    info = ensure_running(home)
    assert count_connections(info.port, info.password) == 0
    with neo4j.GraphDatabase.driver(info.uri, auth=(info.username, info.password)) as driver:
        driver.verify_connectivity()
        assert count_connections(info.port, info.password) == 1


def run(*arguments: str) -> str:
    result = CliRunner().invoke(commands.app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_the_commands(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = ensure_running(home)
    monkeypatch.setenv("RAGFORGE_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    assert json.loads(run("status", "--json")) == json.loads(run("start", "--json")) == status(home).as_dict()
    told = run("status")
    assert f"Neo4j {info.version} (managed) runs at {info.uri}" in told
    assert info.password not in told
    assert run("path").strip() == str(home / "neo4j")
    assert len(run("logs", "-n", "2").splitlines()) == 2


def test_the_commands_beside_a_configured_server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = ensure_running(home)
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "unused"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEO4J_URI", info.uri)
    monkeypatch.setenv("NEO4J_PASSWORD", info.password)
    told = json.loads(run("status", "--json"))
    assert (told["managed"], told["running"], told["uri"], told["pid"]) == (False, True, info.uri, None)
    with pytest.raises(ServerStartError, match="is configured"):
        CliRunner().invoke(commands.app, ["start"], catch_exceptions=False)
    with pytest.raises(InvalidInput, match="not ours to stop"):
        CliRunner().invoke(commands.app, ["stop"], catch_exceptions=False)
    assert not (tmp_path / "unused").exists()


def test_stop_ends_all_of_it(home: Path) -> None:
    info, owner = ensure_running(home), supervisor(home)
    server = identify(info.pid)
    assert stop(home)
    assert not is_alive(server)
    assert not is_alive(owner)
    assert not status(home).running
    assert not stop(home)


def test_an_older_server_is_never_started_on_newer_data(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGFORGE_NEO4J_VERSION", "5.26.30")
    with pytest.raises(ServerStartError, match=r"newer than 5\.26\.30") as caught:
        ensure_running(home)
    assert caught.value.hint
    assert "Upgrade ragforge-memory" in caught.value.hint


def test_a_wrong_password_is_an_error_and_nothing_stays_behind(home: Path) -> None:
    file = ServerFiles(home).password
    password = file.read_text()
    file.write_text("another\n")
    with pytest.raises(ServerStartError, match="lost or changed"):
        ensure_running(home)
    file.write_text(password)
    assert not status(home).running


def test_a_taken_port_is_left_to_its_owner_and_an_idle_server_stops(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ServerFiles(home)
    ensure_running(home)
    stop(home)
    state = read_state(files)
    assert state is not None
    monkeypatch.setenv("RAGFORGE_NEO4J_IDLE_HOURS", str(1 / 3600))
    release(home)  # from here on only the other process uses it
    with socket.create_server(("127.0.0.1", state.port)):
        client = Client(home)
        info = client.info()
    assert info["port"] != state.port
    assert status(home).running
    client.leave()
    lock = take(files.supervisor_lock, wait=60)
    assert lock is not None
    lock.release()
    assert identify(info["pid"]) is None
    assert "nobody has used the server" in logs(home)
    final = read_state(files)
    assert final is not None
    assert final.status == "stopped"


def test_no_room_for_the_server(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.graph.managed.start._NEEDED", 1 << 60)
    with pytest.raises(ServerStartError, match="free space") as caught:
        ensure_running(home)
    assert caught.value.hint
    assert "RAGFORGE_HOME" in caught.value.hint


def test_no_download_to_be_had(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGFORGE_CACHE", str(tmp_path / "cache"))
    with serving() as empty:
        monkeypatch.setenv("RAGFORGE_MIRROR", empty.base)
        with pytest.raises(ServerStartError, match="answered 404") as caught:
            ensure_running(home)
    assert caught.value.hint
    assert "RAGFORGE_MIRROR" in caught.value.hint


def test_a_home_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ServerStartError, match="cannot be looked after") as caught:
        ensure_running(tmp_path / "file")
    assert caught.value.hint
    assert "RAGFORGE_HOME" in caught.value.hint


def test_a_version_that_is_not_pinned(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGFORGE_NEO4J_VERSION", "9.9.9")
    with pytest.raises(ConfigError, match=r"9\.9\.9") as caught:
        ensure_running(home)
    assert caught.value.hint
    assert "2026.09.0" in caught.value.hint
