"""The one way to the database: named statements, each in a transaction of its own and under a time-out.

Nothing of the driver's leaks out of here: records become plain dicts, its exceptions become this library's.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import neo4j
from neo4j import exceptions as driver_errors

from ragforge_memory.config.refusal import masked_address
from ragforge_memory.errors import ConfigError, ForkedProcess, GraphError, GraphTimeout, GraphUnavailable
from ragforge_memory.graph.breaker import Breaker, in_a_hurry
from ragforge_memory.graph.failures import first_line, translated
from ragforge_memory.graph.liveness import (
    SLOW_TIMEOUT,
    STATEMENT_TIMEOUT,
    Places,
    is_lost,
    refusal,
    unless_hanging,
    within,
)
from ragforge_memory.graph.queries import Statement, Version, parse_version, statement_for
from ragforge_memory.graph.retries import outlast, outlast_deletes
from ragforge_memory.tracing import span

if TYPE_CHECKING:
    from ragforge_memory.config import Neo4jConfig


from neo4j.vector import Vector

CONNECT_TIMEOUT = 1.0
# A managed server that was killed is started again by its supervisor, which takes some 10 s here.
RESTART_TIMEOUT = 60.0
# Work that no user waits for: ingest, deletes, background writes.
PATIENT_TIMEOUT = 60.0
# The server gives a transaction up so much later than its client, which is then not there any more to end it.
GIVEN_UP_AFTER = 1.0

T = TypeVar("T")
Recover = Callable[[], Awaitable["Neo4jConfig"]]


def open_driver(config: Neo4jConfig) -> neo4j.AsyncDriver:
    """A driver with this library's time-outs (connect 1 s, no retries: `GraphClient` has its own).

    Raises:
        ConfigError: the address is none, or has a user or a password in it.
    """
    shown = masked_address(config.uri)
    if "@" in config.uri.partition("://")[2].partition("/")[0]:
        raise ConfigError(
            f"{shown!r} has a user or a password in it, which an address of Neo4j may not have",
            key="neo4j.uri",
            hint="take it out and set neo4j.username and neo4j.password (NEO4J_USERNAME and NEO4J_PASSWORD)",
        )
    auth = (config.username or "neo4j", config.password) if config.password else None
    try:
        return _driver(config.uri, auth)
    except (driver_errors.DriverError, ValueError) as error:
        raise ConfigError(
            f"{shown!r} is not an address of a Neo4j server: {first_line(error)}",
            key="neo4j.uri",
            hint="bolt://host:7687, neo4j://host, or neo4j+s://… for Aura",
        ) from error


def _driver(uri: str, auth: tuple[str, str] | None) -> neo4j.AsyncDriver:
    return neo4j.AsyncGraphDatabase.driver(
        uri,
        auth=auth,
        connection_timeout=CONNECT_TIMEOUT,
        connection_acquisition_timeout=STATEMENT_TIMEOUT,
        max_transaction_retry_time=0,
        keep_alive=True,
        telemetry_disabled=True,
        notifications_min_severity="OFF",
        user_agent="ragforge-memory",
    )


class GraphClient:
    """Runs named statements on one database of one server.

    Args:
        driver: an open async driver; closed by `aclose` only where ``owned``.
        database: the database's name, always given to the server.
        address: how the server is called in error messages.
        recover: awaited once when the server cannot be reached; returns where it is now (a managed server
            that was killed is started again by it, or by its supervisor). It is given 60 s.
        waiting: told when that begins and somebody waits for it without knowing.
    """

    def __init__(
        self,
        driver: neo4j.AsyncDriver,
        *,
        database: str = "neo4j",
        address: str = "",
        owned: bool = True,
        recover: Recover | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> None:
        self._pid = os.getpid()
        self._driver = driver
        self._database = database
        self._address = address
        self._owned = owned
        self._recover = recover
        self._waiting = waiting
        self._recovering = asyncio.Lock()
        self._generation = 0
        self._version: Version | None = None
        self._places = Places()
        self.breaker = Breaker()

    @property
    def address(self) -> str:
        """The server's address, as error messages give it."""
        return self._address

    def comes_back(self, error: BaseException) -> bool:
        """Whether ``error`` means that a managed server has gone, which `answers` starts again."""
        return self._recover is not None and isinstance(error, GraphUnavailable) and is_lost(error.__cause__)

    async def answers(self, *, restart: bool) -> bool:
        """Whether the server answers now; with ``restart`` a managed one that has gone is started again and waited for.

        Raises:
            GraphUnavailable: that one was not back within 60 s, or could not be started.
        """
        generation = self._generation
        refused = await refusal(self._driver)
        if refused is not None and restart and self._recover is not None and is_lost(refused):
            await self._reconnect(generation)
            return True
        return refused is None

    async def server_version(self) -> Version:
        """The server's version as numbers, asked once per client.

        No statement is run, so a server that is only cold answers at once, and one that hangs is found out.

        Raises:
            GraphUnavailable: the server cannot be reached, refused the login or hangs.
        """
        if self._version is None:
            self._version = await self._recovered(self.contact)
        return self._version

    async def contact(self) -> Version:
        """The server's version, asked now; nobody waits for one that has gone.

        Raises:
            GraphUnavailable: the server cannot be reached, refused the login or hangs.
        """
        self._check_process()
        with self._errors("the first contact"):
            info = await within(asyncio.timeout(STATEMENT_TIMEOUT), self._driver.get_server_info)
        return parse_version(info.agent.rpartition("/")[2])

    async def read(
        self,
        name: str,
        /,
        *,
        timeout: float | None = None,
        names: Mapping[str, str] | None = None,
        recover: bool = True,
        **parameters: Any,
    ) -> list[dict[str, Any]]:
        """Runs a named statement in a read transaction.

        Args:
            recover: whether to wait for a managed server that has gone, and to try again then.
            timeout: seconds until GraphTimeout, retries included. None: 2.6, and up to 15 for a server that is slow
                and not hanging.
            names: names of ours for the statement's ``{{…}}`` places.
            parameters: the statement's parameters.

        Raises:
            GraphUnavailable: the server cannot be reached, refused the login or took too long.
            GraphBusy: it answers, but did not take the statement in time.
            GraphError: the database refused the statement.
        """
        return await self._named(name, write=False, timeout=timeout, names=names, recover=recover, **parameters)

    async def write(self, name: str, /, **given: Any) -> list[dict[str, Any]]:
        """Runs a named statement in a write transaction; like `read` otherwise.

        It is repeated after a passing error, so every write is idempotent by uuid.
        """
        return await self._named(name, write=True, **given)

    async def autocommit(
        self,
        name: str,
        /,
        *,
        timeout: float | None = None,
        names: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> list[dict[str, Any]]:
        """Runs a statement that opens its own transactions; it is not repeated. Default time-out 60 s."""
        statement = statement_for(name, await self.server_version())
        text, given = statement.nested.filled(names or {}), statement.given(parameters)
        return await self._run_text(text, given, timeout=timeout or PATIENT_TIMEOUT, name=name)

    async def run_schema(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """Runs one statement of the schema, as written in ``cypher/schema.cypher``."""
        return await self._run_text(text, parameters, timeout=PATIENT_TIMEOUT, name=text.split("\n", 1)[0])

    async def query(
        self, text: str, /, parameters: dict[str, Any], *, write: bool, timeout: float
    ) -> list[dict[str, Any]]:
        """Runs a caller's own statement like `read`, or `write`; the server refuses to write where it may not."""
        attempt = partial(self._attempt, text, parameters, write, name="the query", at_once=not write)
        return await self._recovered(partial(attempt, timeout=timeout))

    def erases_texts(self, conversation_id: str, file_path: str, *, awaited: bool) -> bool:
        """Whether a delete by this client takes the file with a conversation's texts away; this one has no files.

        Args:
            file_path: what the graph says where its file is.
            awaited: whether there must be one, since messages have no text in the graph.
        """
        return False

    async def aclose(self) -> None:
        """Closes the driver where this client opened it."""
        if self._owned and os.getpid() == self._pid:
            await self._driver.close()

    async def _named(
        self,
        name: str,
        /,
        *,
        write: bool,
        timeout: float | None = None,
        names: Mapping[str, str] | None = None,
        recover: bool = True,
        **parameters: Any,
    ) -> list[dict[str, Any]]:
        statement: Statement = statement_for(name, self._version or await self.server_version())
        if statement.autocommit:
            raise GraphError(f"{name} opens its own transactions: run it with autocommit()")
        text = statement.nested.filled(names) if names else statement.nested.text
        at_once = statement.at_once or not write
        attempt = partial(self._attempt, text, statement.given(parameters), write, name=name, at_once=at_once)
        if in_a_hurry():
            self.breaker.check()
            try:
                return await attempt(timeout=None)
            except GraphUnavailable as error:
                self.breaker.trip(error)
                raise
        if not recover:
            return await attempt(timeout=timeout)
        return await self._recovered(partial(attempt, timeout=timeout))

    async def _run_text(
        self, text: str, parameters: dict[str, Any], *, timeout: float, name: str
    ) -> list[dict[str, Any]]:
        """Runs a statement outside of a transaction of ours, once."""
        attempt = partial(self._attempt, text, parameters, True, name=name, at_once=True, repeated=False)
        return await self._recovered(partial(attempt, timeout=timeout))

    async def _recovered(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Runs ``attempt``; where a managed server is gone, waits until it is back and tries once more."""
        generation, began = self._generation, time.monotonic()
        try:
            return await attempt()
        except GraphUnavailable as error:
            if self._generation == generation:  # else its driver was closed under it: the server is back already
                if not self.comes_back(error):
                    raise
                if self._waiting is not None:
                    self._waiting()
                await self._reconnect(generation)
        try:
            return await attempt()
        except GraphTimeout as error:
            waited = f"{time.monotonic() - began:.1f} s in all, with the start of a server that had gone"
            raise GraphTimeout(f"{error.message}; {waited}", hint=error.hint) from error.__cause__

    def _check_process(self) -> None:
        """After a fork the connections are the parent's: two who speak on one break it for both."""
        if os.getpid() != self._pid:
            raise ForkedProcess(
                "this connection to Neo4j was opened before a fork and cannot be used in the child",
                hint="make a new agent in the child process",
            )

    async def _reconnect(self, generation: int) -> None:
        """Has the managed server running again and takes a new driver; many callers at once do it once."""
        async with self._recovering:
            if self._generation != generation or self._recover is None:
                return
            try:
                async with asyncio.timeout(RESTART_TIMEOUT):
                    config = await self._recover()
            except TimeoutError as error:
                raise GraphUnavailable(
                    f"the managed Neo4j went away and was not back within {RESTART_TIMEOUT:.0f} s",
                    hint="`ragforge neo4j logs` shows why; ask again when it runs",
                ) from error
            old, self._driver = self._driver, open_driver(config)
            self._address = config.uri
            self._generation += 1
            await old.close()

    async def _attempt(
        self,
        text: str,
        parameters: dict[str, Any],
        write: bool,
        *,
        timeout: float | None,
        name: str,
        at_once: bool,
        repeated: bool = True,
    ) -> list[dict[str, Any]]:
        """Runs a statement in a transaction of its own: ``at_once``, in one round trip to the server, else in three,
        which are safe where the statement must not be run again after its answer was lost. What failed in passing is
        run again soon, unless it is not to be ``repeated``."""
        self._check_process()

        # A process that is halted (Ctrl-Z, a sleeping laptop) keeps what it has locked until the server gives it up.
        given_up = (timeout or SLOW_TIMEOUT) + GIVEN_UP_AFTER

        @neo4j.unit_of_work(timeout=given_up)
        async def work(transaction: neo4j.AsyncManagedTransaction) -> list[dict[str, Any]]:
            return await self._collect(await transaction.run(text, parameters))

        mode = neo4j.WRITE_ACCESS if write else neo4j.READ_ACCESS

        async def once() -> list[dict[str, Any]]:
            session = self._driver.session(database=self._database, default_access_mode=mode)
            try:
                async with session:
                    if not at_once:
                        return await session.execute_write(work)
                    return await self._collect(await session.run(neo4j.Query(text, timeout=given_up), parameters))
            finally:
                # The driver takes a session that was cancelled while it closed for an open one, and warns; its
                # connection is gone, so that closing it again awaits nothing.
                await session.close()

        async def attempt() -> list[dict[str, Any]]:
            return await (outlast(partial(outlast_deletes, once)) if repeated else outlast_deletes(once))

        kind = "write" if write else "read"
        with span(f"{kind} {name}", db__system__name="neo4j", db__operation__name=name), self._errors(name):
            async with self._places.one(SLOW_TIMEOUT):
                if in_a_hurry():
                    self.breaker.check()  # it may have opened while this waited for its place
                if timeout is not None:
                    return await within(asyncio.timeout(timeout), attempt)
                return await unless_hanging(self._driver, attempt, managed=self._recover is not None)

    def _errors(self, name: str) -> AbstractContextManager[None]:
        return translated(name, address=self._address, database=self._database, managed=self._recover is not None)

    @staticmethod
    async def _collect(result: neo4j.AsyncResult) -> list[dict[str, Any]]:
        keys = result.keys()
        return [{key: plain(record[key]) for key in keys} async for record in result]


_PLAIN = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Any:
    """A driver value as plain Python: temporal values as aware datetimes, nodes as dicts, and vectors as the bytes of
    their numbers, most significant first, since lists take five times as long to read."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Vector:
        return value.raw()
    if kind is dict:
        return {key: plain(item) for key, item in value.items()}
    if kind is list:
        return value if _PLAIN.issuperset(map(type, value)) else [plain(item) for item in value]
    if hasattr(value, "to_native"):
        return value.to_native()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value
