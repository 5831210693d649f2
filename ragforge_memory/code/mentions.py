"""Names of code that a text mentions, to be resolved against the graph."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DOTTED = r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*"
# `Auth.login` and `auth.py` have the same shape: what stands behind the dot must be a file's.
_ENDINGS = (
    "py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|go|rs|java|c|h|cc|cpp|cxx|hh|hpp|hxx|cs|rb|php|md|rst|txt|toml|ya?ml|json|"
    "cfg|ini|sh|sql|html|css|cypher|lock|kt|swift|scala|proto|gradle|rake|gemspec"
)
_FILE = re.compile(rf"(?<![\w/.-])((?:[\w.@-]+/)*[\w.@-]+\.(?:{_ENDINGS}))(?![\w/-]|\.\w)")
_BACKTICKED = re.compile(rf"`({_DOTTED})(?:\(\)?[^`]*)?`")
_CALLED = re.compile(rf"(?<![\w.]){_DOTTED}(?=\()")
_BARE = re.compile(rf"(?<![\w./-]){_DOTTED}(?![\w/-])")
_SEPARATORS = re.compile(r"::|#|->")
_CODE_SHAPE = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z][A-Z0-9]+_[A-Z]|^_+[a-z]")

# An answer that names more than this is a listing; its first names are what it is about.
MAX_NAMES = 64


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names (dotted where they stood so) and files, in the order of the text, each once."""

    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def find_mentions(text: str) -> Mentions:
    """The names and files that ``text`` mentions.

    A word counts as a name where it stands in backticks, is called (``name(``), is dotted, or has the shape of
    an identifier (``snake_case``, ``camelCase``); plain words do not, whatever they mean in the code.
    """
    files = list(dict.fromkeys(match.group(1) for match in _FILE.finditer(text)))
    found: dict[int, str] = {}
    for pattern, group in ((_BACKTICKED, 1), (_CALLED, 0)):
        for match in pattern.finditer(text):
            found[match.start(group)] = match.group(group)
    for match in _BARE.finditer(text):
        word = match.group()
        if "." in word or "::" in word or _CODE_SHAPE.search(word):
            found.setdefault(match.start(), word)
    names = dict.fromkeys(_SEPARATORS.sub(".", found[place]) for place in sorted(found) if found[place] not in files)
    return Mentions(tuple(names)[:MAX_NAMES], tuple(files)[:MAX_NAMES])
