"""Short questions to a managed server with the driver, each on a connection of its own."""

from __future__ import annotations

from typing import Any

from ragforge_memory.errors import GraphUnavailable, ServerStartError
from ragforge_memory.graph.managed.settings import USERNAME
from ragforge_memory.graph.queries import parse_version, statement_for

_AGENT = "ragforge-memory-supervisor"


def check_login(port: int, password: str) -> bool:
    """Log in and run one statement on the database ``neo4j``; False if the password is not the server's.

    Raises:
        ServerStartError: the server does not answer as it should.
    """
    from neo4j import exceptions

    try:
        _ask(port, password, "server_answers", database="neo4j", patience=30.0)
    except exceptions.AuthError:
        return False
    except (exceptions.Neo4jError, exceptions.DriverError) as error:
        raise ServerStartError(
            f"The managed Neo4j was started and does not answer: {error}.",
            hint="`ragforge neo4j logs` shows what it wrote; `ragforge neo4j stop` ends it.",
        ) from error
    return True


def count_connections(port: int, password: str) -> int:
    """How many Bolt connections there are beside the one that asks.

    Raises:
        GraphUnavailable: the server could not be asked.
    """
    try:
        from neo4j import exceptions
    except ImportError as error:  # the environment that this process came from is gone
        raise GraphUnavailable("the Neo4j driver is not installed any more") from error
    try:
        record = _ask(port, password, "count_connections", database="system", patience=0.0, own_agent=_AGENT)
    except (exceptions.Neo4jError, exceptions.DriverError) as error:
        raise GraphUnavailable(f"the managed Neo4j does not tell its connections: {error}") from error
    return int(record["connections"])


def external_version(uri: str, username: str, password: str) -> str | None:
    """The version of the Neo4j server at ``uri``, or None if it cannot be reached or refuses the login."""
    from neo4j import GraphDatabase, exceptions

    auth = (username, password) if password else None
    try:
        with GraphDatabase.driver(uri, auth=auth, connection_timeout=3.0) as driver:
            return driver.get_server_info().agent.rpartition("/")[2]
    except (exceptions.Neo4jError, exceptions.DriverError, ValueError, OSError):
        return None


def _ask(port: int, password: str, name: str, *, database: str, patience: float, **parameters: Any) -> dict[str, Any]:
    from neo4j import GraphDatabase

    statement = statement_for(name, parse_version("5"))
    with (
        GraphDatabase.driver(
            f"bolt://127.0.0.1:{port}",
            auth=(USERNAME, password),
            connection_timeout=5.0,
            max_transaction_retry_time=patience,
            user_agent=_AGENT,
            telemetry_disabled=True,
        ) as driver,
        driver.session(database=database) as session,
    ):
        return session.execute_read(lambda tx: dict(tx.run(statement.text, parameters).single(strict=True)))
