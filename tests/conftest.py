"""What every test has: one real Neo4j a session, an owner of its own a test."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import anyio
import pytest
from hypothesis import settings

# A time limit of an example measures the machine.
settings.register_profile("ragforge", deadline=None)
settings.load_profile("ragforge")

# anyio loads its parts when they are first asked for. pytest rewrites them then, and in another thread's import that
# fails on Python 3.11.2: "AST constructor recursion depth mismatch" (gh-106905).
for part in dir(anyio):
    getattr(anyio, part)

pytest_plugins = ["tests.fakes.fixtures", "tests.neo4j_servers"]


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(autouse=True, scope="session")
def unraisable_is_told_at_any_depth() -> Iterator[None]:
    """What is collected in the middle of a deep recursion is told as elsewhere; pytest itself finds no room there."""
    told = sys.unraisablehook

    def with_room(unraisable: sys.UnraisableHookArgs) -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + 500)
        try:
            told(unraisable)
        finally:
            sys.setrecursionlimit(limit)

    sys.unraisablehook = with_room
    yield
    sys.unraisablehook = told


@pytest.fixture(autouse=True)
def signals_are_heeded() -> Iterator[None]:
    """A process that a test starts may be interrupted, also where nohup or a shell's ``&`` had this one ignore it."""
    ignored = [number for number in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
