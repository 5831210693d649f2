"""Where anything is raised or caught: in all of a project, or in a file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.evidence import (
    COMMENT,
    MAX_EVIDENCE,
    RAISE,
    STATEMENT,
    counted_lines,
    grep,
    listed_lines,
    matches_of,
)
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import rest
from ragforge_memory.models.text import counted

_RAISED_BY = "raise, throw, panic, Err(…), errors.New"
_PANIC = re.compile(r"\b(?:panic|crash)", re.I)
_PANICS = (
    r"^(?!\s*(?://|/?\*)).*(?:\b(?:panic|unreachable|unimplemented|todo|(?:debug_)?assert(?:_eq|_ne)?)!\s*\(|\bpanic\("
    r"|\.(?:unwrap|unwrap_err|expect|expect_err)\()"
)
# Ruby's `catch(:done)` waits for a `throw`, and for no error; its `rescue` may stand behind what it guards.
_CATCHES = r"^\W*(?:except|rescue)\b|\S\s+rescue\s+\S|\bcatch\s*(?:\((?!\s*:)|\{)|\bcatch_unwind\(|\brecover\(\)"
_PANICS_BY = "panic, assert!, unreachable!, unwrap, expect; an index out of bounds panics too"


def anywhere(question: Question) -> Call:
    """Looks for all lines that raise something, or that catch something, in the file that is asked about if one is.

    Those of Go and Rust make an error, and only hand it on.
    """
    only = {"path": question.target.text} if question.target.kind == "file" else {}
    if question.form == "catches":
        return grep(_CATCHES, code_only=True, **only)
    if _PANIC.search(question.text):
        return grep(_PANICS, code_only=True, **only)
    raises = rf"{STATEMENT}\s*{RAISE}|\bpanic!?\(|\berrors\.New\(|\bfmt\.Errorf\("
    # A pattern takes an error apart: `Err(e) =>`, `if let Err(e)`; `Err(e)` alone hands it on.
    made = r"(?:^\s*|\breturn\s+|=>\s*|[{;]\s*)Err\((?![a-z_]\w*\)|.*\)\s*(?:if\b.*)?=>)"
    return grep(rf"{raises}|\bbail!\(|{made}", code_only=True, **only)


def raised_anywhere(question: Question, found: Sequence[Found]) -> list[str]:
    """By file, the lines that raise, or catch, anything; those of one file whole."""
    lines = [each for each in matches_of(found) if not is_text(each) and not COMMENT.match(each["text"])]
    here = f"`{question.target.text}`" if question.target.text else "this project"
    does, done, looked_for = "raises an error", "Errors are raised", _RAISED_BY
    if question.form == "catches":
        does, done, looked_for = "catches an error", "Errors are caught", "except, rescue, catch, recover"
    elif _PANIC.search(question.text):
        does, done, looked_for = "is one that can panic", "Calls that can panic stand", _PANICS_BY
    if not lines:
        return [f"{NOTHING_FOUND}: no line of {here} {does} ({looked_for})."]
    if question.target.text:
        return [f"{done} in {counted_lines(lines, found)} of {here} ({looked_for}):", *listed_lines(lines, found)]
    files: dict[str, list[str]] = {}
    for each in lines:
        files.setdefault(each["file"], []).append(str(each["line"]))
    listed = [f"- {file}:{', '.join(numbers)}" for file, numbers in files.items()]
    return [
        f"{done} in {counted_lines(lines, found)} of {counted(len(files), 'file')}:",
        *listed[:MAX_EVIDENCE],
        *rest(len(listed) - MAX_EVIDENCE, "more files"),
    ]
