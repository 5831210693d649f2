"""docs/models.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_a_model_of_ones_own_asks_for_a_tool_and_answers(shop: Shop) -> None:
    [block] = blocks(ROOT / "docs" / "models.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == ["stock says: 3 of lamp", "20 ['stock']"]
