"""Which of what is new stands between the same neighbours as what is lost stood.

What is rewritten and renamed at once is still behind the function that it was behind, in a file that is otherwise as it
was. Pure functions of values.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragforge_memory.code.definition import FAMILIES, Definition

Place = tuple[str, str]
End = tuple[str, Place]

_AFTER, _BEFORE = ">", "<"


@dataclass(frozen=True, slots=True)
class _Gap:
    """Between which neighbours something stands, and with how many of its kind."""

    left: End
    right: End
    count: int


class Siblings:
    """The definitions of some files in order, before and after, each with those around it.

    Args:
        before, after: file by file, in the order of the file.
        kept: what stands where it stood, before and after.
    """

    def __init__(
        self,
        before: Iterable[Definition] = (),
        after: Iterable[Definition] = (),
        kept: Iterable[tuple[Definition, Definition]] = (),
    ) -> None:
        self._before = _rows(before)
        self._after = _rows(after)
        self._files_now = {file for file, _ in self._after}
        self._names = _names(self._before)
        self._names_now = _names(self._after)
        self._kept = {(old.file, old.key): (new.file, new.key) for old, new in kept}
        self._old: dict[Place, _Gap] = {}
        self._new: dict[Place, _Gap] = {}

    def stands(self, file: str) -> bool:
        """Whether anything stands in a file now."""
        return file in self._files_now

    def look(self, went: Mapping[Place, Place], files: Mapping[str, str]) -> None:
        """Finds the gaps anew, by what is known to have gone where: definitions, and files."""
        known = {**went, **self._kept}
        taken = {place: place for place in known.values()}
        self._old = _gaps(self._before, known, files)
        self._new = _gaps(self._after, taken, {})

    def only_of_its_name(self, old: Definition, new: Definition) -> bool:
        """Whether nothing else had the name that two definitions have, and nothing else has it: the bare name, or
        with that of the class where others have such a member."""
        return any(self._names[name] == self._names_now[name] == 1 for name in _names_of(old) & _names_of(new))

    def share(self, old: Definition, new: Definition) -> float:
        """How much speaks for a pair that both are between the same neighbours: 1 where nothing else is there."""
        one, other = self._old.get((old.file, old.key)), self._new.get((new.file, new.key))
        if one is None or other is None:
            return 0.0
        same = (one.left == other.left) + (one.right == other.right)
        share = same / 2 / max(one.count, other.count)
        return share if share == 1 or old.file != new.file else 0.0


def _rows(definitions: Iterable[Definition]) -> dict[Place, list[Definition]]:
    """What stands beside each other, by file and by what is around it."""
    rows: dict[Place, list[Definition]] = defaultdict(list)
    for each in definitions:
        rows[each.file, each.around].append(each)
    return rows


def _names_of(definition: Definition) -> set[tuple[str | None, str]]:
    """The bare and the qualified name among those of its kind: a constructor has the bare name of its class."""
    kind = FAMILIES.get(definition.type)
    return {(kind, definition.name), (kind, definition.qualified_name)}


def _names(rows: Mapping[Place, Sequence[Definition]]) -> Counter[tuple[str | None, str]]:
    return Counter(name for row in rows.values() for each in row for name in _names_of(each))


def _gaps(
    rows: Mapping[Place, Sequence[Definition]], known: Mapping[Place, Place], files: Mapping[str, str]
) -> dict[Place, _Gap]:
    """The gap of each definition of which it is not known where it went, or came from."""
    found: dict[Place, _Gap] = {}
    for (file, around), row in rows.items():
        outside = known.get((file, around), (file, around)) if around else (files.get(file, file), "")
        left: End = (_AFTER, outside)
        waiting: list[Definition] = []
        for each in (*row, None):
            place = None if each is None else known.get((each.file, each.key))
            if each is not None and place is None:
                waiting.append(each)
                continue
            right: End = (_BEFORE, outside) if place is None else ("", place)
            for kind in {FAMILIES.get(one.type) for one in waiting}:
                some = [one for one in waiting if FAMILIES.get(one.type) == kind]
                gap = _Gap(left, right, len(some))
                found.update({(one.file, one.key): gap for one in some})
            left, waiting = right, []
    return found
