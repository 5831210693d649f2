"""A driver whose first statement fails."""

from __future__ import annotations

from typing import Any

import neo4j


def failing_first(driver: neo4j.AsyncDriver, error: Exception, *, after: bool = False) -> neo4j.AsyncDriver:
    """``driver``, of which the first statement that is run in one round trip fails with ``error``.

    Args:
        driver: changed in place.
        error: what is raised.
        after: whether the server has done it by then, as where a connection is lost before the answer.
    """
    opened = driver.session
    left = [error]

    def session(**options: Any) -> neo4j.AsyncSession:
        made = opened(**options)
        run = made.run

        async def failing(*given: Any, **more: Any) -> neo4j.AsyncResult:
            if left:
                if after:
                    await (await run(*given, **more)).consume()
                raise left.pop()
            return await run(*given, **more)

        made.run = failing  # type: ignore[method-assign]
        return made

    driver.session = session  # type: ignore[method-assign]
    return driver
