"""Quotes of what is to be forgotten, found in other texts and taken out of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from ragforge_memory.text.words import QUESTION_WORDS

ERASED = "[erased]"
"""What stands in the place of a text that was erased."""

RUN = 4
"""Words in a row that make a quote, more where fewer than two of them say something; of a shorter text all."""

_WORD = re.compile(r"[^\W_]+")
_SHORT = 3
_TELLING = 2


class Quotes:
    """Finds quotes of some texts: any four of a text's words in a row, or the whole of a shorter one, whatever stands
    between the words and whatever their case; so a quote that was cut off or wrapped is found too. Two words of it
    say something, or it is longer ("we should use the" is nobody's quote).

    Fewer than three words ("Lviv") say the same of other things as well: they count as a quote only where it is known
    that a text has to do with what is forgotten (``near``).
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: dict[int, set[tuple[str, ...]]] = {}
        found: set[str] = set()
        for words in filter(None, map(_words, texts)):
            telling = set(words) - QUESTION_WORDS or set(words)
            found |= telling
            for run in _runs(words, telling):
                self._runs.setdefault(len(run), set()).add(run)
        self.words = sorted(found)
        """Of which a quote has at least one, in lower case."""

    def near_title(self, text: str) -> bool:
        """Whether a text that was made of such a text has any of its telling words."""
        return not set(self.words).isdisjoint(_words(text))

    def found_in(self, text: str | None, *, near: bool = False) -> bool:
        """Whether there is a quote in a text."""
        return bool(text) and self.erased(text or "", near=near) != text

    def erased(self, text: str, *, near: bool = False) -> str:
        """The text with ``[erased]`` in the place of each quote."""
        matches = list(_WORD.finditer(text))
        words = [match.group().lower() for match in matches]
        spans: list[tuple[int, int]] = []
        for size, runs in self._runs.items():
            if size >= _SHORT or near:
                spans += [
                    (matches[at].start(), matches[at + size - 1].end())
                    for at in range(len(words) - size + 1)
                    if tuple(words[at : at + size]) in runs
                ]
        parts: list[str] = []
        end = 0
        for first, last in sorted(spans):
            if first >= end or not parts:
                parts += [text[end:first], ERASED]
            end = max(end, last)
        return "".join([*parts, text[end:]])

    def erased_json(self, text: str, *, near: bool = False) -> str:
        """The same for JSON, which stays JSON: quotes in its texts; what is none is taken as a text."""
        try:
            value = json.loads(text)
        except ValueError:
            return self.erased(text, near=near)
        changed = self._value(value, near)
        return text if changed == value else json.dumps(changed, ensure_ascii=False, separators=(",", ":"))

    def _value(self, value: Any, near: bool) -> Any:
        if isinstance(value, str):
            return self.erased(value, near=near)
        if isinstance(value, list):
            return [self._value(each, near) for each in value]
        if isinstance(value, dict):
            return {key: self._value(each, near) for key, each in value.items()}
        return value


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _runs(words: list[str], telling: set[str]) -> Iterable[tuple[str, ...]]:
    """From each word on, the least that is a quote."""
    least, most = min(RUN, len(words)), min(_TELLING, len(telling))
    for first in range(len(words)):
        for end in range(first + least, len(words) + 1):
            run = tuple(words[first:end])
            if len(telling.intersection(run)) >= most:
                yield run
                break
