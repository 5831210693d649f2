"""Slips of the words that a question begins with: "waht does it do"."""

from __future__ import annotations

import re

from ragforge_memory.language.reading.wording import content_words
from ragforge_memory.text.names import distance

_ASKING = ("who", "what", "which", "where", "when", "why", "how", "does", "show")
# "Whats in core.py", "hows it set": they are short for two words.
_SHORT = re.compile(r"(?:what|who|how|when)s")
# From here on a letter that is missing, or is there twice, leaves a word that is no other.
_LONG = 5
_FIRST = re.compile(r"\W*(?P<word>[A-Za-z]+)(?=\s+\S)")


def mendings(said: str) -> list[tuple[str, str]]:
    """A sentence as it may be meant, and what was read as what; none where its first word is no such slip.

    Two letters that changed places are one, or in a long word one letter too many or too few; so is an apostrophe that
    is left out.
    """
    first = _FIRST.match(said)
    written = first["word"].lower() if first else ""
    if first is None or len(written) < len("who") or not content_words(written):
        return []
    if _SHORT.fullmatch(written):
        meant = f"{written[:-1]}'s"
        return [(f"{said[: first.start('word')]}{meant}{said[first.end() :]}", f"`{first['word']}` as `{meant}`")]
    return [
        (f"{said[: first.start('word')]}{word}{said[first.end() :]}", f"`{first['word']}` as `{word}`")
        for word in _ASKING
        if word != written and distance(written, word, 1) == 1 and _is_slip(written, word)
    ]


def _is_slip(written: str, word: str) -> bool:
    if len(written) == len(word):
        return sorted(written) == sorted(word)
    return min(len(written), len(word)) >= _LONG - 1 and len(word) >= _LONG
