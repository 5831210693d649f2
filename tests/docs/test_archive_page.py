"""docs/archive.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    block, _ = blocks(ROOT / "docs" / "archive.md", "python")
    before = sorted(shop.root.iterdir())
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said[:3] == [
        "exported 1 conversation, 2 messages",
        "Passwords [1, 2]",
        "imported 1 conversation, 2 messages",
    ]
    assert said[3].startswith("imported 0 conversations, 0 messages; refused 1 conversation; ")
    assert "is here already" in said[3]
    assert before == sorted(shop.root.iterdir())


def test_what_other_programs_wrote_is_imported(shop: Shop) -> None:
    _, block = blocks(ROOT / "docs" / "archive.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == ["3 messages", "grep {'q': 'tax'} orders.py:12"]
