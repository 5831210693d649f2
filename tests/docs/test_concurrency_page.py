"""docs/concurrency.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    [block] = blocks(ROOT / "docs" / "concurrency.md", "python")
    assert shop.python("-c", block.replace('"shared"', f'"shared-{uuid4().hex}"')).splitlines() == ["8 True"]
