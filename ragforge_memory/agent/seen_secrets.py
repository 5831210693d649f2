"""The redactor of a turn: it takes out what its question told as a secret, too, wherever that stands alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ragforge_memory.models.text import DEEPEST
from ragforge_memory.redaction import PRIVATE_KEY, Redactor, mark
from ragforge_memory.redaction.judges import COOKIE, logs_in

# Fewer characters are found everywhere; so many, inside of words too.
_FEWEST, _FEWEST_DIGITS, _DISTINCT = 4, 6, 6
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


class SeenRedactor(Redactor):
    """Takes secrets out. What it has ``seen`` of them, told by its frame or its name, goes by its value alone too."""

    def __init__(self, *seen: Any) -> None:
        found: dict[str, str] = {}
        teller = Redactor(found)
        clean = [str(teller.value(each)) for each in seen]
        super().__init__()
        known = {value: kind for each, kind in found.items() for value in _values(each, kind, clean)}
        longest_first = sorted(known, key=len, reverse=True)
        self._known = [(value.split()[0].lower(), _pattern(value), mark(known[value])) for value in longest_first]
        self.longest = len(longest_first[0]) if longest_first else 0
        """The characters of the longest secret that goes by its value; 0: there is none."""

    def seen_in(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets that were seen stand in ``text``, the last first."""
        return sorted((found.span() for _, pattern, _ in self._known for found in pattern.finditer(text)), reverse=True)

    def without_seen(self, text: str) -> str:
        """``text`` without the secrets that were seen; nothing else is looked for."""
        small = text.lower() if self._known else ""
        for word, pattern, instead in self._known:
            if word in small:
                text = pattern.sub(instead, text)
        return text

    def text(self, text: str) -> str:
        """``text`` with every secret replaced by ``[redacted KIND]``; linear in its length."""
        return super().text(self.without_seen(text))


class OpenRedactor(SeenRedactor):
    """Takes nothing out, where that is wanted."""

    def text(self, text: str) -> str:
        """``text`` as it is."""
        return text

    def value(self, value: Any, *, levels: int = DEEPEST) -> Any:
        """``value`` as it is."""
        return value


class Stream:
    """A text that comes in pieces, as it may be shown: a piece that a seen secret may begin with waits for the next."""

    def __init__(self, redactor: SeenRedactor) -> None:
        self._redactor = redactor
        self._held = ""

    def more(self, piece: str) -> str:
        """What can be shown by now."""
        held = self._held + piece
        end = max(0, len(held) - self._redactor.longest)
        for first, last in self._redactor.seen_in(held) if self._redactor.longest else ():
            if first < end < last:
                end = first
        self._held = held[end:]
        return self._redactor.without_seen(held[:end])

    def rest(self) -> str:
        """What was held back until the end."""
        held, self._held = self._held, ""
        return self._redactor.without_seen(held)


def _values(found: str, kind: str, clean: list[str]) -> Iterator[str]:
    """What a secret is known by elsewhere: a private key by its lines, any other whole, and as JSON writes it."""
    if kind == PRIVATE_KEY:
        yield from _BASE64.findall(found)
        return
    if kind == "cookies":
        for cookie in filter(logs_in, COOKIE.findall(found)):
            yield from _values(cookie, "cookie", clean)
    value = found.strip()
    # A password that is the user's name as well, and a small number, are other things elsewhere.
    name = any(f"{value}:{mark(kind)}" in each for each in clean)
    if len(value) >= (_FEWEST_DIGITS if value.isdigit() else _FEWEST) and not name:
        yield value
        yield json.dumps(value)[1:-1]


def _pattern(value: str) -> re.Pattern[str]:
    text = r"\s+".join(map(re.escape, value.split()))
    alone = value.isalpha() or value.isdigit() or len(value) < _DISTINCT
    return re.compile(rf"(?<!\w){text}(?!\w)" if alone else text, re.I)
