"""What a definition raises: its own lines that do, and what its documentation says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ragforge_memory.llm.extractive.quoting import head, nothing, quotation, rest, taken_for
from ragforge_memory.models.text import counted

MAX_RAISING = 40
"""Lines that are listed."""

_RAISING = re.compile(r"(?:^|[;{}):]|\belse\b)\s*(?:(?:raise|throw)\b(?!\s*[=.])|panic!?\()")
_SECTION = re.compile(r"^\W*(?:raises|throws|exceptions)\W*$", re.I)
_NAMED = re.compile(r"^\W*(?::(?:raises?|throws)\b|@throws\b|@exception\b)", re.I)


def thrown(asked: str, value: Mapping[str, Any]) -> list[str]:
    """The lines of the answer.

    Args:
        asked: the name.
        value: what `read_scope` gave, with source.
    """
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    best = scopes[0]
    documented = str(best.get("docstring") or "")
    said = {line.strip() for line in documented.splitlines()}
    lines = [
        f"- {best['file']}:{number} `{text.strip()}`"
        for number, text in enumerate(str(best.get("source") or "").splitlines(), start=best["start_line"])
        if text.strip() not in said and _RAISING.search(text)
    ]
    answer = [head(best)]
    if lines:
        answer += [
            f"It raises in {counted(len(lines), 'line')}:",
            *lines[:MAX_RAISING],
            *rest(len(lines) - MAX_RAISING),
        ]
    else:
        answer.append("No line of it raises anything.")
    if "source_cut_after_line" in best:
        answer.append(f"It was looked through up to line {best['source_cut_after_line']}.")
    answer += quotation(_documented(documented))
    answer.append("What it calls may raise more.")
    note = taken_for(value, asked)
    return [*answer, "", *note] if note else answer


def _documented(docstring: str) -> list[str]:
    """What documentation says of exceptions: the lines of such a section, and those that name one."""
    told: list[str] = []
    inside = False
    for line in docstring.splitlines():
        if _SECTION.match(line):
            inside = True
        elif not line.strip():
            inside = False
        elif inside or _NAMED.match(line):
            told.append(line.strip())
    return told[:MAX_RAISING]
