"""Calls of a name that mean something else: another package's, a parameter, a local variable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import Run, write_files

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("all_files_are_parsed")]

FILES = {
    "own.py": (
        "class Store:\n    def persist_all(self): ...\n\n\nclass Event: ...\n\n\ndef chain(): ...\n\n\n"
        "def linspace(): ...\n\n\ndef run(): ...\n\n\ndef print(): ...\n\n\ndef update_wrapper(): ...\n\n\n"
        "def deepcopy(): ...\n"
    ),
    "use.py": (
        "import copy\nimport threading\nfrom functools import update_wrapper\nfrom itertools import chain\n\n"
        "import numpy as np\nimport otherlib\n\nimport own\n\n\n"
        "def imported():\n    chain()\n    np.linspace()\n    threading.Event()\n    update_wrapper()\n"
        "    copy.deepcopy()\n    print()\n\n\n"
        "def made():\n    thing = otherlib.Thing()\n    thing.persist_all()\n\n\n"
        "def typed(thing: otherlib.Thing):\n    thing.persist_all()\n\n\n"
        "def unknown(thing):\n    thing.persist_all()\n\n\n"
        "def passed(run):\n    run()\n\n\ndef assigned():\n    run = max\n    run()\n\n\n"
        "class Holder:\n    def __init__(self):\n        self.thing = otherlib.Thing()\n\n"
        "    def hold(self):\n        self.thing.persist_all()\n\n\n"
        "def really():\n    own.chain()\n    own.linspace()\n    own.Event()\n    own.run()\n"
        "    own.Store().persist_all()\n    own.print()\n    own.update_wrapper()\n    own.deepcopy()\n\n\n"
        "own.linspace()\nnp.linspace()\nSomewhere.run()\n"
    ),
    "js/own.js": "export function rangify() {}\nexport class Shop { restock() {} }\n",
    "js/use.js": (
        "import _, { rangify } from 'lodash';\nimport { Other } from 'others';\n"
        "function imported() { rangify(); _.rangify(); }\n"
        "function passed(rangify) { rangify(); }\n"
        "function made() { const other = new Other(); other.restock(); }\n"
        "function unknown(shop) { shop.restock(); }\n"
    ),
    "js/required.js": "const { rangify } = require('lodash');\nfunction required() { rangify(); }\n",
    "js/really.js": (
        "import { rangify, Shop } from './own';\nfunction really() { rangify(); new Shop().restock(); }\nrangify();\n"
    ),
    "js/page.js": "function page() { rangify(); }\n",
    "js/put.js": "Object.assign(module.exports, require('./own'));\n",
    "js/got.js": "const put = require('./put');\nfunction got() { put.rangify(); }\n",
    "go/tools/own.go": (
        "package tools\n\nfunc Compute() int { return 1 }\n\ntype Vault struct{}\n\nfunc (v *Vault) Lock() {}\n"
    ),
    "go/main.go": (
        'package main\n\nimport (\n\t"example.org/other/ext"\n\t"example.org/own/go/tools"\n)\n\n'
        "func Really() {\n\ttools.Compute()\n}\n\nfunc Imported(x ext.Door) {\n\text.Compute()\n\tx.Lock()\n}\n\n"
        "func Passed(Compute func() int) int { return Compute() }\n"
    ),
    "rust/src/lib.rs": (
        "pub extern crate other as ext;\npub struct Shelf;\n"
        "impl Shelf { pub fn make_up() -> Self { Shelf } pub fn dust_off(&self) {} }\n"
        "fn really() { Shelf::make_up(); }\nfn another() { crate::ext::Door::make_up(); }\n"
        "fn unknown() { crate::ext::door().dust_off(); crate::ext::door::make_up(); }\n"
    ),
    "java/own/Foo.java": (
        "package own;\n\npublic class Foo {\n    public static int computeJ() { return 1; }\n    void keepJ() {}\n}\n"
    ),
    "java/use/Use.java": (
        "package use;\n\nimport org.ext.Bar;\nimport static org.ext.Stat.computeJ;\n\nclass Use {\n"
        "    int written() { return org.ext.Foo.computeJ(); }\n"
        "    int typed(Bar bar) { bar.keepJ(); return Bar.computeJ(); }\n"
        "    int imported() { return computeJ(); }\n    int really() { return own.Foo.computeJ(); }\n}\n"
    ),
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "shop", FILES)


def told(value: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """The functions that call, those that may, and the files that call at their top level."""
    (scope,) = value["scopes"]
    callers = [each["qualified_name"] for each in scope["callers"]]
    possible = [each["qualified_name"] or each["file"] for each in scope["possible"]]
    return callers, possible, [each["file"] for each in scope["top_level"]]


async def test_only_what_may_mean_it_calls_it(run: Run) -> None:
    for name, callers, possible, top_level in [
        ("linspace", ["really"], [], ["use.py"]),
        ("update_wrapper", ["really"], [], []),
        ("print", ["really"], [], []),
        ("run", ["really"], [], []),
        ("persist_all", ["really"], ["unknown"], []),
        ("rangify", ["really"], ["got", "page"], ["js/really.js"]),
        ("Compute", ["Really"], [], []),
        ("Vault.Lock", [], [], []),
        ("computeJ", ["Use.really"], [], []),
        ("keepJ", [], [], []),
        ("Shelf::make_up", ["really"], ["unknown"], []),
        ("dust_off", [], ["unknown"], []),
    ]:
        value = (await run("find_callers", name=name)).value
        assert told(value) == (callers, possible, top_level), name
    (scope,) = (await run("find_callers", name="linspace")).value["scopes"]
    lines = FILES["use.py"].splitlines()
    assert [lines[line - 1] for each in scope["top_level"] for line in each["lines"]] == ["own.linspace()"]


async def test_a_file_that_changed_since_it_was_read_is_judged_as_it_is_now(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "new_one.py").write_text("nobody has read this\n")
    (shop / "use.py").write_text("from itertools import chain\n\n\ndef late():\n    chain()\n")
    assert "late" not in told((await run("find_callers", name="chain")).value)[0]
    (shop / "use.py").write_text("from own import chain\n\n\ndef late():\n    chain()\n")
    assert "late" in told((await run("find_callers", name="chain")).value)[0]
    # Without time nothing is stated that was not looked up.
    monkeypatch.setattr("ragforge_memory.tools.written_uses.PARSE_SECONDS", 0.0)
    assert told((await run("find_callers", name="linspace")).value) == (["really"], [], [])
