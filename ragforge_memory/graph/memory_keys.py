"""What memories are compared and kept apart by: their words, their names, hashes of both."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime

from ragforge_memory.models.memory import MemoryCategory
from ragforge_memory.models.owner import Owner
from ragforge_memory.text.categories import Category, categories_in
from ragforge_memory.text.words import STOP_WORDS, stem, without_endings

_WORD = re.compile(r"\w+")
_NEGATIONS = frozenset({"no", "not", "never", "without"})
_OF_CATEGORY: dict[Category, MemoryCategory] = {
    "error": "ErrorPatterns",
    "code": "CodeContext",
    "solution": "Solutions",
    "preference": "UserPreferences",
}


def content_stems(text: str) -> list[str]:
    """The stems of the words that say what a text says, in their order; a negation says something too."""
    words = (word.lower() for word in _WORD.findall(without_endings(text)))
    return [stem(word) for word in words if word in _NEGATIONS or word not in STOP_WORDS]


def words_key(user: str, project: str, words: Sequence[str]) -> str:
    """What memories of one owner share that have the same words, in whatever order."""
    return hash_of(user, project, *sorted(words))


def order_key(words: Sequence[str]) -> str:
    """What texts share that have the same words in the same order."""
    return hash_of(*words)


def words_keys(owner: Owner, text: str) -> tuple[str, str]:
    """What texts of an owner share that have the same words, and those that have them in the same order."""
    words = content_stems(text)
    return words_key(owner.user_id, owner.project, words), order_key(words)


def category_of(text: str) -> MemoryCategory:
    """The category of a text by document 2: of the first that it has a keyword of."""
    return next((_OF_CATEGORY[each] for each in categories_in(text) if each in _OF_CATEGORY), "Knowledge")


def iso(time: datetime | None) -> str | None:
    """A time as statements take it."""
    return None if time is None else time.isoformat()


def normal_name(name: str) -> str:
    """A type or a key as it is compared: whatever its case and its spaces."""
    return "_".join(name.casefold().split())


def hash_of(*parts: str) -> str:
    """A hash of texts in their order, as keys are."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
