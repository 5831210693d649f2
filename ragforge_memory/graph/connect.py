"""From what a caller names (an address, a configuration, a driver, nothing) to an open graph that has the schema."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import neo4j
from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.config.refusal import refused
from ragforge_memory.config.servers import with_neo4j_scheme
from ragforge_memory.downloads.progress import Progress
from ragforge_memory.errors import ConfigError, InvalidInput, RagforgeError
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.failures import first_line
from ragforge_memory.graph.schema import ensure_schema
from ragforge_memory.vendors.access import is_loopback

if TYPE_CHECKING:
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.graph.filed.directory import TextDirectory

_BOLT_PORT = 7687


def configured(target: Any) -> Neo4jConfig | None:
    """The server that a caller or the environment names; None means the managed local one.

    An address given as text takes name and password from ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``.
    """
    if isinstance(target, Neo4jConfig) and target.uri:
        return _checked(lambda: target)
    uri = target if isinstance(target, str) else os.environ.get("NEO4J_URI", "")
    if not uri:
        return None
    return _checked(
        lambda: Neo4jConfig(
            uri=uri,
            username=os.environ.get("NEO4J_USERNAME") or "neo4j",
            password=os.environ.get("NEO4J_PASSWORD") or "",
            database=os.environ.get("NEO4J_DATABASE") or "neo4j",
        )
    )


def _checked(given: Callable[[], Neo4jConfig]) -> Neo4jConfig:
    """A server's address that a database can have.

    Raises:
        ConfigError: it is none.
    """
    try:
        config = given()
        with_neo4j_scheme(config)
    except PydanticCustomError as error:
        raise ConfigError(f"neo4j: {error.message()}", hint=(error.context or {}).get("hint")) from error
    except ValidationError as error:
        raise refused(error, Neo4jConfig) from error
    return config


def place_of(config: Neo4jConfig) -> str:
    """Where a database is, the same however its address is written: the scheme, the port that goes without saying and
    the names of this machine make no difference."""
    address = urlsplit(config.uri)
    host = "localhost" if is_loopback(config.uri) else address.hostname
    return f"{host}:{address.port or _BOLT_PORT}/{config.database}"


async def connect(
    target: Any = None, *, progress: Reporter | None = None, texts: TextDirectory | None = None
) -> GraphClient:
    """Opens the graph and makes its schema where it has none.

    Args:
        target: an address, a Neo4jConfig, an open AsyncDriver (which stays the caller's), a function that returns
            one (called here, on this loop; closed with the client), or None: ``NEO4J_URI``, else the managed server.
        progress: told what is being fetched and started.
        texts: the files that keep the texts of messages; None: the graph keeps them.

    Raises:
        GraphUnavailable: there is no server to be had; the hint says what to do.
        SchemaMismatch: the graph has the schema of another release.
    """
    made: Callable[..., GraphClient] = GraphClient
    if texts is not None:
        from ragforge_memory.graph.filed.client import FiledClient

        made = partial(FiledClient, texts=texts)
    client = await _client(target, progress, made)
    try:
        await ensure_schema(client)
    except BaseException:
        await client.aclose()
        raise
    return client


async def connect_as_is(target: Any = None, *, progress: Reporter | None = None) -> GraphClient:
    """Opens a graph that may be anybody's and makes nothing in it; otherwise like `connect`."""
    return await _client(target, progress, GraphClient)


async def _client(target: Any, progress: Reporter | None, made: Callable[..., GraphClient]) -> GraphClient:
    if isinstance(target, neo4j.AsyncDriver):
        return made(target, database="neo4j", address="the given driver", owned=False)
    if isinstance(target, neo4j.Driver):
        raise InvalidInput("the graph needs an asynchronous driver", hint="give neo4j= an address or a Neo4jConfig")
    if target is not None and not callable(target) and not isinstance(target, (str, Neo4jConfig)):
        raise InvalidInput(
            f"neo4j= takes an address, a Neo4jConfig, a driver or a function for one, not {type(target).__name__}"
        )
    if callable(target):
        driver = _made_by(target)
        if not callable(getattr(driver, "session", None)):
            raise InvalidInput(f"neo4j= was given a function that returns no driver but {type(driver).__name__}")
        return made(driver, database="neo4j", address="the given driver")
    config = configured(target)
    if config is not None:
        return made(open_driver(config), database=config.database, address=config.uri)

    async def managed(progress: Reporter | None = None) -> Neo4jConfig:
        from ragforge_memory.graph.managed import ensure_running

        left = threading.Event()
        try:
            server = await asyncio.to_thread(ensure_running, progress=progress, left=left)
        finally:
            left.set()  # a thread cannot be cancelled: it must see that nobody waits for it any more
        return Neo4jConfig(uri=server.uri, username=server.username, password=server.password)

    def waiting() -> None:
        if progress is not None:
            progress(Progress("wait", "Neo4j went away and is being started again"))

    config = await managed(progress)
    return made(open_driver(config), address=config.uri, recover=managed, waiting=waiting)


def _made_by(factory: Callable[[], Any]) -> Any:
    """What a caller's function returns.

    Raises:
        ConfigError: it failed; the cause is kept.
    """
    try:
        return factory()
    except RagforgeError:
        raise
    except Exception as error:
        raise ConfigError(
            f"the function that was given as neo4j= failed: {type(error).__name__}: {first_line(error)}",
            hint="it must return an open AsyncDriver; an address or a Neo4jConfig can be given instead",
        ) from error
