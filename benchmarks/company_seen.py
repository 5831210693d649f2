"""What is seen of writers that talk at once: deadlocks at the driver, breakers that open, warnings in the log."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch

import neo4j
from neo4j import exceptions as driver_errors

from ragforge_memory.graph.breaker import Breaker
from ragforge_memory.graph.queries import all_statements

_DEADLOCK = "DeadlockDetected"
_JOURNAL = "turns go to the journal"
_NUMBER = re.compile(r"[0-9a-f]{32}|\b\d[\d.]*")
_LOCK = re.compile(r"can't acquire (\w+) (\w+)\(")
_TEXT: ContextVar[str] = ContextVar("company_statement", default="")


@dataclass
class Seen:
    """What was seen while writers talked.

    Args:
        deadlocks: how often, by the statement that met one and the lock that it wanted.
        opened: how often a breaker opened.
        warnings: how often each was logged, by its words without the numbers in them.
    """

    deadlocks: Counter[str] = field(default_factory=Counter)
    opened: int = 0
    warnings: Counter[str] = field(default_factory=Counter)

    def add(self, other: Seen) -> None:
        """Takes in what another process has seen."""
        self.deadlocks += other.deadlocks
        self.opened += other.opened
        self.warnings += other.warnings


class _Warnings(logging.Handler):
    def __init__(self, seen: Seen) -> None:
        super().__init__(logging.WARNING)
        self._seen = seen

    def emit(self, record: logging.LogRecord) -> None:
        self._seen.warnings[_NUMBER.sub("N", record.getMessage())[:160]] += 1


@contextmanager
def watched() -> Iterator[Seen]:
    """Sees every deadlock that a statement of this process meets meanwhile, and every breaker that opens.

    The driver makes an exception of each failure that a server sends, in one place: it is looked at there, since most
    deadlocks are repeated by the driver itself, and no caller hears of them.
    """
    seen = Seen()
    hydrate, trip = driver_errors.Neo4jError._basic_hydrate, Breaker.trip

    def hydrated(*, neo4j_code: str, message: str) -> driver_errors.Neo4jError:
        if neo4j_code.endswith(_DEADLOCK):
            lock = _LOCK.search(message)
            seen.deadlocks[f"{statement_name(_TEXT.get())} ({' '.join(lock.groups()) if lock else message[:80]})"] += 1
        return hydrate(neo4j_code=neo4j_code, message=message)

    def tripped(breaker: Breaker, *error: Any) -> None:
        was_open = breaker.is_open
        trip(breaker, *error)
        seen.opened += breaker.is_open and not was_open

    def noted(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def noting(self: Any, query: Any, *given: Any, **more: Any) -> Any:
            _TEXT.set(query if isinstance(query, str) else query.text)
            return await run(self, query, *given, **more)

        return noting

    handler, loggers = _Warnings(seen), [logging.getLogger(name) for name in ("ragforge_memory", "neo4j")]
    with ExitStack() as patches:
        patches.enter_context(patch.object(driver_errors.Neo4jError, "_basic_hydrate", staticmethod(hydrated)))
        patches.enter_context(patch.object(Breaker, "trip", tripped))
        for kind in (neo4j.AsyncSession, neo4j.AsyncTransaction, neo4j.AsyncManagedTransaction):
            patches.enter_context(patch.object(kind, "run", noted(kind.run)))
        for logger in loggers:
            logger.addHandler(handler)
            patches.callback(logger.removeHandler, handler)
        yield seen
    journalled = sum(number for words, number in seen.warnings.items() if words.startswith(_JOURNAL))
    seen.opened = max(seen.opened, journalled)


@cache
def _texts() -> list[tuple[re.Pattern[str], str]]:
    statements = [each for variants in all_statements().values() for each in variants]
    return [
        (re.compile(re.sub(r"\\{\\{\w+\\}\\}", r"\\w+", re.escape(each.nested.text))), each.name) for each in statements
    ]


def statement_name(text: str) -> str:
    """The name of one of the library's statements; of another its first line."""
    found = next((name for pattern, name in _texts() if pattern.fullmatch(text)), None)
    return found or text.strip().partition("\n")[0][:60]
