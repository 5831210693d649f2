"""A first ingest that comes to nothing leaves nothing in the graph."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory.errors import GraphError
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.ingest.run import IngestProgress
from tests.ingest.conftest import Cypher, Ingest, Tree

pytestmark = pytest.mark.anyio


class Refused(Exception):
    """What the caller has raised."""


def refuse(_: IngestProgress) -> None:
    raise Refused


def named(cypher: Cypher, project: str, tree: Tree) -> list[dict[str, object]]:
    """The projects of that name or root, with all that is said of them."""
    found = cypher(
        "MATCH (p:Project) WHERE p.project = $project OR p.rootPath = $root RETURN properties(p) AS said",
        project=project,
        root=str(tree.root),
    )
    return [row["said"] for row in found]


async def test_one_that_fails_before_anything_is_written_leaves_nothing(
    run: Ingest, tree: Tree, cypher: Cypher, project: str
) -> None:
    with pytest.raises(Refused):
        await run(progress=refuse)

    assert named(cypher, project, tree) == []
    assert (await run()).scopes == 10


async def test_one_whose_first_write_the_database_refuses_leaves_nothing(
    run: Ingest, tree: Tree, cypher: Cypher, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = GraphClient.write

    async def clashing(self: GraphClient, name: str, /, **parameters: object) -> object:
        if name == "write_files":
            raise GraphError("Neo4j refused write_files")
        return await write(self, name, **parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(GraphClient, "write", clashing)
    with pytest.raises(GraphError):
        await run()

    assert named(cypher, project, tree) == []


@pytest.mark.parametrize("after", ["the lease was asked for", "files are read"])
async def test_one_that_is_cancelled_leaves_nothing(
    after: str, run: Ingest, tree: Tree, cypher: Cypher, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task: asyncio.Task[object]
    write = GraphClient.write

    async def cancelling(self: GraphClient, name: str, /, **parameters: object) -> object:
        rows = await write(self, name, **parameters)  # type: ignore[arg-type]
        if name == "take_ingest_lease" and after == "the lease was asked for":
            task.cancel()
            await asyncio.sleep(1)
        return rows

    monkeypatch.setattr(GraphClient, "write", cancelling)
    task = asyncio.ensure_future(run(progress=lambda _: task.cancel() and None))
    with pytest.raises(asyncio.CancelledError):
        await task

    assert named(cypher, project, tree) == []


async def test_the_project_of_another_tool_is_as_it_was(run: Ingest, tree: Tree, cypher: Cypher, project: str) -> None:
    theirs = {"rootPath": str(tree.root), "name": "tool", "indexedAt": "yesterday"}
    cypher("CREATE (p:Project) SET p = $theirs CREATE (:Other)-[:KEEPS]->(p)", theirs=theirs)
    with pytest.raises(Refused):
        await run(progress=refuse)

    assert named(cypher, project, tree) == [theirs]
    await run()
    assert [(said["name"], said["project"], said["root"]) for said in named(cypher, project, tree)] == [
        ("tool", project, str(tree.root))
    ]
    assert all(said["uuid"] for said in named(cypher, project, tree))


async def test_what_was_written_before_it_failed_stays(run: Ingest, tree: Tree, cypher: Cypher, project: str) -> None:
    def refuse_edges(progress: IngestProgress) -> None:
        if progress.phase == "edges":
            raise Refused

    with pytest.raises(Refused):
        await run(progress=refuse_edges)

    [said] = named(cypher, project, tree)
    assert said["ingest_incomplete"] is True
    assert (await run()).files_changed == 0
    # and so does what an ingest had brought to its end
    tree.write("more.py", "def more():\n    return 1\n")
    with pytest.raises(Refused):
        await run(progress=refuse)
    assert len(named(cypher, project, tree)) == 1
