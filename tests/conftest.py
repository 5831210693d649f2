"""What every test has: one real Neo4j a session, an owner of its own a test."""

from __future__ import annotations

import pytest
from hypothesis import settings

# A time limit of an example measures the machine.
settings.register_profile("ragforge", deadline=None)
settings.load_profile("ragforge")

pytest_plugins = ["tests.fakes.fixtures", "tests.neo4j_servers"]


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"
