"""How alike two names and two paths are, and which way a file went from one to the other. Pure functions of texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import fsum, log

SAME_NAME, NEARLY_SAME_NAME = 1.0, 0.95
TELLING_WORDS = 3
"""A name of so many words is the same name in another class or file too."""

# Another name of the same words is worth at most this share of the same name.
_WORDS = 0.6
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=65_536)
def path_likeness(one: str, other: str) -> float:
    """The names of directories and files that two paths share, of all that either has."""
    first, second = set(one.split("/")), set(other.split("/"))
    return len(first & second) / len(first | second)


@lru_cache(maxsize=65_536)
def folded(name: str) -> str:
    """A name without case and underscores."""
    return name.replace("_", "").lower() or name


@lru_cache(maxsize=65_536)
def words_of(name: str) -> frozenset[str]:
    """The words in a name, in lower case."""
    return frozenset(word.lower() for word in _WORD.findall(name))


def words_shared(one: str, other: str) -> int:
    """The words of a name that two things have; 0 where they are called otherwise than by case and underscores."""
    return len(words_of(one)) if folded(one) == folded(other) else 0


@lru_cache(maxsize=65_536)
def name_likeness(one: str, other: str) -> float:
    """1 for the same name, nearly 1 for another case or other underscores, else by the words in it."""
    if one == other:
        return SAME_NAME
    if folded(one) == folded(other):
        return NEARLY_SAME_NAME
    first, second = words_of(one), words_of(other)
    return _WORDS * len(first & second) / len(first | second) if first and second else 0.0


@lru_cache(maxsize=65_536)
def renaming(one: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which words of a name gave way to which others, what both begin and end with left out; case is none of it."""
    first = [word.lower() for word in _WORD.findall(one)]
    second = [word.lower() for word in _WORD.findall(other)]
    while first and second and first[0] == second[0]:
        del first[0], second[0]
    while first and second and first[-1] == second[-1]:
        del first[-1], second[-1]
    return tuple(first), tuple(second)


def way(old: str, new: str) -> tuple[str, str]:
    """From which directory to which other one a renamed file went, what is the same below both left out."""
    one, other = old.split("/")[:-1], new.split("/")[:-1]
    while one and other and one[-1] == other[-1]:
        one.pop()
        other.pop()
    return "/".join(one), "/".join(other)


def is_below(file: str, path: str) -> bool:
    """Whether a path leads into the directory that has a file's name: ``middleware.ts``, ``middleware/redux.ts``."""
    return path.startswith(f"{file.rpartition('.')[0]}/")


class Paths:
    """How alike the paths of some files are by the words in them, each the more telling the fewer files have it.

    Args:
        files: the paths.
    """

    def __init__(self, files: Iterable[str]) -> None:
        every = set(files)
        having = Counter(word for path in every for word in _path_words(path))
        self._weights = {word: log(len(every) / count) for word, count in having.items()}
        self._known: dict[tuple[str, str], float] = {}

    def likeness(self, one: str, other: str) -> float:
        """What the words that both paths have weigh, of all that either has."""
        found = self._known.get((one, other))
        if found is None:
            first, second = _path_words(one), _path_words(other)
            every = self._weight(first | second)
            found = self._known[one, other] = self._weight(first & second) / every if every else 0.0
        return found

    def _weight(self, words: frozenset[str]) -> float:
        return fsum(self._weights.get(word, 0.0) for word in words)


@lru_cache(maxsize=65_536)
def _path_words(path: str) -> frozenset[str]:
    directory, _, name = path.rpartition("/")
    return words_of(directory) | words_of(name.partition(".")[0])
