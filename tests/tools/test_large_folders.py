"""A folder with more files than are listed: what each folder holds is counted over all of them."""

from __future__ import annotations

import pytest

from ragforge_memory.models.code import ScopeName
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_scopes import MAX_OUTLINE, outline
from ragforge_memory.tools.ports import ToolContext
from tests.extractive.asking import answer_to

pytestmark = pytest.mark.anyio


class Files:
    """The files of a project."""

    async def files(self, _: str) -> list[str]:
        return [f"src/part{number % 2}/a/b/file_{number}.py" for number in range(MAX_OUTLINE + 50)] + [
            "setup.py",
            "package.json",  # only says how others are reached
        ]

    async def names(self, _: str) -> list[ScopeName]:
        return []


async def test_no_file_is_left_out_of_the_count() -> None:
    context = ToolContext(owner=Owner("ada", "demo"), scopes=Files())  # type: ignore[arg-type]
    found = (await outline(context, ".")).value
    assert found["total"] == MAX_OUTLINE + 51
    assert len(found["files"]) == MAX_OUTLINE
    assert found["folders"] == {"src/part0/a": 225, "src/part1/a": 225, ".": 1}
    assert await answer_to("overview of the project", {"outline": found}) == [
        "The project has 451 files:",
        "- src/part0/a: 225 files",
        "- src/part1/a: 225 files",
        "- .: 1 file",
    ]


async def test_a_member_of_what_is_defined_elsewhere_is_told_by_its_whole_name() -> None:
    class Code:
        async def files(self, _: str) -> list[str]:
            return ["src/cart.rs", "src/pay.rs"]

        async def names(self, _: str) -> list[ScopeName]:
            cart = ["Cart", "Cart.add", "Cart.add.inner"]
            return [ScopeName(each.rpartition(".")[2], each, "src/cart.rs", "") for each in cart] + [
                ScopeName("pay", "Cart.pay", "src/pay.rs", "")
            ]

    context = ToolContext(owner=Owner("ada", "demo"), scopes=Code())  # type: ignore[arg-type]
    assert (await outline(context, "src")).value["definitions"] == {"src/cart.rs": ["Cart"], "src/pay.rs": ["Cart.pay"]}
