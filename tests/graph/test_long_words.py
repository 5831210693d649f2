"""Words of a long message are found in a time that grows as the message does: nothing else runs meanwhile."""

from __future__ import annotations

import time

import pytest

from ragforge_memory.graph.text import MAX_QUERY_WORDS, query_words, terms, text_words

LONGEST = 100_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["0a1b2c3d", "漢字", "a:b", "1,", "a_b", "é1."])
def test_a_long_run_is_looked_at_once(piece: str) -> None:
    text = "é" + piece * (LONGEST // len(piece)) + "é"
    began = time.perf_counter()
    for words in (terms, query_words, text_words):
        words(text)
    assert time.perf_counter() - began < 20  # seconds; what looks at it again from each place takes hours


def test_of_very_many_words_the_longest_are_asked_for() -> None:
    asked = query_words(" ".join([*(f"w{number}" for number in range(100)), "heliotropism"]))
    assert len(asked) == MAX_QUERY_WORDS
    assert "heliotropism" in asked
    assert query_words("the parser fails") == ["the", "parser", "fails"]
