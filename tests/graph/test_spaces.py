"""Embedding spaces on a real server: one model a project, a property and indexes of its own a model."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import EmbeddingMismatch
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.spaces import Space, _in_the_way, find_space, open_space, retire_space
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio

# Small and odd, so that these spaces are not taken for those of a real model on a server that is shared.
DIMENSION = 7


async def _index_dimensions(client: GraphClient) -> dict[str, int]:
    return {row["name"]: row["dimension"] for row in await client.autocommit("vector_indexes")}


async def _retired(client: GraphClient, space: Space) -> None:
    """Retires a space; a server that others keep busy may not let its indexes go at once."""
    for _ in range(6):
        if await retire_space(client, space):
            return
    pytest.fail(f"{space} is still there")


async def test_a_space_is_made_once_with_its_indexes(client: GraphClient, owner: Owner) -> None:
    assert await find_space(client, owner.project) is None
    model = f"test:{owner.project}"
    space = await open_space(client, owner.project, model, DIMENSION)
    assert await find_space(client, owner.project) == space
    assert await open_space(client, owner.project, model, DIMENSION) == space
    assert await open_space(client, owner.project + "-2", model, DIMENSION) == space
    found = await _index_dimensions(client)
    for index in (space.message_index, space.scope_index, space.conversation_index, space.summary_index):
        assert found[index] == DIMENSION


@pytest.mark.long
async def test_indexes_that_wait_for_an_open_write_hold_up_no_other(
    client: GraphClient, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    async with (
        neo4j.AsyncGraphDatabase.driver(neo4j_config.uri, auth=login) as driver,
        driver.session(database="neo4j") as session,
    ):
        held = await session.begin_transaction()
        await (await held.run("CREATE (:Message {uuid: $uuid})", uuid=uuid4().hex)).consume()
        made = asyncio.create_task(open_space(client, owner.project, f"test:held-{owner.project}", DIMENSION))
        for _ in range(3):
            await client.run_schema("CREATE (m:Message {uuid: $uuid}) DELETE m", uuid=uuid4().hex)
            await asyncio.wait((made,), timeout=1)
        assert not made.done()
        await held.rollback()
        space = await made
    assert space.message_index in await _index_dimensions(client)
    await client.run_schema("MATCH (p:RagforgeMeta {key: $key}) DELETE p", key=f"project/{owner.project}")
    await _retired(client, space)


async def test_a_project_without_vectors_changes_its_model(client: GraphClient, owner: Owner) -> None:
    await open_space(client, owner.project, "hashing:old", 24)
    space = await open_space(client, owner.project, "hashing:new", 32)
    assert await find_space(client, owner.project) == space


async def test_a_project_with_vectors_keeps_its_model(client: GraphClient, owner: Owner) -> None:
    space = await open_space(client, owner.project, "hashing:words", 5)
    await client.run_schema(
        "CREATE (s:Scope {uuid: $uuid, project: $project}) "
        "WITH s CALL db.create.setNodeVectorProperty(s, $property, $vector) RETURN s.uuid AS uuid",
        uuid=uuid4().hex,
        project=owner.project,
        property=space.property,
        vector=[1.0] * 5,
    )
    with pytest.raises(EmbeddingMismatch, match=r"hashing:words \(5 dimensions\)") as refused:
        await open_space(client, owner.project, "hashing:new", 32)
    assert "provider hashing, model words, dimension 5 again; or run `ragforge reembed`" in (refused.value.hint or "")
    assert await open_space(client, owner.project, "hashing:words", 5) == space
    await client.run_schema("MATCH (s:Scope {project: $project}) DETACH DELETE s", project=owner.project)


async def test_a_property_in_which_another_tool_has_its_vectors_is_not_written_into(
    client: GraphClient, owner: Owner
) -> None:
    before = await open_space(client, f"{owner.project}-before", f"test:{owner.project}-before", DIMENSION)
    # Some numbers on, since others may make spaces meanwhile.
    theirs = [f"embedding_{before.number + more}" for more in range(1, 6)]
    await client.run_schema(f"CREATE (s:Scope {{uuid: $uuid, {theirs[0]}: [.1, .2]}})", uuid=owner.project)
    for name in theirs[1:]:
        await client.run_schema(f"MATCH (s:Scope {{uuid: $uuid}}) SET s.{name} = [.1, .2]", uuid=owner.project)
    try:
        space = await open_space(client, owner.project, f"test:{owner.project}", DIMENSION)
        assert space.property not in theirs
        assert space.number > before.number
        # their own length is fine: these may be ours
        assert (await client.read("other_vectors", property=theirs[0], dimension=2))[0]["found"] is False
    finally:
        await client.run_schema("MATCH (s:Scope {uuid: $uuid}) DETACH DELETE s", uuid=owner.project)


async def test_many_at_once_make_one_space_and_one_choice(client: GraphClient, owner: Owner) -> None:
    wanted = [f"test:{owner.project}-{name}" for name in "ab" * 4]
    outcomes = await asyncio.gather(
        *(open_space(client, owner.project, model, DIMENSION) for model in wanted), return_exceptions=True
    )
    spaces = {outcome for outcome in outcomes if isinstance(outcome, Space)}
    assert all(isinstance(outcome, Space | EmbeddingMismatch) for outcome in outcomes)
    assert len({space.model for space in spaces}) == len({space.number for space in spaces})
    assert await find_space(client, owner.project) in spaces


def test_vectors_of_another_dimension_are_refused() -> None:
    space = Space("m", 3, 1)
    space.check([[1.0, 0.0, 0.0]])
    with pytest.raises(EmbeddingMismatch, match="2 dimensions"):
        space.check([[1.0, 0.0, 0.0], [1.0, 0.0]])


def test_names_of_the_first_space_are_plain() -> None:
    first, second = Space("m", 3, 1), Space("m", 3, 2)
    assert (first.property, first.scope_index) == ("embedding", "scope_embedding_index")
    assert (second.property, second.scope_index) == ("embedding_2", "scope_embedding_index_2")
    assert first.conversation_property == "summary_embedding"


@pytest.mark.parametrize(
    ("name", "label", "vector_property", "dimension", "expected"),
    [
        ("message_embedding_index", "Message", "embedding", 384, False),
        ("message_embedding_index", "Message", "embedding", 768, True),
        ("messageEmbeddings", "Message", "embedding", 384, True),
        ("message_embedding_index", "Note", "embedding", 384, True),
        ("note_index", "Note", "embedding", 768, False),
    ],
)
def test_indexes_of_other_tools_are_not_written_into(
    name: str, label: str, vector_property: str, dimension: int, expected: bool
) -> None:
    index = {"name": name, "label": label, "property": vector_property, "dimension": dimension}
    assert _in_the_way(index, Space("m", 384, 1)) is expected
