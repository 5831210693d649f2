"""`ragforge serve` as a process of its own: started, watched, its workers struck, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import httpx2
import yaml

from ragforge_memory.config import Neo4jConfig

ROOT = Path(__file__).resolve().parent.parent
ANSWER = "It is in auth.py, in the function that the name says, and nothing else calls it at the moment."
_READY_SECONDS = 180
_END_SECONDS = 60


@dataclass
class Served:
    """A server that runs; ``log`` is what it says."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    @classmethod
    def start(cls, folder: Path, project: str, config: Neo4jConfig, workers: int, *, embeds: bool) -> Served:
        """Starts it, and waits until it is ready.

        Args:
            folder: its project's root, its home and its log.
            project: the project's name.
            config: the graph.
            workers: processes that serve.
            embeds: whether messages get vectors from the local model.
        """
        root = folder / "project"
        root.mkdir(parents=True)
        script = folder / "model.json"
        model = {"model": "scripted", "delay_ms": 2, "loop": True, "steps": [ANSWER]}
        script.write_text(json.dumps(model), encoding="utf-8")
        settings = {
            "name": project,
            "agent": {"memory": {"embeddings": {"enabled": embeds}}},
            "server": {"require_key": True, "requests_per_minute": 100_000},
        }
        (root / "ragforge.config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = ("serve", "--port", str(port), "--workers", str(workers), "--model", f"scripted:{script}")
        log = folder / "server.log"
        with log.open("wb") as said:
            process = subprocess.Popen(
                (sys.executable, "-m", "ragforge_memory.cli.main", *command),
                cwd=root,
                env=_environment(folder, config),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        served = cls(process, f"http://127.0.0.1:{port}", log)
        try:
            served._wait()
        except BaseException:
            served.end()
            raise
        return served

    def workers(self) -> dict[int, int]:
        """The workers by their process ids, with the bytes of memory that each has."""
        told = subprocess.run(
            ("ps", "-A", "-o", "pid=,ppid=,rss=,args="), capture_output=True, text=True, check=True
        ).stdout
        rows = (line.split(maxsplit=3) for line in told.splitlines())
        return {
            int(row[0]): int(row[2]) * 1024
            for row in rows
            if len(row) == 4 and int(row[1]) == self.process.pid and "spawn_main" in row[3]
        }

    @property
    def memory(self) -> int:
        """The bytes that all workers have."""
        return sum(self.workers().values())

    def strike(self, place: int) -> bool:
        """Kills a worker at once, as a machine that is out of memory does; returns whether there was one."""
        workers = sorted(self.workers())
        if workers:
            os.kill(workers[place % len(workers)], signal.SIGKILL)
        return bool(workers)

    def end(self) -> None:
        """Ends it as a service manager does: asked first, killed with its workers when it takes too long."""
        self.process.terminate()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            print("the server did not end in time", file=sys.stderr)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(_END_SECONDS)

    def _wait(self) -> None:
        ends = time.monotonic() + _READY_SECONDS
        while time.monotonic() < ends:
            if self.process.poll() is not None:
                break
            try:
                if httpx2.get(f"{self.url}/readyz", timeout=5, trust_env=False).status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.2)
        raise SystemExit(f"the server did not start:\n{self.log.read_text(errors='replace')[-2_000:]}")


def _environment(folder: Path, config: Neo4jConfig) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "RAGFORGE_HOME": str(folder / "home"),
        "NEO4J_URI": config.uri,
        "NEO4J_USERNAME": config.username,
        "NEO4J_PASSWORD": config.password,
        "NEO4J_DATABASE": config.database,
    }
