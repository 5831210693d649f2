"""The part of a text that a search was after: cut around the words that were found."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

from ragforge_memory.text.scripts import is_wide
from ragforge_memory.text.words import stem

_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
# A cut moves by at most so many characters to stand between words; texts without spaces are cut where they are.
_LONGEST_WORD = 24


def excerpt(text: str, words: Iterable[str], length: int) -> str:
    """The part of a text around the first place that has most of ``words``, in any form.

    It begins with a line where that is near, and is cut between words.

    Args:
        text: what was said.
        words: what was looked for; where the text has none of them its beginning is taken.
        length: characters at most, beside the marks of what was cut.
    """
    if len(text) <= length:
        return text
    wanted = {stem(word.lower()) for word in words}
    hits = [match.start() for match in _WORD.finditer(text) if stem(match.group().lower()) in wanted]
    hits += [match.start() for word in wanted if is_wide(word) for match in re.finditer(re.escape(word), text, re.I)]
    begin = 0
    if hits:
        hits.sort()
        start = max(hits, key=lambda at: bisect_left(hits, at + length // 2) - bisect_left(hits, at))
        line = text.rfind("\n", 0, start) + 1
        begin = line if start - line < length // 2 else _between(text, start - length // 4)
    begin = max(0, min(begin, _between(text, len(text) - length)))
    end = len(text)
    if end - begin > length:
        space = max(text.rfind(" ", 0, begin + length + 1), text.rfind("\n", 0, begin + length + 1))
        end = space if space > max(begin, begin + length - _LONGEST_WORD) else begin + length
    return ("… " if begin else "") + text[begin:end].strip() + (" …" if end < len(text) else "")


def without_fences(text: str) -> str:
    """A text without the lines that open and close its code blocks: what is left where line ends are lost."""
    return _FENCE.sub("", text)


def _between(text: str, at: int) -> int:
    """The next place between two words."""
    found = re.compile(r"\s").search(text, max(0, at), max(0, at) + _LONGEST_WORD)
    return found.end() if found else max(0, at)
