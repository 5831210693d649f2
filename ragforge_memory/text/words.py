"""The words of a question: which ones a search asks for, and which of them a text has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from posixpath import commonprefix

from ragforge_memory.text.accents import composed, without_marks
from ragforge_memory.text.names import words as identifier_words
from ragforge_memory.text.scripts import is_wide, known_pieces

# What Lucene's english analyzer leaves out of an index: nobody finds anything by them.
# fmt: off
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
})
# fmt: on

_QUESTION_WORDS = """
about above after again all also am another any anybody anyone anything because been before being below between both
can cannot class classes code codebase could deal deals dealt define defined defines definition did do does doing done
during each either else ever every everything exactly find for from function functions get gets give given gives go
goes going got had handle handled handles handling happen happened happening happens has have having he help her here
him his how i implement implementation implemented implements inside instead its itself just know let like locate
located look made make makes many may me mean means method methods might module modules more most much must my need
needs never nor nothing now off once one only other our out over part place possible project really repo repository
responsible same see shall she should show so some somebody someone something such take takes tell than thing things
those through too under until up us use used uses using very want way we went were what whatever when whenever where
whether which while who whom whose why within without work working works would yes yet you your
aren couldn didn doesn don hadn hasn haven isn mustn shouldn wasn weren won wouldn
"""
QUESTION_WORDS = STOP_WORDS | frozenset(_QUESTION_WORDS.split())
"""What stands in any question about any code, and says nothing of what it is about."""

_ENDING = re.compile(r"['’](?:s|t|d|m|re|ve|ll)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LONGEST_WORD = 64
_MOST_ASKED = 32


def without_endings(text: str) -> str:
    """A question without its possessives and short forms: ``Ada's`` asks for ``Ada``."""
    return _ENDING.sub("", text)


def is_same(text: str, other: str) -> bool:
    """Whether two texts are the same but for white space and case."""
    return text.casefold().split() == other.casefold().split()


def asked_for(words: Iterable[str]) -> list[str]:
    """The words that an index can know."""
    return [word for word in words if word not in STOP_WORDS]


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """What the forms of an English word have in common, in lower case: ``validates`` and ``validation`` are ``valid``.

    Snowball's English stemmer (Porter 2). It may end in another letter than the word: see `beginning`.
    """
    if len(word) > _LONGEST_WORD:
        return word.lower()  # no word of any language

    from snowballstemmer import stemmer  # 40 ms: it loads the stemmers of all languages

    # One for each word, since it keeps its state between two steps and threads would share it; it costs 1 µs.
    return str(stemmer("english").stemWord(word.lower()))


def beginning(word: str) -> str:
    """What a word in lower case has in common with its stem, from the first letter on."""
    return commonprefix((word, stem(word)))


def pattern(word: str) -> str:
    """A regular expression, Java's, for texts that have this word in any form; ``word`` is letters and digits."""
    if is_wide(word):
        return rf"(?isU).*{word}.*"
    return rf"(?isU).*\b{beginning(word)}\w{{0,4}}\b.*"


def matched(words: Sequence[str], text: str) -> tuple[str, ...]:
    """Which of ``words`` a text has in any form, also as a part of an identifier, in the question's order."""
    stems = {each for word in set(_WORD.findall(composed(text))) for each in _stems(word)}
    return tuple(word for word in words if stem(word) in stems)


def _looked_up(word: str) -> tuple[str, ...]:
    every = (*known_pieces(word.lower()), *identifier_words(word), *without_marks(word))
    return tuple(dict.fromkeys(map(stem, every)))


_remembered = lru_cache(maxsize=32_768)(_looked_up)


def _stems(word: str) -> tuple[str, ...]:
    """The stems that a word can be found by; a longer one than any name is not remembered."""
    return _remembered(word) if len(word) <= _LONGEST_WORD else _looked_up(word)


def counted(text: str) -> Counter[str]:
    """How often a text has each stem, in the order in which they come: identifiers count whole and by their parts.

    What no search asks for is left out: stop words, single letters, and what is longer than any word.
    """
    found: Counter[str] = Counter()
    for word, times in Counter(_WORD.findall(composed(text))).items():
        for each in _telling(word) if len(word) <= _LONGEST_WORD else ():
            found[each] += times
    return found


@lru_cache(maxsize=65_536)
def _telling(word: str) -> tuple[str, ...]:
    bare = word.lower()
    if (len(word) == 1 and word.isascii()) or bare in STOP_WORDS:
        return ()
    parts = identifier_words(word)
    # The name of a definition has no other forms, and most of what a code base has are names.
    whole = (bare,) if len(parts) > 1 else map(stem, known_pieces(bare))
    every = dict.fromkeys((*whole, *map(stem, parts), *map(stem, without_marks(word))))
    return tuple(each for each in every if len(each) > 1 or not each.isascii())


def content_words(question: str) -> tuple[str, ...]:
    """The words of a question that say what it is about, in order, once each, as they are written there; all that an
    index can know where none does. Of very many the longest: they are the rarest."""
    words = {word.lower(): word for word in reversed(_WORD.findall(composed(without_endings(question))))}
    telling = [word for word in reversed(words.values()) if _telling(word)]
    found = [word for word in telling if word.lower() not in QUESTION_WORDS] or telling
    kept = set(sorted(found, key=len, reverse=True)[:_MOST_ASKED])
    return tuple(word for word in found if word in kept)


def stems_asked(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The stems that each of these words asks for: the whole and, of an identifier, its parts."""
    return {word: _telling(word) for word in words}
