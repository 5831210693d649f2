"""What nothing of a project names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.tools import code_unused
from tests.tools.conftest import FILES, Run, write_files

pytestmark = pytest.mark.anyio

LONELY = "import functools\n\n\n@functools.cache\ndef lonely():\n    return 1\n\n\ndef main():\n    return __name__\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project with a function that nothing names, and one twice defined."""
    twice = "def twice(): ...\n"
    more = {"shop/lonely.py": LONELY, "shop/a.py": twice, "shop/b.py": twice, "tests/test_x.py": "def test_x(): ...\n"}
    more["shop/sizes.py"] = "def größe(): ...\n\n\ngröße()\n"
    return write_files(tmp_path / "shop", {**FILES, **more})


async def test_names_that_stand_nowhere_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    value = (await run("find_unused")).value
    assert [each["qualified_name"] for each in value["scopes"]] == ["twice", "twice", "lonely", "ring_up", "report"]
    assert [each.get("decorated", False) for each in value["scopes"]] == [False, False, True, False, False]
    assert [each["qualified_name"] for each in (await run("find_unused", kind="class")).value["scopes"]] == ["GiftCart"]
    monkeypatch.setattr(code_unused, "SECONDS", -1.0)
    assert (await run("find_unused")).value == {"kind": "function", "late": True, "total": 0, "scopes": []}
