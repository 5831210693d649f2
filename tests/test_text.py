"""A text that is too long ends with the mark that says so, and is then as long as it may be at most."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.models.text import truncated


@given(st.text(), st.integers(1, 50))
def test_the_beginning_is_kept_and_the_rest_is_said_to_be_there(text: str, most: int) -> None:
    short = truncated(text, most)
    assert len(short) <= most
    assert short == text if len(text) <= most else short[-1] == "…" and text.startswith(short[:-1])


def test_no_white_space_stands_before_the_mark() -> None:
    assert truncated("one two three", 9) == "one two…"
    assert truncated("one two", 7) == "one two"
