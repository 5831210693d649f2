"""What a file imports, and what imports it, over several lines and by the paths of folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import Run, write_files

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("all_files_are_parsed")]

FILES = {
    "index.js": "module.exports = require('./lib/app');\n",
    "lib/app.js": "var view = require('./view');\nrequire('./setup')(view);\nvar path = require('path');\n",
    "lib/view.js": "module.exports = function View() {}\n",
    "lib/setup.js": "module.exports = function (view) {}\n",
    "test/app.js": "import '../lib/setup';\nvar app = require('..');\n",
    "test/deep/app.js": "var app = require('../../');\n",
    "package.json": '{"name": "till-view", "main": "index.js", "exports": {"./view": "./lib/view.js"}}',
    "test/own.js": "import 'till-view/view';\n",
    "src/lib.rs": "pub mod walk;\nmod dir;\npub struct Error;\nmod tests { pub struct Dir; }\n",
    "src/walk.rs": (
        "use std::{\n    path::Path,\n    sync::Arc,\n};\n\n"
        "use crate::{\n    Error,\n    dir::{Ignore, IgnoreBuilder},\n    tests::Dir,\n};\n\n"
        "pub struct Walk;\n\nmod inner { use super::Walk; }\n"
    ),
    "src/dir.rs": "pub struct Ignore;\npub struct IgnoreBuilder;\n",
    "java/own/Token.java": "package own;\n\npublic class Token {}\n",
    "java/own/Other.java": "package own;\n\npublic class Other {}\n",
    "java/use/Use.java": "package use;\n\nimport own.Token;\nimport java.util.List;\n\nclass Use {}\n",
    "shop/__init__.py": "",
    "shop/cart.py": "import os\n\n\nclass Cart: ...\n",
    "shop/till.py": "from . import cart\nfrom .cart import (\n    Cart,\n)\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "shop", FILES)


def told(value: dict[str, Any]) -> tuple[dict[int, list[str]], list[str], list[str]]:
    """What is imported by line, other packages, and the places that import it."""
    own = {each["line"]: each["to"] for each in value["imports"] if each["to"]}
    others = [module for each in value["imports"] if not each["to"] for module in each["modules"]]
    assert not value["late"]
    return own, others, [f"{each['file']}:{each['line']}" for each in value["importers"]]


async def test_imports_are_followed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for target, own, others, importers in [
        ("index.js", {1: ["lib/app.js"]}, [], ["test/app.js:2", "test/deep/app.js:1"]),
        ("lib/app.js", {1: ["lib/view.js"], 2: ["lib/setup.js"]}, ["path"], ["index.js:1"]),
        ("lib/setup.js", {}, [], ["lib/app.js:2", "test/app.js:1"]),
        ("test/own.js", {1: ["lib/view.js"]}, [], []),
        ("lib/view.js", {}, [], ["lib/app.js:1", "test/own.js:1"]),
        ("src/walk.rs", {7: ["src/lib.rs"], 8: ["src/dir.rs"]}, ["std::path", "std::sync"], ["src/lib.rs:1"]),
        ("src/dir.rs", {}, [], ["src/lib.rs:2", "src/walk.rs:8"]),
        ("Use.java", {3: ["java/own/Token.java"]}, ["java.util.List"], []),
        ("own/Token.java", {}, [], ["java/use/Use.java:3"]),
        ("till.py", {1: ["shop/cart.py"], 3: ["shop/cart.py"]}, [], []),
        ("IgnoreBuilder", {}, [], ["src/walk.rs:8"]),
        ("crate::dir::Ignore", {}, [], ["src/walk.rs:8"]),
        ("own.Token", {}, [], ["java/use/Use.java:3"]),
        ("Nothing", {}, [], []),
    ]:
        assert told((await run("find_imports", target=target)).value) == (own, others, importers), target
    # A file is told though there is no time for the others.
    monkeypatch.setattr("ragforge_memory.tools.written_uses.PARSE_SECONDS", 1e-9)
    value = (await run("find_imports", target="Use.java")).value
    assert ([each["line"] for each in value["imports"]], value["late"]) == ([3, 4], True)


async def test_an_import_over_several_lines_is_one(run: Run, shop: Path) -> None:
    (shop / "shop/till.py").write_text(
        "from . import cart\nfrom .cart import (\n    Cart,  # (one)\n\n    LIMIT,\n)\nfrom .cart import Cart as C\n"
    )
    importers = (await run("find_imports", target="cart.py")).value["importers"]
    assert [(each["file"], each["line"], each["end_line"]) for each in importers] == [
        ("shop/till.py", 1, 1),
        ("shop/till.py", 3, 6),
        ("shop/till.py", 7, 7),
    ]
    (shop / "test/app.js").write_text("import {\n  a,\n  b,\n} from '../lib/setup';\n")
    importers = (await run("find_imports", target="setup.js")).value["importers"]
    assert [(each["line"], each["end_line"]) for each in importers if each["file"] == "test/app.js"] == [(1, 4)]
