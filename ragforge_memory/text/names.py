"""The words that an identifier is made of, and what people call the sorts of definition."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragforge_memory.text.accents import composed

_TYPES = ("class", "struct", "interface", "trait", "enum", "type")
KINDS: Mapping[str, tuple[str, ...]] = {
    "function": ("function", "method", "macro"),
    "method": ("method", "function"),
    "constructor": ("method",),
    "macro": ("macro", "function"),
    "class": _TYPES,
    "exception": _TYPES,
    **{each: (each, *(other for other in _TYPES if other != each)) for each in _TYPES[1:]},
    "constant": ("constant",),
    "variable": ("constant",),
    "property": ("method", "constant"),
}
"""What people call something, and the sorts of scope that it may be then, the nearest first."""

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_a-zA-Z]+")


def words(identifier: str) -> tuple[str, ...]:
    """The words of an identifier in lower case: ``getHTTPUrl_v2`` is get, http, url, v, 2."""
    if identifier.isascii():
        return tuple(part.lower() for part in _WORDS.findall(identifier))
    whole = composed(identifier)
    # One letter for each sign, of its case: `re` knows the case of no letter but these.
    shape = "".join("A" if sign.isupper() else "a" if sign.islower() else sign for sign in whole)
    return tuple(whole[part.start() : part.end()].lower() for part in _WORDS.finditer(shape))


def spelling(identifier: str) -> str:
    """An identifier without case and separators: what different conventions for one name have in common."""
    return "".join(words(identifier))
