"""An edit of a file that says what imports mean (package.json, tsconfig.json, go.mod) moves the edges it gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ingest.conftest import Ingest, Tree

pytestmark = pytest.mark.anyio

Edges = Callable[[], set[tuple[Any, ...]]]


async def test_an_edit_of_a_package_json_moves_the_edges_that_it_gave(run: Ingest, tree: Tree, edges: Edges) -> None:
    tree.write("lib/one.ts", "export function make() {}\n")
    tree.write("lib/two.ts", "export function make() {}\n")
    tree.write("a.ts", "import { make } from 'store'\nexport function use() { make() }\n")
    tree.write("package.json", '{"name": "store", "main": "lib/one.ts"}')

    def called() -> list[str]:
        return [each[2] for each in edges() if each[0] == "a.ts:use"]

    await run()
    assert called() == ["lib/one.ts:make"]
    tree.edit("package.json", "one", "two")
    await run()
    assert called() == ["lib/two.ts:make"]
    tree.edit("package.json", '"store"', '"other"')
    await run()
    assert called() == []
    tree.write("tsconfig.json", '{"compilerOptions": {"paths": {"store": ["lib/one.ts"]}}}')
    await run()
    assert called() == ["lib/one.ts:make"]
    tree.write("tsconfig.json", '{"extends": "./tsconfig.base.json"}')
    await run()
    assert called() == []
    tree.write("tsconfig.base.json", '{"compilerOptions": {"paths": {"store": ["lib/two.ts"]}}}')
    await run()
    assert called() == ["lib/two.ts:make"]
    tree.write("conf/tsconfig.x.json", '{"compilerOptions": {"paths": {"store": ["../lib/one.ts"]}}}')
    tree.edit("tsconfig.json", "./tsconfig.base.json", "./conf/tsconfig.x.json")
    (tree.root / "tsconfig.base.json").unlink()
    await run()
    assert called() == ["lib/one.ts:make"]
