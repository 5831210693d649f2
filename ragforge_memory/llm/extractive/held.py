"""What a plain statement says of a thing that has one such value: two of them on the same, and the later one holds.

"The cache TTL is 60 seconds" and "The cache TTL is 120 seconds", "Sessions live in Redis" and "Sessions now live in
Postgres". Neither says of itself that it corrects the other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ragforge_memory.llm.extractive.small_talk import PLAIN, SET
from ragforge_memory.llm.extractive.wording import content_words, stem

MAX_HELD = 200
"""Characters of a statement that is read so; longer ones explain."""

_PREFIX = re.compile(
    r"^(?:(?:note|remember|for the record|decision|decided|reminder|fyi|heads[- ]up"
    r"|(?:we|i)(?:['’]ve| have)? (?:decided|agreed))(?: that\b|(?: on)? ?[:,-])? )+",
    re.I,
)
_KINDS = (
    (
        "place",
        r"lives? (?:in|on|at|under)|(?:is|are) (?:now |only )?(?:kept|stored|held|hosted|saved|written|deployed)"
        r" (?:in|on|at|to|under)",
    ),
    ("platform", r"runs? (?:on|in|at|under)"),
    ("end", r"expires? (?:after|in)"),
    ("name", r"(?:is|are) (?:now )?called"),
)
_MOVED = re.compile(r"^(?:has |have )?(?:now )?(?:moved|switched|migrated) to\b", re.I)
# Of which of the others a move tells.
_PLACES = frozenset({"place", "platform", "moved"})
_KIND = tuple((kind, re.compile(rf"^(?:{pattern})\b", re.I)) for kind, pattern in _KINDS)
# "Sessions now live in Postgres" is about sessions.
_PASSING = frozenset({"now", "only", "currently", "still", "then", "always"})


class Held(NamedTuple):
    """Of which thing, by the stems of its words, and what of it is said."""

    subject: frozenset[str]
    kind: str

    def instead_of(self, earlier: Held) -> bool:
        """Whether both cannot hold, so that the later one does."""
        kinds = {self.kind, earlier.kind}
        return self.subject == earlier.subject and (len(kinds) == 1 or (self.kind == "moved" and kinds <= _PLACES))


def held(text: str) -> Held | None:
    """What a text says of what, where it is such a statement and nothing else; None otherwise."""
    if len(text) > MAX_HELD or text.rstrip().endswith("?"):
        return None
    said = _PREFIX.sub("", " ".join(text.split()))
    if states := SET.match(said):
        subject = named(states["what"])
        # "The port" may be any; what has two words is one thing.
        return Held(subject, "value") if len(subject) > 1 else None
    states = PLAIN.match(said)
    if states is None or not states["what"]:
        return None
    behind = said[states.end("what") :]
    kind = "moved" if _MOVED.match(behind) else next((kind for kind, form in _KIND if form.match(behind)), "")
    subject = named(states["what"])
    return Held(subject, kind) if kind and subject else None


def named(subject: str) -> frozenset[str]:
    """The stems of the words that name what a statement is about."""
    return frozenset(stem(each) for each in content_words(subject) if each.lower() not in _PASSING)


def bare(subject: str) -> str:
    """What a statement is about, without what only says since when."""
    return " ".join(each for each in subject.split() if each.lower() not in _PASSING)
