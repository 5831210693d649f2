"""What takes a note back: "forget the note about uploads", "scratch that". Nothing is deleted: the answer says which
note it is, and by that it is known as taken back wherever it is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.small_talk import FORGET, MARKED, ORDERS_AWAY
from ragforge_memory.language.reading.wording import content_words
from ragforge_memory.language.said.bare_corrections import as_quoted
from ragforge_memory.language.said.corrections import is_taken_back
from ragforge_memory.language.said.openings import NOTED, NOTHING_FOUND
from ragforge_memory.language.said.stock import KEPT, WHICH_RETRACTED
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.llm.extractive.said.sayings import decisions
from ragforge_memory.text.excerpts import first_line

# Of "forget the note about uploads" the uploads are what it is about.
_ORDER = re.compile(
    rf"\b(?:forget|{ORDERS_AWAY}|take|back|never|mind|wants?|notes?|noted|decisions?|decided"
    r"|to-?dos?|reminders?|rules?|agreements?|agreed|plans?|said|told|wrote"
    r"|last|latest|any|everything|anything|longer|holds?|appl(?:y|ies)|stands?|counts?|obsolete|void|off|moot"
    r"|do(?:es)?n['’]t|(?:updates?|corrections?|changes?)(?=\W*$))\b",
    re.I,
)
_ABOUT = re.compile(r"\b(?:about|regarding|concerning) (?!(?:it|that|this)\b)(?P<what>.*)", re.I)
_ALL = re.compile(
    r"\b(?:all|everything|anything|what|notes|decisions|to-?dos|reminders|rules|agreements|plans)\b", re.I
)


def retracted_words(text: str) -> str:
    """What the notes are about that are to be taken back; ``''`` where it is the last one."""
    if said := FORGET.match(text):
        return " ".join(content_words(MARKED.sub("", said["note"])))
    about = _ABOUT.search(text)
    return " ".join(content_words(_ORDER.sub(" ", about["what"] if about else text)))


def retraction(text: str, last: Sequence[str], found: Sequence[Found]) -> str:
    """The answer to an order to forget something: which notes it takes back, or which it may mean.

    Args:
        text: the order.
        last: what `last_noted` gives.
        found: the decisions about what the order names.
    """
    about = retracted_words(text)
    if not about:
        return _taken_back(text, last) if len(last) == 1 else KEPT
    listed = next((each.value for each in found if each.call.tool == "list_decisions"), None)
    if not isinstance(listed, dict):
        return KEPT
    own = [
        each
        for each in listed.get("decisions") or []
        # "The Redis decision no longer applies" is in the graph already.
        if each["role"] == "user" and (not is_taken_back(each) or each["corrected"]["excerpt"] == text)
    ]
    own = _said_so(text, own) or _about_itself(about, own) or own
    holding = [each for each in own if not each.get("corrected") or is_taken_back(each)] or own
    if not holding:
        return f"{NOTHING_FOUND} about `{about}` in our conversations that holds."
    every = _ALL.search(text) and not FORGET.match(text)
    if len(holding) > 1 and not every:
        return "\n".join([*decisions({"decisions": holding}, called=f"was noted about `{about}`"), "", WHICH_RETRACTED])
    return _taken_back(text, [each["excerpt"] for each in (own if every else holding)])


def _said_so(text: str, notes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The notes that an order has word for word."""
    said = FORGET.match(text)
    wanted = _bare(said["note"]) if said else ""
    return [each for each in notes if wanted and _bare(each["excerpt"]) == wanted]


def _bare(note: str) -> str:
    return " ".join(MARKED.sub("", note).lower().split()).rstrip(".! ")


def _about_itself(about: str, notes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Notes without those that name only a part of it: what is about `Client.send` is not about `Client`."""
    part = re.compile(rf"(?<![\w.]){re.escape(about)}\.\w", re.I)
    itself = re.compile(rf"(?<![\w.]){re.escape(about)}(?!\w|\.\w)", re.I)
    return [each for each in notes if itself.search(each["excerpt"]) or not part.search(each["excerpt"])]


def _taken_back(text: str, notes: Sequence[str]) -> str:
    quoted = dict.fromkeys(as_quoted(note) for note in notes)
    # Who wants it gone must know that it is not.
    told = f"{NOTED}` tells it as taken back; `ragforge conversations delete` deletes a whole conversation."
    return "\n".join([told, *(f'"{first_line(text)}" takes back "{note}".' for note in quoted)])
