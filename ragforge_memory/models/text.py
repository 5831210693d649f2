"""Text as it can be sent, stored and read."""

from __future__ import annotations

import math
import re
from typing import Any

# Pydantic writes 255 levels, `json` some 990 before Python 3.12 and 10,000 since then: what one process has written
# another must be able to read.
DEEPEST = 150
"""Levels of a JSON value that everybody who reads and writes it comes to the bottom of."""


MOST_TAGS = 1_000
"""Tags that a conversation may have: they go along with it in every list."""

LONGEST_TAG = 500
"""Characters of a tag."""

MOST_METADATA = 1_000_000
"""Characters of metadata as JSON: it goes along wherever its conversation or message does."""


_FENCE = re.compile(r"<\s*/\s*data\s*>", re.I)


def fenced(text: str) -> str:
    """``text`` between marks that say that it is data; a closing mark inside it cannot end the fence."""
    return f"<data>\n{_FENCE.sub('< /data>', text)}\n</data>"


def truncated(text: str, most: int) -> str:
    """A text of at most so many characters: of a longer one the beginning, with … behind it."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def well_formed(text: str) -> str:
    """``text`` with each half of a surrogate pair (a cut text, an odd file name) as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def mended(text: str) -> str:
    """``text`` without NUL, and with U+FFFD where half of a surrogate pair is left of a character that was cut."""
    text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def unescaped(text: str) -> str:
    """A text from a pipe or a terminal, where bytes that are not UTF-8 came as halves of surrogate pairs: as U+FFFD."""
    return mended(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if _is_escaped(text) else text)


def _is_escaped(text: str) -> bool:
    return any(0xDC80 <= ord(character) <= 0xDCFF for character in text) and not any(
        0xD800 <= ord(character) <= 0xDBFF or 0xDD00 <= ord(character) <= 0xDFFF for character in text
    )


def well_formed_json(value: Any) -> Any:
    """A JSON value with all texts in it `well_formed`, keys too, and None for numbers that JSON does not know."""
    match value:
        case str():
            return well_formed(value)
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {well_formed_json(key): well_formed_json(inner) for key, inner in value.items()}
        case list() | tuple():
            return [well_formed_json(inner) for inner in value]
        case _:
            return value


def is_deep(value: Any) -> bool:
    """Whether a JSON value has more levels than `DEEPEST`."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [each for each in level if isinstance(each, (dict, list, tuple))]
        if not level:
            return False
        level = [one for each in level for one in (each.values() if isinstance(each, dict) else each)]
    return True


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends, as parsers, git and editors number them: a form feed or U+2028 ends none,
    as it would for `str.splitlines`."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def counted(number: int, one: str, many: str | None = None) -> str:
    """``1 file``, ``2,000 files``; ``many`` where it is not ``one`` and an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
