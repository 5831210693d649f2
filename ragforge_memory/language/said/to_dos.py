"""What is to be done, "todo: write the docs", and which later statement says that it is: "the docs are done"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ragforge_memory.language.reading.prose import sentences
from ragforge_memory.language.reading.small_talk import DEED, DONE, LEADING
from ragforge_memory.language.reading.wording import subject_words
from ragforge_memory.language.said.bare_corrections import retracts

_TO_DO = re.compile(
    r"(?:(?:still )?to-?do\b(?: ?\([^()]*\))? ?[:,-]?|bug ?:|still to do ?[:,-]|(?:we|i) still (?:have|need) to)"
    r" ?(?P<what>\w.*)",
    re.I,
)
# What is not to be done any more is as good as done.
_DROPPED = re.compile(
    r"(?:(?:(?:we|i)(?:['’]ve| have)? )?(?:(?:now|just) )?(?:decided )?against"
    r"|(?:we|i)(?:['’]ve| have)? (?:dropped|rejected)"
    r"|(?:we|i) (?:no longer need|(?:do not|don['’]t) need)) (?P<what>[^?,;:]+)"
    r"|(?P<which>[^?,;:]+?) (?:is|are) (?:not|no longer) (?:needed|necessary|planned)(?: any ?more)?[.! ]*$",
    re.I,
)
# What a verb is called where it is to be done; the others have one stem.
_BASES = dict(
    (
        *(("wrote", "write"), ("written", "write"), ("rewrote", "rewrite"), ("rewritten", "rewrite")),
        *(("built", "build"), ("rebuilt", "rebuild"), ("sent", "send")),
        *(("documented", "document"), ("implemented", "implement"), ("supported", "support")),
    )
)


def to_do_words(text: str) -> list[str]:
    """The stems of what a note says is to be done; none where it says of nothing that it is."""
    wanted = _TO_DO.match(LEADING.sub("", " ".join(text.split())))
    return subject_words(wanted["what"]) if wanted else []


def done_words(text: str) -> list[str]:
    """The stems of what a statement says is done, with what was done to it if it says that; none where it says it of
    nothing."""
    said = " ".join(text.split())
    if done := DONE.match(said):
        return subject_words(next(filter(None, done.groups()), ""))
    if dropped := _DROPPED.match(LEADING.sub("", said)):
        return subject_words(dropped["what"] or dropped["which"])
    if (deed := DEED.match(said)) is None:
        return []
    did = (deed["did"] or deed["done"]).lower()
    return subject_words(f"{_BASES.get(did, did)} {deed['what'] or deed['which']}")


def closes(text: str, note: str) -> bool:
    """Whether a statement says that what a note wants is done: in words that the note has, and with all of them but
    what is done to it; the docs for the parser are not there when the parser is."""
    done, wanted = {*done_words(text)}, to_do_words(note)
    return bool(done) and done <= {*wanted} and {*wanted[1:]} <= done


def became(later: str, note: str) -> Literal["corrected", "done", "taken back"]:
    """What a later statement that is against a note makes of it; what is not to be done any more is not done."""
    if retracts(later):
        return "taken back"
    dropped = _DROPPED.match(LEADING.sub("", " ".join(later.split())))
    return "done" if closes(later, note) and not dropped else "corrected"


def left_to_do(noted: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The notes without those that are closed or taken back, as `list_decisions` gives both.

    "The migration is done" may mean one of several: then none that it does not say the whole of is left out.
    """
    noted = [
        each
        for each in noted
        # "We still support 3.8" is nothing to do.
        if any(map(to_do_words, (each["excerpt"], *sentences(each["excerpt"]))))
        and not retracts((each.get("corrected") or {}).get("excerpt", ""))
    ]
    closed = [
        (each, later)
        for each in noted
        if (later := each.get("corrected")) is not None and closes(later["excerpt"], each["excerpt"])
    ]
    by = Counter(later["message_id"] for _, later in closed)
    gone = {
        each["message_id"]
        for each, later in closed
        if by[later["message_id"]] == 1 or {*done_words(later["excerpt"])} == {*to_do_words(each["excerpt"])}
    }
    return [each for each in noted if each["message_id"] not in gone]
