"""The world that statements meet in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragforge_memory.config import Neo4jConfig
from tests.locks.ground import Ground, grounds


@pytest.fixture
def ground(neo4j_config: Neo4jConfig) -> Iterator[Ground]:
    """A small world, as a test may leave it."""
    with grounds(neo4j_config) as made:
        yield made
