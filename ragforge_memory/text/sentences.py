"""The sentences of a message."""

from __future__ import annotations

import re

NO_END = r"(?<!\s\.)(?<!\s\.\.)(?<!\s\.\.\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?:(?<!\betc\.)|(?=\s+[A-Z]))"
"""Looks behind white space that it follows no dots that stand alone ("rejects .. segments") and no abbreviation."""

SENTENCE_OR_LINE_END = re.compile(rf"(?<=[.!?…。！？]){NO_END}\s+|\n+")
"""What parts a message into sentences and lines."""

FENCED = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)")
"""A block of code, to its end or to that of the text."""

_QUOTED = re.compile(r"^\s*(?:>|\|)")
_INDENTED = re.compile(r"^(?: {4}|\t)")
_LIST = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
# Behind an item: what is neither further in nor goes on in lower case is not a part of it.
_BEGINS = re.compile(r"[^\sa-z]")
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_EMPHASIS = re.compile(r"(\*\*|__|\*(?=\S)|(?<=\S)\*)")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()]*\)")
# An end mark, what closes after it, white space, and then something that can begin a sentence: "e.g. this" is none.
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^\sa-z])|(?<=[。！？])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Dr|St|No|Fig|approx)\.|\b[A-Z]\.)$")


def sentences(text: str) -> list[str]:
    """The sentences of a message in their order: prose and items of lists, without code, quotations and tables."""
    found: list[str] = []
    for paragraph in _paragraphs(text):
        pieces: list[str] = []
        for piece in _END.split(paragraph):
            if pieces and _ABBREVIATED.search(pieces[-1]):
                pieces[-1] = f"{pieces[-1]} {piece}"
            else:
                pieces.append(piece)
        found.extend(piece.strip() for piece in pieces if piece.strip())
    return found


def _paragraphs(text: str) -> list[str]:
    """Runs of prose; an item of a list is one of its own, as is what begins behind it, a heading is none."""
    paragraphs: list[list[str]] = [[]]
    listed = False
    for line in FENCED.sub("\n", text).splitlines():
        if not line.strip() or _QUOTED.match(line) or _HEADING.match(line) or _INDENTED.match(line):
            paragraphs.append([])
            continue
        if _LIST.match(line) or (listed and _BEGINS.match(line)):
            paragraphs.append([])
        listed = bool(_LIST.match(line)) or (listed and bool(paragraphs[-1]))
        plain = _LINK.sub(r"\1", _LIST.sub("", line))
        paragraphs[-1].append(_EMPHASIS.sub("", plain).strip())
    return [" ".join(lines) for lines in paragraphs if lines]
