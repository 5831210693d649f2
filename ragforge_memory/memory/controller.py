"""The controller of document 2: whether a message becomes a memory by itself, of which category, and how important.

Precision comes before recall. A question, an order, a guess, a quotation and a secret become nothing; a statement does
where a keyword gives it a category other than Knowledge, and where it says enough to be understood alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.graph.extraction import DueMessage, Note
from ragforge_memory.graph.memory_keys import category_of, content_stems, words_keys
from ragforge_memory.memory.patterns import (
    begins_with_subject,
    is_about_work,
    own_sentences,
    retracts,
    stated_facts,
    statements,
    without_opener,
)
from ragforge_memory.redaction import redact
from ragforge_memory.text.categories import Category, categories_in, increments
from ragforge_memory.text.forms import is_question
from ragforge_memory.text.words import QUESTION_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Collection

    from ragforge_memory.memory.short_term import ShortTerm
    from ragforge_memory.models.owner import Owner

PROMOTED = 0.8
"""From this importance on a note is of the long term at once."""

LEAST_MESSAGES = 2
"""Messages that a conversation has before anything of it is noted."""

_SHORTEST, _LONGEST, _LEAST_WORDS = 20, 400, 4
_NOTES = 2  # of one message at most
_BASE = 0.5
_TELLING: frozenset[Category] = frozenset({"decision", "error", "code", "solution", "preference"})
_OF_ANSWERS: frozenset[Category] = frozenset({"error", "solution"})
_MARK = "[redacted"
_COMMON = frozenset(map(stem, QUESTION_WORDS))


def is_due(text: str, *, asks_model: bool) -> bool:
    """Whether a user's message may say something to be remembered; costs no more than a look at its words.

    Args:
        text: as it is stored.
        asks_model: whether a model is asked, which finds more than the tables do.
    """
    if asks_model and len(text) >= _SHORTEST and any(not is_question(each) for each in own_sentences(text)):
        return True
    return bool(_telling(text)) or bool(stated_facts(text)) or retracts(text)


def is_answer_due(text: str, *, touched: bool, echo: bool) -> bool:
    """Whether an answer tells how something was mended or went wrong: one whose tools edited or failed.

    Args:
        text: as it is stored.
        touched: whether they did.
        echo: whether it only quotes.
    """
    return touched and not echo and bool(_found(text))


class Controller:
    """Decides, classifies and tags.

    Args:
        owner: whose memory.
        recent: what was noted just now, and how much.
    """

    def __init__(self, owner: Owner, recent: ShortTerm) -> None:
        self._owner = owner
        self._recent = recent

    def notes(self, due: DueMessage, without: Collection[str] = ()) -> list[Note]:
        """What is noted of a message.

        Args:
            due: the message.
            without: its sentences that have become facts.
        """
        if due.messages < LEAST_MESSAGES:
            return []
        users = due.role == "user"
        found = [each for each in (_telling if users else _found)(due.content) if each not in without]
        notes: list[Note] = []
        for sentence in found:
            content = without_opener(sentence)
            key = words_keys(self._owner, content)[1]
            if len(notes) == (_NOTES if users else 1) or not self._recent.may_add():
                break
            if not self._recent.has(key):
                self._recent.add(key)
                notes.append(_note(content, due))
        return notes


def _note(content: str, due: DueMessage) -> Note:
    importance = round(_BASE + _increment(content), 2)
    category = category_of(content)
    return Note(
        content,
        category,
        importance,
        "user" if due.role == "user" else "agent",
        (category, *due.tools),
        lasts=importance >= PROMOTED,
    )


def _increment(sentence: str) -> float:
    """By document 2's order what the first category that adds something adds."""
    adds = increments()
    return next((adds[each] for each in categories_in(sentence) if adds[each]), 0.0)


def _telling(text: str) -> list[str]:
    """The user's sentences that are noted: statements about software, of a category, that stand alone."""
    return [each for each in statements(text) if begins_with_subject(each) and _says_enough(each) and _tells(each)]


def _tells(sentence: str) -> bool:
    """Whether a sentence has a category and wishes for nothing. What somebody prefers or does themselves is a fact,
    which the forms find."""
    found = set(categories_in(sentence))
    told = found & _TELLING
    if not told or "intent" in found or not is_about_work(sentence):
        return False
    return told != {"preference"} or sentence.split(" ", 1)[0].lower() not in ("i", "my")


def _found(text: str) -> list[str]:
    return [each for each in own_sentences(text) if _says_enough(each) and set(categories_in(each)) & _OF_ANSWERS]


def _says_enough(sentence: str) -> bool:
    if not _SHORTEST <= len(sentence) <= _LONGEST or _MARK in sentence or redact(sentence) != sentence:
        return False
    return len({word for word in content_stems(sentence) if word not in _COMMON}) >= _LEAST_WORDS
