"""Which earlier statement a message is said against."""

from __future__ import annotations

import pytest

from ragforge_memory.graph.decisions import Statement, find_corrected
from ragforge_memory.text.forms import How, Kind


def _statements(*said: tuple[Kind, str]) -> list[Statement]:
    return [Statement(text, text, kind) for kind, text in said]


SAID = _statements(
    ("note", "note: never log the password"),
    ("decision", "we decided to use sqlite for the cache"),
    ("todo", "todo: write the release notes of the parser"),
)


@pytest.mark.parametrize(
    ("how", "text", "meant"),
    [
        ("retracts", "the thing we talked of at lunch", None),
        ("retracts", "never log the password", 0),
        ("retracts", "sqlite for the cache", 1),
        ("retracts", "sqlite", 1),
        ("done", "the release notes", 2),
        ("done", "the docs of the website", None),
        ("corrects", "the cache is in Redis", 1),
    ],
)
def test_a_stray_word_takes_nothing_back(how: How, text: str, meant: int | None) -> None:
    assert find_corrected(text, how, SAID) == (None if meant is None else SAID[meant])
