"""Letters with accents and other marks, and the words that they are when typed without."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

_WORD = re.compile(r"\w+")


def composed(text: str) -> str:
    """A text whose letters have their marks in one sign: a mark that stands by itself is not a part of a word."""
    return text if text.isascii() else normalize("NFC", text)


def without_marks(text: str) -> list[str]:
    """The words of a text that have marks, in lower case without them: of ``Café Müller`` cafe and muller.

    Only those that are plain letters then: in other scripts a mark makes another letter.
    """
    whole = composed(text)
    parted = normalize("NFD", whole)
    if parted == whole:
        return []
    plain = "".join(sign for sign in parted if not combining(sign))
    known = set(_WORD.findall(whole.lower()))
    return [word for word in dict.fromkeys(_WORD.findall(plain.lower())) if word.isascii() and word not in known]
