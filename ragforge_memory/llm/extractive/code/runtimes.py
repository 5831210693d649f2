"""Which versions of a language a project runs on: the lines of its settings that say so."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.reading.project_patterns import LANGUAGE
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.evidence import grep
from ragforge_memory.llm.extractive.quoting.calls import Call
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line

MAX_SHOWN = 12
"""Lines that are listed."""

# The endings of the files of settings of a language, and the lines there that say it.
_SAYS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "python": (
        ("pyproject.toml", "setup.cfg", "setup.py"),
        r"\b(?:requires-python|python_requires)\s*=|^\s*python\s*=\s*[\"'{]|Programming Language :: Python :: \d",
    ),
    "node": (("package.json",), r'"(?:node|npm)"\s*:\s*"[^"]*\d'),
    "typescript": (("package.json",), r'"typescript"\s*:\s*"'),
    "go": (("go.mod",), r"^(?:go|toolchain) (?:go)?\d"),
    "rust": (("Cargo.toml", "rust-toolchain.toml"), r"^\s*(?:rust-version|edition|channel)\s*="),
    "java": (
        ("pom.xml", ".gradle", ".gradle.kts"),
        r"<(?:maven\.compiler\.(?:source|target|release)|java\.version|release|source|target)>"
        r"|(?:source|target)Compatibility|languageVersion",
    ),
    "php": (("composer.json",), r'"php"\s*:\s*"'),
    "ruby": ((".gemspec", "Gemfile"), r"required_ruby_version|^\s*ruby\s+[\"'\d]"),
}
_ALSO = {"nodejs": "node", "javascript": "node", "golang": "go", "jdk": "java"}


def runtime_call(question: Question) -> Call:
    """Looks for such lines; of a language with one file of settings in no other: a lock has such a line a package."""
    wanted = _wanted(question)
    files = [each for every, _ in wanted for each in every]
    pattern = "|".join(f"(?:{line})" for _, line in wanted)
    return grep(pattern, path=files[0]) if len(files) == 1 else grep(pattern)


def runtime_lines(question: Question, value: Mapping[str, Any]) -> list[str]:
    """The lines of files of settings that say it, the outermost first, as `grep_code` gave them."""
    wanted = _wanted(question)
    found = [
        each
        for each in value.get("matches") or []
        if any(each["file"].endswith(files) and re.search(line, each["text"]) for files, line in wanted)
    ]
    if not found:
        return [f"{NOTHING_FOUND}: no file of this project that I can read says which version it needs."]
    found.sort(key=lambda each: each["file"].count("/"))
    lines = [f"- {text_line(each)}" for each in found[:MAX_SHOWN]]
    return ["These lines say which versions it is for:", *lines, *rest(len(found) - MAX_SHOWN)]


def _wanted(question: Question) -> list[tuple[tuple[str, ...], str]]:
    """The files and their lines, of the language that is named; of all where none is."""
    named = re.search(LANGUAGE, question.text, re.I)
    called = named[0].lower().replace(".", "") if named else ""
    said = _SAYS.get(_ALSO.get(called, called))
    return list(_SAYS.values()) if said is None else [said]
