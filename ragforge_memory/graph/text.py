"""Words as the full-text indexes know them: identifiers split, owners as tokens, user text escaped."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

from ragforge_memory.text.accents import composed, without_marks
from ragforge_memory.text.names import words as identifier_parts
from ragforge_memory.text.scripts import WIDE, asked_pieces, is_wide, known_pieces
from ragforge_memory.text.words import without_endings

# Between signs of scripts without spaces a name has its ends where they begin.
_NAME = rf"[^\W\d{WIDE}][^\W{WIDE}]*+"
_IDENTIFIER = re.compile(rf"{_NAME}(?:\.{_NAME})*+")
_WORD = re.compile(r"\w+", re.UNICODE)
# What an analyzer leaves whole: signs between two letters or two digits part no words (Unicode's UAX 29, WB6 to WB12).
# A dot between letters is an identifier's.
_JOINED = re.compile(
    r"(?<!\w)\w++(?:(?:(?<=[^\W\d_])[:·'‘’](?=[^\W\d_])|(?<=\d)[.,;'‘’](?=\d))\w++)+"  # a run is looked at once
)
_QUOTED = re.compile(r'"(\w+)"')

# More words than this make a query slower, not better. Of more the longest are asked for: they are the rarest.
MAX_QUERY_WORDS = 64
_MAX_TERMS = 2_000
_LONGEST_NAME = 64


def terms(text: str) -> str:
    """What words of ``text`` can be found by beside themselves, once each, separated by spaces: the parts of every
    identifier that has more than one and of what is joined by a sign, and what has accents without them.

    Stored beside the text, since an analyzer leaves ``make_default_short_help``, ``auth:session``, ``10.0.0.1`` and
    ``O'Reilly`` whole, and ``café`` as it is.
    """
    found: dict[str, None] = {}
    for piece in dict.fromkeys(text.split()):
        if parts := _known_parts(piece) if len(piece) <= _LONGEST_NAME else _parts_in(piece):
            found.update(parts)
        if len(found) > _MAX_TERMS:
            break
    return " ".join(found)


def _parts_in(piece: str) -> dict[str, None]:
    """The parts of those identifiers in a piece of text that have more than one, the words of what is joined in it, and
    its words without accents."""
    if piece.isalpha() and piece[1:].islower() and piece.isascii():
        return {}  # a word
    alone = piece.isascii() and piece.isidentifier()
    found: dict[str, None] = {}
    for identifier in (piece,) if alone else _IDENTIFIER.findall(composed(piece)):
        parts = identifier_parts(identifier)
        if len(parts) > 1:
            found.update(dict.fromkeys(parts))
    for joined in () if alone else _JOINED.findall(composed(piece)):
        words = _WORD.findall(without_endings(joined).lower())
        if len(words) > 1:
            found.update(dict.fromkeys(words))
    found.update(dict.fromkeys(without_marks(piece)))
    return found


# Words and names come again and again in what is said of one code base; what is longer is neither.
_known_parts = lru_cache(maxsize=32_768)(_parts_in)


def owner_token(user_id: str, project: str) -> str:
    """A hex word for (user, project): what a full-text query is scoped by."""
    return hashlib.sha256(f"{user_id}\0{project}".encode()).hexdigest()[:32]


def query_words(text: str) -> list[str]:
    """The words of a question as Lucene may take them: letters and digits alone, so nothing needs escaping.

    Identifiers give themselves and their parts, words with accents themselves and what they are without, scripts
    without spaces each two signs side by side.
    """
    found: dict[str, None] = {}
    for word in _WORD.findall(composed(text)):
        found.update(dict.fromkeys(asked_pieces(word.lower())))
        found.update(dict.fromkeys(without_marks(word)))
        # Of a word with signs that are words of their own, the parts would be words of one sign.
        parts = () if is_wide(word) else identifier_parts(word)
        if len(parts) > 1:
            found.update(dict.fromkeys(parts))
    return _most_telling(found)


def _most_telling(found: Iterable[str]) -> list[str]:
    words = list(found)
    if len(words) <= MAX_QUERY_WORDS:
        return words
    kept = set(sorted(words, key=len, reverse=True)[:MAX_QUERY_WORDS])
    return [word for word in words if word in kept]


def text_words(text: str) -> list[str]:
    """Every word of a text, as often as it is there, with the parts of its identifiers once each."""
    return [piece for word in _WORD.findall(text) for piece in known_pieces(word.lower())] + terms(text).split()


def lucene_any(fields: tuple[str, ...], words: list[str]) -> str:
    """A clause that asks for any of ``words`` in any of ``fields``; quoted, so AND, OR and NOT are words too."""
    alternatives = " ".join(f'"{word}"' for word in words)
    return "(" + " ".join(f"{field}:({alternatives})" for field in fields) + ")"


def asked_words(clause: str) -> list[str]:
    """The words that a clause of `lucene_any` asks for."""
    return list(dict.fromkeys(_QUOTED.findall(clause)))
