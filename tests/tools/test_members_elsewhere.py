"""What belongs to a type and is defined in another file than it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.conftest import Run, write_files

pytestmark = pytest.mark.anyio

FILES = {
    "src/lib.rs": "mod error;\npub struct Error;\nimpl Error {\n    fn own(&self) {}\n}\n",
    "src/error.rs": "use crate::Error;\nimpl Error {\n    pub fn msg(&self) {}\n    fn kind(&self) {}\n}\n",
    "src/other.rs": "struct Error;\nimpl Error {\n    fn another(&self) {}\n}\n",
    "cart.go": "package shop\n\ntype Cart struct{}\n",
    "pay.go": "package shop\n\nfunc (c *Cart) Pay() {}\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "shop", FILES)


async def test_the_methods_of_a_type_are_told_from_all_files(run: Run) -> None:
    value = (await run("outline", target="src/lib.rs:Error")).value
    assert [(each["file"], each["qualified_name"]) for each in value["scopes"]] == [
        ("src/lib.rs", "Error.own"),
        ("src/error.rs", "Error.msg"),
        ("src/error.rs", "Error.kind"),
    ]
    assert value["total"] == 3
    cart = (await run("outline", target="Cart")).value
    assert [(each["file"], each["qualified_name"]) for each in cart["scopes"]] == [("pay.go", "Cart.Pay")]


async def test_many_members_keep_the_files_that_are_not_the_types(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.tools.code_scopes.MAX_DETAILED", 1)
    value = (await run("outline", target="src/lib.rs:Error")).value
    assert [each.get("file") for each in value["scopes"]] == [None, "src/error.rs", "src/error.rs"]
