"""What a plain statement says of a thing that has one such value: two of them on the same, and the later one holds.

"The cache TTL is 60 seconds" and "The cache TTL is 120 seconds", "Sessions live in Redis" and "Sessions now live in
Postgres", "check never logs" and "check always logs". Neither says of itself that it corrects the other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ragforge_memory.language.reading.small_talk import LEADING, NO_QUESTION, PLAIN, SET
from ragforge_memory.language.reading.values import QUANTITY, WHEN
from ragforge_memory.language.reading.wording import content_words, stem

MAX_HELD = 200
"""Characters of a statement that is read so; longer ones explain."""

# A place or a platform has a name: no "in JSON" behind "to stdout", no "in sync", no "on every push".
_NAMED = r"(?=(?:(?:the|an?|our|its) )?(?-i:[A-Z`\"'/]|[\w-]*[_./\d]))(?!every\b|each\b|all\b)"
_KINDS = (
    ("time", rf"(?:happens?|runs?|starts?|begins?|is|are) (?:now )?(?:on|at|every) (?={WHEN})"),
    ("time", rf"(?:has |have )?(?:now )?moved to (?={WHEN})"),
    ("often", r"(?:happens?|runs?) (?:now )?(?=(?:hourly|daily|nightly|weekly|monthly|yearly)\b)"),
    (
        "place",
        rf"(?:lives?|(?:is|are) (?:now |only )?(?:kept|stored|held|hosted|saved|deployed)) (?:in|on|at|under) {_NAMED}",
    ),
    ("platform", rf"runs? (?:on|under) (?!{WHEN}){_NAMED}"),
    ("end", r"expires? (?:after|in) "),
    ("name", r"(?:is|are) (?:now )?called (?!(?:twice|once|again|first|last|never|always|often|\w+ly)\b)"),
    ("moved", r"(?:has |have )?(?:now )?(?:moved|switched|migrated) to "),
)
# "Pages are cached for 10 minutes", "jobs are retried three times": of what is done so long, or so often.
_SO_LONG = re.compile(
    r"(?:is|are) (?:now |only |always )?(?P<done>[a-z]+ed|kept|held|sent|run) "
    rf"(?:(?:for|within|after|every) (?={QUANTITY})|(?={QUANTITY} ?times\b))",
    re.I,
)
_KIND = tuple((kind, re.compile(pattern, re.I)) for kind, pattern in _KINDS)
# Of which of the others a move tells.
_PLACES = frozenset({"place", "platform", "moved"})
_RULE = re.compile(
    rf"^{NO_QUESTION}(?!(?:it|this|that|they|we|you|i)\b)(?P<what>\S+(?: \S+){{0,3}}) (?P<rule>never|always)"
    r" (?P<does>.+)$",
    re.I,
)
# Both cannot hold: "check must accept zero", "check must not accept zero".
_MUST = re.compile(
    rf"^{NO_QUESTION}(?!(?:it|this|that|they|we|you|i)\b)(?P<what>\S+(?: \S+){{0,3}}?) (?:must|should|shall|may|can)"
    r"(?P<not> not|n['’]t)? (?P<does>[^,;:]+)",
    re.I,
)
# "Sessions now live in Postgres" is about sessions.
_PASSING = frozenset({"now", "only", "currently", "still", "then", "always", "just", "max", "each"})
# The limit before login is another than that after it.
_APART = frozenset({"before", "after", "with", "without", "above", "below", "inside", "outside", "under", "over"})
_WRITTEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: str(number) for number, word in enumerate(_WRITTEN)}
_VALUE = re.compile(r"[\w./-]*\w")


class Held(NamedTuple):
    """Of which thing, by the stems of its words, what of it is said, and the words of the value."""

    subject: frozenset[str]
    kind: str
    value: frozenset[str]

    def instead_of(self, earlier: Held) -> bool:
        """Whether both cannot hold, so that the later one does; what only says more, or the same, is no other value."""
        kinds = {self.kind, earlier.kind}
        if "not" in self.value and self.value - {"not"} == earlier.value:
            return self.subject == earlier.subject and len(kinds) == 1
        if self.subject != earlier.subject or self.value <= earlier.value or earlier.value <= self.value:
            return False
        return len(kinds) == 1 or (self.kind == "moved" and kinds <= _PLACES)


def held(text: str) -> Held | None:
    """What a text says of what, where it is such a statement and nothing else; None otherwise."""
    if len(text) > MAX_HELD or text.rstrip().endswith("?"):
        return None
    said = LEADING.sub("", " ".join(text.split()))
    if states := SET.match(said):
        subject = named(states["what"])
        # "The port" may be any; what has two words is one thing.
        return Held(subject, "value", _value(said[states.end("what") :])) if len(subject) > 1 else None
    if (states := PLAIN.match(said)) and states["what"]:
        behind = said[states.end("what") :]
        if (done := _SO_LONG.match(behind)) and (subject := named(states["what"])):
            return Held(subject, stem(done["done"]), _value(behind[done.end() :].partition(",")[0]))
        for kind, form in _KIND:
            if (form_of := form.match(behind)) and (subject := named(states["what"])):
                return Held(subject, kind, _value(behind[form_of.end() :].partition(",")[0]))
    if states := _RULE.match(said):
        subject = named(f"{states['what']} {states['does']}")
        return Held(subject, "rule", frozenset({states["rule"].lower()})) if len(subject) > 1 else None
    if states := _MUST.match(said):
        subject = named(f"{states['what']} {states['does']}")
        return Held(subject, "must", frozenset({"not" if states["not"] else "so"})) if len(subject) > 1 else None
    return None


def named(subject: str) -> frozenset[str]:
    """The stems of the words that name what a statement is about, and what tells it from what is called alike."""
    stems = {stem(each) for each in content_words(subject) if each.lower() not in _PASSING}
    return frozenset(stems | _APART.intersection(subject.lower().split()))


def bare(subject: str) -> str:
    """What a statement is about, without what only says since when."""
    return " ".join(each for each in subject.split() if each.lower() not in _PASSING)


def _value(text: str) -> frozenset[str]:
    words = (each.lower() for each in _VALUE.findall(text))
    return frozenset(
        _NUMBERS.get(each, stem(each)) for each in words if each not in {*_PASSING, "is", "are", "the", "a"}
    )
