"""The title of a conversation that nobody named."""

from __future__ import annotations

from textwrap import shorten

MAX_TITLE = 60
"""Characters of such a title."""


def title_of(question: str) -> str:
    """The first line of a conversation's first question, cut between words; '' where nothing is asked."""
    lines = (line.strip() for line in question.splitlines())
    line = next((line for line in lines if line and not line.startswith(("```", "~~~"))), "")
    title = shorten(line, MAX_TITLE, placeholder="…")
    # A single word is longer than that.
    return title if title != "…" or line == "…" else f"{line[: MAX_TITLE - 1]}…"
