"""Private keys, however the lines of a key come: quoted, numbered, in a diff, in literals, cut at either end.

A frame alone is code about keys; a key has lines of base64 beside its frame. Each line is read once and named by one
letter; what a key looks like is said in those letters.
"""

from __future__ import annotations

import re
import string

_NAME = r"(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_PUTTY = r"Private-Lines: \d{1,4}\r?\n(?=[^\n]{0,20}[A-Za-z0-9+/]{32})"
# What ends a line, a frame too: as it stands in a file, in a string, in a page, in colours, between literals of a list.
_BREAK = re.compile(
    rf"---- ?-?(?:(?P<begin>BEGIN)|(?P<end>END)) {_NAME}|(?P<putty>{_PUTTY})"
    r"|\r?\n|\\{1,8}[nr]|<br ?/?>|\x1b\[[\d;]{0,12}m|[\"'] ?, ?(?=\\{0,8}[\"'])"
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

# B, E: the frames. k: base64 of a key, a: letters alone, r: a rest with its `=`, o: less than that or nothing,
# h: a header, x: something else. Up to eight lines of less stand in a row.
_KEY = re.compile(r"B[oarh]{0,8}k(?:o{0,8}[kar])*+(?:o{0,8}E)?")
# What has lost its beginning is read from its end.
_TAIL = re.compile(r"E[oar]{0,8}?k(?:[or]{0,8}[ka])*+")


def has_frame(text: str) -> bool:
    """Whether a frame of a private key may be in ``text``; without one there is no key."""
    return "PRIVATE KEY" in text or "Private-Lines:" in text


def private_keys(text: str) -> list[tuple[int, int]]:
    """Where private keys begin and end in ``text``, from the front."""
    letters, spans, place = list[str](), list[tuple[int, int]](), 0
    for stop in [*_BREAK.finditer(text), None]:
        letter, span = _line(text, place, stop.start() if stop else len(text))
        letters.append(letter)
        spans.append(span)
        if stop and stop.lastgroup:
            letters.append("E" if stop["end"] else "B")
            spans.append(stop.span())
        place = stop.end() if stop else place
    found = [(key.start(), key.end() - 1) for key in _KEY.finditer("".join(letters))]
    for first, last in found:
        letters[first : last + 1] = "x" * (last + 1 - first)
    end = len(letters) - 1
    found += [(end - tail.end() + 1, end - tail.start()) for tail in _TAIL.finditer("".join(reversed(letters)))]
    return sorted((spans[first][0], spans[last][1]) for first, last in found)


def _line(text: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    """The letter of a line, and where its base64 stands."""
    file = _FILE.match(text, start, end)
    begin = file.end() if file else start
    line = text[begin:end]
    joined = _JOINED.search(line)
    line = (line[: joined.start()] if joined else line).rstrip(_AROUND)
    before = line.rstrip("=").rstrip(_BASE64)
    span = (begin + len(before), begin + len(line))
    if not _BEFORE.fullmatch(before):
        return "h" if _HEADER.match(text, start, end) else "x", span
    base64 = line[len(before) :]
    if len(base64) >= _SHORTEST:
        return "a" if base64.isalpha() else "k", span
    return "r" if base64.endswith("=") else "o", span
