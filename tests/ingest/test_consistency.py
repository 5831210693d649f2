"""After any edits the graph is what a first ingest of the same files would have made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.code.random_edits import Edited
from tests.ingest.conftest import Cypher, Ingest, Tree
from tests.long_runs import first_of

pytestmark = pytest.mark.anyio

Edges = Callable[..., set[tuple[Any, ...]]]


async def test_two_of_a_name_that_change_places_are_not_mixed_up(
    run: Ingest, tree: Tree, edges: Edges, project: str
) -> None:
    one = "    def load(a):\n        return [x for x in a if x]\n"
    other = "    def load(a):\n        while a:\n            a = a.pop()\n        return {}\n"
    tree.write("m.py", f"try:\n{one}except ImportError:\n{other}")
    tree.write("user.py", "from m import load\n\n\ndef use():\n    return load([])\n")
    tree.write("apart.py", "def apart():\n    pass\n")
    await run()
    tree.write("m.py", f"try:\n{other}except ImportError:\n{one}")

    await run()

    twin = f"{project}-twin"
    await run(project=twin)
    assert edges() == edges(twin)


@pytest.mark.parametrize("sample", first_of(["python", "typescript", "java", "cpp"], 2))
async def test_edits_in_other_languages_end_there_too(
    sample: str, run: Ingest, tree: Tree, edges: Edges, cypher: Cypher, project: str
) -> None:
    edited = Edited(sample, 1)
    twin = f"{project}-twin"
    for step in range(6):
        known = {file.relative_to(tree.root).as_posix() for file in tree.root.rglob("*") if file.is_file()}
        for path in known - edited.texts.keys():
            (tree.root / path).unlink()
        for path, text in edited.texts.items():
            if path not in known or (tree.root / path).read_bytes() != text.encode():
                tree.write(path, text.encode())

        report = await run()

        fresh = await run(project=twin, full=True)
        assert edges() == edges(twin), f"{sample}, step {step}"
        counts = (fresh.scopes, fresh.edges, fresh.unresolved)
        assert (report.scopes, report.edges, report.unresolved) == counts, f"{sample}, step {step}"
        assert _scopes(cypher, project) == _scopes(cypher, twin), f"{sample}, step {step}"
        edited.edit()


def _scopes(cypher: Cypher, project: str) -> list[dict[str, Any]]:
    rows = cypher(
        "MATCH (f:File)<-[:DEFINED_IN]-(s:Scope)-[:BELONGS_TO]->(p:Project) WHERE s.project = $project "
        "OPTIONAL MATCH (parent:Scope {uuid: s.parentUUID}) "
        "RETURN s {.*, uuid: '', parentUUID: parent.key, project: '', project_token: '', anchor_key: ''} AS s, "
        "f.hash AS hash, f.path AS path, p.project = s.project AS own ORDER BY path, s.key",
        project=project,
    )
    return [{**row["s"], "file hash": row["hash"], "path": row["path"], "own": row["own"]} for row in rows]
