"""The graph's schema, made once, under a lease, by whoever comes first.

``cypher/schema.cypher`` has every constraint and index. That they were made is one number on ``:RagforgeMeta``; at
every start it is read once and nothing else is checked.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

from ragforge_memory.errors import GraphError, GraphTimeout, GraphUnavailable, RagforgeError, SchemaMismatch
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.failures import code_of, exists_already
from ragforge_memory.graph.leases import SCHEMA_SECONDS
from ragforge_memory.graph.queries import cypher_directory
from ragforge_memory.graph.retries import passes, repeat

# What graphs look like to this library; with another number they are not opened.
SCHEMA = 5
# The first release that has this number.
MIN_LIBRARY_VERSION = "0.1.0"

_POLL_SECONDS = 0.2
# Seconds for a statement that meets others in a deadlock.
_DEADLOCK_TIME = 3.0
# Seconds for the first statement of all, a minute in all as patient work has: a server that was killed under load and
# has just been started took more than 10 for it. It is given more only where it says that it is there: one that hangs
# is found out after 12.
_FIRST_STATEMENT = (10.0, 20.0, 30.0)


@cache
def schema_statements() -> tuple[str, ...]:
    """What makes the schema, in order; before the first of them nobody can claim to make it."""
    text = (cypher_directory() / "schema.cypher").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("//")]
    return tuple(part.strip() for part in re.split(r";\s*$", "\n".join(lines), flags=re.M) if part.strip())


async def has_schema(client: GraphClient) -> bool:
    """Whether the graph has the schema; changes nothing.

    Raises:
        SchemaMismatch: it has another one.
    """
    return _is_made(await _state(client))


async def ensure_schema(client: GraphClient) -> None:
    """Makes the schema where the graph has none.

    Raises:
        SchemaMismatch: the graph has another one, of a newer or an older release; nothing was changed.
        GraphUnavailable: the server is away, or another process has been making it for over two minutes.
    """
    if await has_schema(client):
        return
    token = uuid4().hex
    await _repeatable(client, schema_statements()[0])
    if not await _claim(client, token):
        return
    try:
        for statement in schema_statements()[1:]:
            await _repeatable(client, statement)
        await _complete(client)
        await client.autocommit("await_indexes", timeout=130)
        made: dict[str, Any] = {"version": SCHEMA, "min_library_version": MIN_LIBRARY_VERSION}
        await client.write("record_schema", timeout=PATIENT_TIMEOUT, token=token, **made)
    except GraphError:
        # What was refused is mended by people, who are not to wait for the lease's end then.
        with suppress(RagforgeError):
            await client.write("release_schema", token=token)
        raise


async def check_schema(client: GraphClient) -> None:
    """Whether all of the schema is there.

    Raises:
        GraphError: an index or a constraint is not there, mostly since another tool has one where it belongs.
    """
    await check_names(client, schema_statements())


async def _state(client: GraphClient) -> dict[str, Any]:
    *more, last = _FIRST_STATEMENT
    for seconds in more:
        try:
            return (await client.read("schema_state", timeout=seconds))[0]
        except GraphTimeout:
            if not await client.answers(restart=False):
                raise
    return (await client.read("schema_state", timeout=last))[0]


def _is_made(state: dict[str, Any]) -> bool:
    version, release = state["schema_version"], f"ragforge-memory {state['min_library_version']}"
    if version is None:
        return False
    if version > SCHEMA:
        raise SchemaMismatch(
            f"this graph has schema {version}, of {release} or later; this release has {SCHEMA}",
            hint=f"pip install --upgrade 'ragforge-memory>={state['min_library_version']}'",
        )
    if version < SCHEMA:
        raise SchemaMismatch(
            f"this graph has schema {version}, of {release}; this release has {SCHEMA} and changes no older graph",
            hint=f"with {release}: `ragforge conversations export --all FILE`; with this release, in an empty database "
            "(another neo4j.uri or neo4j.database, or another RAGFORGE_HOME): `ragforge ingest`, "
            "`ragforge conversations import FILE`",
        )
    return True


async def _claim(client: GraphClient, token: str) -> bool:
    """Whether this process is to make the schema; waits for another one that does, and finds it made then."""
    given: dict[str, Any] = {"token": token, "seconds": SCHEMA_SECONDS}
    for _ in range(int(SCHEMA_SECONDS / _POLL_SECONDS)):
        try:
            [state] = await client.write("claim_schema", timeout=PATIENT_TIMEOUT, **given)
        except GraphUnavailable as error:
            if "TransientError" not in code_of(error):
                raise
        else:
            if _is_made(state):
                return False
            if state["claimed"]:
                return True
        await asyncio.sleep(_POLL_SECONDS)
    raise GraphUnavailable("another process has been making the graph's schema for two minutes", hint="try again")


async def _complete(client: GraphClient) -> None:
    """Makes what could not be made since another tool had its name: under that name where it is free by now, else under
    one of its own; see `check_schema` for what has none."""
    for renamed in (str, under_own_name):
        lacking = await missing(client, schema_statements())
        if not lacking:
            return
        for statement in filter(None, map(renamed, lacking)):
            await _repeatable(client, statement)
    await check_names(client, lacking)


async def _repeatable(client: GraphClient, statement: str) -> None:
    """Runs a schema statement; that somebody else has just made the same thing is fine.

    Two that make a schema at the same moment can deadlock; the server then turns one of them away, to come again.
    """

    async def once() -> None:
        try:
            await client.run_schema(statement)
        except (GraphError, GraphUnavailable) as error:
            if not exists_already(error):
                raise

    await repeat(once, on=lambda error: passes(error.__cause__), seconds=_DEADLOCK_TIME)


_MADE = re.compile(
    r"\w+ (CONSTRAINT|INDEX|FULLTEXT INDEX) (\w+) IF NOT EXISTS FOR \(n:([\w|]+)\)(.*?)(?:OPTIONS|$)", re.S
)
_FULLTEXT = "FULLTEXT INDEX"


class _Wanted(NamedTuple):
    kind: str
    name: str
    labels: list[str]
    properties: list[str]

    def is_among(self, indexes: list[dict[str, Any]]) -> bool:
        """Whether one of the indexes is this one, or does the same."""
        return any(self._is_met_by(index) for index in indexes)

    def _is_met_by(self, index: dict[str, Any]) -> bool:
        """Whether an index does what this one is for. Full text is asked for by its name; of the others any will do."""
        if (sorted(index["labels"]), index["properties"]) != (sorted(self.labels), self.properties):
            return False
        if self.kind == _FULLTEXT:
            return bool(index["type"] == "FULLTEXT" and index["name"] == self.name)
        return index["type"] == "RANGE" and (self.kind == "INDEX" or index["constraint"] is not None)


async def missing(client: GraphClient, statements: Iterable[str]) -> list[str]:
    """Those of the statements whose index or constraint is not there."""
    indexes = await _indexes(client)
    return [text for text in statements if (wanted := _wanted(text)) and not wanted.is_among(indexes)]


async def check_names(client: GraphClient, statements: Iterable[str]) -> None:
    """Compares what is there with what the schema needs.

    Raises:
        GraphError: an index or a constraint is not there, mostly since another tool has one where it belongs.
    """
    indexes = await _indexes(client)
    for statement in statements:
        wanted = _wanted(statement)
        if wanted is not None and not wanted.is_among(indexes):
            constraints = await client.autocommit("schema_constraints", timeout=PATIENT_TIMEOUT)
            raise _clash(statement, wanted, indexes, constraints)


async def _indexes(client: GraphClient) -> list[dict[str, Any]]:
    return await client.autocommit("schema_indexes", timeout=PATIENT_TIMEOUT)


def _wanted(statement: str) -> _Wanted | None:
    made = _MADE.match(statement)
    if made is None:
        return None
    kind, name, labels, properties = made.groups()
    return _Wanted(kind, name, labels.split("|"), re.findall(r"n\.(\w+)", properties))


def under_own_name(statement: str) -> str | None:
    """The statement with a name that no other tool has; None for full text, which is asked for by its name."""
    wanted = _wanted(statement)
    if wanted is None or wanted.kind == _FULLTEXT:
        return None
    return statement.replace(f" {wanted.name} ", f" ragforge_{wanted.name} ", 1)


def _clash(
    statement: str, wanted: _Wanted, indexes: list[dict[str, Any]], constraints: list[dict[str, Any]]
) -> GraphError:
    needed = f"{wanted.kind.lower()} {wanted.name} on :{'|'.join(wanted.labels)} ({', '.join(wanted.properties)})"
    others = [
        *(("CONSTRAINT", row) for row in constraints),
        *(("INDEX", row) for row in indexes if row["constraint"] is None),
    ]
    for kind, row in others if wanted.kind == _FULLTEXT else ():
        same_place = (sorted(row["labels"]), row["properties"]) == (sorted(wanted.labels), wanted.properties)
        if row["name"] == wanted.name or (same_place and row["type"] == "FULLTEXT"):
            there = f"{row['name']} on :{'|'.join(row['labels'])} ({', '.join(row['properties'])})"
            return GraphError(
                f"the {needed} cannot be made: another tool has the {kind.lower()} {there}",
                hint=f"give that one another name (DROP {kind} `{row['name']}`, then make it anew under its new name) "
                "and start again",
            )
    return GraphError(f"the {needed} is missing", hint=f"make it: {under_own_name(statement) or statement}")
