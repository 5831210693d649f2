"""What a machine remembers of a project's files: closed while a thread writes, as a cancelled ingest does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ragforge_memory.code.cache import FactsCache, Seen

# In a process of its own: what this is about ends a process.
_CLOSED_WHILE_WRITING = """
import sys, threading, time
from pathlib import Path
from ragforge_memory.code.cache import FactsCache, Seen

home = Path(sys.argv[1])
files = {f"file{number}.py": Seen("hash", 1, 1, 1) for number in range(50_000)}
for wait in range(10):
    cache = FactsCache("project", home, home=home)
    writing = threading.Thread(target=cache.see, args=(files,))
    writing.start()
    time.sleep(wait * 0.02)
    cache.close()
    writing.join()
    cache = FactsCache("project", home, home=home)
    print(len(cache.seen()))
    cache.close()
"""


def test_it_is_closed_when_a_thread_has_written(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CLOSED_WHILE_WRITING, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # All of it or nothing of it.
    assert {int(line) for line in done.stdout.split()} <= {0, 50_000}


def test_what_comes_after_it_was_closed_finds_nothing(tmp_path: Path) -> None:
    cache = FactsCache("project", tmp_path, home=tmp_path)
    cache.see({"a.py": Seen("hash", 1, 1, 1)})
    cache.close()
    cache.see({"b.py": Seen("hash", 1, 1, 1)})
    assert cache.seen() == {}
    again = FactsCache("project", tmp_path, home=tmp_path)
    assert set(again.seen()) == {"a.py"}
    again.close()
