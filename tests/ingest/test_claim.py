"""What another tool left in the graph: what an ingest of one project claims of it, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.conftest import Cypher, Ingest, Tree

pytestmark = pytest.mark.anyio

Uuids = Callable[[], dict[tuple[str, str], str]]

CART = [("Cart", None, "class"), ("__init__", "Cart", "method"), ("add", "Cart", "method"), ("sum", "Cart", "method")]


class Tool:
    """A code-analysis tool that keeps its scopes in the same graph, tied as the design says."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher
        self.roots: list[str] = []

    def write(self, root: Path, *, path: str = "shop/cart.py", scopes: Any = CART, direct: bool = False) -> None:
        """Its project's file with the scopes in it, ``direct``ly tied to the project or through their file alone."""
        self.roots.append(str(root))
        self._cypher(
            """
            MERGE (p:Project {rootPath: $root}) ON CREATE SET p.uuid = randomUUID(), p.name = 'tool'
            MERGE (f:File {path: $path, rootPath: $root}) ON CREATE SET f.uuid = randomUUID()
            MERGE (f)-[:BELONGS_TO]->(p)
            WITH p, f UNWIND $scopes AS scope
            CREATE (s:Scope {uuid: randomUUID(), name: scope[0], parent: scope[1], type: scope[2], file: $path,
              source: 'of the tool', toolRoot: $root, startLine: 1})-[:DEFINED_IN]->(f)
            FOREACH (_ IN CASE WHEN $direct THEN [1] ELSE [] END | CREATE (s)-[:BELONGS_TO]->(p))
            """,
            root=str(root),
            path=path,
            scopes=scopes,
            direct=direct,
        )

    def scopes(self, root: Path) -> list[dict[str, Any]]:
        """What it wrote for one root, with all that was made of it, and where it is."""
        return self._cypher(
            "MATCH (s:Scope {toolRoot: $root}) OPTIONAL MATCH (s)-[r:DEFINED_IN|BELONGS_TO]->(n) "
            "WITH s, type(r) AS r, n.rootPath AS at ORDER BY r, at "
            "RETURN properties(s) AS scope, collect([r, at]) AS at ORDER BY scope.name",
            root=str(root),
        )

    def clear(self) -> None:
        for root in self.roots:
            self._cypher("MATCH (n) WHERE n.toolRoot = $root OR n.rootPath = $root DETACH DELETE n", root=root)


@pytest.fixture
def tool(cypher: Cypher) -> Any:
    """The other tool; what it wrote is gone in the end."""
    made = Tool(cypher)
    yield made
    made.clear()


@pytest.mark.parametrize("direct", [False, True])
async def test_scopes_of_another_project_with_the_same_paths_are_left_alone(
    run: Ingest, tree: Tree, tool: Tool, tmp_path: Path, project: str, direct: bool
) -> None:
    other = tmp_path / "other"
    tool.write(other, direct=direct)
    tool.write(tree.root, direct=direct)
    before = tool.scopes(other)

    await run()

    assert tool.scopes(other) == before
    assert {row["scope"]["project"] for row in tool.scopes(tree.root)} == {project}


async def test_scopes_that_do_not_tell_whose_they_are_are_left_alone(
    run: Ingest, tree: Tree, tool: Tool, cypher: Cypher, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    tool.write(nowhere)
    cypher("MATCH (f:File {rootPath: $root}) DETACH DELETE f", root=str(nowhere))
    before = tool.scopes(nowhere)

    await run()

    assert tool.scopes(nowhere) == before
