"""One question as it was read."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ragforge_memory.language.reading.days import ANY_DAYS, Days
from ragforge_memory.language.reading.outline_patterns import MODIFIER
from ragforge_memory.language.reading.patterns import Form
from ragforge_memory.language.reading.targets import NOTHING, Target
from ragforge_memory.language.reading.wording import content_words

# What an outline is asked to list.
_PLURALS = re.compile(
    r"\b(functions|methods|classes|constants|variables|interfaces|structs|enums|types|traits|macros|modules|tests)\b",
    re.I,
)
_MODIFIER = re.compile(rf"\b{MODIFIER}\b", re.I)
ASYNC = re.compile(r"\b(?:async(?:hronous)?|coroutines?)\b", re.I)


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Args:
        form: what is wanted of the target.
        target: what it is about.
        text: the question as it was asked, without politeness.
        first, last: lines, for the form ``lines`` alone.
        days: when what is asked for was said, or has changed.
        revision: between which commits something has changed, as git takes it; None: since the days.
        guessed: whether it fits no form, so that only what is named in it is told.
        slip: which word was read as which other, where it was misspelled.
    """

    form: Form
    target: Target = NOTHING
    text: str = ""
    first: int = 0
    last: int = 0
    days: Days = ANY_DAYS
    revision: str | None = None
    guessed: bool = False
    slip: str = ""

    @property
    def sorts(self) -> tuple[str, ...]:
        """What is to be listed, where the question says: ``functions and classes`` is function, class."""
        said = self.text.replace(self.target.text, " ") if self.target.text else self.text
        found = (each.lower() for each in _PLURALS.findall(said))
        return tuple(dict.fromkeys("class" if each == "classes" else each.removesuffix("s") for each in found))

    @property
    def modifier(self) -> str:
        """The word before their names that what is to be listed has, where the question says one: ``unsafe``."""
        said = self.text.replace(self.target.text, " ") if self.target.text else self.text
        found = _MODIFIER.search(said)
        return found[0].lower().replace("asynchronous", "async") if found else ""

    @property
    def asynchronous(self) -> bool:
        """Whether only what is asynchronous is to be listed."""
        said = self.text.replace(self.target.text, " ") if self.target.text else self.text
        return bool(ASYNC.search(said))


def search_words(question: Question) -> tuple[str, ...]:
    """The words that a search for this question uses."""
    if question.form == "said" and question.target.text:
        # What was talked about may be called like any word: a function ``out``, a file ``main``.
        return tuple(question.target.text.split())
    return content_words(question.target.text) or content_words(question.text)


def asked_of(question: Question, target: Target) -> Question:
    """A question's form asked of a target that its words alone did not tell; only imports use a file."""
    form: Form = "imports" if target.kind == "file" and question.form in ("callers", "uses") else question.form
    return replace(question, form=form, target=target)
