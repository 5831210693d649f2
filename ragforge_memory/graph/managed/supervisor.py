"""The small process that owns the managed server.

It holds the supervisor lock for its life: the lock is held exactly while the server is looked after. It starts the
server, starts it again when it was killed, keeps its log short, and stops it when nobody has used it for a while.

Who uses the server is told by the operating system: a client holds a shared lock on ``clients.lock`` while it
lives, and touches that file when it begins. Before the server is stopped for idleness it is asked once whether
somebody else (a browser, another tool) is connected.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.managed.bolt import free_port
from ragforge_memory.graph.managed.files import ServerFiles, State, read_state, write_state
from ragforge_memory.graph.managed.flock import take
from ragforge_memory.graph.managed.login import count_connections
from ragforge_memory.graph.managed.process import (
    Launch,
    Problem,
    ServerProcess,
    becomes_ready,
    diagnose,
    launch,
    log_size,
    log_text,
)
from ragforge_memory.graph.managed.processes import identify, is_alive
from ragforge_memory.graph.managed.settings import SEE_LOGS, ServerSettings, password_check, read_password
from ragforge_memory.graph.queries import parse_version

START_TIMEOUT = 300.0
"""Seconds until a server that neither answers nor ends is given up."""

_PORTS_TRIED = 4
_RESTARTS = 3
_RESTARTS_WITHIN = 600.0
_LOG_BYTES = 8 << 20
_LOGS_KEPT = 3
_TICK = 30.0
_TICK_ORPHAN = 1.0
_STOPPED_BY_HAND = (0, -signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGINT)


class Signals:
    """Waits that a signal ends at once, whatever the system."""

    def __init__(self) -> None:
        self.stop = False
        self._read, write = os.pipe()
        for descriptor in (self._read, write):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._request_stop)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def wait(self, seconds: float) -> bool:
        """Sleep until a signal comes or the time is over; True if the server is to be stopped."""
        if not self.stop and select.select([self._read], [], [], seconds)[0]:
            os.read(self._read, 4096)
        return self.stop

    def _request_stop(self, _number: int, _frame: object) -> None:
        self.stop = True


class Report:
    """The pipe to the process that started this one: one line, how the start went."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def send(self, problem: Problem | None) -> None:
        """Say it; only the first call does anything, and nobody needs to listen any more."""
        if self._descriptor is None:
            return
        content = {"problem": problem.sentence, "hint": problem.hint} if problem else {"problem": None}
        try:
            os.write(self._descriptor, json.dumps(content).encode() + b"\n")
        except BrokenPipeError:
            pass
        finally:
            os.close(self._descriptor)
            self._descriptor = None


