"""Leases: the right to write something, which ends by itself where its holder does. How long each is, and who has it.

The database's clock decides when one is over, and its token is looked for by every write that needs it.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

from ragforge_memory.errors import GraphUnavailable

WORK_SECONDS = 20.0
"""On a conversation's summaries or insights, or the move of vectors: renewed at half of that."""

INGEST_SECONDS = 30
"""On a project's code: renewed at a third, and by each write."""

ANCHOR_SECONDS = 60
"""On a project's code for as long as anchors of an archive may be looked for, git's history included (20 s)."""

IMPORT_SECONDS = 60
"""On an imported conversation, from its last batch on: as long as one statement of it may take."""

RESTORE_SECONDS = 600
"""On a restored conversation, from its last batch on. A batch takes a second or two; a server under load, or a client
that waits for its input, much longer."""

SCHEMA_SECONDS = 120
"""On the schema, while it is made."""


def holder() -> str:
    """Who this is, for others to tell whether it still runs."""
    return f"{_processes()}:{os.getpid()}"


def is_dead(holder: str | None) -> bool:
    """Whether the process that holds a lease was one of this machine's and runs no more."""
    where, _, process = (holder or "").rpartition(":")
    if where != _processes() or not process.isdigit() or int(process) == os.getpid() or os.name == "nt":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def ingest_lost(project: str) -> GraphUnavailable:
    """The error where the lease on a project's code is another's by now."""
    return GraphUnavailable(f"another process has taken over the ingest of {project!r}", hint="run the ingest again")


def _processes() -> str:
    """Where a process's number is its own: the machine as long as it runs, and there the container. Containers may have
    one host name, and so may machines; where nothing else is known the name has to do."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()}/{boot}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return socket.gethostname()
