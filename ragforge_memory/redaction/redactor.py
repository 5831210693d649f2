"""The redactor: texts and JSON values without secrets, and without those that were seen where they were told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ragforge_memory.models.text import DEEPEST
from ragforge_memory.redaction.engine import PRIVATE_KEY, Found, mark, without_secrets
from ragforge_memory.redaction.judges import kind_of, names_a_secret
from ragforge_memory.redaction.private_keys import has_frame, private_keys

_SECRET = mark("secret")
# Names that say how a value is to be read.
_HEADERS = ("authorization", "cookie")
# Fewer characters are found everywhere; so many, inside of words too.
_FEWEST, _FEWEST_DIGITS, _DISTINCT = 4, 6, 6
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")


class Redactor:
    """Takes secrets out. What it has ``seen`` of them, told by its frame or its name, goes by its value alone too."""

    def __init__(self, *seen: Any) -> None:
        found: Found = {}
        self._found: Found | None = found
        self._known: list[tuple[str, re.Pattern[str], str]] = []
        clean = [str(self.value(each)) for each in seen]
        self._found = None
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
        return without_secrets(self.without_seen(text), self._found)

    def value(self, value: Any, *, levels: int = DEEPEST) -> Any:
        """A JSON value with every string in it redacted, names too, and whatever stands under a name like ``api_key``.

        What is below so many ``levels`` becomes JSON in a text: Python itself comes to the bottom of a few hundred
        alone.
        """
        if isinstance(value, str):
            return self.text(value)
        if levels == 0 and isinstance(value, (dict, list, tuple)):
            return self.text(_as_text(value))
        if isinstance(value, dict):
            return self._dict(value, levels - 1)
        if isinstance(value, (list, tuple)):
            return [self.value(item, levels=levels - 1) for item in _whole_keys(value)]
        return value

    def _dict(self, value: dict[Any, Any], levels: int) -> dict[Any, Any]:
        clean: dict[Any, Any] = {}
        for key, item in value.items():
            name = self.text(key) if isinstance(key, str) else key
            number = 1
            while name in clean:  # two secrets of one kind are still two names
                number += 1
                name = f"{self.text(str(key))} {number}"
            clean[name] = self._under(key, item, levels) if isinstance(key, str) else self.value(item, levels=levels)
        return clean

    def _under(self, name: str, value: Any, levels: int) -> Any:
        """A value under its name: what makes it a secret may be the name alone."""
        several = isinstance(value, (list, tuple))
        kind = kind_of(name)
        if kind is None and several and kind_of(name.removesuffix("s")) not in ("token", None):
            kind, name = kind_of(name.removesuffix("s")), name.removesuffix("s")
        if isinstance(value, str):
            header = next((each for each in _HEADERS if name.lower().endswith(each)), None)
            clean = self._behind(header, value) if header else self.text(value)
            return self._secret(value) if kind and clean == value and names_a_secret(kind, value) else clean
        if kind == "password" and type(value) is int and value >= 1_000:
            return self._secret(str(value))
        if kind and several:
            # Errors about a password are a list too, but of sentences.
            return [
                self._behind(name, item) if isinstance(item, str) and " " not in item else self.value(item)
                for item in _whole_keys(value)
            ]
        return self.value(value, levels=levels)

    def _behind(self, name: str, value: str) -> str:
        """A value as it is cleaned behind its name."""
        return self.text(f"{name}: {value}").removeprefix(f"{name}: ")

    def _secret(self, value: str) -> str:
        if self._found is not None:
            self._found[value] = "secret"
        return _SECRET


class OpenRedactor(Redactor):
    """Takes nothing out, where that is wanted."""

    def text(self, text: str) -> str:
        """``text`` as it is."""
        return text

    def value(self, value: Any, *, levels: int = DEEPEST) -> Any:
        """``value`` as it is."""
        return value


class Stream:
    """A text that comes in pieces, as it may be shown: a piece that a seen secret may begin with waits for the next."""

    def __init__(self, redactor: Redactor) -> None:
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


def _whole_keys(values: list[Any] | tuple[Any, ...]) -> list[Any] | tuple[Any, ...]:
    """A list in which the lines of a private key may be, with a mark for what each has of it."""
    lines = [each for each in values if isinstance(each, str)]
    if not any(map(has_frame, lines)):
        return values
    spans = private_keys("\n".join(lines))
    clean, place = list[Any](), 0
    for each in values:
        if isinstance(each, str):
            end = place + len(each)
            begin, place = place, end + 1
            for first, last in reversed(spans):
                if first < end and last > begin:
                    each = f"{each[: max(0, first - begin)]}{mark(PRIVATE_KEY)}{each[min(last, end) - begin :]}"
        clean.append(each)
    return clean


def _as_text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply)"
