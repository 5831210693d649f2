"""The way in to the managed server: have it running, stop it, look at it.

All of it blocks; an event loop calls it in a thread.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.downloads.progress import Progress
from ragforge_memory.errors import ServerStartError
from ragforge_memory.graph.managed.bolt import handshake
from ragforge_memory.graph.managed.files import ServerFiles, State, read_state
from ragforge_memory.graph.managed.flock import Lock, is_held, nobody_waits, take
from ragforge_memory.graph.managed.settings import (
    SEE_LOGS,
    USERNAME,
    password_check,
    password_lost,
    read_password,
    wanted_version,
)
from ragforge_memory.graph.queries import parse_version
from ragforge_memory.home import ragforge_home

if TYPE_CHECKING:
    from ragforge_memory.downloads.progress import Reporter

ANSWER_TIMEOUT = 2.0
"""Seconds that a server which runs gets for its first word; one that hangs is an error and not a wait."""

_WAIT = 330.0
_POLL = 0.03


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A managed server that runs and answers.

    Attributes:
        uri: where it is, ``bolt://127.0.0.1:PORT``.
        username: who may log in.
        password: with what; only this user of the machine can read it.
        version: the Neo4j that runs.
        pid: its Java process.
        home: this library's home that it belongs to.
        port: the port in ``uri``.
    """

    uri: str
    username: str
    password: str
    version: str
    pid: int
    home: Path
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus:
    """What there is of a server; None where there is nothing to tell. ``managed``: whether it is ours."""

    running: bool
    managed: bool
    uri: str | None = None
    username: str | None = USERNAME
    password: str | None = None
    version: str | None = None
    pid: int | None = None
    home: Path

    def as_dict(self) -> dict[str, Any]:
        """As plain data, the password included."""
        return asdict(self) | {"home": str(self.home)}


def ensure_running(
    home: Path | None = None, *, progress: Reporter | None = None, left: threading.Event | None = None
) -> ServerInfo:
    """The managed server of this home, started if it does not run.

    A server that runs is found in milliseconds. A first start fetches Neo4j (160 MB) and takes as long as that
    does. Of processes that come at once one starts the server and the others wait for it. A server that was
    killed is started again, with everything that was committed. This process counts as a user of the server until
    it ends or calls ``release``.

    Args:
        home: instead of ``ragforge_home()``.
        progress: is told what takes long.
        left: set by a caller who waits no longer, be it for others or for what is fetched.

    Raises:
        ServerStartError: no Java, no disk, no network, a lost password, data of a newer server, a server that
            hangs; the message says which, the hint what to do.
        ConfigError: a setting in the environment cannot be used.
    """
    files = ServerFiles(home or ragforge_home())
    left = left or threading.Event()
    try:
        _become_client(files, left)
        info = _find_running(files, left, progress)
        if info is not None:
            return info
        from ragforge_memory.graph.managed.start import start, start_lock

        with start_lock(files, progress, left):
            info = _find_running(files, left)  # another process may have started it while this one waited
            if info is None:
                start(files, progress, left)
                info = _find_running(files, left)
    except OSError as error:
        raise ServerStartError(
            f"The managed Neo4j cannot be looked after in {files.root}: {error}.",
            hint="Set RAGFORGE_HOME to a folder that you may write to and that has room.",
        ) from error
    if info is None:
        raise ServerStartError("The managed Neo4j ended as soon as it had started.", hint=SEE_LOGS)
    return info


def release(home: Path | None = None) -> None:
    """This process does not use the server any more: for idleness it does not count from now on."""
    lock = _clients.pop(ServerFiles(home or ragforge_home()).clients_lock, None)
    if lock is not None:
        lock.release()


def stop(home: Path | None = None) -> bool:
    """Stop the managed server, cleanly; returns when it is gone. False if it did not run.

    Raises:
        ServerStartError: it does not stop.
    """
    files = ServerFiles(home or ragforge_home())
    if not files.root.is_dir():
        return False
    from ragforge_memory.graph.managed.start import stop_all

    return stop_all(files)


def status(home: Path | None = None) -> ServerStatus:
    """What there is of the managed server; starts nothing and does not count as its use.

    Raises:
        ServerStartError: it runs, and its password file is gone.
    """
    files = ServerFiles(home or ragforge_home())
    state = read_state(files)
    if state is None or state.server is None or not is_held(files.supervisor_lock):
        version = state.server_version if state else None
        return ServerStatus(running=False, managed=True, version=version, home=files.home)
    return ServerStatus(
        running=state.status == "ready" and handshake(state.port, timeout=ANSWER_TIMEOUT) == "yes",
        managed=True,
        uri=_uri(state),
        password=read_password(files),
        version=state.server_version,
        pid=state.server.pid,
        home=files.home,
    )


def external_status(uri: str, username: str, password: str) -> ServerStatus:
    """What there is of a server that is not ours, asked for its version (3 seconds at most to connect)."""
    from ragforge_memory.graph.managed.login import external_version

    version = external_version(uri, username, password)
    return ServerStatus(
        running=version is not None,
        managed=False,
        uri=uri,
        username=username,
        password=password or None,
        version=version,
        home=ragforge_home(),
    )


def logs(home: Path | None = None, *, lines: int = 100) -> str:
    """The last lines that the server and its supervisor wrote; empty if they never ran."""
    from ragforge_memory.graph.managed.process import log_text

    text = log_text(ServerFiles(home or ragforge_home()), 0)
    return "\n".join(text.splitlines()[-lines:]) if lines > 0 else ""


_clients: dict[Path, Lock] = {}


def _become_client(files: ServerFiles, left: threading.Event) -> None:
    """Hold the clients' lock for the life of this process, and note the time for those that follow."""
    if files.clients_lock not in _clients:
        files.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = take(files.clients_lock, shared=True, wait=_WAIT, left=left)
        if lock is not None:
            _clients[files.clients_lock] = lock
    os.utime(files.clients_lock)


def _find_running(files: ServerFiles, left: threading.Event, progress: Reporter | None = None) -> ServerInfo | None:
    """The server if it runs and is not older than wanted; waits while it is being started or stopped.

    Raises:
        ServerStartError: it hangs, or does not take the password that is on file; ``left`` was set.
    """
    deadline = time.monotonic() + _WAIT
    while is_held(files.supervisor_lock):
        state = read_state(files)
        if state is not None and state.status == "ready" and state.server is not None:
            if parse_version(state.server_version) < parse_version(wanted_version()):
                return None
            answer = handshake(state.port, timeout=ANSWER_TIMEOUT)
            if answer == "yes":
                return _info(files, state)
            if answer == "silent" or time.monotonic() > deadline:
                raise ServerStartError(
                    f"The managed Neo4j runs (process {state.server.pid}) and does not answer.",
                    hint="`ragforge neo4j stop` ends it; the next command starts it again.",
                )
        if time.monotonic() > deadline:
            raise ServerStartError("The managed Neo4j is still being started by another process.", hint=SEE_LOGS)
        if progress is not None:
            progress(Progress("wait", "Neo4j is being started"))
            progress = None
        if left.wait(_POLL):
            raise nobody_waits()
    return None


def _info(files: ServerFiles, state: State) -> ServerInfo:
    password = read_password(files)
    if password_check(password, state.port) != state.password_check or state.server is None:
        raise password_lost(files)
    return ServerInfo(
        uri=_uri(state),
        username=USERNAME,
        password=password,
        version=state.server_version,
        pid=state.server.pid,
        home=files.home,
        port=state.port,
    )


def _uri(state: State) -> str:
    return f"bolt://127.0.0.1:{state.port}"
