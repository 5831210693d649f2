"""docs/memory.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    [block] = blocks(ROOT / "docs" / "memory.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said[0] == "['Another way', 'Logins (branch)']"
    assert said[1] == "2 2"
    assert said[2] == "Merged with “Another way”."
    assert "recent" in said[3]
    assert said[4].endswith("True")
    assert said[5] == "True True"
    assert "discussed check_password fresh" in said
    assert said[-1] == "True"
