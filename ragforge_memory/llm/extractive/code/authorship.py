"""Answers out of git: who wrote something, and when it was last changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.quoting.pieces import code_span, head, more_of_that_name, nothing, taken_for
from ragforge_memory.models.text import counted

MAX_AUTHORS = 8


def written(asked: str, value: Mapping[str, Any]) -> list[str]:
    """Who wrote the lines of a definition or a file, and when they were last changed, as `code_history` told it."""
    scopes = value.get("scopes") or []
    if not scopes and not value.get("file"):
        return [nothing(asked)]
    name = head(scopes[0]) if scopes else f"`{value['file']}`"
    note = taken_for({**value, "scopes": scopes[:1]}, asked)
    others = more_of_that_name(int(value.get("total") or 0) - 1)
    if not value.get("known"):
        return [
            name,
            f"{NOTHING_FOUND} that says who wrote it or when: git has no history of it here.",
            *note,
        ]
    lines = [name]
    authors = [f"{each['name']} ({each['lines']})" for each in value["authors"]]
    if authors:
        more = int(value["totals"]["authors"]) - len(authors[:MAX_AUTHORS])
        listed = ", ".join(authors[:MAX_AUTHORS]) + (f" and {more} more" if more > 0 else "")
        total = counted(value["totals"]["lines"] - value["uncommitted"], "line")
        lines.append(f"As git has it, its {total} {'is' if total == '1 line' else 'are'} by {listed}.")
    if value["uncommitted"]:
        lines.append(f"Not committed yet: {counted(value['uncommitted'], 'line')} of it.")
    if last := value.get("last"):
        what = "The newest of its committed lines is of" if value["by_lines"] else "It was last changed on"
        lines.append(f"{what} {_commit(last)}.")
    if (first := value.get("first")) and first != last:
        lines.append(f"The oldest of its lines is of {_commit(first)}.")
    if value.get("shallow"):
        lines.append("This clone has only the end of the history: what is older is not known here.")
    return [*lines, *others, *(["", *note] if note else [])]


def _commit(commit: Mapping[str, str]) -> str:
    return f'{commit["day"]} by {commit["author"]}: commit {code_span(commit["id"][:12])} "{commit["subject"]}"'
