"""What people say of themselves in so many words: the forms of ``patterns.toml``, and which sentences state anything.

Precision comes before recall: a form is a whole sentence, and nothing is read out of a question, a quotation, code, a
condition, a guess or what somebody else is said to have said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ragforge_memory.graph.memory_keys import content_stems
from ragforge_memory.memory.grounds import is_grounded
from ragforge_memory.models.memory import Fact
from ragforge_memory.text.categories import categories_in
from ragforge_memory.text.forms import is_question
from ragforge_memory.text.names import words
from ragforge_memory.text.sentences import sentences
from ragforge_memory.text.words import QUESTION_WORDS, STOP_WORDS, stem

# What is longer is pasted, and its sentences are somebody else's.
LONGEST_MESSAGE = 2_000
"""Characters of a message whose sentences are the user's own."""

_LONGEST_VALUE, _LONGEST_KEY = 12, 4
_THING = r"(?!(?:{})\b)[^\s,;]+(?: [^\s,;]+){{0,2}}"
_NAME = r"(?-i:[A-ZÀ-ÖØ-ÞА-ЯЄІЇҐ][^\s,;]*(?:[ -][A-ZÀ-ÖØ-ÞА-ЯЄІЇҐ][^\s,;]*){0,2})"
_BEGINS, _ENDS = r"(?<!\w)", r"(?!\w)"
_QUOTES = frozenset('"“”„«»')
_WORD = re.compile(r"[\w#+]+(?:[.'’-]\w+)*")


class StatedFact(NamedTuple):
    """A fact that a sentence states; without a ``key`` it is named by what it is about, ``subject``."""

    type: str
    key: str | None
    subject: tuple[str, ...]
    value: str
    sentence: str


def own_sentences(text: str) -> list[str]:
    """The sentences that a user says; none of a message that is mostly code, quoted or pasted."""
    if len(text) > LONGEST_MESSAGE:
        return []
    found = sentences(text)
    return found if 2 * sum(map(len, found)) >= len(text.strip()) else []


def statements(text: str) -> list[str]:
    """The user's sentences that say how things are: no questions, quotations, conditions or guesses."""
    return [each for each in own_sentences(text) if not is_question(each) and is_sure(each)]


def is_sure(sentence: str) -> bool:
    """Whether a sentence is neither quoted, nor a condition, a guess or a report."""
    return not _QUOTES & set(sentence) and not _listed("unsure").search(_plain(sentence))


def begins_with_subject(sentence: str) -> bool:
    """Whether a sentence begins with what it is about, as an order does not."""
    return _plain(_opened(sentence)).split(" ", 1)[0] in _words("subjects")


def without_opener(sentence: str) -> str:
    """A sentence on one line, without what greets or leads over to it."""
    return _openers().sub("", " ".join(sentence.split()))


def is_about_work(sentence: str) -> bool:
    """Whether a sentence is about software: it has a word of that, in any form, or a name as code has them."""
    tokens = _WORD.findall(sentence)
    return any(stem(each) in _work() or "_" in each or len(words(each)) > 1 for each in tokens)


def may_lay_down(sentence: str) -> bool:
    """Whether a sentence may say what is to hold always, which an order for the moment does not."""
    return begins_with_subject(sentence) or bool({"preference", "decision"} & set(categories_in(sentence)))


def takes_back(sentence: str) -> bool:
    """Whether a sentence has a word with which something is taken back."""
    return _listed("retracting").search(_plain(sentence)) is not None


def laying_down(said: Iterable[str]) -> list[str]:
    """The sentences that may say what is to hold always, out of what was said."""
    return [sentence for text in said for sentence in statements(text) if may_lay_down(sentence)]


def taking_back(said: Iterable[str]) -> list[str]:
    """The sentences with which something may be taken back, out of what was said."""
    return [sentence for text in said for sentence in own_sentences(text) if takes_back(sentence)]


def stated_facts(text: str) -> list[StatedFact]:
    """The facts that a message states by a form of the table."""
    return [fact for each in statements(text) if (fact := _stated(each)) is not None]


def retracted(text: str, known: Iterable[Fact]) -> list[tuple[Fact, str]]:
    """The facts that a message takes back by a form of the table, each with the sentence."""
    facts = list(known)
    return [
        (fact, sentence)
        for sentence in statements(text)
        for types, value in _retractions(sentence)
        for fact in facts
        if fact.type in types and _names(value, fact)
    ]


def _names(value: str, fact: Fact) -> bool:
    """Whether what is taken back is a fact's value, or as much of it and of its key as tells it from others: what a
    preference is for stands first in it ("tabs over spaces" is not taken back with spaces)."""
    if covers(value, fact.value):
        return True
    first = next(iter(_said(fact.value)), "")
    return covers(f"{fact.key} {fact.value}", value) and covers(value, first)


def retracts(text: str) -> bool:
    """Whether a message has a form that takes something back."""
    return any(True for sentence in statements(text) for _ in _retractions(sentence))


def covers(text: str, other: str) -> bool:
    """Whether every word of ``other`` stands in ``text``, in whatever form; False where it has none."""
    return share_of(text, other) == 1.0


