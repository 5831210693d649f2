"""What a terminal is shown: text without the control characters that somebody else's words may have in them."""

from __future__ import annotations

import re
import sys

# What a title, a file's name or quoted code could send to the terminal, and what turns the order of signs round
# (Boucher and Anderson, "Trojan Source", 2021); tab and newline stay.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# The colours that this program gives: red, green, faint, and their end.
_OURS = re.compile(r"(\x1b\[(?:0|2|31|32)m)")


def printable(text: str) -> str:
    """The text without control characters."""
    return CONTROLS.sub("", text)


def coloured(text: str) -> str:
    """The text without control characters but for this program's colours."""
    return "".join(part if _OURS.fullmatch(part) else printable(part) for part in _OURS.split(text))


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Prints to stdout, or stderr: as it is to a pipe or a file, `coloured` to a terminal."""
    stream = sys.stderr if err else sys.stdout
    print(coloured(text) if stream.isatty() else text, end="\n" if nl else "", file=stream, flush=True)
