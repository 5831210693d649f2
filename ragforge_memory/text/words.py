"""The words of a question: which ones a search asks for, and which of them a text has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ragforge_memory.text.accents import composed, without_marks
from ragforge_memory.text.names import words as identifier_words
from ragforge_memory.text.scripts import is_wide, known_pieces

# What Lucene's english analyzer leaves out of an index: nobody finds anything by them.
# fmt: off
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
})
# fmt: on
_ENDING = re.compile(r"['’](?:s|t|d|m|re|ve|ll)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SHORTEST_STEM = 3
_LONGEST_REMEMBERED = 64


def without_endings(text: str) -> str:
    """A question without its possessives and short forms: ``Ada's`` asks for ``Ada``."""
    return _ENDING.sub("", text)


def is_same(text: str, other: str) -> bool:
    """Whether two texts are the same but for white space and case."""
    return text.casefold().split() == other.casefold().split()


def asked_for(words: Iterable[str]) -> list[str]:
    """The words that an index can know."""
    return [word for word in words if word not in STOP_WORDS]


@lru_cache(maxsize=8_192)
def rough_stem(word: str) -> str:
    """A word without its commonest endings; rougher than the index's stemmer, for words that it has not seen yet."""
    for ending in ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def pattern(word: str) -> str:
    """A regular expression, Java's, for texts that have this word in any form; ``word`` is letters and digits."""
    if is_wide(word):
        return rf"(?isU).*{word}.*"
    return rf"(?isU).*\b{rough_stem(word)}\w{{0,4}}\b.*"


def matched(words: Sequence[str], text: str) -> tuple[str, ...]:
    """Which of ``words`` a text has in any form, also as a part of an identifier, in the question's order."""
    stems: set[str] = set()
    stems.update(*map(_stems, set(_WORD.findall(composed(text)))))
    return tuple(word for word in words if rough_stem(word) in stems)


def _looked_up(word: str) -> frozenset[str]:
    return frozenset(map(rough_stem, (*known_pieces(word.lower()), *identifier_words(word), *without_marks(word))))


_remembered = lru_cache(maxsize=8_192)(_looked_up)


def _stems(word: str) -> frozenset[str]:
    """The stems that a word can be found by; a longer one than any name is not remembered."""
    return _remembered(word) if len(word) <= _LONGEST_REMEMBERED else _looked_up(word)