def share_of(text: str, other: str) -> float:
    """The share of the words of ``other`` that stand in ``text`` in whatever form; 0 where it has none."""
    there = set(_tokens(text.replace("_", " ")))
    asked = [word for word in _tokens(other.replace("_", " ")) if word not in STOP_WORDS]
    return sum(word in there or is_grounded((text,), word) for word in asked) / len(asked) if asked else 0.0


def says(text: str, value: str) -> bool:
    """Whether a text has every word of a value, in whatever form, in the value's order: "tabs over spaces" is not said
    by "spaces over tabs"."""
    there = iter(_tokens(text))
    asked = [word for word in _tokens(value.replace("_", " ")) if word not in STOP_WORDS]
    return bool(asked) and all(any(word == each or is_grounded((each,), word) for each in there) for word in asked)


def key_of(fact: StatedFact, known: Sequence[Fact]) -> str:
    """The key of a fact: of one that is known by the same words, in whatever form, its key.

    What is preferred is known by less as well: "tabs over spaces" is about what "tabs" was about.
    """
    named = tuple(_tokens(fact.key)) if fact.key else fact.subject
    stems = frozenset(map(stem, named))
    same_type = [(each.key, frozenset(map(stem, each.key.split("_")))) for each in known if each.type == fact.type]
    for key, its in same_type:
        if its == stems:
            return key
    if fact.key is None:
        for key, its in same_type:
            if its < stems or stems < its:
                return key
    return "_".join(named)


def _stated(sentence: str) -> StatedFact | None:
    plain = _opened(sentence)
    for pattern, row in _table("facts"):
        found = pattern.fullmatch(plain)
        if found is None:
            continue
        parts = {name: part for name, part in found.groupdict().items() if part}
        value, key = parts["value"], row.get("key") or parts.get("key")
        said = [word for word in _tokens(value) if word not in QUESTION_WORDS]
        if not said or len(value.split()) > _LONGEST_VALUE or (key and not 0 < len(key.split()) <= _LONGEST_KEY):
            return None
        type_ = row["type"] if isinstance(row["type"], str) else row["type"][parts["who"].lower()]
        return StatedFact(type_, key, _subject(parts), value, sentence)
    return None


def _retractions(sentence: str) -> Iterator[tuple[list[str], str]]:
    plain = _opened(sentence)
    for pattern, row in _table("retracts"):
        if (found := pattern.fullmatch(plain)) is not None:
            yield row["types"], found["value"]


def _subject(parts: dict[str, str]) -> tuple[str, ...]:
    """What a preference is about: the noun of what is preferred, or of both where they differ in more than that."""
    one, other = (_said(parts[name]) if name in parts else () for name in ("one", "other"))
    if other:
        return one[-1:] if one[-1:] == other[-1:] else tuple(sorted({*one, *other}))
    return _said(parts["value"])[-1:]


def _said(text: str) -> tuple[str, ...]:
    return tuple(word for word in _tokens(text) if word not in STOP_WORDS) or tuple(_tokens(text))


def _opened(sentence: str) -> str:
    """A sentence without what stands before its form and behind it, as its reason does."""
    plain = without_opener(sentence.replace("’", "'"))
    ends = [place for each in _data()["words"]["ends"] if (place := plain.find(each)) > 0]
    return _trailing().sub("", plain[: min(ends, default=len(plain))].rstrip(" .!…"))


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split())


def _tokens(text: str) -> list[str]:
    return [each.lower() for each in _WORD.findall(text)]


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files("ragforge_memory.memory") / "patterns.toml").read_text(encoding="utf-8"))


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_data()["words"][name])


@cache
def _work() -> frozenset[str]:
    return frozenset(map(stem, _data()["words"]["work"]))


@cache
def _listed(name: str) -> re.Pattern[str]:
    """Finds any word of a list; what has an apostrophe ends a word."""
    words = sorted(_data()["words"][name], key=len, reverse=True)
    return re.compile(
        "|".join(f"{_BEGINS if chr(39) not in word[:2] else ''}{re.escape(word)}{_ENDS}" for word in words)
    )


@cache
def _openers() -> re.Pattern[str]:
    openers = "|".join(map(re.escape, _data()["words"]["openers"]))
    return re.compile(rf"^(?:(?:{openers})[,:!]? +)+", re.I)


@cache
def _trailing() -> re.Pattern[str]:
    return re.compile(rf"(?: (?:{'|'.join(map(re.escape, _data()['words']['often']))}))+$", re.I)


@cache
def _table(name: str) -> tuple[tuple[re.Pattern[str], dict[str, Any]], ...]:
    lists = _data()["words"]
    parts = {
        "{often}": rf"(?: (?:{'|'.join(lists['often'])}))*",
        "{thing}": _THING.format("|".join(map(re.escape, lists["pointers"]))),
        "{name}": _NAME,
    }
    made = []
    for row in _data()[name]:
        form = row["form"]
        for part, text in parts.items():
            form = form.replace(part, text)
        made.append((re.compile(form, re.I), row))
    return tuple(made)


def same_words(text: str, other: str) -> bool:
    """Whether two texts say the same words in the same order."""
    return content_stems(text) == content_stems(other)
