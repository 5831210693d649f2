"""What is said in a message, and its sentences."""

from __future__ import annotations

import re

NO_END = r"(?<!\s\.)(?<!\s\.\.)(?<!\s\.\.\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?:(?<!\betc\.)|(?=\s+[A-Z]))"
"""Looks behind white space that it follows no dots that stand alone ("rejects .. segments") and no abbreviation."""

SENTENCE_OR_LINE_END = re.compile(rf"(?<=[.!?…。！？]){NO_END}\s+|\n+")
"""What parts a message into sentences and lines."""

_FENCED = re.compile(r"(`{3,}).*?(?:\1|$)", re.S)
_END = re.compile(r"[?!.]\s")
_SENTENCE = re.compile(rf"(?<=[?!.]){NO_END}\s+(?=\S)")


def prose(text: str) -> str:
    """A message on one line, without its fenced blocks."""
    return " ".join((_FENCED.sub(" ", text) if "```" in text else text).split())


def sentences(said: str) -> list[str]:
    """The sentences of a text on one line; a dot inside a name ends none."""
    parts = _SENTENCE.split(said) if _END.search(said) else [said]
    return [part for part in parts if part.strip()]
