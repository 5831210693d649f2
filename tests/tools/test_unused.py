"""What nothing of a project names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    more["pyproject.toml"] = "[project]\nversion = '1.2'\ndependencies = ['click']\n"
    more["shop/sizes.py"] = "def größe(): ...\n\n\ngröße()\n"
    return write_files(tmp_path / "shop", {**FILES, **more})


def _locked(*names: str) -> Callable[..., Any]:
    """`Path.open` of somebody who may not read files of these names."""
    opened = Path.open

    def refused(path: Path, *arguments: Any, **named: Any) -> Any:
        if path.name in names:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **named)

    return refused


async def test_names_that_stand_nowhere_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    value = (await run("find_unused")).value
    assert [each["qualified_name"] for each in value["scopes"]] == ["twice", "twice", "lonely", "ring_up", "report"]
    assert [each.get("decorated", False) for each in value["scopes"]] == [False, False, True, False, False]
    assert [each["qualified_name"] for each in (await run("find_unused", kind="class")).value["scopes"]] == ["GiftCart"]
    with monkeypatch.context() as locked:
        locked.setattr(Path, "open", _locked("b.py", "pyproject.toml"))
        value = (await run("find_unused")).value
        assert "twice" in [each["qualified_name"] for each in value["scopes"]]
        assert value["unread"] == ["shop/b.py"]
        assert (await run("dependencies")).value == {"total": 0, "files": []}
        assert (await run("project_version")).value["files"] == []
    for tool in ("dependencies", "project_version"):
        assert [each["file"] for each in (await run(tool)).value["files"]] == ["pyproject.toml"]
    monkeypatch.setattr(code_unused, "SECONDS", -1.0)
    assert (await run("find_unused")).value == {"kind": "function", "late": True, "total": 0, "scopes": []}
