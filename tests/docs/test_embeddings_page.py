"""docs/embeddings.md runs as it stands."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_python_of_the_page_runs(shop: Shop) -> None:
    block, _ = blocks(ROOT / "docs" / "embeddings.md", "python")
    said = shop.python("-c", block.replace('"vectors"', f'"vectors-{uuid4().hex}"')).splitlines()
    assert said == ["3 of 3", "local:e5-small-v2 hashing:words 2 1 0", "('text', 'meaning')"]


def test_an_embedder_of_ones_own_makes_the_vectors(shop: Shop) -> None:
    _, block = blocks(ROOT / "docs" / "embeddings.md", "python")
    said = shop.python("-c", block.replace('"lamps"', f'"lamps-{uuid4().hex}"')).splitlines()
    assert said == ["('text', 'meaning') 1"]
