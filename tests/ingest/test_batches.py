"""What is written at once is bounded by rows and by text, whatever a project is like."""

from __future__ import annotations

import pytest

from ragforge_memory.graph import code
from ragforge_memory.graph.code import FileRow
from tests.ingest.conftest import Cypher, Ingest, Tree

pytestmark = pytest.mark.anyio


def row(name: str, *lengths: int, removed: int = 0) -> FileRow:
    scopes = tuple({"uuid": f"{name}{n}", "properties": {"source": "x" * size}} for n, size in enumerate(lengths))
    return FileRow(name, {"path": name, "hash": "h"}, scopes, tuple(f"{name}-{n}" for n in range(removed)))


def sizes(batches: list[list[FileRow]]) -> list[tuple[int, int]]:
    return [
        (
            sum(1 + len(each.scopes) + len(each.removed) for each in batch),
            sum(len(scope["properties"]["source"]) for each in batch for scope in each.scopes),
        )
        for batch in batches
    ]


def test_no_batch_is_larger_than_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "BATCH_ROWS", 10)
    monkeypatch.setattr(code, "BATCH_TEXT", 1_000)
    rows = [
        row("a", *[10] * 3),
        row("b", *[600] * 4),
        row("c", *[1] * 25, removed=21),
        row("d"),
        row("e", 2_000, 10),
        row("f", removed=30),
        row("g", *[900] * 2),
    ]
    batches = list(code._file_batches(rows))
    assert all(count <= 10 for count, _ in sizes(batches))
    # One scope is never cut.
    assert sorted(text for _, text in sizes(batches) if text > 1_000) == [2_000]
    parts: dict[str, list[FileRow]] = {}
    for each in (part for batch in batches for part in batch):
        parts.setdefault(each.uuid, []).append(each)
    for given in rows:
        made = parts[given.uuid]
        assert tuple(scope for part in made for scope in part.scopes) == given.scopes
        assert tuple(gone for part in made for gone in part.removed) == given.removed
        assert [part.properties["hash"] for part in made] == [*[""] * (len(made) - 1), "h"]
    assert [len(parts[name]) for name in "abd"] == [1, 4, 1]


async def test_a_file_in_parts_is_as_one_in_one(
    run: Ingest, tree: Tree, cypher: Cypher, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "BATCH_ROWS", 5)
    tree.write("many.py", "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(23)))
    report = await run()
    asked = "MATCH (f:File {project: $p, path: 'many.py'}) RETURN f.hash AS hash, count{(f)<--()} AS n"
    [file] = cypher(asked, p=project)
    assert len(file["hash"]) == 32
    assert file["n"] == 23
    assert report.scopes == report.added
    assert (await run()).files_changed == 0
    tree.write("many.py", "def f1():\n    return 1\n")
    assert (await run()).removed == 22
