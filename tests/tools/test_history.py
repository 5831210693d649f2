"""Who wrote code and when, as git has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ragforge_memory.code.blame import blame
from tests.tools.conftest import FILES, Run, write_files

pytestmark = pytest.mark.anyio

CART = "shop/cart.py"


def commit(root: Path, author: str, day: str, title: str) -> None:
    person = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
              for what, value in (("NAME", author), ("EMAIL", "x@y"), ("DATE", f"{day}T12:00:00Z"))}  # fmt: skip
    for arguments in (("add", "-A"), ("commit", "-q", "--no-gpg-sign", "-m", title)):
        subprocess.run(["git", *arguments], cwd=root, check=True, env=os.environ | person)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project with three commits: written, a line changed, a line of another definition taken away."""
    root = write_files(tmp_path / "shop", FILES)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    commit(root, "Ada", "2020-01-02", "the shop")
    path = root / CART
    path.write_text(path.read_text().replace("return LIMIT > 2", "return LIMIT > 1"))
    commit(root, "Bob", "2021-03-04", "a lower limit")
    path.write_text(path.read_text().replace("        self.check_limit()\n", ""))
    commit(root, "Cy", "2022-05-06", "no limit there")
    return root


async def test_of_a_definition(run: Run) -> None:
    value = (await run("code_history", target="Cart.check_limit")).value
    assert value["known"]
    assert value["scopes"][0]["qualified_name"] == "Cart.check_limit"
    assert value["authors"] == [{"name": "Ada", "lines": 2}, {"name": "Bob", "lines": 1}]
    assert (value["last"]["day"], value["last"]["subject"]) == ("2021-03-04", "a lower limit")
    assert (value["first"]["day"], value["first"]["author"]) == ("2020-01-02", "Ada")
    assert not value["by_lines"]
    assert not value["shallow"]


async def test_lines_that_were_taken_away_changed_it_too(run: Run) -> None:
    value = (await run("code_history", target="add_item")).value
    assert [each["name"] for each in value["authors"]] == ["Ada"]
    assert value["last"]["author"] == "Cy"


async def test_of_a_file_by_the_end_of_its_path(run: Run) -> None:
    value = (await run("code_history", target="cart.py")).value
    assert (value["file"], value["scopes"]) == (CART, [])
    assert value["last"]["author"] == "Cy"
    assert {each["name"] for each in value["authors"]} == {"Ada", "Bob"}


async def test_what_is_not_there(run: Run) -> None:
    value = (await run("code_history", target="frobnicate_it")).value
    assert (value["known"], value["scopes"], value["file"]) == (False, [], "")


async def test_without_a_history_it_is_not_known(run: Run, shop: Path) -> None:
    shutil.rmtree(shop / ".git")
    value = (await run("code_history", target="Cart")).value
    assert (value["known"], value["scopes"][0]["name"]) == (False, "Cart")


def test_what_is_not_committed_and_what_a_shallow_clone_does_not_know(shop: Path, tmp_path: Path) -> None:
    path = shop / CART
    path.write_text(path.read_text() + "\n\nNEW = 1\n")
    found = blame(shop, CART)
    assert found is not None
    assert (found.uncommitted, found.by_lines) == (3, True)
    assert found.last is not None
    assert found.last.author == "Bob"  # of what Cy took away no line is left
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{shop}", str(tmp_path / "few")], check=True)
    few = blame(tmp_path / "few", CART)
    assert few is not None
    assert few.shallow


def test_below_the_top_of_a_repository(shop: Path) -> None:
    found = blame(shop / "shop", "cart.py", 1, 3)
    assert found is not None
    assert found.last is not None
    assert found.last.author == "Ada"
