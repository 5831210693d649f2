"""What a file shows to others, by the rules of its language."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.code.exported import exported
from ragforge_memory.code.parse import parse
from tests.tools.conftest import Run

FILES = {
    "plain.py": "import os\nX = 1\n_Y = 2\ndef run():\n    def inner(): ...\nclass Car:\n    def go(self): ...\n",
    "stated.py": (
        "from x import brought\n__all__ = [\n    'run',  # 'no'\n    \"brought\",\n    'late'\n]\n"
        "def run(): ...\ndef not_so(): ...\n"
    ),
    "pkg/__init__.py": "import os\nfrom .a import run as run, _hidden\nfrom typing import Any\n",
    "m.ts": (
        "const own = 1\nexport interface Shape { side(): number }\nfunction inner() {}\nexport { inner as outer }\n"
        "export * from './other'\nexport { far } from './far'\nexport default class Main {}\n"
    ),
    "c.js": "function run() {}\nfunction hidden() {}\nmodule.exports = { run }\n",
    "script.js": "function run() {}\n",
    "lru.go": (
        "package lru\ntype LRU struct{}\nfunc (l *LRU) Add() {}\nfunc (l *LRU) drop() {}\ntype inner struct{}\n"
        "func (i *inner) Get() {}\nfunc New() {}\n"
    ),
    "W.java": (
        "public class W {\n  public void write() {}\n  void hidden() {}\n  public interface In { void in(); }\n"
        "  private static class P { public void p() {} }\n}\nclass Other { public void o() {} }\n"
    ),
    "lib.rs": (
        "pub use a::B;\npub struct S;\nstruct T;\npub(crate) fn near() {}\n"
        "impl S { pub fn open(&self) {} fn shut(&self) {} }\n"
    ),
    "x.c": "static int hidden(void) { return 1; }\nint shown(void) { return 2; }\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("plain.py", ["X", "run", "Car"]),
        ("stated.py", ["brought", "late", "run"]),
        ("pkg/__init__.py", ["run"]),
        ("m.ts", ["Shape", "inner as outer", "*", "far", "Main as default"]),
        ("c.js", ["run"]),
        ("script.js", []),
        ("lru.go", ["LRU", "LRU.Add", "New"]),
        ("W.java", ["W", "W.write", "W.In", "W.In.in"]),
        ("lib.rs", ["B", "S", "S.open"]),
        ("x.c", ["shown"]),
    ],
)
def test_names_that_others_see(path: str, names: list[str]) -> None:
    text = FILES[path]
    found, _ = exported(parse(path, text.encode()), text)
    assert [each.name for each in found] == names


def test_what_another_file_has_is_said_to_be_its() -> None:
    found, rule = exported(parse("m.ts", FILES["m.ts"].encode()), FILES["m.ts"])
    assert rule == ""
    assert [(each.name, each.module, each.type) for each in found][1:4] == [
        ("inner as outer", "", "function"),
        ("*", "./other", ""),
        ("far", "./far", ""),
    ]


@pytest.mark.anyio
async def test_of_a_file_of_the_project(run: Run, shop: Path) -> None:
    value = (await run("exports", file="cart.py")).value
    assert value["file"] == "shop/cart.py"
    assert [each["name"] for each in value["exports"]] == ["LIMIT", "Cart", "GiftCart", "total_price"]
    assert (await run("exports", file="nowhere.py")).value["file"] == ""
    (shop / "shop/cart.py").write_text("def (:\n")
    assert (await run("exports", file="cart.py")).value["broken"]
