"""How people write the names of code, and which names they may have meant.

A name as asked (``Command.invoke``, ``click.core.Command``, ``core.py:invoke``, ``makeDefaultShortHelp``,
``Comand.invoke()``) against the names that exist. Three kinds of match, and no more:

* *exact*: the same letters, dotted parts in their places;
* *spelling*: the same words in another case or with other separators;
* *typo*: at most two edits away, and only where the asked word is not a word of the project itself;
* *partial*: the asked words stand side by side inside the name.

What is none of these is not found: a neighbour is never passed off as the thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragforge_memory.text.names import spelling, words

_PLACE = re.compile(r"^(?P<file>[\w./\\+-]*\.\w{1,5})(?::{1,2}|#)(?P<name>[A-Za-z_$].*)$")
_LEADING = re.compile(
    r"^(?:(?:async|export|public|private|protected|static)\s+)*(?:def|class|function|func|fn|struct|enum|trait|"
    r"interface|type)\s+(?=[A-Za-z_$])"
)
_ABBREVIATION = re.compile(r"[A-Z]{3,}$")
_CALL = re.compile(r"\((?:[^()]|\([^()]*\))*\)?$")
_SELF = frozenset({"self", "this", "$this", "Self", "cls", "super"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A name as someone wrote it: its parts, outermost first, and the file it was tied to (``''``: none)."""

    parts: tuple[str, ...]
    file: str = ""

    @property
    def name(self) -> str:
        """The last part: the bare name."""
        return self.parts[-1] if self.parts else ""

    @property
    def text(self) -> str:
        """The parts joined by dots."""
        return ".".join(self.parts)


def reference(text: str) -> Reference:
    """Reads a name: quotes, call brackets, keywords and ``self`` fall away; ``::``, ``->``, ``#`` are dots.

    Marks at the end fall away, too, be they the name's (`end_mark`) or those of a question.
    """
    bare = _unquoted(text).rstrip("?!,;:")
    bare = _LEADING.sub("", bare).lstrip("@&*")
    bare = _CALL.sub("", bare).rstrip("?!.")
    file = ""
    place = _PLACE.match(bare)
    if place:
        file, bare = place.group("file").replace("\\", "/"), place.group("name")
    for separator in ("::", "->", "?.", "#", "/", "\\"):
        bare = bare.replace(separator, ".")
    parts = [part.strip() for part in bare.split(".") if part.strip()]
    while len(parts) > 1 and parts[0] in _SELF:
        parts = parts[1:]
    return Reference(tuple(parts), file)


def end_mark(text: str) -> str:
    """The mark right behind a name, which in Ruby is part of it (``save!``, ``free?``); ``""`` where none is."""
    bare = _CALL.sub("", _unquoted(text).rstrip(",;:"))
    return bare[len(bare.rstrip("?!")) :][:1]


def _unquoted(text: str) -> str:
    return text.strip().strip("`'\"“”‘’").strip()


def distance(one: str, other: str, limit: int = 2) -> int:
    """Edits (insert, delete, replace, swap of neighbours) between two strings; ``limit + 1`` when more.

    The optimal string alignment distance (Damerau 1964, in the restricted form): no part is edited twice.
    """
    if one == other:
        return 0
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, above = above, row
    return min(above[-1], limit + 1)


def allowed_edits(length: int) -> int:
    """How many edits a name of this many letters may be off and still be meant.

    One edit of a three-letter word makes some other word more often than not, two edits of a word of five
    likewise; from six letters on the neighbours within two edits are nearly always slips of the same word.
    """
    if length < 4:
        return 0
    return 1 if length < 6 else 2


