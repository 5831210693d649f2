"""Whether the user asked for what a model wants to do with the user's preferences and memories.

A model reads what tools, files and imports say, and may take it for an order. What lays down a rule or a preference, or
takes a memory away, has to have its words in what the user said in the conversation: who only asks has said nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragforge_memory.text.forms import is_question
from ragforge_memory.text.sentences import sentences
from ragforge_memory.text.words import QUESTION_WORDS

_WORD = re.compile(r"\w+")
# Of inflected forms the beginning is the same: "Львів" and "Львова".
_SHORTEST = 3


def is_grounded(said: Iterable[str], *told: str) -> bool:
    """Whether half of the words of one of what is ``told``, in whatever form, stand in what the user ``said`` at once
    without asking; a name has its parts."""
    heard = [_words(" ".join(each for each in sentences(text) if not is_question(each))) for text in said]
    return any(_is_in(_words(text), words) for text in told for words in heard)


def _is_in(told: set[str], heard: set[str]) -> bool:
    found = [word for word in told if any(_is_form_of(word, other) for other in heard)]
    return bool(found) and 2 * len(found) >= len(told)


def _words(text: str) -> set[str]:
    found = _WORD.findall(text.casefold().replace("_", " "))
    return {word for word in found if len(word) >= _SHORTEST and word not in QUESTION_WORDS}


def _is_form_of(word: str, other: str) -> bool:
    shorter = min(len(word), len(other))
    most = max(_SHORTEST, (2 * shorter + 2) // 3)
    return word[:most] == other[:most]
