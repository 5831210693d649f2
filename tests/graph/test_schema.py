"""The schema on servers of its own, so that nobody else's is touched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphError, GraphTimeout, SchemaMismatch
from ragforge_memory.graph import schema
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.managed.settings import DEFAULT_VERSION
from ragforge_memory.graph.schema import SCHEMA, check_schema, ensure_schema, has_schema, schema_statements
from tests.neo4j_servers import started

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def scratch_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jConfig]:
    """A server that nothing was written to yet, and that nobody else uses."""
    with started(DEFAULT_VERSION, tmp_path_factory) as config:
        yield config


@pytest.fixture
async def scratch(scratch_config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    """Its database without any schema of ours."""
    client = GraphClient(open_driver(scratch_config), address=scratch_config.uri)
    for row in await client.run_schema("SHOW CONSTRAINTS YIELD name"):
        await client.run_schema(f"DROP CONSTRAINT `{row['name']}`")
    for row in await client.run_schema("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        await client.run_schema(f"DROP INDEX `{row['name']}`")
    await client.run_schema("MATCH (n) DETACH DELETE n")
    yield client
    await client.aclose()


async def _schema(client: GraphClient) -> dict[str, list[dict[str, Any]]]:
    """Every index and constraint as the server describes it."""
    found = {}
    for kind in ("INDEXES", "CONSTRAINTS"):
        rows = await client.run_schema(f"SHOW {kind} YIELD *")
        # How often an index was read is not a part of the schema.
        kept = [{k: v for k, v in row.items() if k not in ("lastRead", "readCount", "trackedSince")} for row in rows]
        found[kind] = sorted(kept, key=lambda row: str(row["name"]))
    return found


async def _meta(client: GraphClient) -> dict[str, Any]:
    [row] = await client.run_schema("MATCH (m:RagforgeMeta {key: 'schema'}) RETURN properties(m) AS meta")
    meta: dict[str, Any] = row["meta"]
    return meta


async def test_a_fresh_database_gets_the_whole_schema(scratch: GraphClient) -> None:
    assert not await has_schema(scratch)
    await ensure_schema(scratch)
    assert await has_schema(scratch)
    assert await _meta(scratch) == {
        "key": "schema",
        "schema_version": SCHEMA,
        "min_library_version": schema.MIN_LIBRARY_VERSION,
    }
    made = await _schema(scratch)
    names = {row["name"] for rows in made.values() for row in rows}
    assert {statement.split()[statement.split().index("IF") - 1] for statement in schema_statements()} <= names
    assert all(row["state"] == "ONLINE" for row in made["INDEXES"])


async def test_several_at_once_make_one_schema(scratch: GraphClient, scratch_config: Neo4jConfig) -> None:
    others = [GraphClient(open_driver(scratch_config), address=scratch_config.uri) for _ in range(3)]
    try:
        await asyncio.gather(*map(ensure_schema, (scratch, *others)))
    finally:
        for other in others:
            await other.aclose()
    [row] = await scratch.run_schema("MATCH (m:RagforgeMeta) RETURN count(m) AS metas")
    assert row["metas"] == 1
    assert "lease_token" not in await _meta(scratch)
    made = await _schema(scratch)
    assert len({row["name"] for row in made["INDEXES"]}) == len(made["INDEXES"])


async def test_who_died_while_making_it_is_followed_by_the_next(scratch: GraphClient) -> None:
    """Its lease has run out; what it had made is made again without harm, and what it lacked is added."""
    for statement in schema_statements()[:2]:
        await scratch.run_schema(statement)
    await scratch.run_schema(
        "CREATE (:RagforgeMeta {key: 'schema', lease_token: 'of a dead one', "
        "lease_until: datetime() - duration('PT1S')})"
    )
    await ensure_schema(scratch)
    await check_schema(scratch)
    late = await scratch.write("record_schema", token="of a dead one", version=99, min_library_version="9")
    assert late == []
    assert await has_schema(scratch)


@pytest.mark.parametrize(
    ("version", "said", "hint"),
    [
        (SCHEMA + 1, f"schema {SCHEMA + 1}, of ragforge-memory 7.5 or later", "'ragforge-memory>=7.5'"),
        (SCHEMA - 1, f"schema {SCHEMA - 1}, of ragforge-memory 7.5", "export --all FILE"),
    ],
)
async def test_a_graph_of_another_schema_is_refused_and_left_alone(
    scratch: GraphClient, scratch_config: Neo4jConfig, version: int, said: str, hint: str
) -> None:
    await ensure_schema(scratch)
    await scratch.run_schema(
        "MATCH (m:RagforgeMeta {key: 'schema'}) SET m.schema_version = $version, m.min_library_version = '7.5'",
        version=version,
    )
    before = await _meta(scratch), await _schema(scratch), await _nodes(scratch)
    for opened in (connect(scratch_config), ensure_schema(scratch), has_schema(scratch)):
        with pytest.raises(SchemaMismatch, match=said) as refused:
            await opened
        assert hint in (refused.value.hint or "")
    assert (await _meta(scratch), await _schema(scratch), await _nodes(scratch)) == before


async def test_a_server_that_is_slow_at_first_is_given_more_time(
    client: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_FIRST_STATEMENT", (1e-9, 1e-9, 60.0))
    assert await has_schema(client)
    monkeypatch.setattr(schema, "_FIRST_STATEMENT", (1e-9, 1e-9))
    with pytest.raises(GraphTimeout):
        await has_schema(client)


async def test_a_schema_that_could_not_be_made_is_not_recorded(
    scratch: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = "CREATE INDEX wrong IF NOT EXISTS FOR (n:Scope) OF (n.x)"
    monkeypatch.setattr(schema, "schema_statements", lambda: (*schema_statements(), bad))
    with pytest.raises(GraphError, match="CREATE INDEX wrong"):
        await ensure_schema(scratch)
    assert not await has_schema(scratch)
    assert "lease_token" not in await _meta(scratch)
    monkeypatch.undo()
    await ensure_schema(scratch)
    await check_schema(scratch)


async def _nodes(client: GraphClient) -> int:
    return int((await client.run_schema("MATCH (n) RETURN count(n) AS nodes"))[0]["nodes"])


async def test_both_server_lines_have_the_same_schema(client: GraphClient, old_client: GraphClient) -> None:
    """The schema as described by either server; vector indexes belong to embedding spaces."""

    async def described(graph: GraphClient) -> set[tuple[Any, ...]]:
        wanted = " ".join(schema_statements()).split()
        return {
            (row["name"], row["type"], tuple(row["labelsOrTypes"]), tuple(row["properties"]), row["owningConstraint"])
            for row in (await _schema(graph))["INDEXES"]
            if row["name"] in wanted
        }

    assert await described(client) == await described(old_client)
    assert len(await described(client)) >= 15


@pytest.mark.parametrize(
    ("theirs", "kind", "named"),
    [
        ("CREATE FULLTEXT INDEX message_text_index FOR (m:Message) ON EACH [m.content]", "INDEX", "message_text_index"),
        ("CREATE CONSTRAINT scope_text_index FOR (n:Thing) REQUIRE n.id IS UNIQUE", "CONSTRAINT", "scope_text_index"),
    ],
)
async def test_a_name_of_full_text_that_another_tool_has_taken_is_one_clear_error(
    scratch: GraphClient, theirs: str, kind: str, named: str
) -> None:
    await scratch.run_schema(theirs)
    for _ in range(2):
        with pytest.raises(GraphError, match=named) as refused:
            await ensure_schema(scratch)
        assert f"DROP {kind} `{named}`" in (refused.value.hint or "")
    await scratch.run_schema(f"DROP {kind} {named}")
    await ensure_schema(scratch)


async def test_other_names_that_another_tool_has_taken_are_replaced(scratch: GraphClient) -> None:
    theirs = (
        "CREATE CONSTRAINT scope_uuid FOR (n:Thing) REQUIRE n.uuid IS UNIQUE",
        "CREATE INDEX file_uuid FOR (n:Thing) ON (n.id)",
        "CREATE CONSTRAINT file_path FOR (n:File) REQUIRE n.path IS UNIQUE",
        "CREATE INDEX scope_name FOR (n:Scope) ON (n.name)",
    )
    for statement in theirs:
        await scratch.run_schema(statement)
    await ensure_schema(scratch)
    await check_schema(scratch)
    made = {row["name"] for rows in (await _schema(scratch)).values() for row in rows}
    names = {statement.split()[2] for statement in theirs}
    assert names | {f"ragforge_{name}" for name in names} <= made


async def test_what_the_schema_refuses_says_what_to_do(scratch: GraphClient) -> None:
    await scratch.run_schema("CREATE (:Scope {uuid: 'twice'}), (:Scope {uuid: 'twice'})")
    with pytest.raises(GraphError, match="twice") as refused:
        await ensure_schema(scratch)
    assert "mend those that are named" in (refused.value.hint or "")
    await scratch.run_schema("MATCH (s:Scope) DELETE s")
    # at once, not after two minutes
    await asyncio.wait_for(ensure_schema(scratch), 60)

    await scratch.run_schema("CREATE (:Scope {uuid: 'once'})")
    with pytest.raises(GraphError, match="already exists") as refused:
        await scratch.run_schema("CREATE (:Scope {uuid: 'once'})")
    assert "SHOW CONSTRAINTS" in (refused.value.hint or "")
