"""What another tool left in the graph: what an ingest of one project claims of it, and what it leaves alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.errors import ProjectConflict
from tests.ingest.conftest import Cypher, Ingest, Tree

pytestmark = pytest.mark.anyio

Uuids = Callable[[], dict[tuple[str, str], str]]

CART = [("Cart", None, "class"), ("__init__", "Cart", "method"), ("add", "Cart", "method"), ("sum", "Cart", "method")]


class Tool:
    """A code-analysis tool that keeps its scopes in the same graph, tied as the design says."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher
        self.roots: list[str] = []

    def write(
        self,
        root: Path,
        *,
        path: str = "shop/cart.py",
        scopes: Any = CART,
        project: str | None = None,
    ) -> None:
        """Its project's file with the scopes in it, tied to the project through it; ``project`` is a property."""
        self.roots.append(str(root))
        self._cypher(
            """
            MERGE (p:Project {rootPath: $root}) ON CREATE SET p.uuid = randomUUID(), p.name = 'tool'
            MERGE (f:File {path: $path, rootPath: $root}) ON CREATE SET f.uuid = randomUUID(), f.project = $project
            MERGE (f)-[:BELONGS_TO]->(p)
            WITH f UNWIND $scopes AS scope
            CREATE (s:Scope {uuid: randomUUID(), name: scope[0], parent: scope[1], type: scope[2], file: $path,
              source: 'of the tool', toolRoot: $root, startLine: 1, project: $project})-[:DEFINED_IN]->(f)
            """,
            root=str(root),
            path=path,
            scopes=scopes,
            project=project,
        )

    def delete(self, root: Path) -> None:
        """Takes away what it wrote for one root, to write it anew."""
        self._cypher("MATCH (n:Scope|File) WHERE $root IN [n.toolRoot, n.rootPath] DETACH DELETE n", root=str(root))

    def scopes(self, root: Path) -> list[dict[str, Any]]:
        """What it wrote for one root, with all that was made of it, and where it is."""
        return self._cypher(
            "MATCH (s:Scope {toolRoot: $root}) OPTIONAL MATCH (s)-[r:DEFINED_IN|BELONGS_TO]->(n) "
            "WITH s, type(r) AS r, n.rootPath AS at ORDER BY r, at "
            "RETURN properties(s) AS scope, collect([r, at]) AS at ORDER BY scope.name",
            root=str(root),
        )

    def files(self, root: Path) -> list[dict[str, Any]]:
        """The files that it wrote for one root, with all that was made of them."""
        rows = self._cypher("MATCH (f:File {rootPath: $root}) RETURN properties(f) AS file", root=str(root))
        return [row["file"] for row in rows]

    def clear(self) -> None:
        for root in self.roots:
            self._cypher("MATCH (n) WHERE n.toolRoot = $root OR n.rootPath = $root DETACH DELETE n", root=root)


@pytest.fixture
def tool(cypher: Cypher) -> Any:
    """The other tool; what it wrote is gone in the end."""
    made = Tool(cypher)
    yield made
    made.clear()


async def test_scopes_of_another_project_with_the_same_paths_are_left_alone(
    run: Ingest, tree: Tree, tool: Tool, tmp_path: Path, project: str
) -> None:
    other = tmp_path / "other"
    tool.write(other)
    tool.write(tree.root)
    before = tool.scopes(other)

    await run()

    assert tool.scopes(other) == before
    assert {row["scope"]["project"] for row in tool.scopes(tree.root)} == {project}


