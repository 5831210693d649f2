"""A small project on disk, the session's Neo4j, and plain Cypher past all of the library to look at what is there."""

from __future__ import annotations

import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.ingest.run import ingest
from ragforge_memory.models.code import IngestReport
from ragforge_memory.models.owner import Owner

Ingest = Callable[..., Awaitable[IngestReport]]
Cypher = Callable[..., list[dict[str, Any]]]

SHOP = {
    "shop/cart.py": '''
        """Carts."""
        from shop.prices import Price, total


        class Cart:
            """What a customer wants."""

            def __init__(self):
                self.items = []

            def add(self, price: Price):
                self.items.append(price)

            def sum(self):
                """The sum of all prices."""
                return total(self.items)
        ''',
    "shop/prices.py": """
        import functools


        def cached(function):
            return functools.cache(function)


        class Price:
            amount: int = 0


        class Discounted(Price):
            def saved(self):
                return vat(self.amount)


        @cached
        def vat(amount):
            return amount // 5


        def total(prices):
            taxes = [vat(price.amount) for price in prices]
            return sum(taxes)
        """,
    "shop/__init__.py": "",
    "README.md": "# Shop",
}


class Tree:
    """The project's files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            file.write_bytes(text)
        else:
            file.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return file

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A project of two modules, on disk."""
    made = Tree(tmp_path / "project")
    for path, text in SHOP.items():
        made.write(path, text)
    return made


@pytest.fixture
async def client(neo4j_config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    """The session's graph."""
    opened = await connect(neo4j_config)
    yield opened
    await opened.aclose()


@pytest.fixture
def project(owner: Owner) -> str:
    """A project that nobody else has."""
    return owner.project


@pytest.fixture
def run(client: GraphClient, tree: Tree, project: str) -> Ingest:
    """Ingests the tree."""

    async def ingested(**options: Any) -> IngestReport:
        return await ingest(client, options.pop("root", tree.root), project=options.pop("project", project), **options)

    return ingested


@pytest.fixture
def cypher(neo4j_config: Neo4jConfig, owner: Owner) -> Iterator[Cypher]:
    """Plain Cypher on the same server; ``$project`` is the test's where none is given."""
    driver = neo4j.GraphDatabase.driver(neo4j_config.uri, auth=(neo4j_config.username, neo4j_config.password))

    def asked(text: str, **parameters: Any) -> list[dict[str, Any]]:
        given = {"project": owner.project, **parameters}
        return [record.data() for record in driver.execute_query(text, given, database_="neo4j").records]

    yield asked
    driver.close()


Snapshot = Callable[[], tuple[dict[str, Any], set[tuple[Any, ...]]]]


@pytest.fixture
def snapshot(cypher: Cypher, project: str) -> Snapshot:
    """All nodes of the project by uuid with all their properties and labels, and all edges between them; but for how
    many edges the server has, which other tests change."""

    def taken() -> tuple[dict[str, Any], set[tuple[Any, ...]]]:
        nodes = cypher(
            "MATCH (n:Scope|File|Project) WHERE n.project = $project RETURN labels(n) AS labels, properties(n) AS all",
            project=project,
        )
        edges = cypher(
            "MATCH (a:Scope|File)-[r]->(b:Scope|File|Project) WHERE a.project = $project "
            "RETURN type(r) AS type, a.uuid AS a, b.uuid AS b, r.lines AS lines, r.calls AS calls",
            project=project,
        )
        for row in nodes:
            row["all"].pop("edges_on_server", None)
        return (
            {row["all"]["uuid"]: (sorted(row["labels"]), row["all"]) for row in nodes},
            {(e["type"], e["a"], e["b"], tuple(e["lines"] or ()), tuple(e["calls"] or ())) for e in edges},
        )

    return taken


@pytest.fixture
def uuids(cypher: Cypher, project: str) -> Callable[[], dict[tuple[str, str], str]]:
    """The uuid of each scope by (file, qualified name)."""

    def taken() -> dict[tuple[str, str], str]:
        rows = cypher(
            "MATCH (s:Scope) WHERE s.project = $project RETURN s.file AS f, s.qualified_name AS q, s.uuid AS u",
            project=project,
        )
        return {(row["f"], row["q"]): row["u"] for row in rows}

    return taken


@pytest.fixture
def edges(cypher: Cypher, project: str) -> Callable[..., set[tuple[Any, ...]]]:
    """The edges between scopes by what a person calls their ends, with their lines; of this or another project."""

    def taken(of: str = project) -> set[tuple[Any, ...]]:
        rows = cypher(
            "MATCH (a:Scope)-[r]->(b:Scope) WHERE a.project = $project "
            "RETURN a.file + ':' + a.key AS a, type(r) AS type, b.file + ':' + b.key AS b, r.lines AS lines, "
            "r.calls AS calls, r.certain AS certain",
            project=of,
        )
        return {
            (r["a"], r["type"], r["b"], tuple(r["lines"] or ()), tuple(r["calls"] or ()), r["certain"]) for r in rows
        }

    return taken
