"""Watching: what changes is ingested, what is no code is not looked at."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory.code.watch import watch
from tests.ingest.conftest import Ingest, Tree

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
