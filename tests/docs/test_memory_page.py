"""docs/memory.md says of each requirement which test shows it: every one of these tests is there."""

from __future__ import annotations

import re

from tests.docs.conftest import ROOT

PAGE = ROOT / "docs" / "memory.md"
_PATH = re.compile(r"`((?:tests|benchmarks)/[\w/]+\.py)(?:::(\w+))?`")
_TEST = re.compile(r"^(?:async )?def (test_\w+)", re.M)


def test_every_test_that_is_named_is_there() -> None:
    named = _PATH.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) > 40
    assert [f"{path}::{name}" for path, name in named if name not in names_in(path)] == []


def test_every_line_shows_a_test_or_says_that_it_is_not_there() -> None:
    rows = re.findall(
        r"^\| (.+) \| (.*) \| (.*) ?\|$", PAGE.read_text(encoding="utf-8").partition("## Requirement")[2], re.M
    )
    assert len(rows) > 50
    shown = [row for row in rows if set(row[1]) != {"-"} and not row[0].startswith("requirement")]
    assert [row[0] for row in shown if not _PATH.search(row[1]) and "not yet" not in row[2].lower()] == []


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 250


def names_in(path: str) -> set[str]:
    """The tests of a file; a benchmark is named as a whole."""
    file = ROOT / path
    if not file.is_file():
        return set()
    named = set(_TEST.findall(file.read_text(encoding="utf-8")))
    return named | ({""} if path.startswith("benchmarks/") else set())
