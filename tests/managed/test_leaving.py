"""Who waits no longer for a server that others start is not held."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragforge_memory.downloads.progress import Progress
from ragforge_memory.errors import ServerStartError
from ragforge_memory.graph.managed import ensure_running
from ragforge_memory.graph.managed.files import ServerFiles
from ragforge_memory.graph.managed.flock import take


def test_another_process_that_starts_it_is_not_waited_for(tmp_path: Path) -> None:
    files, left, waiting = ServerFiles(tmp_path), threading.Event(), threading.Event()
    files.root.mkdir(parents=True)
    others = take(files.start_lock)
    assert others is not None

    def told(report: Progress) -> None:
        if report.phase == "wait":
            waiting.set()

    with ThreadPoolExecutor(1) as pool:
        try:
            asked = pool.submit(ensure_running, tmp_path, progress=told, left=left)
            assert waiting.wait(30)
            left.set()
            with pytest.raises(ServerStartError, match="Nobody waits"):
                asked.result(30)
        finally:
            others.release()
