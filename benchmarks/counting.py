"""A driver that counts the statements which pass through it, and those of them that are one round trip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

import neo4j

Work = Callable[[Any], Awaitable[Any]]


class CountingDriver:
    """Passes everything on to ``driver`` and counts, by ``read`` and ``write``, what is run in its sessions.

    ``at_once`` has those that are begun, run and committed in one round trip; ``sent`` all, in order: what it is,
    whether it is at once, and its text.
    """

    def __init__(self, driver: neo4j.AsyncDriver) -> None:
        self._driver = driver
        self.statements: Counter[str] = Counter()
        self.at_once: Counter[str] = Counter()
        self.sent: list[tuple[str, bool, str]] = []

    def session(self, **options: Any) -> _Session:
        kind = "read" if options.get("default_access_mode") == neo4j.READ_ACCESS else "write"
        return _Session(self._driver.session(**options), kind, self)

    def count(self, kind: str, query: Any, *, at_once: bool) -> None:
        self.statements[kind] += 1
        self.at_once[kind] += at_once
        self.sent.append((kind, at_once, query.text if isinstance(query, neo4j.Query) else query))

    async def get_server_info(self, **options: Any) -> neo4j.ServerInfo:
        return await self._driver.get_server_info(**options)

    async def close(self) -> None:
        await self._driver.close()


class _Session:
    def __init__(self, session: neo4j.AsyncSession, kind: str, counting: CountingDriver) -> None:
        self._session = session
        self._kind = kind
        self._counting = counting

    async def __aenter__(self) -> _Session:
        await self._session.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.__aexit__(kind, error, trace)  # type: ignore[no-untyped-call]  # the driver has no types there

    async def close(self) -> None:
        await self._session.close()

    async def execute_read(self, work: Work) -> Any:
        return await self._session.execute_read(lambda transaction: work(self._counted(transaction, "read")))

    async def execute_write(self, work: Work) -> Any:
        return await self._session.execute_write(lambda transaction: work(self._counted(transaction, "write")))

    async def run(self, query: Any, parameters: Any = None) -> neo4j.AsyncResult:
        self._counting.count(self._kind, query, at_once=True)
        return await self._session.run(query, parameters)

    def _counted(self, transaction: neo4j.AsyncManagedTransaction, kind: str) -> _Transaction:
        return _Transaction(transaction, kind, self._counting)


class _Transaction:
    def __init__(self, transaction: neo4j.AsyncManagedTransaction, kind: str, counting: CountingDriver) -> None:
        self._transaction = transaction
        self._kind = kind
        self._counting = counting

    async def run(self, query: Any, parameters: Any = None) -> neo4j.AsyncResult:
        self._counting.count(self._kind, query, at_once=False)
        return await self._transaction.run(query, parameters)
