"""Taking secrets out of what is stored: each is known by a vendor's prefix, by its frame, or by the name before it.

What is no secret stays: commit hashes, uuids, data and plain code. The kind of the secret is left in its place:
``[redacted github token]``. All of it is linear in the text.
"""

from __future__ import annotations

import json
from typing import Any

from ragforge_memory.language.word_cache import split
from ragforge_memory.models.text import DEEPEST
from ragforge_memory.redaction.assigned import MARK, without_assigned
from ragforge_memory.redaction.logins import without_logins
from ragforge_memory.redaction.private_keys import has_frame, lines_without_private_keys, without_private_keys
from ragforge_memory.redaction.tokens import PATTERNS
from ragforge_memory.redaction.values import Kind, is_lone_secret, kind_of, names_a_secret

__all__ = ["redact", "redact_value"]

_HINTS = tuple(dict.fromkeys(hint for each in PATTERNS for hint in each.hints))
# No token has fewer characters, and each is in one word.
_SHORTEST = 14
# Fewer characters are no secret and no assignment of one.
_SHORTEST_TEXT = 8
# Names that say how a value is to be read.
_HEADERS = ("authorization", "cookie")


def redact(text: str) -> str:
    """``text`` with every secret that is known as one replaced by ``[redacted KIND]``; linear in its length."""
    if len(text) < _SHORTEST_TEXT:
        return text
    if has_frame(text):
        text = without_private_keys(text)
    if found := _hints_in(text):
        for kind, hints, pattern in PATTERNS:
            if not found.isdisjoint(hints):
                text = pattern.sub(f"[redacted {kind}]", text)
    return without_assigned(without_logins(text))


def _hints_in(text: str) -> set[str]:
    """Which hints of the table are there: to see that most are not costs less than to go through it. Most words are too
    short for a token and are not looked into."""
    words = " ".join([word for word in split(text)[1] if len(word) >= _SHORTEST])
    return {hint for hint in _HINTS if hint in words} if words else set()


def redact_value(value: Any, *, levels: int = DEEPEST) -> Any:
    """A JSON value with every string in it redacted, names too, and whatever stands under a name like ``api_key``.

    What is below so many ``levels`` becomes JSON in a text: Python itself comes to the bottom of a few hundred alone.
    """
    if isinstance(value, str):
        return redact(value)
    if levels == 0 and isinstance(value, (dict, list, tuple)):
        return redact(_as_text(value))
    if isinstance(value, dict):
        return _redacted_dict(value, levels - 1)
    if isinstance(value, (list, tuple)):
        return [redact_value(item, levels=levels - 1) for item in _whole_keys(value)]
    return value


def _redacted_dict(value: dict[Any, Any], levels: int) -> dict[Any, Any]:
    clean: dict[Any, Any] = {}
    for key, item in value.items():
        name = redact(key) if isinstance(key, str) else key
        number = 1
        while name in clean:  # two secrets of one kind are still two names
            number += 1
            name = f"{redact(str(key))} {number}"
        clean[name] = _under(_kind(key, item), _without_header(key, item), levels)
    return clean


def _without_header(name: Any, value: Any) -> Any:
    """A header's value as it is cleaned behind its name; any other as it is."""
    if isinstance(name, str) and isinstance(value, str):
        for header in _HEADERS:
            if name.lower().endswith(header):
                return redact(f"{header}: {value}").removeprefix(f"{header}: ")
    return value


def _kind(name: Any, value: Any) -> Kind | None:
    """What the name of a value says of it. Tokens are what a parser finds; several passwords are secrets like one."""
    if not isinstance(name, str):
        return None
    several = kind_of(name.removesuffix("s")) if isinstance(value, (list, tuple)) else None
    return kind_of(name) or (several if several != "token" else None)


def _under(kind: Kind | None, value: Any, levels: int) -> Any:
    """A value under its name: what makes it a secret may be the name alone."""
    if kind is None:
        return redact_value(value, levels=levels)
    if isinstance(value, str):
        clean = redact(value)
        return MARK if clean == value and names_a_secret(kind, value) else clean
    if kind == "password" and type(value) is int and value >= 1_000:
        return MARK
    if isinstance(value, (list, tuple)):
        return [_word_under(kind, item, levels - 1) for item in _whole_keys(value)]
    return redact_value(value, levels=levels)


def _word_under(kind: Kind, value: Any, levels: int) -> Any:
    """One of several values under a name: errors about a password are a list too, but of sentences."""
    if isinstance(value, str) and " " not in value and value:
        secret = is_lone_secret(kind, value, sign=":", shell=False, inside=False)
        return MARK if secret else redact(value)
    return redact_value(value, levels=levels)


def _whole_keys(values: list[Any] | tuple[Any, ...]) -> list[Any] | tuple[Any, ...]:
    """A list in which the lines of a private key may be, without that key."""
    if not any(isinstance(each, str) and has_frame(each) for each in values):
        return values
    clean = iter(lines_without_private_keys([each for each in values if isinstance(each, str)]))
    return [next(clean) if isinstance(each, str) else each for each in values]


def _as_text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply)"
