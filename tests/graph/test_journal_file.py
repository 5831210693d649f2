"""The journal's file: what is left of it when nothing in it is open."""

from __future__ import annotations

from pathlib import Path

from ragforge_memory.graph.journal import Journal
from ragforge_memory.graph.journal_lines import JournalTurn


def test_tidying_empties_what_nobody_needs_and_opens_no_closed_journal(tmp_path: Path) -> None:
    """It comes a moment after an answer, when the agent may be closed already."""
    journal = Journal(tmp_path)
    journal.begin(JournalTurn("g", "u", "p", "c", "q", "a"))
    journal.ended("a")
    [path] = tmp_path.glob("*.jsonl")
    assert path.stat().st_size > 0
    journal.tidy()
    assert path.stat().st_size == 0
    journal.close()
    journal.tidy()
    assert list(tmp_path.iterdir()) == []
