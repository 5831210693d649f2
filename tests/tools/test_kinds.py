"""Which definitions of a kind there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.models.code import Scope
from tests.tools.conftest import FILES, Run, write_files

pytestmark = pytest.mark.anyio

MORE = {
    "lib/bank.rb": "module Bank\n  class Vault\n  end\nend\n",
    "rust/lib.rs": "pub unsafe fn raw() {}\npub fn whole() {}\nmacro_rules! twice { () => {} }\npub trait Holds {}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project with a module of Ruby, a macro and a trait."""
    return write_files(tmp_path / "shop", {**FILES, **MORE})


async def test_definitions_of_a_kind(run: Run) -> None:
    async def named(**arguments: object) -> list[str]:
        value = (await run("list_definitions", **arguments)).value
        assert value["total"] == len(value["scopes"]) == sum(value["types"].values())
        return [each["qualified_name"] for each in value["scopes"]]

    assert await named(kinds=["macro"]) == ["twice"]
    assert await named(kinds=["trait"]) == ["Bank", "Holds"]
    assert await named(kinds=["module"]) == ["Bank"]
    assert await named(kinds=["class"], folder="shop") == ["Cart", "GiftCart"]
    assert await named(kinds=["class"], folder="./shop/") == ["Cart", "GiftCart"]
    assert await named(kinds=["function"], modifier="unsafe") == ["raw"]
    assert (await named(kinds=["function"]))[-1] == "test_cart"


@pytest.mark.parametrize(("tool", "arguments"), [("list_definitions", {"kinds": ["function"]}), ("find_unused", {})])
async def test_a_list_reads_no_sources(
    run: Run, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any]
) -> None:
    given: list[Scope] = []
    by_uuid = ScopeStore.by_uuid

    async def noted(self: ScopeStore, *some: Any, **named: Any) -> list[Scope]:
        given.extend(await by_uuid(self, *some, **named))
        return given

    monkeypatch.setattr(ScopeStore, "by_uuid", noted)
    assert (await run(tool, **arguments)).value["scopes"]
    assert {each.source for each in given} == {None}


async def test_what_only_stands_around_types_is_left_out_of_a_folder(run: Run) -> None:
    value = (await run("outline", target="lib")).value
    assert value["definitions"] == {"lib/bank.rb": ["Bank.Vault"]}
    assert (await run("outline", target="rust")).value["definitions"]["rust/lib.rs"] == [
        "Holds",
        "raw",
        "twice",
        "whole",
    ]
