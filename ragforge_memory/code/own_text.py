"""Which text is whose: a definition's own lines, and the lines of a file outside of every definition.

What a definition holds inside belongs to that, not to what is around it: so each line is found once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ragforge_memory.text.words import counted

if TYPE_CHECKING:
    from ragforge_memory.code.parsed import ParsedScope

MOST_OUTSIDE = 200_000
"""Characters of a file outside of every definition that are kept: what has more is a table of data."""

# What stands between a documentation and what it is of: the end of a comment, attributes, an empty line.
_BETWEEN = 4
# Of one word so many count: BM25 hardly tells more.
_MOST_TIMES = 8

Lines = tuple[int, int]
"""The first line and the last, from 1."""


def doc_line(docstring: str | None, start_line: int, lines: Sequence[str]) -> int | None:
    """The line of a documentation's first line where it stands above its definition, line for line; else None.

    Args:
        docstring: without the marks of comments.
        start_line: the definition's first line.
        lines: the file's.
    """
    said = [line.strip() for line in (docstring or "").split("\n")]
    if not said[0]:
        return None
    last = start_line - len(said)
    for first in range(last, max(0, last - _BETWEEN), -1):
        if all(part in line for part, line in zip(said, lines[first - 1 :], strict=False)):
            return first
    return None


def outside(scopes: Iterable[ParsedScope], lines: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """A file's text outside of every definition and its documentation, and the first and last line of each piece."""
    changes = [0] * (len(lines) + 2)
    for scope in scopes:
        first = scope.start_line
        if scope.doc_line is not None:
            first = scope.doc_line
            above = lines[first - 2].strip() if first > 1 else ""
            first -= bool(above) and not any(map(str.isalnum, above))  # the opening of a comment
        changes[first] += 1
        changes[scope.end_line + 1] -= 1
    free = [number for number, depth in enumerate(accumulate(changes)) if not depth and 0 < number <= len(lines)]
    pieces: list[list[int]] = []
    size = 0
    for number in free:
        line = lines[number - 1]
        size += len(line) + 1
        if size > MOST_OUTSIDE:
            break
        if pieces and pieces[-1][-1] == number - 1:
            pieces[-1].append(number)
        elif line.strip():
            pieces.append([number])
    for piece in pieces:
        while not lines[piece[-1] - 1].strip():
            piece.pop()
    text = "\n".join(lines[number - 1] for piece in pieces for number in piece)
    return text, tuple(number for piece in pieces for number in (piece[0], piece[-1]))


def inner_lines(scopes: Iterable[ParsedScope]) -> Mapping[str, Sequence[Lines]]:
    """The lines of what each definition holds inside, by its key."""
    found: dict[str, list[Lines]] = {}
    for scope in scopes:
        if scope.parent is not None:
            found.setdefault(scope.parent, []).append((scope.doc_line or scope.start_line, scope.end_line))
    return found


def own_source(source: str, start_line: int, inner: Sequence[Lines]) -> str:
    """A source without the lines of what is inside."""
    if not inner:
        return source
    left = dict(enumerate(source.split("\n"), start_line))
    for first, last in inner:
        for number in range(first, last + 1):
            left.pop(number, None)
    return "\n".join(left.values())


def found_by(*texts: str | None) -> str:
    """The stems that texts are found by, each as often as it is there, separated by spaces."""
    words: dict[str, Any] = counted("\n".join(filter(None, texts)))
    return " ".join(" ".join([word] * min(times, _MOST_TIMES)) for word, times in words.items())
