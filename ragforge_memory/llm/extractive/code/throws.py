"""What a definition raises: its own lines that do, and what its documentation says of them; and what a project defines
to be raised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.no_code import code_alone, no_code
from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.quoting.pieces import head, nothing, quotation, rest, taken_for, text_line
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import is_test

MAX_RAISING = 40
"""Lines that are listed."""

MAX_ERRORS = 200
"""Lines that define an error and are looked at."""

_AHEAD = (
    r"^\s*(?:(?:export|default|public|pub|abstract|final|sealed|static|open|data|internal|private|protected|partial) )*"
)
DEFINES_ERROR = (
    rf"{_AHEAD}(?:class|struct|enum|interface|trait|type|record) \w*(?:Error|Exception)\b"
    rf"|{_AHEAD}class \w+\s*(?:\(|<|:|extends\b).*(?:Error|Exception|Throwable|\bstd::(?:exception|\w+_error))\b"
    r"|^\s*(?:var )?[Ee]rr[A-Z]\w*\s*=\s*(?:errors\.New|fmt\.Errorf)\("
)
"""Lines that define an error: by its name or by what it inherits from; Go's are values."""

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
    source = str(best.get("source") or "")
    code = code_alone(source, no_code(str(best.get("language") or "")))
    lines = [
        f"- {text_line({'file': best['file'], 'line': number, 'text': text})}"
        for number, (text, bare) in enumerate(
            zip(source.split("\n"), code.split("\n"), strict=True), best["start_line"]
        )
        if _RAISING.search(bare)
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
    answer += quotation(_documented(str(best.get("docstring") or "")))
    answer.append("What it calls may raise more.")
    note = taken_for(value, asked)
    return [*answer, "", *note] if note else answer


def error_lines(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The lines of code that define errors by their names, of those that `grep_code` gave."""
    return [each for each in value.get("matches") or [] if not is_text(each)]


def errors_defined(value: Mapping[str, Any], below: Mapping[str, Any]) -> list[str]:
    """The lines that define errors, those of tests last.

    Args:
        value: the lines that `grep_code` gave.
        below: what `find_subtypes` gave for them; nothing where the graph is away.
    """
    named = error_lines(value)
    if not named:
        return [f"{NOTHING_FOUND}: no line of this project defines an error or an exception by its name."]
    lines = {(each["file"], each["line"]): each for each in [*(below.get("scopes") or []), *named]}
    ordered = sorted(lines.values(), key=lambda each: (is_test(each["file"]), each["file"], each["line"]))
    number = f"{'more than ' if value.get('more') or below.get('more') else ''}{counted(len(ordered), 'error')}"
    return [
        f"This project defines {number}, by their names and what they inherit from:",
        *(f"- {text_line(each)}" for each in ordered),
        "What inherits from another package's error that is not called one is not among them.",
    ]


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
