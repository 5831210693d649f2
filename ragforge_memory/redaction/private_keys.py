"""Private keys, however the lines of a key come: quoted, numbered, in a diff, in literals, cut at either end.

A frame alone is code about keys; a key has lines of base64 beside its frame. They are followed line by line, so that
nothing is looked at twice.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

MARK = "[redacted private key]"

_NAME = r"(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PUTTY = r"Private-Lines: \d{1,4}\r?\n(?=[^\n]{0,20}[A-Za-z0-9+/]{32})"
_FRAME = re.compile(rf"---- ?-?(?:(?P<begin>BEGIN)|END) {_NAME}|(?P<putty>{_PUTTY})")
# What ends a line: as it stands in a file, in a string, in a page, in colours, between two literals of a list, before
# a frame.
_BREAK = re.compile(
    r"\r?\n|\\{1,8}[nr]|<br ?/?>|\x1b\[[\d;]{0,12}m|[\"'] ?, ?(?=\\{0,8}[\"'])|(?=-----? ?(?:BEGIN|END) )"
)
_BASE64 = string.ascii_letters + string.digits + "+/"
_AROUND = " \t\r>|*#;:,.\"'`-()[]{}<\\"
# Before the base64: the file and the number that grep gives, then signs and numbers of diffs, quotes, comments and
# literals.
_FILE = re.compile(r"[\w./\\@-]{1,200}[:-](?:\d{1,6}[:-])?")
_BEFORE = re.compile(r"[\W\d_]{0,40}(?:rem |REM |dnl )?[brfu]{0,2}[\"'`]?")
_HEADER = re.compile(r"(?:[\w./\\@-]{1,200}[:-]\d{1,6}[:-])?[\W\d]{0,40}(?!Private-Lines)[A-Za-z-]{1,40}: ")
_JOINED = re.compile(r"[\"'`][ \t]{0,8}\+[ \t]{0,8}\Z")
_SHORTEST = 16
# So many lines in a row of none or a little base64: headers in front, empty ones, a rest and a checksum at the end.
_MOST_OTHERS = 8


def has_frame(text: str) -> bool:
    """Whether a frame of a private key may be in ``text``; without one there is no key."""
    return "PRIVATE KEY" in text or "Private-Lines:" in text


def without_private_keys(text: str) -> str:
    """``text`` with a mark in the place of each private key."""
    found = list(private_keys(text))
    for begin, end in reversed(found):
        text = f"{text[:begin]}{MARK}{text[end:]}"
    return text


def lines_without_private_keys(lines: list[str]) -> list[str]:
    """The same for texts that are each a line of one: a mark stands for whatever each has of a key."""
    spans = list(private_keys("\n".join(lines)))
    if not spans:
        return lines
    clean, place = [], 0
    for line in lines:
        end = place + len(line)
        for first, last in reversed(spans):
            if first < end and last > place:
                line = f"{line[: max(0, first - place)]}{MARK}{line[min(last, end) - place :]}"
        clean.append(line)
        place = end + 1
    return clean


def private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Where private keys begin and end in ``text``, from the front."""
    behind = 0
    for frame in _FRAME.finditer(text):
        if frame.start() < behind:
            continue
        if frame["begin"] or frame["putty"]:
            end = _end_of_key(text, frame.end())
            if end is not None:
                yield frame.start(), end
            behind = end if end is not None else frame.end()
        else:
            begin = _begin_of_key(text, behind, frame.start())
            if begin is not None:
                yield begin, frame.end()
            behind = frame.end()


def _end_of_key(text: str, place: int) -> int | None:
    """The end of the key whose frame ends at ``place``; None: there is none behind it."""
    end, others = None, 0
    while True:
        stop = _BREAK.search(text, place)
        last = stop.start() if stop else len(text)
        base64 = _base64(text, place, last)
        if base64 and _is_of_key(text[slice(*base64)], first=end is None, rest=end is not None):
            end, others = base64[1], 0
        elif base64 or (end is None and _HEADER.match(text, place, last)):
            others += 1
            if others > _MOST_OTHERS:
                return end
        else:
            return end
        if stop is None:
            return end
        frame = _FRAME.match(text, last)
        if frame or stop.end() == last:
            return end if end is None or frame is None or frame["begin"] else frame.end()
        place = stop.end()


def _begin_of_key(text: str, start: int, place: int) -> int | None:
    """Where the lines of a key begin that ends with the frame at ``place``; nothing before ``start`` is of it."""
    breaks = [stop.span() for stop in _BREAK.finditer(text, start, place)]
    begin, others, last = None, 0, place
    for end, first in [*reversed(breaks), (start, start)]:
        base64 = _base64(text, first, last)
        if base64 and _is_of_key(text[slice(*base64)], first=begin is None):
            begin, others = base64[0], 0
        else:
            others += 1
            if not base64 or others > _MOST_OTHERS:
                break
        last = end
    return begin


def _base64(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where base64 stands in a line, which may be nowhere in an empty one; None: the line says something else."""
    file = _FILE.match(text, start, end)
    start = file.end() if file else start
    line = text[start:end]
    joined = _JOINED.search(line)
    line = (line[: joined.start()] if joined else line).rstrip(_AROUND)
    before = line.rstrip("=").rstrip(_BASE64)
    return (start + len(before), start + len(line)) if _BEFORE.fullmatch(before) else None


def _is_of_key(base64: str, *, first: bool, rest: bool = False) -> bool:
    """Whether it is a line of a key: the ``first`` one that is seen has a digit, and the last is a ``rest``."""
    if rest and base64.endswith("="):
        return True
    return len(base64) >= _SHORTEST and not (first and base64.isalpha())
