"""What a text is about, by the keywords of `categories.toml`: errors, solutions, preferences and the like."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args

Category = Literal["decision", "error", "code", "solution", "preference", "intent", "result", "next"]

CATEGORIES: tuple[Category, ...] = get_args(Category)
"""In their order: a text is of the first that it has a word of."""


class _Words(NamedTuple):
    """The words of a category: how each begins, by which it is looked for first, and what finds each as a word."""

    beginnings: tuple[str, ...]
    pattern: re.Pattern[str]


def categories_in(text: str) -> tuple[Category, ...]:
    """The categories that a text has a keyword of, in their order."""
    lower = text.lower()
    return tuple(
        category
        for category, words in _table().items()
        if any(beginning in lower for beginning in words.beginnings) and words.pattern.search(lower)
    )


@cache
def increments() -> dict[Category, float]:
    """What each category adds to a message's importance."""
    return {each: float(_data()["increments"].get(each, 0)) for each in CATEGORIES}


@cache
def _data() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("ragforge_memory.text") / "categories.toml").read_text(encoding="utf-8"))


@cache
def _table() -> dict[Category, _Words]:
    sections = [words for name, words in _data().items() if name != "increments"]
    found: dict[Category, _Words] = {}
    for category in CATEGORIES:
        words = [word for section in sections for word in section.get(category, [])]
        if words:
            beginnings = tuple(dict.fromkeys(word.removesuffix("*") for word in words))
            found[category] = _Words(beginnings, re.compile("|".join(map(_as_word, words))))
    return found


def _as_word(word: str) -> str:
    """The pattern of a keyword; scripts without spaces have no ends of words."""
    escaped = re.escape(word.removesuffix("*"))
    if ord(word[0]) >= 0x3000:
        return escaped
    ending = r"\w*" if word.endswith("*") else ""
    return rf"(?<!\w){escaped}{ending}(?!\w)"
