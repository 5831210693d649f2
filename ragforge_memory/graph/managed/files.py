"""Where the managed server keeps what, below its home, and the record of what runs there."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ragforge_memory.home import write_private

Status: TypeAlias = Literal["starting", "ready", "stopping", "stopped", "failed"]


class ServerFiles:
    """The paths of one managed server; nothing is read or made here.

    Args:
        home: this library's home (``ragforge_home()``); the server has the folder ``neo4j`` in it.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "neo4j"
        self.conf = self.root / "conf"
        self.data = self.root / "data"
        self.auth = self.data / "dbms" / "auth.ini"
        self.password = self.root / "password"
        self.state = self.root / "state.json"
        self.arguments = self.root / "java.args"
        self.logs = self.root / "logs"
        self.log = self.logs / "server.log"
        self.supervisor_lock = self.root / "supervisor.lock"
        self.start_lock = self.root / "start.lock"
        self.clients_lock = self.root / "clients.lock"

    def data_copy(self, version: str) -> Path:
        """Where the data of server ``version`` is kept while a newer one opens it for the first time."""
        return self.root / f"data.before-upgrade-from-{version}"


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A process id and when that process started: the pair never means another process."""

    pid: int
    started: str


@dataclass(frozen=True, slots=True)
class State:
    """What ``state.json`` says.

    Attributes:
        status: what the server is doing; true only while the supervisor's lock is held.
        server_version: the Neo4j that runs or ran last.
        store_version: the newest Neo4j that the data was opened with; an older one must not open it.
        port: the Bolt port on 127.0.0.1.
        supervisor: the process that owns the server.
        server: the Java process.
        password_check: tells whether the password file is still the one the server was started with.
        problem: why it failed, one sentence.
        hint: what to do about it.
    """

    status: Status
    server_version: str
    store_version: str | None = None
    port: int = 0
    supervisor: ProcessId | None = None
    server: ProcessId | None = None
    password_check: str = ""
    problem: str | None = None
    hint: str | None = None


def read_state(files: ServerFiles) -> State | None:
    """The record, or None if there is none or it cannot be read as one.

    What a newer version of this library may have added to it is passed over.
    """
    try:
        content = json.loads(files.state.read_text(encoding="utf-8"))
        known = {field.name: content[field.name] for field in fields(State) if field.name in content}
        for name in ("supervisor", "server"):
            known[name] = _process(content.get(name))
        return State(**known)
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None


def write_state(files: ServerFiles, state: State) -> None:
    """Replace the record, atomically, in a file that only this user reads.

    Raises:
        OSError: it cannot be written.
    """
    write_private(files.state, json.dumps(asdict(state), indent=1) + "\n")


def _process(content: Any) -> ProcessId | None:
    return ProcessId(int(content["pid"]), str(content["started"])) if isinstance(content, dict) else None
