"""What the driver raises, as errors of this library; the cause is kept."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import exceptions as driver_errors

from ragforge_memory.errors import GraphBusy, GraphError, GraphTimeout, GraphUnavailable, RagforgeError
from ragforge_memory.graph.liveness import ServerBusy

# What to do about what the schema refuses, by the end of the server's code.
_REFUSED = {
    "ConstraintCreationFailed": "nodes that are there already break it, probably another tool's: mend those that are "
    "named, then start again",
    "ConstraintValidationFailed": "a constraint forbids it, probably another tool's: `SHOW CONSTRAINTS` lists them; "
    "drop the one that it breaks, or give this project a database of its own (neo4j.database), then try again",
}


@contextmanager
def translated(name: str, *, address: str, database: str, managed: bool) -> Iterator[None]:
    """Turns the exceptions of the driver, and a time-out, into this library's.

    Args:
        name: the statement, as messages name it.
        address: the server's.
        database: the database's name.
        managed: whether it is the managed server.

    Raises:
        GraphUnavailable: the server cannot be reached, refused the login or took too long; `GraphBusy` where it
            answers all the same.
        GraphError: the database refused the statement.
    """
    began = time.monotonic()
    try:
        yield
    except ServerBusy as error:
        raise GraphBusy(
            f"Neo4j at {address} answers, but did not take {name} in {time.monotonic() - began:.1f} s",
            hint="it has more to do than it can: try again in a moment",
        ) from error
    except TimeoutError as error:
        raise GraphTimeout(
            f"Neo4j at {address} did not answer in time ({name}, {time.monotonic() - began:.1f} s)",
            hint="a server that has just been started needs a moment: ask again; one that hangs must be "
            "restarted, see `ragforge neo4j status`",
        ) from error
    except (driver_errors.DriverError, driver_errors.Neo4jError, OSError) as error:
        raise _translated(error, name, address, database, managed) from error


def _translated(error: Exception, name: str, address: str, database: str, managed: bool) -> Exception:
    if isinstance(error, driver_errors.AuthError):
        return GraphUnavailable(
            f"Neo4j at {address} refused the login: {first_line(error)}",
            hint="check neo4j.username and neo4j.password (NEO4J_USERNAME, NEO4J_PASSWORD)",
        )
    if isinstance(error, (driver_errors.ServiceUnavailable, driver_errors.SessionExpired, OSError)):
        return GraphUnavailable(
            f"Neo4j at {address} cannot be reached: {first_line(error)}",
            hint="`ragforge neo4j status` and `ragforge neo4j logs` tell what became of it"
            if managed
            else f"check {'NEO4J_URI' if os.environ.get('NEO4J_URI') == address else 'neo4j.uri'}, "
            "or leave it out to use the managed local server",
        )
    if isinstance(error, driver_errors.ClientError) and "TransactionTimedOut" in (error.code or ""):
        return GraphBusy(
            f"Neo4j at {address} gave up {name}, which took too long: {first_line(error)}", hint="try again"
        )
    if isinstance(error, driver_errors.Neo4jError) and error.is_retryable():
        return GraphBusy(f"Neo4j at {address} could not take {name} now: {first_line(error)}", hint="try again")
    if isinstance(error, driver_errors.ClientError) and "DatabaseNotFound" in (error.code or ""):
        return GraphUnavailable(f"Neo4j at {address} has no database named {database!r}", hint="check neo4j.database")
    if type(error) is driver_errors.DriverError and "closed" in str(error):
        return GraphUnavailable(
            f"Neo4j cannot be asked: {address} is closed",
            hint="give a driver that is open, and close it after the agents that use it",
        )
    if isinstance(error, driver_errors.DriverError):
        return GraphUnavailable(f"the connection to Neo4j at {address} failed: {first_line(error)}")
    return GraphError(f"Neo4j refused {name}: {first_line(error)}", hint=_REFUSED.get(_last(error)))


def _last(error: Exception) -> str:
    return str(getattr(error, "code", "")).rpartition(".")[2]


def code_of(error: RagforgeError) -> str:
    """The server's code for what it refused; empty where no server has spoken."""
    return str(getattr(error.__cause__, "code", ""))


def exists_already(error: RagforgeError) -> bool:
    """Whether a schema statement failed since another has just made the same: IF NOT EXISTS does not see what is not
    committed yet."""
    code = code_of(error)
    return "AlreadyExists" in code or "EquivalentSchemaRule" in code


def is_final(error: RagforgeError) -> bool:
    """Whether the same statement with the same parameters is refused however often it is tried: what it was given
    cannot be stored. Anything else (a database that takes no writes, no memory, no space) may pass."""
    code = code_of(error)
    refused = code.startswith("Neo.ClientError.Statement.") or code.endswith("ConstraintValidationFailed")
    return refused and not code.endswith("AccessMode")


def first_line(error: Exception) -> str:
    """The first line of what an exception of the driver's says, with the reason where that is on the next one."""
    # What the driver itself says is in its words alone: its ``message`` is the same for most of its errors.
    own = "" if isinstance(error, driver_errors.DriverError) else getattr(error, "message", None)
    message = own or str(error) or type(error).__name__
    # "Couldn't connect to HOST (resolved to (...)):" and the reason on the next line.
    first, _, rest = re.sub(r" \(resolved to \(.*?\)\)", "", str(message)).strip().partition("\n")
    return f"{first} {rest.strip().splitlines()[0]}" if first.endswith(":") and rest.strip() else first.rstrip(":")


def is_taken(error: RagforgeError) -> bool:
    """Whether a write failed since a uuid in it is somebody's already."""
    return code_of(error).endswith("ConstraintValidationFailed")
