"""The hashing embedder: the same everywhere, near for texts that share words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.embeddings.calibration import cosine, cosine_of, similarity
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.embeddings.port import Embedder

pytestmark = pytest.mark.anyio


async def test_texts_that_share_words_are_near() -> None:
    embedder = HashingEmbedder(256)
    assert isinstance(embedder, Embedder)
    question = await embedder.embed_query("verify password")
    near, far = await embedder.embed_passages(["verifies a password hash", "the ferry leaves at seven"])
    assert cosine(question, near) > 0.4
    assert abs(cosine(question, far)) < 0.2
    await embedder.aclose()


@given(st.text(), st.integers(1, 64))
def test_every_text_has_a_unit_vector(text: str, dimension: int) -> None:
    vector = HashingEmbedder(dimension).vector(text)
    assert len(vector) == dimension
    assert math.hypot(*vector) == pytest.approx(1)


@given(st.floats(-1, 1), st.floats(0, 0.95))
def test_similarity_is_one_scale(value: float, unrelated: float) -> None:
    found = similarity(value, unrelated)
    assert 0 <= found <= 1
    if value >= unrelated:
        assert cosine_of(found, unrelated) == pytest.approx(value)
