"""What the resolution of one file read of others: so that a later ingest looks up again only what can have changed.

A **reading** is a pair of texts. Of another file it is ``(path, name)``: what that file says of a bare name, whichever
scope of it, also that it says nothing; of the whole project ``(kind, name)`` with one of the kinds below. Every way
from resolution to another file passes through the containers here, which note what they are asked; whoever goes through
one as a whole has read ALL of it. changes.py says which readings an edit makes obsolete.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

Reading = tuple[str, str]

ALL = "**"
"""The name that stands for everything that a file shows, or everything of a kind."""

EXPORTS = "=?"
"""The name that stands for whether a file exports anything."""

FILE = "?file"
"""Whether there is a file of this path, and its language and package."""
DIRECTORY = "?directory"
"""The files right in a directory."""
ABOVE = "?above"
"""Whether a directory has a file somewhere below."""
BELOW = "?below"
"""The files anywhere below a directory."""
BASENAME = "?basename"
"""The files with this last name."""
PACKAGE = "?package"
"""The files that say they belong to a package."""
PARENT_PACKAGE = "?parent package"
"""Whether there is a package of this name or below."""
DEFINED = "?defined"
"""All definitions of a name, as ``family:name``."""
DETACHED = "?detached"
"""All members that are defined outside a type of this name."""

MODULE = "?module"
"""Python's and JavaScript's files and directories with this last name, extensions left out (an ``index`` file and an
``__init__`` has its directory's name too)."""
ROOTED = "?rooted"
"""What of this name is right in a directory that Python may import from."""
UNPLACED = "?unplaced"
"""The C# files of no namespace."""
MODULE_PATH = "?module path"
"""What Go's packages of the project are imported by."""

V = TypeVar("V")


class Reads:
    """Collects readings."""

    def __init__(self) -> None:
        self._found: set[Reading] = set()
        self.own: str | None = None
        """The file that is being resolved: what is read of itself need not be noted."""

    def note(self, kind: str, name: str) -> None:
        """One reading."""
        self._found.add((kind, name))

    def add(self, readings: Iterable[Reading]) -> None:
        """Several readings."""
        self._found.update(readings)

    @contextmanager
    def of(self, own: str | None) -> Iterator[set[Reading]]:
        """Collects anew into what it gives, and then goes on with what was collected before."""
        outer = (self._found, self.own)
        self._found, self.own = found, _ = set[Reading](), own
        try:
            yield found
        finally:
            self._found, self.own = outer


class Watched(Mapping[str, V]):
    """A dictionary that notes under which name it is asked, found or not.

    Args:
        items: not changed.
        reads: where to note.
        kind: the reading's first part: a path or a kind.
        names: what is noted for each key, where that is not the key itself (of a scope's key its bare name).
    """

    __slots__ = ("_items", "_kind", "_names", "_note")

    def __init__(self, items: Mapping[Any, V], reads: Reads, kind: str, names: Mapping[str, str] | None = None) -> None:
        self._items = items
        self._note = reads.note
        self._kind = kind
        self._names = names

    def _ask(self, key: object) -> None:
        name = str(key)
        self._note(self._kind, name if self._names is None else self._names.get(name, ALL))

    def get(self, key: str, default: Any = None, /) -> Any:
        """As of a dictionary."""
        self._ask(key)
        return self._items.get(key, default)

    def __getitem__(self, key: str) -> V:
        self._ask(key)
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        self._ask(key)
        return key in self._items

    def __iter__(self) -> Iterator[str]:
        self._note(self._kind, ALL)
        return iter(self._items)

    def __len__(self) -> int:
        self._note(self._kind, ALL)
        return len(self._items)


class WatchedLevels(Mapping[str | None, Mapping[str, V]]):
    """Names by scope (None: the top level): what is asked of a scope's names is noted, not which scope."""

    __slots__ = ("_kind", "_levels", "_reads", "_scopes")

    def __init__(
        self, items: Mapping[str | None, Mapping[str, V]], names: Mapping[str, str], reads: Reads, path: str
    ) -> None:
        self._levels = items
        self._scopes = Watched(items, reads, path, names)
        self._reads = reads
        self._kind = path

    def get(self, key: str | None, default: Any = None, /) -> Any:
        """The names of a scope; none where there are none."""
        return Watched(self._levels.get(key, {}), self._reads, self._kind)

    def __getitem__(self, key: str | None) -> Mapping[str, V]:
        return Watched(self._levels[key], self._reads, self._kind)

    def __contains__(self, key: object) -> bool:
        return key in self._scopes

    def __iter__(self) -> Iterator[str | None]:
        return iter(self._scopes)

    def __len__(self) -> int:
        return len(self._scopes)


def digests(readings: Iterable[Reading]) -> set[int]:
    """Readings as numbers of 32 bits. Two that meet in one only make more be looked up again than must be."""
    return set(map(_digest, readings))


def _digest(reading: Reading) -> int:
    return crc32("\0".join(reading).encode("utf-8", "surrogatepass"))


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers of `digests` as bytes, for this machine alone."""
    return array("I", numbers).tobytes()


def any_of(numbers: set[int], data: bytes) -> bool:
    """Whether any of the numbers is among the packed ones."""
    some = array("I")
    some.frombytes(data)
    return not numbers.isdisjoint(some)
