"""What inherits from types over however many steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.conftest import FILES, Run, write_files

pytestmark = pytest.mark.anyio

MORE = {"shop/deep.py": "from shop.faults import Near\n\n\nclass Far(Near): ...\n"}
FAULTS = "class Top: ...\n\n\nclass Near(Top): ...\n\n\nclass Other: ...\n\n\nclass OfOther(Other): ...\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_files(tmp_path / "shop", {**FILES, **MORE, "shop/faults.py": FAULTS})


async def test_all_below_some_types(run: Run) -> None:
    value = (await run("find_subtypes", places=["shop/faults.py:1", "shop/faults.py:4", "nowhere.py:1"])).value
    assert value == {
        "scopes": [
            {"qualified_name": "Far", "file": "shop/deep.py", "line": 4, "text": "class Far(Near)"},
        ],
        "more": False,
    }
    from_top = (await run("find_subtypes", places=["shop/faults.py:1"])).value
    assert [each["qualified_name"] for each in from_top["scopes"]] == ["Far", "Near"]
