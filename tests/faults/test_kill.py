"""kill -9 of a client in the middle of turns, and outages under it: what was acknowledged is there, once, in order."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import faults
from ragforge_memory.graph.managed import release, stop
from ragforge_memory.home import cache_home
from tests.neo4j_servers import QUICK_START

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(1_800)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A managed server's, which is stopped at the end: the rounds kill it too."""
    monkeypatch.setenv("RAGFORGE_CACHE", str(cache_home()))
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))  # each round has its own
    monkeypatch.setenv(*QUICK_START)
    yield tmp_path
    stop(tmp_path)
    release(tmp_path)
    logging.disable(logging.NOTSET)


async def test_killed_clients_lose_nothing(home: Path) -> None:
    assert await faults.main(6, 1, home) == 0
