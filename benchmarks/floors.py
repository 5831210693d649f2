"""What a plain driver takes for the least that there is: the floors that everything else is measured against."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import neo4j


def floors(driver: neo4j.AsyncDriver, database: str) -> dict[str, Callable[[], Awaitable[Any]]]:
    """An empty committed write (a node is created: what creates nothing commits nothing), and ``RETURN 1``."""

    async def consume(transaction: neo4j.AsyncManagedTransaction, query: str) -> None:
        await (await transaction.run(query)).consume()

    async def empty_write() -> None:
        async with driver.session(database=database) as session:
            await session.execute_write(consume, "CREATE (:BenchmarkFloor)")

    async def return_1() -> None:
        async with driver.session(database=database) as session:
            await session.execute_read(consume, "RETURN 1")

    return {"empty write": empty_write, "RETURN 1": return_1}
