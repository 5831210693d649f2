"""Which earlier statement a correction is about: the last that shares a name with it, else the most words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragforge_memory.text.forms import How, Kind
from ragforge_memory.text.words import STOP_WORDS, matched

CANDIDATES = 100
"""Statements that a correction is compared with, the newest."""

_NAME = re.compile(r"`([^`\n]+)`|\b(?:\w+(?:[._]\w+)+|\w*[a-z][A-Z]\w*)\b")
_WORD = re.compile(r"[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A note, a decision, a rule or something to do that a message may be said against.

    ``here`` is whether it is of the same conversation: elsewhere more must agree.
    """

    uuid: str
    content: str
    kind: Kind
    here: bool = True


def find_corrected(text: str, how: How, statements: Sequence[Statement]) -> Statement | None:
    """The statement that a message is said against; None where it is said against none of them.

    What shares a name goes first, then what shares the most words, then the newest. A correction that shares nothing is
    of the last statement of its conversation; what is to be forgotten, or is done, has to be named.

    Args:
        text: the correction, without its label.
        how: what it does.
        statements: the newest first.
    """
    words = [word for word in dict.fromkeys(_WORD.findall(text.lower())) if word not in STOP_WORDS]
    names = _names(text)
    best: tuple[tuple[bool, int, int, int], Statement] | None = None
    for place, each in enumerate(statements):
        shared, named = len(matched(words, each.content)), len(names & _names(each.content))
        enough = shared > 0 if each.here else 2 * shared >= len(words) and shared >= min(2, len(words))
        if named or (shared and enough):
            rank = (how == "done" and each.kind == "todo", named, shared, -place)
            if best is None or rank > best[0]:
                best = rank, each
    if best is not None:
        return best[1]
    last = (each for each in statements if each.here and (how != "done" or each.kind == "todo"))
    return next(last, None) if how == "corrects" or not words else None


def kind_of_correction(corrected: Statement | None) -> Kind:
    """The kind of a message that says otherwise: that of what it corrects, a note where it corrects nothing."""
    return corrected.kind if corrected else "note"


def _names(text: str) -> frozenset[str]:
    return frozenset((found[1] or found[0]).removesuffix("()") for found in _NAME.finditer(text))
