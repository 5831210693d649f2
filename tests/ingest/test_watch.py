"""Watching: what changes is ingested, what is not code is not looked at."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory.code import watch as watching
from ragforge_memory.code.watch import watch
from ragforge_memory.models.code import IngestReport
from tests.ingest.conftest import Cypher, Ingest, Tree

pytestmark = pytest.mark.anyio


async def test_changes_are_ingested_as_they_come(run: Ingest, tree: Tree) -> None:
    stop = asyncio.Event()
    reports = watch(tree.root, run, stop=stop)

    first = await anext(reports)
    tree.edit("shop/prices.py", "amount // 5", "amount // 4")
    second = await anext(reports)
    tree.write("shop/more.py", "def more(): pass\n")
    tree.write(".git/index", "nothing")
    third = await anext(reports)
    tree.write("shop/more.py", "def more(: pass\n")
    broken = await anext(reports)
    stop.set()

    assert (first.added, second.updated, third.added) == (10, 1, 1)
    assert (broken.files_changed, [each.file for each in broken.skipped]) == (1, ["shop/more.py"])
    assert [report async for report in reports] == []


async def test_a_configuration_that_changes_is_looked_at_wherever_it_is(run: Ingest, tree: Tree) -> None:
    class Looked(Exception):
        """Ends the watching."""

    looks = 0

    async def look() -> IngestReport:
        nonlocal looks
        looks += 1
        if looks == 3:  # after the first look, and the one when the watcher stands
            raise Looked
        if looks == 2:
            tree.write(".ragforge/ragforge.config.yaml", "name: x\n")
        return await run()

    tree.write(".ragforge/other", "nothing")
    with pytest.raises(Looked):
        async for _ in watch(tree.root, look):
            pass


async def test_code_that_is_taken_out_of_the_graph_is_read_again_though_no_file_changed(
    run: Ingest, tree: Tree, cypher: Cypher, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_LOOK_AGAIN", 0.5)
    stop = asyncio.Event()
    reports = watch(tree.root, run, stop=stop)
    first = await anext(reports)
    cypher("MATCH (s:Scope {project: $project}) DETACH DELETE s", project=project)

    async with asyncio.timeout(60):
        second = await anext(reports)
    stop.set()

    assert second.added == first.added == 10
    assert [report async for report in reports] == []
