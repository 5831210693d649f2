"""Numbered migrations of the graph's schema, applied once, under a lease, by whoever comes first.

``cypher/migrations/0001_….cypher`` and so on hold statements that end with ``;`` and can be run twice. The schema's
version is one number on ``:RagforgeMeta``; at every start it is read once and nothing else is checked.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import GraphError, GraphTimeout, GraphUnavailable, RagforgeError, SchemaTooNew
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.failures import code_of, exists_already
from ragforge_memory.graph.leases import MIGRATION_SECONDS
from ragforge_memory.graph.queries import cypher_directory, parse_version
from ragforge_memory.graph.schema_names import check_names, missing, under_own_name

# The oldest release that may write to a graph with the newest schema below.
MIN_LIBRARY_VERSION = "0.1.0"

_POLL_SECONDS = 0.2
_ATTEMPTS = 6
# Seconds for the first statement of all, a minute in all as patient work has: a server that was killed under load and
# has just been started took more than 10 for it. It is given more only where it says that it is there: one that hangs
# is found out after 12.
_FIRST_STATEMENT = (10.0, 20.0, 30.0)
_META_KEY = "CREATE CONSTRAINT ragforge_meta_key IF NOT EXISTS FOR (n:RagforgeMeta) REQUIRE n.key IS UNIQUE"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name and its statements."""

    number: int
    name: str
    statements: tuple[str, ...]


@cache
def all_migrations() -> tuple[Migration, ...]:
    """The migrations in order; their numbers run from 1 without gaps."""
    found = []
    for path in sorted((cypher_directory() / "migrations").glob("*.cypher")):
        number, _, name = path.stem.partition("_")
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("//")]
        statements = tuple(part.strip() for part in re.split(r";\s*$", "\n".join(lines), flags=re.M) if part.strip())
        found.append(Migration(int(number), name, statements))
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise GraphError("the migrations' numbers have a gap", hint="reinstall ragforge-memory")
    return tuple(found)


def newest_schema() -> int:
    """The version of the schema that this library writes."""
    return len(all_migrations())


async def schema_version(client: GraphClient) -> int | None:
    """The version of the schema that the graph has; None where it has none. Changes nothing."""
    state = await _state(client)
    return None if state["schema_version"] is None else int(state["schema_version"])


async def migrate(client: GraphClient, *, library_version: str) -> int:
    """Brings the schema up to this library's version and returns the version found afterwards.

    Raises:
        SchemaTooNew: a newer library has migrated this graph and this one may no longer write to it.
        GraphUnavailable: the server is away, or another process has been migrating for over two minutes.
    """
    state = await _state(client)
    version = int(state["schema_version"] or 0)
    if version > newest_schema():
        least = state["min_library_version"] or ""
        if parse_version(library_version) < parse_version(least):
            raise SchemaTooNew(
                f"this graph has schema {version}, made by a newer ragforge-memory: {library_version} may not write",
                hint=f"pip install --upgrade 'ragforge-memory>={least}'",
            )
        return version
    if version == newest_schema():
        return version
    return await _migrate_under_lease(client)


async def _state(client: GraphClient) -> dict[str, Any]:
    *more, last = _FIRST_STATEMENT
    for seconds in more:
        try:
            return (await client.read("schema_state", timeout=seconds))[0]
        except GraphTimeout:
            if not await client.answers(restart=False):
                raise
    return (await client.read("schema_state", timeout=last))[0]


async def _migrate_under_lease(client: GraphClient) -> int:
    token = uuid4().hex
    await _repeatable(client, _META_KEY)
    for _ in range(int(MIGRATION_SECONDS / _POLL_SECONDS)):
        claim = await _claim(client, token)
        if claim is None:
            await asyncio.sleep(_POLL_SECONDS)
            continue
        version = int(claim["schema_version"])
        if version >= newest_schema():
            if claim["claimed"]:
                await client.write("release_migration", token=token)
            return version
        if claim["claimed"]:
            break
        await asyncio.sleep(_POLL_SECONDS)
    else:
        raise GraphUnavailable("another process has been migrating the graph for two minutes", hint="try again")
    try:
        for migration in all_migrations()[version:]:
            for statement in migration.statements:
                await _repeatable(client, statement)
            if migration.number == newest_schema():
                await _complete(client)
            await client.write(
                "record_migration",
                timeout=PATIENT_TIMEOUT,
                token=token,
                version=migration.number,
                min_library_version=MIN_LIBRARY_VERSION,
            )
        await client.autocommit("await_indexes", timeout=130)
    except GraphError:
        # What was refused is mended by people, who are not to wait for the lease's end then.
        with suppress(RagforgeError):
            await client.write("release_migration", token=token)
        raise
    await client.write("release_migration", timeout=PATIENT_TIMEOUT, token=token)
    return newest_schema()


async def check_schema(client: GraphClient) -> None:
    """Whether all that the migrations make is there.

    Raises:
        GraphError: an index or a constraint is not there, mostly since another tool has one where it belongs.
    """
    await check_names(client, _statements())


async def _complete(client: GraphClient) -> None:
    """Makes what could not be made since another tool had its name: under that name where it is free by now, else under
    one of its own; see `check_schema` for what has none."""
    for renamed in (str, under_own_name):
        lacking = await missing(client, _statements())
        if not lacking:
            return
        for statement in filter(None, map(renamed, lacking)):
            await _repeatable(client, statement)
    await check_names(client, lacking)


def _statements() -> list[str]:
    return [text for migration in all_migrations() for text in migration.statements]


async def _claim(client: GraphClient, token: str) -> dict[str, Any] | None:
    """Who migrates, and from which version; None where two claims met in a deadlock and the server turned us away."""
    try:
        claim: dict[str, Any] = {"token": token, "seconds": MIGRATION_SECONDS}
        return (await client.write("claim_migration", timeout=PATIENT_TIMEOUT, **claim))[0]
    except GraphUnavailable as error:
        if "TransientError" not in code_of(error):
            raise
        return None


async def _repeatable(client: GraphClient, statement: str) -> None:
    """Runs a schema statement; that somebody else has just made the same thing is fine.

    Two that make a schema at the same moment can deadlock; the server then turns one of them away, to come again.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            await client.run_schema(statement)
            return
        except (GraphError, GraphUnavailable) as error:
            if exists_already(error):
                return
            if "TransientError" not in code_of(error) or attempt == _ATTEMPTS:
                raise
        await asyncio.sleep(_POLL_SECONDS * attempt)
