"""The code search tools on a small project in the real graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolContext, ToolRegistry
from tests.tools.conftest import Run

pytestmark = pytest.mark.anyio


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["qualified_name"] for entry in entries]


async def test_read_scope_gives_place_and_source(run: Run) -> None:
    ran = await run("read_scope", name="Cart.check_limit")
    (scope,) = ran.value["scopes"]
    assert ran.value["match"] == "exact"
    assert (scope["file"], scope["line"], scope["start_line"], scope["end_line"]) == ("shop/cart.py", 20, 19, 21)
    assert scope["source"].splitlines()[0].strip() == "@functools.cache"
    assert scope["type"] == "method"
    assert ran.scopes == ((scope["uuid"], "read"),)
    without = await run("read_scope", name="check_limit", include_source=False)
    assert "source" not in without.value["scopes"][0]


async def test_names_are_found_however_they_are_written(run: Run) -> None:
    for name, match, found in [
        ("shop.cart.Cart", "exact", ["Cart"]),
        ("shop.Cart", "exact", ["Cart"]),
        ("cart.py:Cart", "exact", ["Cart"]),
        ("checkout", "exact", ["Cart.checkout", "GiftCart.checkout"]),
        ("GiftCart.add_item", "inherited", ["Cart.add_item"]),
        ("TotalPrice", "spelling", ["total_price"]),
        ("totl_price", "typo", ["total_price"]),
        ("GiftCrat.checkout", "typo", ["GiftCart.checkout"]),
        ("Gift", "partial", ["GiftCart"]),
        ("total_prices", "typo", ["total_price"]),
        ("frobnicate", "none", []),
        ("GiftCart.frobnicate", "none", []),
        ("Bag.checkout", "none", []),
        ("Cart.limit", "none", []),
        ("cart.limit", "spelling", ["LIMIT"]),
        ("hidden", "none", []),
        ("", "none", []),
    ]:
        ran = await run("read_scope", name=name, include_source=False)
        assert (ran.value["match"], names(ran.value["scopes"])) == (match, found), name
    for file, found in (("cart.py", ["total_price"]), ("till.py", [])):
        assert names((await run("read_scope", name="total_price", file=file)).value["scopes"]) == found


async def test_outline_of_file_class_folder_and_module(run: Run) -> None:
    ran = await run("outline", target="cart.py")
    assert ran.value["file"] == "shop/cart.py"
    assert {"Cart", "Cart.add_item", "GiftCart.checkout", "total_price"} <= set(names(ran.value["scopes"]))
    assert names((await run("outline", target="GiftCart")).value["scopes"]) == ["GiftCart.checkout"]
    assert (await run("outline", target="shop")).value["files"] == [
        "shop/__init__.py",
        "shop/cart.py",
        "shop/till.py",
    ]
    folder = (await run("outline", target="shop/")).value
    assert (folder["kind"], folder["definitions"]["shop/till.py"]) == ("folder", ["PRICE", "report", "ring_up"])
    whole = (await run("outline", target=".")).value
    assert (whole["total"], whole["types"]["method"], whole["types"]["test"]) == (4, 4, 1)
    assert (await run("outline", target="tests")).value["types"] == {"function": 1, "test": 1}
    assert (await run("outline", target="shop.till")).value["file"] == "shop/till.py"
    typo = await run("outline", target="tilll.py")
    assert (typo.value["match"], typo.value["file"]) == ("typo", "shop/till.py")
    assert (await run("outline", target="nowhere.py")).value["kind"] == "none"


async def test_paths_from_further_up_lead_to_the_file(run: Run, context: ToolContext) -> None:
    assert context.root is not None
    for target, file in [
        ("/srv/app/shop/till.py", "shop/till.py"),
        ("work/shop/till.py", "shop/till.py"),
        (f"{context.root}/shop/cart.py", "shop/cart.py"),
        ("/usr/lib/python3.11/cart.py", None),
        ("/elsewhere/shop.py", None),
    ]:
        value = (await run("outline", target=target)).value
        assert (value["file"] if value["match"] == "exact" else None) == file, target


async def test_callers_are_calls_and_not_mentions(run: Run) -> None:
    ran = await run("find_callers", name="total_price")
    (target,) = ran.value["scopes"]
    assert [(each["qualified_name"], each["lines"]) for each in target["callers"]] == [
        ("Cart.add_item", [17]),
        ("report", [15]),
    ]
    assert [(each["file"], each["lines"]) for each in target["top_level"]] == [("shop/till.py", [18])]
    assert target["uuid"] in {each.scope for each in ran.scopes}


async def test_a_receiver_of_unknown_type_is_possible_even_where_the_name_is_the_only_one(run: Run) -> None:
    (target,) = (await run("find_callers", name="add_item")).value["scopes"]
    assert names(target["callers"]) == ["test_cart"]
    assert names(target["possible"]) == ["ring_up"]
    both = (await run("find_callers", name="checkout")).value["scopes"]
    assert [names(each["possible"]) for each in both] == [["ring_up"], ["ring_up"]]
    cart = next(each for each in both if each["qualified_name"] == "Cart.checkout")
    assert names(cart["callers"]) == ["GiftCart.checkout"]


async def test_callees_of_this_project_and_others(run: Run) -> None:
    (target,) = (await run("find_callees", name="Cart.add_item")).value["scopes"]
    assert names(target["callees"]) == ["Cart.check_limit", "total_price"]
    (target,) = (await run("find_callees", name="total_price")).value["scopes"]
    assert target["callees"] == []
    assert [each["name"] for each in target["other_calls"]] == ["len"]
    whole = (await run("find_callees", name="Cart")).value["scopes"][0]
    assert {"Cart.check_limit", "total_price"} <= set(names(whole["callees"]))


async def test_grep_says_which_lines_are_in_a_language_that_is_not_read(run: Run, shop: Path) -> None:
    (shop / "Till.kt").write_text("val legend = 1\n")
    matches = (await run("grep_code", pattern="legend")).value["matches"]
    assert [(each["file"], each.get("language")) for each in matches] == [("README.md", None), ("Till.kt", "Kotlin")]


async def test_grep_leaves_out_what_is_ignored_and_binary(run: Run) -> None:
    ran = await run("grep_code", pattern="legend")
    assert [(each["file"], each["line"]) for each in ran.value["matches"]] == [("README.md", 2)]
    assert ran.value["more"] is False
    few = await run("grep_code", pattern=r"\bcart\b", ignore_case=True, limit=2)
    assert len(few.value["matches"]) == 2
    assert few.value["more"] is True
    in_till = await run("grep_code", pattern="total_price", path="till.py")
    assert {each["file"] for each in in_till.value["matches"]} == {"shop/till.py"}
    bad = await run("grep_code", pattern="(")
    assert "is not a regular expression" in (bad.error or "")


async def test_a_pattern_that_would_take_for_ever_is_given_up(
    run: Run, context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert context.root is not None
    (context.root / "long.txt").write_text("first hit aaa\n" + "a" * 60 + "b\n")
    for seconds in (1.0, 8.0, 40.0):
        monkeypatch.setattr("ragforge_memory.tools.code_files.GREP_SECONDS", seconds)
        ran = await run("grep_code", pattern=r"(a+)+$", path="long.txt")
        assert ran.success
        assert ran.value["gave_up_after_seconds"] == seconds
        if ran.value["matches"]:
            break  # else the time was not enough for the process that searches to begin
    assert [each["line"] for each in ran.value["matches"]] == [1]


async def test_a_search_that_has_just_ended_is_given_up_without_a_word(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = anyio.open_process

    async def ending(*arguments: Any, **options: Any) -> Any:
        process = await opened(*arguments, **options)
        end = process.kill

        def kill() -> None:
            end()
            raise ProcessLookupError

        monkeypatch.setattr(process, "kill", kill)
        return process

    monkeypatch.setattr(anyio, "open_process", ending)
    monkeypatch.setattr("ragforge_memory.tools.code_files.GREP_SECONDS", 0.0)
    assert (await run("grep_code", pattern="def")).success


async def test_what_python_warns_of_in_a_pattern_is_not_told_the_terminal(
    run: Run, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    assert (await run("grep_code", pattern="[[:alpha:]]+def")).success
    assert capfd.readouterr().err == ""
    assert not recwarn.list


async def test_read_file_gives_lines(run: Run) -> None:
    ran = await run("read_file", path="shop/cart.py", start_line=34, end_line=36)
    assert ran.value["content"].splitlines()[0] == "def total_price(names: list[str]) -> int:"
    assert (ran.value["start_line"], ran.value["end_line"], ran.value["cut"]) == (34, 36, False)
    assert len(ran.scopes) == 1
    assert "has 36 lines" in ((await run("read_file", path="shop/cart.py", start_line=99)).error or "")
    assert "binary" in ((await run("read_file", path="shop/image.bin")).error or "")


async def test_what_lines_show_a_part_of_was_read(run: Run) -> None:
    known = {}
    for name in ("Cart", "Cart.add_item", "Cart.check_limit", "Cart.checkout", "GiftCart"):
        (scope,) = (await run("read_scope", name=name)).value["scopes"]
        known[scope["uuid"]] = name
    for first, last, read in (
        (12, 14, ["Cart.add_item"]),
        (17, 20, ["Cart.add_item", "Cart.check_limit"]),
        (8, 9, ["Cart"]),
        (23, 29, ["Cart.checkout", "GiftCart"]),
        (25, 26, []),
    ):
        ran = await run("read_file", path="shop/cart.py", start_line=first, end_line=last)
        assert [(known[each.scope], each.kind) for each in ran.scopes] == [(name, "read") for name in read]


async def test_read_file_stays_inside_the_project(run: Run) -> None:
    for path in (
        "shop/../../outside.py",
        "shop/link.py",
        "/etc/passwd",
        "~/.netrc",
        "shop/../.git/config",
        ".GIT/config",
        "C:/windows.ini",
        "shop",
        "",
        "nowhere.py",
        "shop\\..\\..\\outside.py",
        "a\x00b",
    ):
        ran = await run("read_file", path=path)
        assert not ran.success
        assert "cannot be read" in (ran.error or ""), path


async def test_another_project_sees_nothing(context: ToolContext) -> None:
    registry = ToolRegistry(CODE_SEARCH_TOOLS)
    stranger = replace(context, owner=Owner("ada", f"{context.owner.project}-other"))
    for name, arguments, key in [
        ("read_scope", {"name": "Cart"}, "scopes"),
        ("search_code", {"query": "prices"}, "results"),
        ("find_callers", {"name": "total_price"}, "scopes"),
        ("find_callees", {"name": "Cart.add_item"}, "scopes"),
        ("outline", {"target": "cart.py"}, "scopes"),
    ]:
        ran = await registry.run(ToolRequest("1", name, arguments), stranger)
        assert ran.value[key] == [], name


async def test_without_code_files_or_messages_the_tools_say_so() -> None:
    registry = ToolRegistry(CODE_SEARCH_TOOLS)
    nothing = ToolContext(owner=Owner("ada", "none"))
    for name, arguments, says in [
        ("read_scope", {"name": "x"}, "no code was read"),
        ("grep_code", {"pattern": "x"}, "not at hand"),
        ("read_file", {"path": "x"}, "not at hand"),
        ("search_conversation", {"query": "x"}, "keeps no conversations"),
        ("recent_conversations", {}, "keeps no conversations"),
    ]:
        ran = await registry.run(ToolRequest("1", name, arguments), nothing)
        assert says in (ran.error or ""), name
