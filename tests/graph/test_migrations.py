"""The schema's migrations on servers of their own, so that nobody else's schema is touched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphError, GraphTimeout, SchemaTooNew
from ragforge_memory.graph import migrations
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.managed.settings import DEFAULT_VERSION
from ragforge_memory.graph.migrations import all_migrations, migrate, newest_schema, schema_version
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
        # How often an index was read is no part of the schema.
        kept = [{k: v for k, v in row.items() if k not in ("lastRead", "readCount", "trackedSince")} for row in rows]
        found[kind] = sorted(kept, key=lambda row: str(row["name"]))
    return found


async def _meta(client: GraphClient) -> dict[str, Any]:
    [row] = await client.run_schema("MATCH (m:RagforgeMeta {key: 'schema'}) RETURN properties(m) AS meta")
    meta: dict[str, Any] = row["meta"]
    return meta


async def test_a_fresh_database_gets_the_whole_schema(scratch: GraphClient) -> None:
    assert await schema_version(scratch) is None
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()
    assert await schema_version(scratch) == newest_schema()
    meta = await _meta(scratch)
    assert meta["min_library_version"] == migrations.MIN_LIBRARY_VERSION
    assert "lease_token" not in meta
    made = await _schema(scratch)
    names = {row["name"] for rows in made.values() for row in rows}
    for migration in all_migrations():
        for statement in (each for each in migration.statements if "IF NOT EXISTS" in each):
            assert statement.split()[statement.split().index("IF") - 1] in names
    assert all(row["state"] == "ONLINE" for row in made["INDEXES"])


async def test_running_every_migration_again_changes_nothing(scratch: GraphClient) -> None:
    await migrate(scratch, library_version="0.1.0")
    before = await _schema(scratch)
    await scratch.run_schema("MATCH (m:RagforgeMeta {key: 'schema'}) SET m.schema_version = 0")
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()
    assert await _schema(scratch) == before


async def test_two_migrators_at_once_make_one_schema(scratch: GraphClient, scratch_config: Neo4jConfig) -> None:
    others = [GraphClient(open_driver(scratch_config), address=scratch_config.uri) for _ in range(3)]
    try:
        versions = await asyncio.gather(*(migrate(one, library_version="0.1.0") for one in (scratch, *others)))
    finally:
        for other in others:
            await other.aclose()
    assert versions == [newest_schema()] * 4
    [row] = await scratch.run_schema("MATCH (m:RagforgeMeta) RETURN count(m) AS metas")
    assert row["metas"] == 1
    assert "lease_token" not in await _meta(scratch)
    schema = await _schema(scratch)
    assert len({row["name"] for row in schema["INDEXES"]}) == len(schema["INDEXES"])


async def test_a_migrator_that_died_is_followed_by_the_next(scratch: GraphClient) -> None:
    """Its lease has run out; what it had made is made again without harm, and what it lacked is added."""
    first, *_ = all_migrations()[0].statements
    await scratch.run_schema(first)
    await scratch.run_schema(
        "CREATE (:RagforgeMeta {key: 'schema', schema_version: 0, lease_token: 'of a dead one', "
        "lease_until: datetime() - duration('PT1S')})"
    )
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()
    late = await scratch.write("record_migration", token="of a dead one", version=99, min_library_version="9")
    assert late == []
    assert (await _meta(scratch))["schema_version"] == newest_schema()


async def test_the_next_waits_for_a_migrator_that_is_at_work(
    scratch: GraphClient, scratch_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work, go_on = asyncio.Event(), asyncio.Event()
    run = migrations._repeatable

    async def slowly(client: GraphClient, statement: str) -> None:
        if client is scratch and "conversation_uuid" in statement:
            at_work.set()
            await go_on.wait()
        await run(client, statement)

    monkeypatch.setattr(migrations, "_repeatable", slowly)
    claims: asyncio.Queue[str] = asyncio.Queue()
    other = GraphClient(open_driver(scratch_config), address=scratch_config.uri)
    write = other.write

    async def seen(name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        rows = await write(name, **parameters)
        claims.put_nowait(f"{name}: {rows[0]['claimed']}" if name == "claim_migration" else name)
        return rows

    monkeypatch.setattr(other, "write", seen)
    try:
        first = asyncio.create_task(migrate(scratch, library_version="0.1.0"))
        await at_work.wait()
        second = asyncio.create_task(migrate(other, library_version="0.1.0"))
        assert [await claims.get() for _ in range(3)] == ["claim_migration: False"] * 3
        assert not second.done()
        go_on.set()
        assert await first == await second == newest_schema()
    finally:
        await other.aclose()


async def test_a_newer_schema_is_refused_before_anything_is_written(
    scratch: GraphClient, scratch_config: Neo4jConfig
) -> None:
    await migrate(scratch, library_version="0.1.0")
    newer = newest_schema() + 1
    await scratch.run_schema(
        "MATCH (m:RagforgeMeta {key: 'schema'}) SET m.schema_version = $version, m.min_library_version = '7.5'",
        version=newer,
    )
    before = await _meta(scratch), await _schema(scratch), await _nodes(scratch)
    with pytest.raises(SchemaTooNew, match=f"schema {newer}") as refused:
        await migrate(scratch, library_version="7.4.9")
    assert "ragforge-memory>=7.5" in (refused.value.hint or "")
    with pytest.raises(SchemaTooNew):
        await connect(scratch_config)
    assert (await _meta(scratch), await _schema(scratch), await _nodes(scratch)) == before
    # A newer schema that this library may still write to is left as it is, and used.
    assert await migrate(scratch, library_version="7.5.0") == newer
    assert await migrate(scratch, library_version="10.0") == newer
    assert (await _meta(scratch))["schema_version"] == newer


async def test_a_server_that_is_slow_at_first_is_given_more_time(
    client: GraphClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "_FIRST_STATEMENT", (1e-9, 1e-9, 60.0))
    assert await migrations.schema_version(client) == newest_schema()
    monkeypatch.setattr(migrations, "_FIRST_STATEMENT", (1e-9, 1e-9))
    with pytest.raises(GraphTimeout):
        await migrations.schema_version(client)


async def test_a_migration_that_fails_is_not_recorded(scratch: GraphClient, monkeypatch: pytest.MonkeyPatch) -> None:
    good = all_migrations()
    bad = migrations.Migration(len(good) + 1, "bad", ("CREATE INDEX wrong IF NOT EXISTS FOR (n:Scope) OF (n.x)",))
    monkeypatch.setattr(migrations, "all_migrations", lambda: (*good, bad))
    with pytest.raises(GraphError, match="CREATE INDEX wrong"):
        await migrate(scratch, library_version="0.1.0")
    assert await schema_version(scratch) == len(good)
    monkeypatch.undo()
    assert await migrate(scratch, library_version="0.1.0") == len(good)


async def test_what_was_said_without_vectors_waits_for_them(scratch: GraphClient) -> None:
    """What has one, what could not get one, what has no words and what is being deleted does not."""
    await migrate(scratch, library_version="0.1.0")
    await scratch.run_schema(
        """
        MATCH (m:RagforgeMeta {key: 'schema'})
        SET m.schema_version = 9
        CREATE (:Message {uuid: 'waits', content: 'said'}),
          (:Message {uuid: 'has', content: 'said', embedding_2: [1.0]}),
          (:Message:FailedEmbedding {uuid: 'failed', content: 'said'}), (:Message {uuid: 'blank', content: ' \n'}),
          (:Message {uuid: 'filed'}), (:Message {uuid: 'blocks', content: ['one', 'two']}),
          (:Summary {uuid: 'waits', content: 'said'}), (:Summary {uuid: 'has', content: 'said', embedding: [1.0]}),
          (:Conversation {uuid: 'waits', status: 'active', message_count: 2}),
          (:Conversation {uuid: 'branch', status: 'archived', message_count: 0, summary: 'said'}),
          (:Conversation {uuid: 'has', status: 'active', message_count: 2, summary_embedding: [1.0]}),
          (:Conversation {uuid: 'empty', status: 'active', message_count: 0}),
          (:Conversation {uuid: 'deleted', status: 'deleting', message_count: 2})
        """
    )
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()
    rows = await scratch.run_schema("MATCH (n:PendingEmbedding) RETURN labels(n) AS labels, n.uuid AS uuid")
    waiting = {(next(label for label in row["labels"] if label != "PendingEmbedding"), row["uuid"]) for row in rows}
    assert waiting == {
        *(("Message", uuid) for uuid in ("waits", "filed", "blocks")),
        ("Summary", "waits"),
        *(("Conversation", uuid) for uuid in ("waits", "branch")),
    }


async def _nodes(client: GraphClient) -> int:
    return int((await client.run_schema("MATCH (n) RETURN count(n) AS nodes"))[0]["nodes"])


def test_gaps_between_migrations_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "0001_one.cypher").write_text("// why; with a semicolon;\nRETURN 1;\nRETURN ';' AS x;\n")
    monkeypatch.setattr(migrations, "cypher_directory", lambda: tmp_path)
    all_migrations.cache_clear()
    try:
        [one] = all_migrations()
        assert (one.number, one.name, one.statements) == (1, "one", ("RETURN 1", "RETURN ';' AS x"))
        (folder / "0003_three.cypher").write_text("RETURN 3;\n")
        all_migrations.cache_clear()
        with pytest.raises(GraphError, match="gap"):
            all_migrations()
    finally:
        all_migrations.cache_clear()


async def test_both_server_lines_have_the_same_schema(client: GraphClient, old_client: GraphClient) -> None:
    """What the migrations make, described by either server; vector indexes belong to embedding spaces."""

    async def described(graph: GraphClient) -> set[tuple[Any, ...]]:
        wanted = " ".join(statement for migration in all_migrations() for statement in migration.statements).split()
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
        (
            "CREATE FULLTEXT INDEX my_text FOR (n:Scope) "
            "ON EACH [n.name, n.qualified_name, n.terms, n.signature, n.docstring, n.project_token]",
            "INDEX",
            "my_text",
        ),
        ("CREATE INDEX scope_text_index FOR (n:Thing) ON (n.uuid)", "INDEX", "scope_text_index"),
        ("CREATE CONSTRAINT scope_text_index FOR (n:Thing) REQUIRE n.id IS UNIQUE", "CONSTRAINT", "scope_text_index"),
    ],
)
async def test_a_name_of_full_text_that_another_tool_has_taken_is_one_clear_error(
    scratch: GraphClient, theirs: str, kind: str, named: str
) -> None:
    await scratch.run_schema(theirs)
    for _ in range(2):
        with pytest.raises(GraphError, match=named) as refused:
            await migrate(scratch, library_version="0.1.0")
        assert f"DROP {kind} `{named}`" in (refused.value.hint or "")
    await scratch.run_schema(f"DROP {kind} {named}")
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()


async def test_what_does_the_same_under_another_name_is_fine(scratch: GraphClient) -> None:
    await scratch.run_schema("CREATE CONSTRAINT my_scope FOR (n:Scope) REQUIRE n.uuid IS UNIQUE")
    await scratch.run_schema("CREATE INDEX my_names FOR (n:Scope) ON (n.project, n.name)")
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()
    await migrations.check_schema(scratch)


async def test_other_names_that_another_tool_has_taken_are_replaced(scratch: GraphClient) -> None:
    theirs = (
        "CREATE CONSTRAINT scope_uuid FOR (n:Thing) REQUIRE n.uuid IS UNIQUE",
        "CREATE INDEX file_uuid FOR (n:Thing) ON (n.id)",
        "CREATE CONSTRAINT file_path FOR (n:File) REQUIRE n.path IS UNIQUE",
        "CREATE INDEX scope_name FOR (n:Scope) ON (n.name)",
    )
    for statement in theirs:
        await scratch.run_schema(statement)
    assert await migrate(scratch, library_version="0.1.0") == newest_schema()
    await migrations.check_schema(scratch)
    made = {row["name"] for rows in (await _schema(scratch)).values() for row in rows}
    names = {statement.split()[2] for statement in theirs}
    assert names | {f"ragforge_{name}" for name in names} <= made


async def test_what_the_schema_refuses_says_what_to_do(scratch: GraphClient) -> None:
    await scratch.run_schema("CREATE (:Scope {uuid: 'twice'}), (:Scope {uuid: 'twice'})")
    with pytest.raises(GraphError, match="twice") as refused:
        await migrate(scratch, library_version="0.1.0")
    assert "mend those that are named" in (refused.value.hint or "")
    await scratch.run_schema("MATCH (s:Scope) DELETE s")
    # at once, not after two minutes
    assert await asyncio.wait_for(migrate(scratch, library_version="0.1.0"), 60) == newest_schema()

    await scratch.run_schema("CREATE (:Scope {uuid: 'once'})")
    with pytest.raises(GraphError, match="already exists") as refused:
        await scratch.run_schema("CREATE (:Scope {uuid: 'once'})")
    assert "SHOW CONSTRAINTS" in (refused.value.hint or "")


async def test_the_server_s_indexes_are_listed_once(scratch: GraphClient, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = []
    autocommit = GraphClient.autocommit

    async def counted(self: GraphClient, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        listed.append(name)
        return await autocommit(self, name, **parameters)

    monkeypatch.setattr(GraphClient, "autocommit", counted)
    await migrate(scratch, library_version="0.1.0")

    assert listed.count("schema_indexes") == 1
    assert "await_indexes" in listed
