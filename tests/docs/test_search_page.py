"""docs/search.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    block, *_ = blocks(ROOT / "docs" / "search.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said[0].startswith("user Where do we keep the session tokens? (")
    assert "('session', 'tokens')" in said[0]
    assert any(line.startswith("('text'") and line.endswith("True") for line in said)
    assert "session tokens" in said[-1]


def test_the_decisions_of_the_page_are_listed(shop: Shop) -> None:
    [block] = [each for each in blocks(ROOT / "docs" / "search.md", "python") if ".decisions(" in each]
    assert shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines() == [
        "Update: tokens expire after one hour. False None",
        "We decided that tokens expire after two hours. True Update: tokens expire after one hour.",
    ]
