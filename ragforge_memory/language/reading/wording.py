"""The words of a question that say what it is about, and when two words are forms of one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragforge_memory.text.names import words

# "Isn't" and "we've" are words of every question, in two pieces.
_SHORT_FORM = re.compile(r"\b\w+n['’]t\b|(?<=\w)['’](?:s|d|m|re|ve|ll)\b", re.I)
_TOKEN = re.compile(r"[\w$]+(?:\.[\w$]+)*")

# Question words, articles, pronouns, auxiliaries, and words that stand in any question about any code.
_EMPTY_WORDS = """
a about above after again all also am an and any anybody anyone anything are as at be because been before being
below between both but by can cannot code codebase could did do does doing done down during each else every
everything exactly few find for from further get gets give given go goes going got had has have having he hello
help her here hey hi him his how i if in inside into is it its itself just know let like list look looks made
main make makes many may me mean means might mine more most much must my need no nor not now of off on once one
only or other our out over part parts place please project repo repository same see shall she should show so
some somebody someone something such tell than thank thanks that the their them then there these they thing
things this those through to too under until up us use used uses using very want was way we were what when where
whether which while who whom whose why will with within without work working works would yes you your happen
happens happening handle handled handles handling implement implemented implements implementation perform
performed performs responsible deal deals dealt defined define defines definition located live lives function
functions method methods class classes module modules file files logic piece system app application library
package currently actually really
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())

# What a note is made of, whatever it is about.
_WORDING_WORDS = """
decided agreed chose chosen settled concluded note remember record decision reminder correction update fyi todo bug
idea keep stick stay bear mind wrong mistake changed scratch longer plan rule never always prefer switched moved dropped
support right true fact facts still against
"""
_WORDING = frozenset(_WORDING_WORDS.split())

# (ending, letters that must be left): the longer the ending, the more of the word has to remain.
_ENDINGS = (
    ("ization", 4), ("isation", 4), ("ation", 4), ("izing", 4), ("ising", 4), ("ized", 4), ("ised", 4), ("izer", 4),
    ("iser", 4), ("ment", 4), ("ing", 4), ("ion", 4), ("ize", 4), ("ise", 4), ("ed", 3), ("er", 3), ("or", 3),
    ("ly", 4), ("al", 4), ("e", 3),
)  # fmt: skip
# What is left of "rendered", "renderer", "positioned" and "implementation" has an ending of its own. That of "restored"
# and "generation" has none: it is "restore" and "generate" without their "e" and "ate".
_OF_VERBS = (("ment", 4), ("ion", 4), ("er", 3))
_INNER_ENDINGS = {"ed": _OF_VERBS, "ing": _OF_VERBS, "er": _OF_VERBS, "ation": (("ment", 4),)}


def content_words(text: str) -> tuple[str, ...]:
    """The words that say what a question is about, in order, once each; identifiers stay whole."""
    found: dict[str, str] = {}
    for token in _TOKEN.findall(_SHORT_FORM.sub(" ", text)):
        if token.lower() not in _EMPTY and (len(token) > 1 or token.isdigit()):
            found.setdefault(token.lower(), token)
    return tuple(found.values())


def subject_words(text: str) -> list[str]:
    """What a statement is about, in order; numbers are what it says of that."""
    said = (each.lower() for each in content_words(text))
    return list(dict.fromkeys(stem(each) for each in said if each not in _WORDING and not each.isdigit()))


def stem(word: str) -> str:
    """A word without its ending: ``validates``, ``validated`` and ``validation`` are one. English; rough."""
    bare = word.lower()
    if len(bare) > 3 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")):
        bare = bare[:-1]
    kept = _without(bare, _ENDINGS)
    bare = _without(kept, _INNER_ENDINGS.get(bare[len(kept) :], ()))
    if bare.endswith("at") and len(bare) >= 6:
        bare = bare[:-2]
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "aeiouls":
        bare = bare[:-1]
    return f"{bare[:-1]}i" if bare.endswith("y") and len(bare) > 3 else bare


def _without(word: str, endings: Iterable[tuple[str, int]]) -> str:
    for ending, left in endings:
        if word.endswith(ending) and len(word) - len(ending) >= left:
            return word[: -len(ending)]
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text, identifiers split."""
    return frozenset(stem(part) for token in _TOKEN.findall(text) for part in words(token))


def beginnings(word: str) -> list[str]:
    """What any form of a word begins with, in lower case; of an identifier that of each of its words."""
    return [beginning(part.lower()) for part in words(word) or [word]]


def beginning(word: str) -> str:
    """What a word in lower case has in common with its stem."""
    kept = stem(word)
    while not word.startswith(kept):
        kept = kept[:-1]  # a stem may end in another letter than the word
    return kept


def covered(asked: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Those of the asked words that a text has, in any form; an identifier counts when all its words are there."""
    have = stems(text)
    return tuple(word for word in asked if words(word) and all(stem(part) in have for part in words(word)))
