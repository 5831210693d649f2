"""A small project, read into the real graph once, and what tools are given of it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.schema import ensure_schema
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.ingest.run import ingest
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolContext, ToolRegistry, ToolRun

FILES = {
    ".gitignore": "secret/\n*.log\n",
    "README.md": "# Shop\nThe discount is a legend.\n",
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": '''"""The cart."""

import functools

LIMIT = 3


class Cart:
    """What someone wants to buy."""

    def add_item(self, name: str) -> None:
        """Puts one thing in.

        Checks the limit first.
        """
        self.check_limit()
        total_price([name])

    @functools.cache
    def check_limit(self) -> bool:
        return LIMIT > 2

    def checkout(self) -> None:
        """Pays."""


class GiftCart(Cart):
    """A cart with a bow."""

    def checkout(self) -> None:
        super().checkout()


def total_price(names: list[str]) -> int:
    """The sum of what is added."""
    return len(names)
''',
    "shop/till.py": '''"""The till."""

from shop.cart import Cart, total_price


def ring_up(cart, anything):
    """Rings up a cart."""
    cart.add_item("bow")
    anything.checkout()
    # total_price is not called here
    return "total_price()"


def report(cart: Cart) -> int:
    return total_price(["a"]) + total_price(["b"])


PRICE = total_price([])
''',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_cart():\n    Cart().add_item('x')\n",
    "secret/hidden.py": "def hidden(): ...\n",
    "noise.log": "legend\n",
}

Run = Callable[..., Any]


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    """A project of these files; returns its root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    root = write_files(tmp_path / "shop", FILES)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("password = x\n")
    (tmp_path / "outside.py").write_text("def outside(): ...\n")
    os.symlink(tmp_path / "outside.py", root / "shop" / "link.py")
    (root / "shop" / "image.bin").write_bytes(b"\x00\x01legend")
    return root


async def refresh_fulltext(config: Neo4jConfig) -> None:
    """Waits until the full-text indexes have all that was written."""
    async with open_driver(config) as driver:
        await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


@asynccontextmanager
async def ingested(root: Path, config: Neo4jConfig, home: Path) -> AsyncIterator[tuple[GraphClient, ToolContext]]:
    """A folder in the graph, as a project of its own, and what tools are given there."""
    client = GraphClient(open_driver(config), database=config.database, owned=True)
    try:
        await ensure_schema(client)
        owner = Owner("ada", f"{root.name}-{uuid4().hex[:8]}")
        await ingest(client, root, project=owner.project, home=home, processes=1)
        await refresh_fulltext(config)
        yield client, ToolContext(owner=owner, root=root, scopes=ScopeStore(client))
    finally:
        await client.aclose()


@pytest.fixture
async def context(shop: Path, neo4j_config: Neo4jConfig, tmp_path: Path) -> AsyncIterator[ToolContext]:
    """The project in the graph, under a name of its own."""
    async with ingested(shop, neo4j_config, tmp_path / "home") as (_, given):
        yield given


@pytest.fixture
def run(context: ToolContext) -> Run:
    """Runs one tool as a model would."""
    registry = ToolRegistry(CODE_SEARCH_TOOLS)

    async def call(tool: str, /, **arguments: Any) -> ToolRun:
        return await registry.run(ToolRequest("1", tool, arguments), context)

    return call


@pytest.fixture
def all_files_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long that takes: else a machine that is busy leaves some as they are known."""
    monkeypatch.setattr("ragforge_memory.tools.written_uses.PARSE_SECONDS", 60.0)
