"""A driver whose statements fail: the first one, or some."""

from __future__ import annotations

from collections.abc import Callable
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


def failing_while(
    driver: neo4j.AsyncDriver, error: Exception, meets: Callable[[str, dict[str, Any]], bool]
) -> neo4j.AsyncDriver:
    """``driver``, of which each statement that is run in one round trip fails with ``error`` while ``meets`` says so.

    Args:
        driver: changed in place.
        error: what is raised.
        meets: given the statement's text and its parameters.
    """
    opened = driver.session

    def session(**options: Any) -> neo4j.AsyncSession:
        made = opened(**options)
        run = made.run

        async def failing(query: Any, parameters: Any = None, **more: Any) -> neo4j.AsyncResult:
            if meets(query.text, parameters["given"]):
                raise error
            return await run(query, parameters, **more)

        made.run = failing  # type: ignore[method-assign]
        return made

    driver.session = session  # type: ignore[method-assign]
    return driver
