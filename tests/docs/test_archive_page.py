"""docs/archive.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    block, _ = blocks(ROOT / "docs" / "archive.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == ["1 exported, messages: 2", "Passwords [1, 2]", "1 restored, 0 refused"]
    assert (shop.root / "passwords.md").read_text(encoding="utf-8").startswith("# Passwords\n")


def test_what_other_programs_wrote_is_imported(shop: Shop) -> None:
    _, block = blocks(ROOT / "docs" / "archive.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == ["3 messages", "grep {'q': 'tax'} orders.py:12"]
