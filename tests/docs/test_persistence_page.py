"""docs/persistence.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    filed, saved = blocks(ROOT / "docs" / "persistence.md", "python")
    said = shop.python("-c", filed.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == [
        "0o600 ['user', 'assistant']",
        "The password of the back door is kept by Ada.",
        "False",
    ]
    said = shop.python("-c", saved.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == ["2", "['user', 'assistant']"]
