"""Texts that are too long, and texts from a pipe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.models.text import truncated, unescaped


@given(st.text(), st.integers(1, 50))
def test_the_beginning_is_kept_and_the_rest_is_said_to_be_there(text: str, most: int) -> None:
    short = truncated(text, most)
    assert len(short) <= most
    assert short == text if len(text) <= most else short[-1] == "…" and text.startswith(short[:-1])


def test_no_white_space_stands_before_the_mark() -> None:
    assert truncated("one two three", 9) == "one two…"
    assert truncated("one two", 7) == "one two"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain ü", "plain ü"),
        (b"Tsch\xfcss".decode("utf-8", "surrogateescape"), "Tsch\ufffdss"),
        ("half \ud83d", "half \ufffd"),
        ("whole \ud83d\ude00", "whole 😀"),
        ("nothing\0", "nothing"),
    ],
)
def test_what_a_pipe_gives_in_another_encoding_is_taken(text: str, found: str) -> None:
    assert unescaped(text) == found
