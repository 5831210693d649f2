"""What is handed over as a value outside of functions: to a router, a timer, a table, `atexit`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.conftest import Run, write_files

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("all_files_are_parsed")]

FILES = {
    "handlers.js": (
        "export function auth(req, res, next) { next(); }\nexport const listOrders = (req, res) => res.json([]);\n"
        "export function onDone(r) { return r; }\n"
    ),
    "admin.js": "export function dashboard(req, res) { res.send('ok'); }\n",
    "app.js": (
        "import { auth, listOrders, onDone } from './handlers.js';\nimport * as admin from './admin.js';\n"
        "router.use(auth);\nrouter.get('/orders', auth, listOrders);\nrouter.get('/admin', admin.dashboard);\n"
        "fetch('/x').then(onDone);\n"
    ),
    "other.js": "const auth = require('elsewhere');\nrouter.use(auth);\nrouter.use(thing.dashboard);\n",
    "closing.py": "def close_all(): ...\n\n\ndef reload(): ...\n",
    "main.py": (
        "import atexit\nimport signal\n\nimport closing\nfrom closing import close_all\n\n"
        "atexit.register(close_all)\nsignal.signal(1, closing.reload)\nprint(other.close_all)\n"
    ),
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "shop", FILES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("auth", [("app.js", [3, 4])]),
        ("listOrders", [("app.js", [4])]),
        ("dashboard", [("app.js", [5])]),
        ("onDone", [("app.js", [6])]),
        ("close_all", [("main.py", [7])]),
        ("reload", [("main.py", [8])]),
    ],
)
async def test_a_value_is_a_use_where_it_is_certain(run: Run, name: str, expected: list[tuple[str, list[int]]]) -> None:
    (scope,) = (await run("find_callers", name=name)).value["scopes"]
    assert [(each["file"], each["lines"]) for each in scope["references"]] == expected
    assert not scope["callers"]
    assert not scope["top_level"]
    assert not scope["possible"]
