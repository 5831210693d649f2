"""What lines of code stand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.conftest import FILES, Run, write_files

pytestmark = pytest.mark.anyio

DEEP = "import os\n\n\nclass Deep:\n    def run(self):\n        return 1\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_files(tmp_path / "shop", {**FILES, "shop/deep.py": DEEP})


async def test_the_innermost_definition(run: Run) -> None:
    places = ["shop/deep.py:6", "shop/deep.py:4", "shop/deep.py:1", "nowhere.py:1", "shop/deep.py"]
    assert (await run("find_around", places=places)).value == {
        "around": {"shop/deep.py:6": "Deep.run", "shop/deep.py:4": "Deep"}
    }
