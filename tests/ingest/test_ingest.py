"""Code in the graph: what a first ingest makes, and what later ones change."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.errors import InvalidInput, ProjectConflict
from tests.ingest.conftest import Cypher, Ingest, Snapshot, Tree

pytestmark = pytest.mark.anyio

Uuids = Callable[[], dict[tuple[str, str], str]]
Edges = Callable[[], set[tuple[Any, ...]]]


Taken = tuple[dict[str, Any], set[tuple[Any, ...]]]


def code(taken: Taken) -> Taken:
    """A snapshot without the project's own node, which counts the ingests."""
    nodes, edges = taken
    return {uuid: node for uuid, node in nodes.items() if "Project" not in node[0]}, edges


@contextmanager
def powerless() -> Iterator[None]:
    """Not root for a while, who may read everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


async def test_scopes_have_ragforge_s_properties(run: Ingest, cypher: Cypher, project: str) -> None:
    report = await run()

    assert (report.files, report.scopes, report.added, report.updated, report.removed) == (3, 10, 10, 0, 0)
    row = cypher(
        "MATCH (s:Scope)-[:DEFINED_IN]->(f:File), (s)-[:BELONGS_TO]->(p:Project) "
        "WHERE s.project = $project AND s.qualified_name = 'Cart.sum' "
        "RETURN properties(s) AS s, labels(s) AS labels, f.path AS path, p.rootPath AS root",
        project=project,
    )[0]
    scope = row["s"]
    made = dict.fromkeys(("uuid", "hash", "body_hash", "parentUUID", "project_token", "signature_hash", "sketch"), "")
    assert scope | made | {"anchor_key": ""} == made | {
        "anchor_key": "",
        "project": project, "key": "Cart.sum", "name": "sum", "qualified_name": "Cart.sum", "type": "method",
        "file": "shop/cart.py", "language": "python", "startLine": 14, "endLine": 16, "definition_line": 14,
        "linesOfCode": 3, "signature": "def sum(self)", "docstring": "The sum of all prices.", "parent": "Cart",
        "depth": 1, "complexity": 1, "role": "product", "parameters": '["self"]',
        "words": "cart sum sum sum def self self all price return total item",
        "source": '    def sum(self):\n        """The sum of all prices."""\n        return total(self.items)',
    }  # fmt: skip
    assert len(scope["uuid"]) == 32
    assert (row["path"], row["root"]) == ("shop/cart.py", report.root)
    assert sorted(row["labels"]) == ["PendingEmbedding", "Scope"]


async def test_a_second_ingest_changes_nothing(run: Ingest, snapshot: Snapshot) -> None:
    first = await run()
    before = snapshot()

    second = await run()

    assert snapshot() == before
    assert (second.files_changed, second.added, second.updated, second.removed) == (0, 0, 0, 0)
    assert (second.scopes, second.edges, second.unchanged) == (first.scopes, first.edges, first.scopes)
    full = await run(full=True)
    assert (full.files_changed, full.updated) == (3, 0)
    assert code(snapshot()) == code(before)


async def test_a_file_put_in_the_place_of_another_of_its_size_and_time_is_read(
    run: Ingest, tree: Tree, uuids: Uuids
) -> None:
    file = tree.write("shop/late.py", "def one(): ...\n")
    os.utime(file, (1, 1))
    await run()
    tree.write("shop/late.py", "def two(): ...\n")
    os.utime(file, (1, 1))  # as `cp -p` and `rsync -t` leave it

    await run()

    assert ("shop/late.py", "two") in uuids()
    assert ("shop/late.py", "one") not in uuids()


async def test_an_edit_changes_only_its_own_nodes(run: Ingest, tree: Tree, snapshot: Snapshot, uuids: Uuids) -> None:
    await run()
    (nodes, edges), names = snapshot(), uuids()

    tree.edit("shop/prices.py", "amount // 5", "amount // 4")
    report = await run()

    after, edges_after = snapshot()
    touched = {uuid for uuid, node in after.items() if node != nodes.get(uuid) and "Project" not in node[0]}
    file = next(uuid for uuid, (labels, all_) in after.items() if "File" in labels and all_["path"] == "shop/prices.py")
    assert touched == {names["shop/prices.py", "vat"], file}
    assert (uuids(), edges_after, report.updated, report.files_changed) == (names, edges, 1, 1)


async def test_names_that_come_and_go_move_the_edges_of_other_files(
    run: Ingest, tree: Tree, uuids: Uuids, edges: Edges
) -> None:
    await run()
    names = uuids()

    tree.edit("shop/prices.py", "def total", "def grand_total")
    report = await run()
    assert uuids()["shop/prices.py", "grand_total"] == names["shop/prices.py", "total"]
    assert not [edge for edge in edges() if edge[0] == "shop/cart.py:Cart.sum" and edge[1] == "CONSUMES"]
    assert (report.updated, report.added, report.removed) == (1, 0, 0)

    tree.edit("shop/prices.py", "def grand_total", "def total")
    await run()
    assert ("shop/cart.py:Cart.sum", "CONSUMES", "shop/prices.py:total") in {edge[:3] for edge in edges()}
    assert uuids() == names


async def test_a_deleted_file_takes_its_scopes_along(run: Ingest, tree: Tree, uuids: Uuids, cypher: Cypher) -> None:
    await run()
    names = uuids()

    (tree.root / "shop/cart.py").unlink()
    report = await run()

    assert uuids() == {key: uuid for key, uuid in names.items() if key[0] != "shop/cart.py"}
    assert (report.removed, report.files) == (4, 2)
    assert cypher("MATCH (f:File {path: 'shop/cart.py', project: $p}) RETURN f", p=report.project) == []


async def test_a_renamed_file_keeps_its_uuids(run: Ingest, tree: Tree, uuids: Uuids, cypher: Cypher) -> None:
    await run()
    names = uuids()
    file = "MATCH (f:File {project: $p}) WHERE f.path STARTS WITH 'shop/c' RETURN f.uuid AS uuid, f.path AS path"
    (before,) = cypher(file, p=(await run()).project)

    (tree.root / "shop/cart.py").rename(tree.root / "shop/carriage.py")
    report = await run()

    assert uuids() == {(f.replace("cart.py", "carriage.py"), q): uuid for (f, q), uuid in names.items()}
    assert cypher(file, p=report.project) == [{"uuid": before["uuid"], "path": "shop/carriage.py"}]
    assert (report.added, report.removed) == (0, 0)

    # and where it is edited too
    names = uuids()
    (tree.root / "shop/prices.py").rename(tree.root / "shop/costs.py")
    tree.edit("shop/costs.py", "amount // 5", "amount // 4")
    await run()
    assert uuids() == {(f.replace("prices.py", "costs.py"), q): uuid for (f, q), uuid in names.items()}


async def test_a_function_moved_to_another_file_keeps_its_uuid(run: Ingest, tree: Tree, uuids: Uuids) -> None:
    await run()
    names = uuids()
    text = (tree.root / "shop/prices.py").read_text()
    total = text[text.index("def total") :]

    tree.edit("shop/prices.py", total, "")
    tree.write("shop/sums.py", "from shop.prices import vat\n\n\n" + total)
    report = await run()

    assert uuids()["shop/sums.py", "total"] == names["shop/prices.py", "total"]
    assert (report.added, report.removed, report.updated) == (0, 0, 1)


async def test_the_middle_one_of_three_of_a_name_goes(run: Ingest, tree: Tree, cypher: Cypher, project: str) -> None:
    body = "def same(x):\n    return x + {}\n\n"
    tree.write("shop/same.py", "".join(body.format(n) for n in (1, 2, 3)))
    await run()
    asked = "MATCH (s:Scope {project: $p, name: 'same'}) RETURN s.uuid AS u ORDER BY s.startLine"
    one, _, three = [row["u"] for row in cypher(asked, p=project)]

    tree.write("shop/same.py", "".join(body.format(n) for n in (1, 3)))
    await run()

    assert [row["u"] for row in cypher(asked, p=project)] == [one, three]


async def test_what_is_no_source_text_is_skipped_with_a_reason(run: Ingest, tree: Tree, tmp_path: Path) -> None:
    tree.write("data.py", b"x = 1\0\1\2")
    tree.write("huge.py", "x = 1\n" * 200_000)
    tree.write("app.min.js", "var a=1;" * 2_000)
    (tmp_path / "outside.py").write_text("def outside(): pass\n")
    (tree.root / "link.py").symlink_to(tmp_path / "outside.py")
    (tree.root / "folder").symlink_to(tmp_path)
    (tree.root / "inside.py").symlink_to(tree.root / "shop/cart.py")
    (tree.root / "nothing.py").symlink_to(tree.root / "gone.py")
    os.mkfifo(tree.root / "pipe.py")

    report = await run()

    assert {item.file: item.reason for item in report.skipped} == {
        "app.min.js": "minified (1 of 1 lines have more than 400 bytes)",
        "data.py": "binary",
        "folder/": "a symbolic link that leaves the project",
        "huge.py": "1,200,000 bytes; source.max_file_bytes is 1,000,000",
        "link.py": "a symbolic link that leaves the project",
        "nothing.py": "a symbolic link to nothing",
        "pipe.py": "not a regular file",
    }
    assert report.scopes == 10
    assert report.files == sum(report.languages.values())
    assert (await run()).files_changed == 0


@pytest.mark.skipif(os.name == "nt", reason="permissions are other ones there")
async def test_an_unreadable_file_is_skipped_and_kept(run: Ingest, uuids: Uuids) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        tree = Tree(Path(folder))
        old = tree.write("shop/old.py", "def old(): pass\n")
        await run(root=tree.root)
        before = uuids()
        secret = tree.write("shop/secret.py", "def secret(): pass\n")
        old.write_text("def other(): pass\n")
        for file in (secret, old):
            file.chmod(0)

        with powerless():
            report = await run(root=tree.root)

    assert {item.file: item.reason.split(":")[0] for item in report.skipped} == {
        "shop/old.py": "unreadable",
        "shop/secret.py": "unreadable",
    }
    assert uuids() == before


async def test_two_projects_never_see_each_other(run: Ingest, tree: Tree, cypher: Cypher, project: str) -> None:
    await run()
    await run(project=f"{project}-twin")

    assert cypher(
        "MATCH (a:Scope|File)-[r]->(b) WHERE a.project STARTS WITH $project AND a.project <> b.project RETURN a, b",
        project=project,
    ) == []  # fmt: skip
    counts = cypher(
        "MATCH (s:Scope) WHERE s.project STARTS WITH $project RETURN s.project AS p, count(*) AS n", project=project
    )
    assert {row["n"] for row in counts} == {10}
    (tree.root / "shop/cart.py").unlink()
    await run()
    assert cypher("MATCH (s:Scope {project: $p}) RETURN count(*) AS n", p=f"{project}-twin") == [{"n": 10}]


async def test_another_root_is_refused_unless_adopted(
    run: Ingest, tree: Tree, tmp_path: Path, snapshot: Snapshot, uuids: Uuids
) -> None:
    await run()
    before = snapshot()
    shutil.copytree(tree.root, tmp_path / "clone")

    with pytest.raises(ProjectConflict, match="was ingested from"):
        await run(root=tmp_path / "clone")
    assert snapshot() == before

    report = await run(root=tmp_path / "clone", adopt=True)
    assert (report.added, report.updated, report.removed) == (0, 0, 0)
    with pytest.raises(ProjectConflict):
        await run()


async def test_a_root_that_is_none_and_a_project_without_name_are_refused(run: Ingest, tree: Tree) -> None:
    with pytest.raises(InvalidInput, match="not a directory"):
        await run(root=tree.root / "nowhere")
    with pytest.raises(InvalidInput, match="no name"):
        await run(project="")
