"""The cold start: what has to be there is fetched, the supervisor is set going, the login is tried.

Kept apart from ``server.py`` so that a process that finds the server running loads none of it.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from ragforge_memory.downloads.fetch import fetch
from ragforge_memory.downloads.lock import PinnedFile, load_lock, lock_names
from ragforge_memory.downloads.progress import Progress, Reporter
from ragforge_memory.errors import ConfigError, DownloadError, ServerStartError
from ragforge_memory.graph.managed.files import ServerFiles, State, read_state
from ragforge_memory.graph.managed.flock import is_held, nobody_waits, take
from ragforge_memory.graph.managed.java import find_java
from ragforge_memory.graph.managed.login import check_login
from ragforge_memory.graph.managed.process import Launch, log_text
from ragforge_memory.graph.managed.processes import end, is_alive
from ragforge_memory.graph.managed.settings import (
    SEE_LOGS,
    ServerSettings,
    password_lost,
    prepare_password,
    read_password,
    settings_from_environment,
)
from ragforge_memory.graph.queries import parse_version
from ragforge_memory.home import cache_home, downloads_home

_NEEDED = 100 << 20
"""Bytes that must be free before a server is started: its logs and a small graph."""

_STOP_PATIENCE = 90.0

# The package may be found by a path that the environment does not tell (a notebook, a zip, PYTHONPATH changed since).
_SUPERVISOR = (
    "import sys; sys.path.append({package!r}); from ragforge_memory.graph.managed.supervisor import main; main()"
)


@contextmanager
def start_lock(files: ServerFiles, progress: Reporter | None, left: threading.Event) -> Iterator[None]:
    """Only one process at a time prepares and starts the server; the others wait for it.

    Raises:
        ServerStartError: ``left`` was set meanwhile.
    """
    lock = take(files.start_lock)
    if lock is None:
        if progress is not None:
            progress(Progress("wait", "another process starts Neo4j"))
        lock = take(files.start_lock, wait=math.inf, left=left)
        if lock is None:
            raise nobody_waits()
    try:
        yield
    finally:
        lock.release()


def start(files: ServerFiles, progress: Reporter | None, left: threading.Event) -> None:
    """Start the server, which does not run or is older than the one wanted; the start lock must be held.

    Raises:
        ServerStartError: it could not be started; says why and what to do. Or ``left`` was set before all was fetched.
        ConfigError: a setting in the environment cannot be used.
    """
    settings = settings_from_environment()
    try:
        jars = load_lock(f"neo4j-{settings.version}")
    except KeyError:
        known = ", ".join(name.removeprefix("neo4j-") for name in lock_names() if name.startswith("neo4j-"))
        raise ConfigError(
            f"RAGFORGE_NEO4J_VERSION is {settings.version!r}, a Neo4j that this version does not know.",
            hint=f"Known are: {known}.",
        ) from None
    _refuse_older(files, settings.version)
    try:
        _start(files, settings, jars, progress, left)
    except DownloadError as error:
        raise ServerStartError(error.message, hint=error.hint) from error
    except OSError as error:
        raise ServerStartError(
            f"The managed Neo4j cannot be prepared in {files.root}: {error}.",
            hint="Set RAGFORGE_HOME to a folder that you may write to and that has room.",
        ) from error


def _start(
    files: ServerFiles,
    settings: ServerSettings,
    jars: tuple[PinnedFile, ...],
    progress: Reporter | None,
    left: threading.Event,
) -> None:
    name = f"Neo4j {settings.version}"
    java = find_java(cache_home(files.home), progress=progress)
    paths = fetch(jars, downloads_home(files.home), what=name, progress=progress, left=left)
    if left.is_set():
        raise nobody_waits()
    _check_space(files)
    state = read_state(files)
    old = state.store_version if state else None
    upgrade = old is not None and parse_version(old) < parse_version(settings.version)
    changes = upgrade or (state is not None and state.server_version != settings.version)
    if changes or is_held(files.supervisor_lock):
        stop_all(files)  # but a server of this version that has lost its supervisor is taken over as it is
        state = read_state(files)
    if state is None or not is_alive(state.server):
        settle(files, state)
    prepare_password(files)
    files.logs.mkdir(parents=True, exist_ok=True)
    if upgrade and old is not None:
        if progress is not None:
            progress(Progress("upgrade", f"{old} to {settings.version}"))
        copy_data(files, old)
    if progress is not None:
        progress(Progress("start", name))
    launched = Launch(settings, str(java), tuple(map(str, paths)))
    try:
        _supervise(files, launched)
        _log_in(files)
    except ServerStartError:
        stop_all(files)
        if upgrade:
            settle(files, state)
        raise
    if upgrade:
        settle(files, read_state(files))


def stop_all(files: ServerFiles) -> bool:
    """End the supervisor, which ends the server; and a server that nobody looks after.

    Returns:
        Whether anything ran.

    Raises:
        ServerStartError: it does not end.
    """
    stopped = _stop_supervisor(files)
    state = read_state(files)
    if state is None or not is_alive(state.server):
        return stopped
    end(state.server, patience=_STOP_PATIENCE)
    return True


def _stop_supervisor(files: ServerFiles) -> bool:
    if not is_held(files.supervisor_lock):
        return False
    deadline = time.monotonic() + _STOP_PATIENCE
    while time.monotonic() < deadline:
        state = read_state(files)  # again each time: one that has just begun has not written itself down yet
        if state is not None:
            end(state.supervisor, patience=_STOP_PATIENCE)
        lock = take(files.supervisor_lock, wait=0.2)
        if lock is not None:
            lock.release()
            return True
    raise ServerStartError(
        "The managed Neo4j does not stop.", hint="`ragforge neo4j status --json` tells its process id; end that."
    )


def _refuse_older(files: ServerFiles, version: str) -> None:
    state = read_state(files)
    if state and state.store_version and parse_version(state.store_version) > parse_version(version):
        raise ServerStartError(
            f"The data in {files.root} was last opened by Neo4j {state.store_version}, which is newer than {version}.",
            hint="Upgrade ragforge-memory (pip install -U ragforge-memory), or set RAGFORGE_HOME to another folder.",
        )


def _check_space(files: ServerFiles) -> None:
    free = shutil.disk_usage(files.root).free
    if free < _NEEDED:
        raise ServerStartError(
            f"Neo4j needs {_NEEDED >> 20} MB of free space in {files.root}, and there are {free >> 20} MB.",
            hint="Free some space, or set RAGFORGE_HOME to a folder on another disk.",
        )


def _supervise(files: ServerFiles, launched: Launch) -> None:
    """Set the supervisor going and wait for its word.

    Raises:
        ServerStartError: the server could not be started.
    """
    ours, theirs = os.pipe()
    request = {"home": str(files.home), "report": theirs, **asdict(launched)}
    package = str(Path(__file__).resolve().parents[3])
    log_from = files.log.stat().st_size if files.log.exists() else 0
    try:
        with files.log.open("ab") as log:
            subprocess.run(
                [sys.executable, "-P", "-c", _SUPERVISOR.format(package=package)],
                input=json.dumps(request).encode(),
                stdout=log,
                stderr=log,
                cwd=files.root,
                pass_fds=[theirs],
                start_new_session=True,
                check=False,
            )
    finally:
        os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.readline()
    if not said:
        lines = log_text(files, log_from).strip().splitlines()
        raise ServerStartError(
            f"The supervisor of the managed Neo4j ended{f': {lines[-1][:300]}' if lines else ''}.", hint=SEE_LOGS
        )
    word = json.loads(said)
    if word["problem"]:
        raise ServerStartError(word["problem"], hint=word["hint"])


def _log_in(files: ServerFiles) -> None:
    state = read_state(files)
    if state is None or not check_login(state.port, read_password(files)):
        raise password_lost(files)


def copy_data(files: ServerFiles, version: str) -> None:
    """Keep a copy of the data as server ``version`` left it. The server must not run.

    Raises:
        ServerStartError: the copy cannot be made; nothing has changed then.
    """
    copy = files.data_copy(version)
    part = copy.with_name(f"{copy.name}.part")
    try:
        shutil.copytree(files.data, part)
        os.rename(part, copy)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise ServerStartError(
            f"The data cannot be copied before Neo4j is upgraded from {version}: {error.strerror or error}.",
            hint=f"Make room on the disk of {files.root} for a second copy of its data, then try again.",
        ) from error


def settle(files: ServerFiles, state: State | None) -> None:
    """Bring an upgrade to its end that was begun earlier. The server must not run.

    The record says which server's data it is: still the old one's, and the upgrade failed, so the copy takes its
    place again; or a newer one's, and the copy is not needed any more. Without a record nobody knows, and it stays.

    Raises:
        OSError: a file cannot be moved or removed.
    """
    for part in files.root.glob("data.before-upgrade-from-*.part"):
        shutil.rmtree(part)
    for copy in files.root.glob("data.before-upgrade-from-*"):
        if state is None:
            continue
        if copy == files.data_copy(state.store_version or ""):
            shutil.rmtree(files.data, ignore_errors=True)
            os.rename(copy, files.data)
        else:
            shutil.rmtree(copy)
