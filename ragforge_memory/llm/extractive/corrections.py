"""Which later statement of the user's corrects an earlier one: it says that it does, and is about the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ragforge_memory.llm.extractive.wording import content_words, stem

_CORRECTS = re.compile(
    r"^(?:(?:ok(?:ay)?|so|but|and|well|hm+|sorry|i think|please|fyi|important)[, :;.!]+)*"
    r"(?:actually\b|from now on\b|scratch that\b|forget (?:it|that|what)\b|my mistake\b|no,"
    r"|(?:correction|update)(?: that\b| ?[:,-])"
    r"|(?:i|we) (?:was|were) wrong\b|(?:that(?:['’]s| is) )?(?:wrong|not (?:right|true|so))[,;:.]"
    r"|we(?:['’]ve| have)? (?:changed (?:our|my) minds?|switched|moved|dropped)\b)"
    r"|\bno longer\b(?! than\b)",
    re.I,
)
# What a note is made of, whatever it is about.
_WORDING_WORDS = """
decided agreed chose chosen settled concluded note remember record decision reminder correction update fyi todo bug
idea keep stick stay bear mind wrong mistake changed scratch longer plan rule never always prefer switched moved dropped
support right true
"""
_WORDING = frozenset(_WORDING_WORDS.split())


def correction_of(message: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The last of the user's statements among ``others`` that corrects a message; None where none does.

    Args:
        message: as `search_conversation` gives it.
        others: more of them, in any order; what the agent said and what only asks corrects nothing.
    """
    if message["role"] != "user":
        return None
    later = [
        each
        for each in others
        if each["role"] == "user"
        and each["timestamp"] > message["timestamp"]
        and _CORRECTS.search(each["excerpt"])
        and not each["excerpt"].rstrip().endswith("?")
        and _same_subject(message["excerpt"], each["excerpt"])
    ]
    return max(later, key=lambda each: str(each["timestamp"]), default=None)


def _same_subject(one: str, other: str) -> bool:
    """Whether two statements begin with the same word of weight and have half of their words in common.

    "The read timeout is 20" is not about the connect timeout.
    """
    first, second = _words(one), _words(other)
    if not first or not second or first[0] != second[0]:
        return False
    return 2 * len({*first} & {*second}) >= max(len(first), len(second))


def _words(text: str) -> list[str]:
    """What a statement is about, in order; numbers are what it says of that."""
    said = (each.lower() for each in content_words(text))
    return list(dict.fromkeys(stem(each) for each in said if each not in _WORDING and not each.isdigit()))
