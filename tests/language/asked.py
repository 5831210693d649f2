"""A question as it is read, in short."""

from __future__ import annotations

from ragforge_memory.language.reading.questions import read_questions


def read(text: str, *before: str) -> list[tuple[str, str, str]]:
    """Of each question of a message its form, and the kind and text of what it is about."""
    return [(each.form, each.target.kind, each.target.text) for each in read_questions(text, before)]