async def test_what_has_a_project_of_the_tool_s_own_is_claimed_where_it_matches_and_never_deleted(
    run: Ingest, tree: Tree, tool: Tool, project: str, uuids: Uuids
) -> None:
    tool.write(tree.root, project=project, scopes=[*CART, ("TOTAL", None, "variable")])
    tool.write(tree.root, project=project, path="queries.sql", scopes=[("select_1", None, "query")])
    tool.write(tree.root, project=project, path="README.md", scopes=[])
    names = {row["scope"]["name"]: row["scope"]["uuid"] for row in tool.scopes(tree.root)}
    left = [row for row in tool.scopes(tree.root) if row["scope"]["name"] in ("TOTAL", "select_1")]

    report = await run()
    assert report.removed == 0
    assert uuids()["shop/cart.py", "Cart.sum"] == names["sum"]

    tree.edit("shop/cart.py", "self.items = []", "self.items = list()")
    assert (await run()).removed == 0
    # and where a file of that name was read and is gone
    tree.write("queries.sql", "select 1;")
    tree.write("shop/queries.py", "def one():\n    return 1\n")
    await run()
    (tree.root / "shop/queries.py").unlink()
    assert (await run()).removed == 1

    assert [row for row in tool.scopes(tree.root) if row["scope"]["name"] in ("TOTAL", "select_1")] == left
    files = tool.files(tree.root)
    assert sorted(file["path"] for file in files) == ["README.md", "queries.sql", "shop/cart.py"]


async def test_what_the_tool_wrote_anew_is_claimed_again(
    run: Ingest, tree: Tree, tool: Tool, project: str, uuids: Uuids
) -> None:
    tool.write(tree.root)
    first = await run()
    for _ in range(2):
        tool.delete(tree.root)
        tool.write(tree.root)
        written = {row["scope"]["uuid"] for row in tool.scopes(tree.root)}

        report = await run()

        assert (report.scopes, report.added) == (first.scopes, 0)
        assert {row["scope"]["project"] for row in tool.scopes(tree.root)} == {project}
        assert written == {uuid for (file, _), uuid in uuids().items() if file == "shop/cart.py"}


async def test_edges_that_the_tool_made_stay_and_keep_what_it_says_of_them(
    run: Ingest, tree: Tree, tool: Tool, cypher: Cypher, project: str
) -> None:
    tool.write(tree.root)
    cypher(
        """
        MATCH (s:Scope {toolRoot: $root, name: 'sum'}), (c:Scope {toolRoot: $root, name: 'Cart'}),
          (i:Scope {toolRoot: $root, name: '__init__'}), (a:Scope {toolRoot: $root, name: 'add'})
        CREATE (s)-[:HAS_PARENT {weight: 1}]->(c), (i)-[:CONSUMES {weight: 2}]->(a), (i)-[:DECORATED_BY]->(c)
        """,
        root=str(tree.root),
    )
    await run()
    tree.edit("shop/cart.py", "self.items.append(price)", "self.items.append(self.sum())")
    await run()
    cypher(
        "MATCH (:Scope {project: $project, name: 'add'})-[r:CONSUMES]->(:Scope {name: 'sum'}) SET r.weight = 3",
        project=project,
    )
    tree.edit("shop/cart.py", "self.items = []", "self.items = []\n        self.append = 1")
    await run(full=True)

    def edges() -> set[tuple[str, str, str, int | None, bool]]:
        rows = cypher(
            "MATCH (s:Scope {toolRoot: $root})-[r]->(t:Scope {toolRoot: $root}) "
            "RETURN s.name AS s, type(r) AS r, t.name AS t, r.weight AS weight, r.lines IS NOT NULL AS ours",
            root=str(tree.root),
        )
        return {(row["s"], row["r"], row["t"], row["weight"], row["ours"]) for row in rows}

    kept = {
        ("sum", "HAS_PARENT", "Cart", 1, True),
        ("__init__", "CONSUMES", "add", 2, False),
        ("__init__", "DECORATED_BY", "Cart", None, False),
        ("add", "HAS_PARENT", "Cart", None, True),
        ("__init__", "HAS_PARENT", "Cart", None, True),
    }
    assert edges() == kept | {("add", "CONSUMES", "sum", 3, True)}
    # what the code no longer has goes
    tree.edit("shop/cart.py", "self.items.append(self.sum())", "self.items.append(price)")
    await run()
    assert edges() == kept


