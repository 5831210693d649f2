"""Names of Python and of Cypher for what a graph calls as it likes."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection

_SEAM = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")
_LONGEST = 30
# What generated functions have as names of their own.
_TAKEN = frozenset(
    {
        *("context", "limit", "self", "rows", "text", "words", "read", "write", "found", "saved", "tool", "each"),
        *("any_word", "vector_of"),
    }
)


def words_of(name: str) -> list[str]:
    """The words of a name in lower case: ``OrderLine`` and ``order-line`` are order, line; accents are left out."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return [word.lower() for word in _SEAM.split(plain) if word]


def snake(name: str, instead: str) -> str:
    """A name for a variable; ``instead`` where nothing of it can stand in one."""
    found = _of_words(words_of(name), "_") or instead
    found = f"{instead}_{found}" if found[0].isdigit() else found
    return f"{found}_" if keyword.iskeyword(found) or keyword.issoftkeyword(found) or found in _TAKEN else found


def camel(name: str, instead: str) -> str:
    """A name for a class."""
    found = _of_words([word.capitalize() for word in words_of(name)], "") or instead
    found = f"{instead}{found}" if found[0].isdigit() else found
    return f"{found}_" if keyword.iskeyword(found) else found


def _of_words(words: list[str], between: str) -> str:
    """A name of as many of the words as are short together."""
    found = ""
    for word in words:
        longer = f"{found}{between}{word}" if found else word[:_LONGEST]
        if len(longer) > _LONGEST:
            break
        found = longer
    return found


def plural(word: str) -> str:
    """More than one of what an English word names."""
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


def unlike(name: str, taken: Collection[str]) -> str:
    """The name, with a number where another has it already."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def is_speakable(name: str) -> bool:
    """Whether Cypher can be given a name: a backslash begins an escape there, even between backticks, and what cannot
    be printed hides what it says."""
    return bool(name) and len(name) <= 200 and "\\" not in name and name.isprintable()


def quoted(name: str) -> str:
    """A label, type or property as Cypher takes it; the name `is_speakable`."""
    return "`" + name.replace("`", "``") + "`"


def literal(name: str) -> str:
    """A name as a text of Cypher; it `is_speakable`. No escape is used, since a backslash may be read twice."""
    parts = [f"'{part}'" for part in name.split("'")]
    return ' + "\'" + '.join(parts)


def in_text(name: str) -> str:
    """A name in a docstring or in Markdown: on one line, without what would end either."""
    return re.sub(r"[\"\\`{}<>]", "", " ".join(name.split())).strip() or "?"
