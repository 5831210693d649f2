"""Lines of code in languages that are not read as code: what they define is known by their text alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.targets import Target
from ragforge_memory.llm.extractive.code.members import standing_in
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.llm.extractive.quoting.pieces import text_line

NOT_SURE = ("typo", "partial", "spelling")
"""How a name is taken that is not called so: what has its very letters, in a language that is not read, is nearer."""


def unread_lines(asked: str, target: Target, found: Sequence[Found]) -> list[str]:
    """Lines of such languages that have a name, where nothing that is read is called so; none where there are none."""
    lines = [line for line in _unread(found) if target.member and target.stands_in(line["text"])]
    return standing_in(asked, lines)


def hint(answer: Sequence[str], found: Sequence[Found]) -> list[str]:
    """That files of some languages are not read as code, where an answer quotes lines of such; else nothing."""
    quoted = "\n".join(answer)
    languages = [line["language"] for line in _unread(found) if text_line(line) in quoted]
    if not languages:
        return []
    named = " and ".join(dict.fromkeys(languages))
    return ["", f"Files in {named} are not read as code: of what they define only the text is known."]


def _unread(found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The lines of such languages that grep gave."""
    return [
        line
        for each in found
        if each.call.tool == "grep_code" and isinstance(each.value, dict)
        for line in each.value.get("matches") or []
        if line.get("language")
    ]
