"""The days that a text names, and the title that a question makes."""

from __future__ import annotations

from datetime import date

import pytest

from ragforge_memory.text.days import read_days, without_days
from ragforge_memory.text.titles import title_of

SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026-11-01", "2026-11-01", "2026-11-01"),
        ("since 2026-11-01", "2026-11-01", None),
        ("what did we say before 2026-11-01?", None, "2026-10-31"),
        ("from 2026-11-01 to 2026-11-05", "2026-11-01", "2026-11-05"),
        ("today", "2026-11-29", "2026-11-29"),
        ("Yesterday", "2026-11-28", "2026-11-28"),
        ("since yesterday", "2026-11-28", None),
        ("2d", "2026-11-27", None),
        ("3h", "3h", None),
        ("in the last 3 days", "2026-11-26", None),
        ("30 minutes ago", "30m", None),
        ("on Monday", "2026-11-23", "2026-11-23"),
        ("last sunday", "2026-11-22", "2026-11-22"),
        ("between monday and wednesday", "2026-11-23", "2026-11-25"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("in december", "2025-12-01", "2025-12-31"),
        ("in february 2024", "2024-02-01", "2024-02-29"),
        # None of these is a day.
        ("a 2d array", None, None),
        ("where is today()?", None, None),
        ("`2026-11-01`", None, None),
        ("we may march on", None, None),
        ("2026-13-45", None, None),
        ("in decoding", None, None),
    ],
)
def test_days_are_read(text: str, since: str | None, until: str | None) -> None:
    assert read_days(text, SUNDAY) == (since, until)


def test_a_text_without_its_days_keeps_every_other_word() -> None:
    assert without_days("since 2026-11-01 about 2d arrays", SUNDAY) == "about 2d arrays"


def test_a_title_is_the_first_line_cut_between_words() -> None:
    assert title_of("\n\n  where   is echo?\nIt is urgent.") == "where is echo?"
    assert title_of("word " * 30) == "word " * 11 + "word…"
    assert len(title_of("word " * 30)) <= 60
    assert title_of("x" * 80) == "x" * 59 + "…"
    assert title_of("```\ndiff\n```") == "diff"
    assert title_of(" \n") == ""
