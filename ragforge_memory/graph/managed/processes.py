"""Processes of the operating system: who they are, whether they live, how to end them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from ragforge_memory.graph.managed.files import ProcessId

_POLL = 0.02


def identify(pid: int) -> ProcessId | None:
    """The process with this id now, or None if there is none (or only its exit status is left)."""
    if Path("/proc/self/stat").exists():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        # proc(5): the name in parentheses may hold anything; after it come the state and, as 22nd field, the start
        fields = stat.rpartition(")")[2].split()
        return None if fields[0] in "ZX" else ProcessId(pid, fields[19])
    import subprocess

    answer = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    status, _, started = answer.stdout.strip().partition(" ")
    return None if not status or status.startswith("Z") else ProcessId(pid, started.strip())


def is_alive(process: ProcessId | None) -> bool:
    """Whether exactly this process still runs."""
    return process is not None and identify(process.pid) == process


def end(process: ProcessId | None, *, patience: float) -> None:
    """Ask the process to end, wait ``patience`` seconds at most, then kill it; returns when it is gone.

    Nothing happens if it is gone already, also when its id now belongs to another process.
    """
    if process is None or not _signal(process, signal.SIGTERM):
        return
    deadline = time.monotonic() + patience
    while is_alive(process):
        if time.monotonic() > deadline:
            _signal(process, signal.SIGKILL)
        time.sleep(_POLL)


def _signal(process: ProcessId, number: signal.Signals) -> bool:
    if not is_alive(process):
        return False
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return False
    return True
