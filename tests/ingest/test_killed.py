"""An ingest that is killed in the middle is healed by the next one; two at once take turns."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ragforge_memory
from ragforge_memory.config import Neo4jConfig
from tests.ingest.conftest import Cypher, Ingest, Snapshot, Tree

pytestmark = pytest.mark.anyio

Edges = Callable[[], set[tuple[Any, ...]]]

# An ingest in a process of its own, which ends itself as `kill -9` would, right before or after a statement.
CHILD = """
import asyncio, os, signal, sys
from pathlib import Path
from ragforge_memory.ingest.run import ingest
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect

root, project, statement, when, uri, username, password = sys.argv[1:]
write = GraphClient.write

async def killed(self, name, /, **parameters):
    if name == statement and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    rows = await write(self, name, **parameters)
    if name == statement and when == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    return rows

GraphClient.write = killed

async def main():
    client = await connect(Neo4jConfig(uri, username=username, password=password))
    await ingest(client, Path(root), project=project)

asyncio.run(main())
"""


def killed_ingest(config: Neo4jConfig, tree: Tree, project: str, statement: str, when: str) -> None:
    package = str(Path(ragforge_memory.__file__).parent.parent)
    login = (config.uri, config.username or "", config.password or "")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tree.root), project, statement, when, *login],
        env={**os.environ, "PYTHONPATH": package},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
@pytest.mark.parametrize(
    ("statement", "when"),
    [
        ("write_files", "after"),
        ("write_edges", "after"),
        ("remove_files", "before"),
    ],
)
async def test_the_next_ingest_heals(
    statement: str,
    when: str,
    run: Ingest,
    tree: Tree,
    neo4j_config: Neo4jConfig,
    project: str,
    edges: Edges,
    cypher: Cypher,
) -> None:
    if statement == "remove_files":
        await run()
        (tree.root / "shop/cart.py").unlink()
        tree.edit("shop/prices.py", "amount // 5", "total([amount])")
    await asyncio.to_thread(killed_ingest, neo4j_config, tree, project, statement, when)

    # The killed one holds the lease for ever; its process is known to be dead, so nobody waits for it to run out.
    cypher("MATCH (p:Project {project: $p}) SET p.ingest_until = datetime('9999-01-01')", p=project)
    async with asyncio.timeout(120):
        healed = await run()

    twin = await run(project=f"{project}-twin")
    assert (healed.scopes, healed.edges) == (twin.scopes, twin.edges)
    assert cypher(
        "MATCH (p:Project {project: $p}) RETURN p.ingest_token AS token, p.ingest_incomplete AS incomplete", p=project
    ) == [{"token": None, "incomplete": None}]
    assert (await run()).files_changed == 0


async def test_two_ingests_at_once_take_turns(run: Ingest, snapshot: Snapshot, tmp_path: Path) -> None:
    reports = await asyncio.gather(*(run(home=tmp_path / f"home{number}") for number in range(3)))

    assert sorted(report.added for report in reports) == [0, 0, 10]
    nodes, _ = snapshot()
    assert len([node for node in nodes.values() if "Scope" in node[0]]) == 10
    assert len([node for node in nodes.values() if "Project" in node[0]]) == 1


async def test_without_its_memory_an_ingest_finds_the_same(
    run: Ingest, tree: Tree, tmp_path: Path, snapshot: Snapshot, edges: Edges, project: str, cypher: Cypher
) -> None:
    await run()
    before = snapshot()
    assert (await run(home=tmp_path / "other")).files_changed == 0
    assert snapshot() == before

    tree.edit("shop/prices.py", "def vat(amount):\n    return amount", "def vat(amount):\n    return len([]) + amount")
    damaged = next((tmp_path / "home" / "code").glob("*.sqlite3"))
    damaged.write_bytes(b"not a database")
    report = await run()

    twin = await run(project=f"{project}-twin")
    assert (report.updated, report.edges) == (1, twin.edges)


async def test_a_home_that_cannot_be_written_only_costs_time(run: Ingest, tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")

    first = await run(home=file)
    assert (first.added, (await run(home=file)).files_changed) == (10, 0)
