"""Lines of code that was not read as such: in languages that are not, and in files with syntax errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.targets import Target
from ragforge_memory.llm.extractive.code.members import standing_in
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.llm.extractive.quoting.pieces import MAX_LISTED, text_line
from ragforge_memory.models.text import counted

NOT_SURE = ("typo", "partial", "spelling")
"""How a name is taken that is not called so: what has its very letters, in a language that is not read, is nearer."""


def unread_lines(asked: str, target: Target, found: Sequence[Found]) -> list[str]:
    """Lines of such languages that have a name, where nothing that is read is called so; none where there are none."""
    lines = [line for line in _unread(found) if target.member and target.stands_in(line["text"])]
    return standing_in(asked, lines)


def hint(answer: Sequence[str], target: Target, found: Sequence[Found]) -> list[str]:
    """That files of some languages are not read as code, where an answer quotes lines of such; that of files in which
    a name stands only a part was; else nothing."""
    quoted = "\n".join(answer)
    languages = [line["language"] for line in _unread(found) if text_line(line) in quoted]
    hints = []
    if languages:
        named = " and ".join(dict.fromkeys(languages))
        hints = ["", f"Files in {named} are not read as code: of what they define only the text is known."]
    lines = [line for line in _grepped(found) if line.get("broken")]
    files = {line["file"]: line["broken"] for line in lines if target.member and target.stands_in(line["text"])}
    if files:
        some = [f"`{file}` ({reason})" for file, reason in list(files.items())[:MAX_LISTED]]
        hints += [
            "",
            f"The name stands in {counted(len(files), 'file')} of which only a part was read: {', '.join(some)}. "
            "What they define and call may not all be known.",
        ]
    return hints


def is_part_read(found: Sequence[Found]) -> bool:
    """Whether a line that was found is in a file of which only a part was read."""
    return any(line.get("broken") for line in _grepped(found))


def _unread(found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """Those in languages that are not read."""
    return [line for line in _grepped(found) if line.get("language")]


def _grepped(found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The lines that grep gave."""
    return [
        line
        for each in found
        if each.call.tool == "grep_code" and isinstance(each.value, dict)
        for line in each.value.get("matches") or []
    ]
