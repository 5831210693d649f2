"""`ragforge serve` as a process: workers that are killed and renewed, and what schemathesis finds."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from ragforge_memory import Neo4jConfig

pytestmark = pytest.mark.long

_READY_SECONDS = 120.0
_TRIES = 60


@dataclass(frozen=True)
class Served:
    """A server that runs: its address, its process, and an administrator's key."""

    url: str
    process: subprocess.Popen[bytes]
    key: str

    @property
    def workers(self) -> list[int]:
        """The processes that serve: children of the one that was started, by their command."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.process.pid and b"spawn_main" in (path / "cmdline").read_bytes():
                    found.append(int(path.name))
        return found


@pytest.fixture
def served(neo4j_config: Neo4jConfig, tmp_path: Path) -> Iterator[Served]:
    """Two workers with a scripted model, asked with a key."""
    project = tmp_path / "project"
    project.mkdir()
    script = {"model": "scripted", "loop": True, "delay_ms": 5, "steps": ["An answer of some words."]}
    (tmp_path / "script.json").write_text(json.dumps(script))
    limits = "server: {require_key: true, requests_per_minute: 100000}\n"
    off = "agent: {memory: {embeddings: {enabled: false}, summarization: {enabled: false}}}\n"
    (project / "ragforge.config.yaml").write_text(f"name: served-{uuid4().hex[:8]}\n{limits}{off}")
    environment = os.environ | {
        "RAGFORGE_HOME": str(tmp_path / "home"),
        "NEO4J_URI": neo4j_config.uri,
        "NEO4J_USERNAME": neo4j_config.username,
        "NEO4J_PASSWORD": neo4j_config.password,
    }
    command = [sys.executable, "-m", "ragforge_memory.cli.main"]
    made = subprocess.run(
        [*command, "keys", "create", "--scope", "admin", "--json"],
        cwd=project,
        env=environment,
        capture_output=True,
        timeout=120,
        check=True,
    )
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [*command, "serve", "--port", str(port), "--workers", "2", "--model", f"scripted:{tmp_path / 'script.json'}"],
        cwd=project,
        env=environment,
        start_new_session=True,
    )
    running = Served(f"http://127.0.0.1:{port}", process, json.loads(made.stdout)["key"])
    try:
        _until_ready(running)
        yield running
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def test_nothing_is_lost_where_workers_die_and_are_renewed(served: Served) -> None:
    users, turns = [f"u{number}-{uuid4().hex[:6]}" for number in range(6)], 12
    with ThreadPoolExecutor(len(users)) as pool:
        talking = [pool.submit(_talk, served, user, turns) for user in users]
        for blow in range(4):
            time.sleep(2)
            if blow == 2:
                served.process.send_signal(signal.SIGHUP)
            elif workers := served.workers:
                os.kill(workers[0], signal.SIGKILL)
        acknowledged = [each.result(timeout=280) for each in talking]
    with _client(served) as client:
        for user, told in zip(users, acknowledged, strict=True):
            query = {"user_id": user, "limit": 1_000}
            stored = _patiently(lambda q=query: client.get("/api/conversations/talk/messages", params=q)).json()
            questions = [each for each in stored if each["role"] == "user"]
            assert [each["content"] for each in questions] == [f"{user} says {turn}" for turn in range(turns)]
            whole = {each["in_reply_to"]: each["uuid"] for each in stored if each["state"] == "complete"}
            assert all(whole[question] == answer for question, answer in told)
            assert [each["seq"] for each in stored] == list(range(1, len(stored) + 1))


@pytest.mark.timeout(1_600)
def test_schemathesis_finds_nothing(served: Served, tmp_path: Path) -> None:
    """Its own checks over the whole description; what is of the right form and still not possible is a 422."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json", "--url", served.url),
        *("--header", f"Authorization: Bearer {served.key}", "--seed", "7", "--max-examples", "25"),
        *("--phases", "examples,coverage,fuzzing", "--exclude-checks", "positive_data_acceptance"),
        *("--exclude-path-regex", "/code/ingest|/metrics", "--request-timeout", "60", "--no-color"),
        *("--suppress-health-check", "all", "--workers", "4", "--generation-database", "none"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1_500, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[:20_000] + done.stderr[-2_000:]
    cases = re.search(r"([\d,]+) generated", done.stdout)
    assert cases is not None, done.stdout[-2_000:]
    assert int(cases[1].replace(",", "")) >= 2_000


def _talk(served: Served, user: str, turns: int) -> list[tuple[str, str]]:
    """One user's turns, each sent again under its key until it is answered; gives (question, answer) of each."""
    told = []
    with _client(served) as client:
        for turn in range(turns):
            asked = {"message": f"{user} says {turn}", "session_id": "talk", "user_id": user}
            headers = {"Idempotency-Key": f"{user}-{turn}"}
            answer = _patiently(lambda a=asked, h=headers: client.post("/api/chat", json=a, headers=h)).json()
            told.append((answer["user_message_id"], answer["message_id"]))
    return told


def _patiently(ask: Any) -> httpx2.Response:
    """Asks again where the worker died, or is being renewed, or the question is being answered."""
    for _ in range(_TRIES):
        with contextlib.suppress(httpx2.TransportError):
            response: httpx2.Response = ask()
            if response.status_code == 200:
                return response
            assert response.status_code in (409, 503), response.text
        time.sleep(0.5)
    raise AssertionError("no answer came")


def _client(served: Served) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {served.key}"}
    return httpx2.Client(base_url=served.url, headers=headers, timeout=60, trust_env=False)


def _until_ready(served: Served) -> None:
    end = time.monotonic() + _READY_SECONDS
    with _client(served) as client:
        while time.monotonic() < end:
            assert served.process.poll() is None, "the server ended"
            with contextlib.suppress(httpx2.TransportError):
                if client.get("/readyz").status_code == 200:
                    return
            time.sleep(0.2)
    raise AssertionError("the server did not become ready")
