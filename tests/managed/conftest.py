"""Homes of managed servers: their jars and Java are shared through the cache, and no server outlives its test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragforge_memory.graph.managed import release, stop
from ragforge_memory.home import cache_home
from tests.neo4j_servers import QUICK_START


@pytest.fixture(autouse=True, scope="package")
def shared_cache() -> Iterator[None]:
    """Everything that can be fetched again is taken from where the user has it; nothing else of the user's."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAGFORGE_CACHE", str(cache_home()))
        for name in ("NEO4J_URI", "RAGFORGE_HOME", "RAGFORGE_NEO4J_VERSION", "RAGFORGE_NEO4J_IDLE_HOURS"):
            environment.delenv(name, raising=False)
        environment.setenv(*QUICK_START)
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose path needs quoting; its server is stopped at the end."""
    home = tmp_path_factory.mktemp("managed") / 'a "home" of its own'
    try:
        yield home
    finally:
        stop(home)
        release(home)