def is_typo(asked: str, name: str, vocabulary: frozenset[str] | set[str] = frozenset()) -> int | None:
    """The edits by which ``asked`` is a slip of ``name``; None when it is another name.

    Both are compared without case and separators. A slip makes a word that is none: where every word of
    ``asked`` is one of the project's own (``vocabulary``), it is another name that happens to look alike
    (``parse_action`` is not ``parse_option``), unless a plural's ``s`` or an underscore's place is all there is.
    """
    left, right = spelling(asked), spelling(name)
    if left == right:
        return 0
    edits = distance(left, right, allowed_edits(min(len(left), len(right))))
    if edits > allowed_edits(min(len(left), len(right))):
        return None
    asked_words, name_words = words(asked), words(name)
    if len(asked_words) == len(name_words):
        off = [(a, n) for a, n in zip(asked_words, name_words, strict=True) if a != n]
        # One letter in one of four words is a slip even where it makes another word (``set`` for ``sent``).
        slip = edits == 1 and len(off) == 1 and len(asked_words) >= 4
        if not slip and any(a in vocabulary and a.rstrip("s") != n.rstrip("s") for a, n in off):
            return None
    elif all(word in vocabulary for word in asked_words):
        return None
    return edits


def is_part(asked: str, name: str) -> bool:
    """Whether the words of ``asked`` stand side by side in ``name``, and are enough of it to mean it.

    Enough is four letters, and a third of the name: ``short_help`` is meant by ``make_default_short_help``
    (nine of twenty), ``id`` by nothing. An abbreviation is enough where the name begins with it: ``CORS`` is meant by
    ``CORSMiddleware``. What is one word here may be several there: ``netrc`` of ``NetRCAuth``.
    """
    whole, many = spelling(asked), words(name)
    every = "".join(many)
    if whole not in every or whole == every:
        return False
    few = len(whole) < 4 or len(whole) * 3 < len(every)
    if few and not (_ABBREVIATION.match(asked) and name.startswith(asked)):
        return False
    return any(whole == "".join(many[start:end]) for start in range(len(many)) for end in range(start, len(many) + 1))


def fits(asked: Sequence[str], qualified_name: str, file: str) -> bool:
    """Whether dotted parts name this scope: ``click.core.Command`` is ``Command`` of ``src/click/core.py``.

    The last part must be the name; those before it must come in this order among the folders, the file and the
    enclosing scopes, and may leave some out (``click.Command``: packages re-export).
    """
    have = [*module_parts(file), *qualified_name.split(".")]
    if not asked or have[-1] != asked[-1]:
        return False
    remaining = iter(reversed(have[:-1]))
    return all(any(part == place for place in remaining) for part in reversed(asked[:-1]))


def stands_last(asked: Sequence[str], qualified_name: str, file: str) -> bool:
    """Whether the parts are the very end of the path and name, with nothing left out between them."""
    have = [*module_parts(file), *qualified_name.split(".")]
    return list(asked) == have[-len(asked) :] if asked else False


def module_parts(file: str) -> list[str]:
    """A file's path as the parts of a module's name: ``src/click/core.py`` is src, click, core."""
    parts = file.replace("\\", "/").split("/")
    stem = parts[-1].split(".")[0] if not parts[-1].startswith(".") else parts[-1]
    last = [] if stem in ("__init__", "index", "mod") else [stem]
    return [*(part for part in parts[:-1] if part not in ("", ".")), *last]


def same_file(asked: str, file: str) -> bool:
    """Whether ``asked`` is the end of the path ``file`` at a folder's border, case aside."""
    wanted, have = asked.strip("/").lower().removeprefix("./"), file.lower()
    return bool(wanted) and (have == wanted or have.endswith("/" + wanted))


def lies_in(place: str, file: str) -> bool:
    """Whether a file is ``place``, as `same_file` says, or lies below folders of that path, case aside."""
    folder = place.strip("/").lower().removeprefix("./")
    return same_file(place, file) or ("/" in place and f"/{folder}/" in f"/{file.lower()}")


def vocabulary(names: Iterable[str]) -> frozenset[str]:
    """Every word that these names are made of."""
    return frozenset(word for name in names for word in words(name))
