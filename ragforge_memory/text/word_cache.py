"""What is known of single words: most of them say nothing, and are passed over at the speed of a set."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")

# Words and names come again and again in what is said of one code base. Some MB at most: what is longer is neither.
_REMEMBERED, _LONGEST = 16_384, 64
# Up to so many words are put into their order one by one.
_FEW = 8


class WordCache(Generic[T]):
    """Looks at the words of texts, at each once: a set's difference leaves out those that are known to say nothing.

    Args:
        look: what a word says; something false: nothing. Pure.
    """

    def __init__(self, look: Callable[[str], T]) -> None:
        self._look = look
        self._silent: set[str] = set()
        self._said: dict[str, T] = {}

    def __call__(self, text: str) -> list[T]:
        """What the words of a text say, in the order in which they come first; words are what white space parts."""
        words, distinct = split(text)
        rest = distinct.difference(self._silent)
        if not rest:
            return []
        found = []
        for word in _in_order(rest, words):
            said = self._said.get(word)
            if said is None:
                said = self._noted(word)
            if said:
                found.append(said)
        return found

    def _noted(self, word: str) -> T:
        said = self._look(word)
        if len(word) <= _LONGEST:
            # Made anew when it is full: cheaper than to know which one was not asked for the longest.
            if said:
                if len(self._said) >= _REMEMBERED:
                    self._said = {}
                self._said[word] = said
            else:
                if len(self._silent) >= _REMEMBERED:
                    self._silent = set()
                self._silent.add(word)
        return said


def split(text: str) -> tuple[list[str], frozenset[str]]:
    """The words of a text, and each of them once; the same text is asked for by several, one after the other."""
    global _last
    last = _last
    if last[0] is not text:
        words = text.split()
        last = _last = text, words, frozenset(words)
    return last[1], last[2]


_last: tuple[str, list[str], frozenset[str]] = "", [], frozenset()


def _in_order(rest: frozenset[str], words: list[str]) -> Iterable[str]:
    if len(rest) == 1:
        return rest
    if len(rest) <= _FEW:
        return sorted(rest, key=words.index)
    return [word for word in dict.fromkeys(words) if word in rest]
