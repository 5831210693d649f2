"""Whether the user asked for what a model wants to do with the user's preferences and memories.

A model reads what tools, files and imports say, and may take it for an order. What lays down a rule or a preference, or
takes a memory away, has to share a word with what the user said in the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragforge_memory.text.words import QUESTION_WORDS

_WORD = re.compile(r"\w+")
# Of inflected forms the beginning is the same: "Львів" and "Львова".
_SHORTEST = 3


def is_grounded(said: Iterable[str], *told: str) -> bool:
    """Whether a word of what is ``told`` stands in what the user ``said``, in whatever form; a name has its parts."""
    heard = {word for text in said for word in _words(text)}
    return any(_is_form_of(word, other) for text in told for word in _words(text) for other in heard)


def _words(text: str) -> set[str]:
    found = _WORD.findall(text.casefold().replace("_", " "))
    return {word for word in found if len(word) >= _SHORTEST and word not in QUESTION_WORDS}


def _is_form_of(word: str, other: str) -> bool:
    shorter = min(len(word), len(other))
    most = max(_SHORTEST, (2 * shorter + 2) // 3)
    return word[:most] == other[:most]
