"""Signals to a process, which take effect a moment later and thread by thread: returns when they have."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from ragforge_memory.graph.managed.files import ProcessId
from ragforge_memory.graph.managed.processes import is_alive


def kill(process: ProcessId | None) -> None:
    """SIGKILL, and waits until its last thread is gone (the first may go before the others)."""
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    while is_alive(process) or len(_threads(process.pid)) > 1:
        os.sched_yield()


def stop_whole(pid: int) -> None:
    """SIGSTOP, and waits until the last thread has stopped: until then one may still answer."""
    os.kill(pid, signal.SIGSTOP)
    while not all(_has_stopped(thread) for thread in _threads(pid)):
        os.sched_yield()


def _threads(pid: int) -> list[Path]:
    threads = Path(f"/proc/{pid}/task")
    try:
        return [threads / thread / "stat" for thread in os.listdir(threads)]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _has_stopped(stat: Path) -> bool:
    try:
        return stat.read_text().rpartition(")")[2].split()[0] in "tT"
    except (FileNotFoundError, ProcessLookupError):  # a thread that has ended
        return True
