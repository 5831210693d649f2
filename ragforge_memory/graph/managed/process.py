"""The Java process of the server: start it, see it become ready, read what it says when it fails."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragforge_memory.graph.managed.bolt import handshake
from ragforge_memory.graph.managed.files import ProcessId, ServerFiles
from ragforge_memory.graph.managed.java import has_vector_module
from ragforge_memory.graph.managed.processes import end, identify, is_alive
from ragforge_memory.graph.managed.settings import SEE_LOGS, ServerSettings, argument_file, java_arguments, neo4j_conf
from ragforge_memory.home import write_private

STOP_PATIENCE = 60.0
"""Seconds that the server gets to close its databases before it is killed."""

_HANDSHAKE_TIMEOUT = 2.0
_POLL = 0.04
_LISTENING = "Bolt enabled on"
_LAST_BYTES = 64 << 10
# What the environment may add to every Java would change this one's fixed command line.
_NOT_INHERITED = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")


@dataclass(frozen=True, slots=True)
class Launch:
    """All that is needed to start the server once more."""

    settings: ServerSettings
    java: str
    jars: tuple[str, ...]


class ServerProcess:
    """A server that runs, be it our child or one that an earlier supervisor left behind."""

    def __init__(self, identity: ProcessId, child: subprocess.Popen[bytes] | None = None) -> None:
        self.identity = identity
        self._child = child

    @property
    def is_child(self) -> bool:
        """Whether its end is told by a signal; else it has to be looked for."""
        return self._child is not None

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._child.poll() is None if self._child else is_alive(self.identity)

    @property
    def exit_code(self) -> int | None:
        """How it ended (negative: by that signal), where that is known."""
        return self._child.poll() if self._child else None

    def stop(self) -> None:
        """End it, cleanly if it can; returns when it is gone."""
        if self._child is None:
            end(self.identity, patience=STOP_PATIENCE)
            return
        self._child.terminate()
        try:
            self._child.wait(STOP_PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def launch(files: ServerFiles, what: Launch, port: int) -> ServerProcess | None:
    """Start the server on this port; None if it ended at once.

    Raises:
        OSError: a file cannot be written or Java cannot be run.
    """
    files.conf.mkdir(parents=True, exist_ok=True)
    write_private(files.conf / "neo4j.conf", neo4j_conf(what.settings, port))
    # by a file: two hundred jars are more than some systems take on a command line
    simd = has_vector_module(Path(what.java))
    arguments = java_arguments(what.settings, files, list(what.jars), vector_module=simd)
    write_private(files.arguments, argument_file(arguments))
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    environment |= {"NEO4J_HOME": str(files.root), "NEO4J_CONF": str(files.conf)}
    with files.log.open("ab") as log:
        child = subprocess.Popen(
            [what.java, f"@{files.arguments}"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=files.root,
            env=environment,
            start_new_session=True,
        )
    identity = identify(child.pid)
    if identity is None:
        child.wait()
        return None
    return ServerProcess(identity, child)


def becomes_ready(
    server: ServerProcess,
    files: ServerFiles,
    port: int,
    *,
    log_from: int | None,
    pause: Callable[[float], bool],
) -> bool:
    """Wait until the server answers on its port.

    Args:
        server: the process; that it ended means no.
        port: its port.
        log_from: where its own lines in the log begin, to be sure that it is this server that answers and not
            another that took the port; None for one that was ready before.
        pause: sleeps so many seconds; True tells to give up.
    """
    while server.is_running():
        if (log_from is None or _LISTENING in log_text(files, log_from)) and (
            handshake(port, timeout=_HANDSHAKE_TIMEOUT) == "yes"
        ):
            return True
        if pause(_POLL):
            return False
    return False


def log_size(files: ServerFiles) -> int:
    """The bytes that the log has now."""
    try:
        return files.log.stat().st_size
    except OSError:
        return 0


def log_text(files: ServerFiles, start: int) -> str:
    """What the log says from byte ``start`` on, its last 64 kB at most."""
    try:
        with files.log.open("rb") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(min(start, size), size - _LAST_BYTES))
            return log.read().decode("utf-8", errors="replace")
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a start failed: one sentence, and what to do."""

    sentence: str
    hint: str
    port_taken: bool = False


def diagnose(text: str, root: Path) -> Problem:
    """What the log of a start that failed means for a person."""
    if "PortBindException" in text or "Address already in use" in text:
        return Problem("The managed Neo4j found its port taken by another program.", SEE_LOGS, port_taken=True)
    if "FileLockException" in text or "store_lock" in text:
        return Problem(
            f"Another Neo4j has the data in {root} open.", "End that process, or set RAGFORGE_HOME to another folder."
        )
    if "No space left on device" in text:
        return Problem(
            f"There is no space left on the disk of {root}.",
            "Free some space, or set RAGFORGE_HOME to a folder on another disk.",
        )
    if "UnsupportedClassVersionError" in text:
        return Problem("This Java is too old for Neo4j.", "pip install 'ragforge-memory[local]' brings one that fits.")
    if "Could not reserve enough space" in text or "Cannot allocate memory" in text or "OutOfMemory" in text:
        return Problem(
            "There is not enough memory to start Neo4j.", "Free some, or set RAGFORGE_NEO4J_HEAP to less than 512m."
        )
    lines = [line.strip() for line in text.splitlines() if "ERROR" in line or "Exception" in line]
    said = f": {lines[-1][:300]}" if lines else ""
    return Problem(f"The managed Neo4j ended while it started{said}.", SEE_LOGS)