class StartFailed(Exception):
    """The server could not be started, and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


class Supervisor:
    """One server, from its start to its end. The supervisor lock must be held."""

    def __init__(self, files: ServerFiles, what: Launch, report: Report, signals: Signals) -> None:
        self._files = files
        self._what = what
        self._report = report
        self._signals = signals
        self._password = read_password(files)
        before = read_state(files)
        self._orphan = before.server if before and is_alive(before.server) else None
        self._state = State(
            status="starting",
            server_version=what.settings.version,
            store_version=before.store_version if before else None,
            port=before.port if before else 0,
            supervisor=identify(os.getpid()),
            server=self._orphan,
        )
        write_state(files, self._state)

    def run(self) -> None:
        """Start, watch, stop; a start that fails is reported and written down."""
        try:
            self._watch(self._adopt() or self._start())
        except StartFailed as failure:
            self._fail(failure.problem)

    def _watch(self, server: ServerProcess) -> None:
        restarts: list[float] = []
        idle = Idleness(self._files, self._what.settings.idle_hours * 3600.0)
        while not self._signals.wait(min(idle.tick, _TICK if server.is_child else _TICK_ORPHAN)):
            if not server.is_running():
                if server.exit_code in _STOPPED_BY_HAND:
                    break
                now = time.monotonic()
                restarts = [*(moment for moment in restarts if now - moment < _RESTARTS_WITHIN), now]
                if len(restarts) > _RESTARTS:
                    raise StartFailed(
                        Problem(f"The managed Neo4j ended {len(restarts)} times in ten minutes.", SEE_LOGS)
                    )
                self._say(f"the server ended ({server.exit_code}); it is started again")
                server = self._start()
            rotate_log(self._files)
            if idle.is_over(self._state.port, self._password, announce=self._stopping):
                self._say("nobody has used the server for a while; it is stopped")
                break
        self._stopping()
        server.stop()
        self._become(status="stopped", server=None, supervisor=None)

    def _adopt(self) -> ServerProcess | None:
        """The server that a killed supervisor left running, if it still answers."""
        if self._orphan is None:
            return None
        server = ServerProcess(self._orphan)
        deadline = time.monotonic() + START_TIMEOUT
        if becomes_ready(server, self._files, self._state.port, log_from=None, pause=self._until(deadline)):
            self._say("found the server running without a supervisor")
            self._ready(server)
            return server
        server.stop()
        return None

    def _start(self) -> ServerProcess:
        port = self._state.port
        for _ in range(_PORTS_TRIED):
            port = free_port(port)
            log_from = log_size(self._files)
            try:
                server = launch(self._files, self._what, port)
            except OSError as error:
                raise StartFailed(Problem(f"The managed Neo4j cannot be started: {error}.", SEE_LOGS)) from error
            if server is not None:
                self._become(status="starting", port=port, server=server.identity)
                if self._comes_up(server, port, log_from):
                    self._ready(server)
                    return server
            problem = diagnose(log_text(self._files, log_from), self._files.root)
            if not problem.port_taken:
                break
            port = 0
        raise StartFailed(problem)

    def _comes_up(self, server: ServerProcess, port: int, log_from: int) -> bool:
        """Whether it became ready; False if it ended by itself."""
        deadline = time.monotonic() + START_TIMEOUT
        if becomes_ready(server, self._files, port, log_from=log_from, pause=self._until(deadline)):
            return True
        if not server.is_running() and not self._signals.stop:
            return False
        server.stop()
        if self._signals.stop:
            raise StartFailed(Problem("The managed Neo4j was stopped while it started.", "Start it again."))
        raise StartFailed(Problem(f"The managed Neo4j did not answer within {START_TIMEOUT:.0f} seconds.", SEE_LOGS))

    def _until(self, deadline: float) -> Callable[[float], bool]:
        return lambda seconds: self._signals.wait(seconds) or time.monotonic() > deadline

    def _ready(self, server: ServerProcess) -> None:
        version = self._state.server_version
        store = self._state.store_version
        newest = store if store and parse_version(store) > parse_version(version) else version
        check = password_check(self._password, self._state.port)
        self._become(status="ready", server=server.identity, store_version=newest, password_check=check)
        self._report.send(None)

    def _stopping(self) -> None:
        self._become(status="stopping")

    def _fail(self, problem: Problem) -> None:
        self._say(problem.sentence)
        gone = {"server": None, "supervisor": None}
        self._become(status="failed", problem=problem.sentence, hint=problem.hint, **gone)
        self._report.send(problem)

    def _become(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)
        write_state(self._files, self._state)

    def _say(self, sentence: str) -> None:
        with self._files.log.open("a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S%z')} ragforge: {sentence}\n")


class Idleness:
    """For how long nobody has used the server.

    Args:
        limit: seconds without a client until it is over; 0 for never.
        clock: tells the seconds since 1970, as files' times are told.
    """

    def __init__(self, files: ServerFiles, limit: float, *, clock: Callable[[], float] = time.time) -> None:
        self._file = files.clients_lock
        self._limit = limit
        self._clock = clock
        self._last_seen = clock()
        self.tick = max(limit / 4, 0.05) if limit else math.inf

    def is_over(self, port: int, password: str, *, announce: Callable[[], None]) -> bool:
        """Whether the time is up; if so ``announce`` was called before a new client could come in between."""
        if not self._limit:
            return False
        now = self._clock()
        lock = take(self._file)
        if lock is None:
            self._last_seen = now
            return False
        try:
            last_used = max(self._last_seen, self._file.stat().st_mtime)
            if now - last_used < self._limit:
                return False
            if _others_connected(port, password):
                self._last_seen = now
                return False
            announce()
            return True
        finally:
            lock.release()


def _others_connected(port: int, password: str) -> bool:
    try:
        return count_connections(port, password) > 0
    except RagforgeError:  # it cannot be asked: then only our own clients count, and there are none
        return False


def rotate_log(files: ServerFiles) -> None:
    """Keep the log short: past 8 MB its content moves to ``server.log.1``, and so on up to ``.3``.

    The content is copied and the file emptied, for the server keeps it open; it appends, so it goes on at the start.
    """
    if log_size(files) < _LOG_BYTES:
        return
    numbered = [files.log, *(files.log.with_name(f"{files.log.name}.{n}") for n in range(1, _LOGS_KEPT + 1))]
    for older, newer in zip(reversed(numbered[2:]), reversed(numbered[1:-1]), strict=True):
        if newer.exists():
            os.replace(newer, older)
    numbered[1].write_bytes(files.log.read_bytes())
    os.truncate(files.log, 0)


def main() -> None:
    """Run as the supervisor; what to start comes as JSON on standard input. Leaves the process that called it."""
    if os.fork():  # so that nobody has to wait for this process, and none of it is left when it ends
        os._exit(0)
    request = json.load(sys.stdin)
    files = ServerFiles(Path(request["home"]))
    report = Report(int(request["report"]))
    # others look at the lock for moments; a supervisor holds it for good
    lock = take(files.supervisor_lock, wait=5.0)
    if lock is None:
        report.send(Problem("Another process is starting the managed Neo4j.", "Try again in a moment."))
        return
    what = Launch(ServerSettings(**request["settings"]), request["java"], tuple(request["jars"]))
    Supervisor(files, what, report, Signals()).run()
    lock.release()
