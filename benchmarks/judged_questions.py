"""A question of the benchmark of answers, and what makes an answer to it right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from python_truth import Definition

PLACE = re.compile(r"([\w./+-]+\.\w+):(\d+)")
POSSIBLE = "on something whose type is not known:"
LISTED = re.compile(r"^- `([^`]+)` - ([^\s:]+):[\d, ]+", re.M)


@dataclass(slots=True)
class Drawn:
    """One question. ``judge`` gives 1.0 for right; for callers it fills ``listed`` and ``true`` too.

    ``before`` are messages of the same conversation that come first, each in a turn of its own.
    """

    form: str
    text: str
    about: str
    judge: Callable[[str], bool]
    before: tuple[str, ...] = ()
    truth: frozenset[tuple[str, str]] = frozenset()
    either: frozenset[tuple[str, str]] = frozenset()
    answer: str = ""
    right: bool = False
    seconds: float = 0.0
    notes: dict[str, float] = field(default_factory=dict)


def judge_callers(drawn: Drawn) -> tuple[int, int, int, int]:
    """(right ones listed, listed, true ones, true ones found) of an answer to who calls something.

    What is stated as a fact counts for precision and recall; what the answer calls possible was found, not stated.
    """
    listed, possible = callers_told(drawn.answer)
    counted = listed - (drawn.either - drawn.truth)
    found = (listed | possible) & drawn.truth
    return len(counted & drawn.truth), len(counted), len(drawn.truth), len(found)


def callers_told(answer: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The callers that an answer states, and those that it calls possible."""
    stated, _, possible = answer.partition(POSSIBLE)
    return set(LISTED.findall(stated)), set(LISTED.findall(possible))


def cites(answer: str, each: Definition) -> bool:
    """Whether the first place that an answer names is a definition's."""
    found = PLACE.search(answer.partition("\n")[0])
    return found is not None and found.groups() == (each.file, str(each.line))


def found_nothing(answer: str) -> bool:
    """Whether an answer says first that nothing has the name and guesses none; a search for its words follows."""
    first = answer.partition("\n\n")[0]
    return first.startswith("No definition here is called") and not PLACE.search(first)


def is_listed(answer: str, definition: Definition) -> bool:
    """Whether a list has a definition, by its line."""
    return bool(re.search(rf"{re.escape(definition.file)}:{definition.line}\b", answer))


def in_words(text: str) -> str:
    """A text's words alone: answers quote documentation without reStructuredText's marks."""
    return " ".join(re.findall(r"\w+", re.sub(r":[\w:-]+:(?=`)|(?<=`)~(?:\w+\.)*|(?<=`)[.!]", " ", text)))


def squeezed(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def forms_of(drawn: Iterable[Drawn]) -> dict[str, list[Drawn]]:
    """The questions by form, in order of their first."""
    found: dict[str, list[Drawn]] = {}
    for each in drawn:
        found.setdefault(each.form, []).append(each)
    return found