async def test_what_the_tool_says_of_a_scope_where_the_code_says_nothing_stays(
    run: Ingest, tree: Tree, tool: Tool, cypher: Cypher, project: str
) -> None:
    tool.write(tree.root)
    cypher(
        "MATCH (s:Scope {toolRoot: $root}) SET s.modifiers = ['static'], s.docstring = 'the tool says', s.score = .5",
        root=str(tree.root),
    )

    def kept() -> dict[str, tuple[Any, ...]]:
        scopes = {row["scope"]["name"]: row["scope"] for row in tool.scopes(tree.root)}
        return {
            name: tuple(scopes[name].get(k) for k in ("modifiers", "docstring", "score")) for name in ("add", "sum")
        }

    await run()
    assert kept() == {
        "add": (["static"], "the tool says", 0.5),
        "sum": (["static"], "The sum of all prices.", 0.5),
    }
    # what the code has said and says no more is gone, and what it never said is still the tool's
    tree.edit("shop/cart.py", '"""The sum of all prices."""', "pass")
    tree.edit("shop/cart.py", "self.items.append(price)", '"""Adds."""')
    await run()
    assert kept() == {"add": (["static"], "Adds.", 0.5), "sum": (["static"], None, 0.5)}
    tree.edit("shop/cart.py", '"""Adds."""', "pass")
    await run(full=True)
    assert kept() == {"add": (["static"], None, 0.5), "sum": (["static"], None, 0.5)}
    assert (await run()).updated == 0


async def test_type_parameters_and_dots_before_paths_and_missing_uuids_are_no_hindrance(
    run: Ingest, tree: Tree, tool: Tool, cypher: Cypher, project: str
) -> None:
    tree.write("src/repo.ts", "export class Repo<T> {\n  find(id: string): T | null {\n    return null;\n  }\n}\n")
    typed = [("Repo<T>", None, "class"), ("find", "Repo<T>", "method")]
    tool.write(tree.root, path="src/repo.ts", scopes=typed)
    tool.write(tree.root, path="./shop/cart.py")
    cypher("MATCH (s:Scope {toolRoot: $root}) WHERE s.name IN ['find', 'sum'] REMOVE s.uuid", root=str(tree.root))

    await run()

    scopes = [row["scope"] for row in tool.scopes(tree.root)]
    assert {scope["project"] for scope in scopes} == {project}
    assert len({scope["uuid"] for scope in scopes}) == len(scopes) == len(typed) + len(CART)
    assert {(scope["name"], scope["file"]) for scope in scopes if scope["type"] == "class"} == {
        ("Repo", "src/repo.ts"),
        ("Cart", "shop/cart.py"),
    }
    assert sorted(file["path"] for file in tool.files(tree.root)) == ["shop/cart.py", "src/repo.ts"]


async def test_adopting_another_folder_leaves_the_root_of_the_tool_s_project(
    run: Ingest, tree: Tree, tool: Tool, cypher: Cypher, project: str, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(tree.root, clone)
    tool.write(tree.root)
    await run()

    await run(root=clone, adopt=True)

    rows = cypher("MATCH (p:Project {project: $project}) RETURN p.rootPath AS root, p.name AS name", project=project)
    assert rows == [{"root": str(tree.root), "name": "tool"}]
    assert (await run(root=clone)).files_changed == 0
    with pytest.raises(ProjectConflict, match=str(clone)):
        await run()


async def test_files_without_scopes_and_without_uuids_are_claimed(
    run: Ingest, tree: Tree, tool: Tool, cypher: Cypher, project: str, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for root in (tree.root, other):
        tool.write(root, path="shop/__init__.py", scopes=[])
    tool.write(tree.root)
    cypher("MATCH (f:File {rootPath: $root, path: 'shop/cart.py'}) REMOVE f.uuid", root=str(tree.root))
    before = tool.files(other)

    await run()

    rows = cypher("MATCH (f:File {project: $project}) RETURN f.path AS path, f.rootPath AS root", project=project)
    theirs = str(tree.root)
    assert sorted((row["path"], row["root"]) for row in rows) == [
        ("shop/__init__.py", theirs),
        ("shop/cart.py", theirs),
        ("shop/prices.py", None),
    ]
    assert tool.files(other) == before
