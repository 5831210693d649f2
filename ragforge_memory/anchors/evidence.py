"""What pairs of definitions that are known say of others, and which of several is clearly the best."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ragforge_memory.anchors.definition import FAMILIES, Definition
from ragforge_memory.anchors.likeness import NEARLY_SAME_NAME, SAME_NAME, Paths, name_likeness, renaming

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


T = TypeVar("T")
Row = tuple[str, str]
"""A file, and the qualified name of what is around; empty at the top level."""

# Another file counts as the same where git says so, or as far as other definitions went there.
TOLD, SEEN = 0.7, 0.8
# Where nothing is known, another file counts as the same as far as its path has the words that few others have.
NEAR = 0.5
# What more than this share of a class became, all of it may have become.
MOST = 0.5
# So many that did the same are no chance.
_SEVERAL = 2


class Evidence:
    """What is known to have gone where.

    Args:
        renamed: files that are known to be others now, old path → new.
        siblings: what stood, and stands, beside the definitions.
        paths: of the files that they stood, and stand, in.
    """

    def __init__(self, renamed: Mapping[str, str], siblings: Siblings, paths: Paths) -> None:
        self._renamed = renamed
        self._siblings = siblings
        self._paths = paths
        self._went: dict[Row, Row] = {}
        self._files: dict[str, Counter[str]] = defaultdict(Counter)
        self._rows: dict[Row, Counter[Row]] = defaultdict(Counter)
        self._levels: dict[Row, Counter[bool]] = defaultdict(Counter)
        self._renamings: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
        self._likely: dict[Row, Counter[Row]] = {}

    def take(self, old: Definition, new: Definition) -> None:
        """One more pair is known."""
        self._went[old.file, old.key] = new.file, new.key
        self._files[old.file][new.file] += 1
        self._rows[old.file, old.around][new.file, new.around] += 1
        self._rows[old.file, old.qualified_name][new.file, new.qualified_name] += 2
        self._levels[old.file, old.around][bool(new.around)] += 1
        if name_likeness(old.name, new.name) < NEARLY_SAME_NAME:
            self._renamings[renaming(old.name, new.name)] += 1

    def look(self) -> None:
        """Looks at neighbours anew, by the pairs that are known now; what was supposed is not any more."""
        self._likely = {}
        most = {old: new for old, votes in self._files.items() if (new := _most(votes)) is not None}
        self._siblings.look(self._went, {**self._renamed, **most})

    def suppose(self, likely: Mapping[Row, Counter[Row]]) -> None:
        """Takes it, until it looks anew, that classes went where most of what is left of them has its likest."""
        self._likely = dict(likely)

    def row_of(self, old: Definition) -> Row | None:
        """Where most of what stood beside a definition went."""
        return _most(self._rows.get((old.file, old.around), Counter()))

    def of_file(self, old: Definition, new: Definition) -> float:
        """How much speaks for the one's file being the other's."""
        if old.file == new.file:
            return 1.0
        votes = self._files.get(old.file)
        seen = SEEN * votes[new.file] / votes.total() if votes else 0.0
        if self._is_likely(old, new):
            seen = SEEN
        # Of a file that went elsewhere nothing is told by its path.
        near = 0.0 if votes and not votes[new.file] else NEAR * self._paths.likeness(old.file, new.file)
        return max(seen, near, TOLD if self._renamed.get(old.file) == new.file else 0.0)

    def of_around(self, old: Definition, new: Definition) -> float:
        """Whether both are at the top level, or in what is the same class by name or by what went with it."""
        if old.around == new.around and (old.file == new.file or not old.around):
            return 1.0
        votes = self._rows.get((old.file, old.around))
        if votes and votes[new.file, new.around]:
            return 1.0
        if not old.around or not new.around:
            # A class that is taken apart goes to functions of many files.
            levels = self._levels.get((old.file, old.around))
            share = levels[bool(new.around)] / levels.total() if old.around and levels else 0.0
            return SEEN * share if share > MOST else 0.0
        if self._is_likely(old, new):
            return SEEN
        return SEEN * name_likeness(old.around.rpartition(".")[2], new.around.rpartition(".")[2])

    def of_place(self, old: Definition, new: Definition) -> float:
        """How much speaks for the one's place being the other's: the same neighbours, or the same members."""
        members = self._rows.get((old.file, old.qualified_name))
        share, name = 0.0, name_likeness(old.name, new.name)
        if members and name and members.total() >= (1 if name >= NEARLY_SAME_NAME else _SEVERAL):
            share = members[new.file, new.qualified_name] / members.total()
        return max(share, self._siblings.share(old, new))

    def is_usual(self, old: Definition, new: Definition) -> bool:
        """Whether several names changed as the one's would have to: ``load`` for ``get``, or ``X`` for ``XBase``."""
        return self._renamings[renaming(old.name, new.name)] >= _SEVERAL

    def _is_likely(self, old: Definition, new: Definition) -> bool:
        votes = self._likely.get((old.file, old.around)) if old.around and new.around else None
        # Of copies of a class each has the likest: only a class that is called otherwise is told so.
        if not votes or old.around.rpartition(".")[2] == new.around.rpartition(".")[2]:
            return False
        # One of them may be this very pair.
        others = votes[new.file, new.around] - 1
        return others >= _SEVERAL and others > MOST * (votes.total() - 1)


def _most(votes: Counter[T]) -> T | None:
    """What has more than half of the votes."""
    found = votes.most_common(1)
    return found[0][0] if found and found[0][1] > MOST * votes.total() else None


# Of two pairs that are nearer than this none is better.
MARGIN = 0.04
# Pairs that differ by less than this are of copies of one definition; what tells copies apart is their paths.
_COPIES, _PATH_MARGIN = 0.01, 0.09


@dataclass(slots=True)
class Pair:
    """A lost definition and a new one that it may be, by their numbers, and what speaks for that."""

    old: int
    new: int
    similarity: float
    path: float
    name: float
    exact: bool
    score: float = 0.0
    apart: float = 0.0
    """The score without what its place says."""
    around: float = 0.0
    at_home: bool = False
    """Whether it has the same qualified name, in the file that its file is now."""

    def beats(self, rival: Pair) -> bool:
        """Whether it is clearly the better one: of copies of the same code the one whose path is more alike, and of
        two that are nearly as good the one with the very name, or with one that only case and underscores tell apart
        from it (``get`` and ``Get``), or with the very tokens where the names say nothing else; and the one of the
        very name that stands in its class. The neighbours say nothing against the very name. Where its file went, what
        has its qualified name is it, as it would be in the file itself: only the very tokens say otherwise."""
        if self.at_home != rival.at_home and not (rival.exact if self.at_home else self.exact):
            return self.at_home
        lead = self.score - rival.score
        if self.name != rival.name and max(self.name, rival.name) >= NEARLY_SAME_NAME:
            lead = self.apart - rival.apart
        if lead >= MARGIN:
            return True
        if self.exact and not rival.exact and self.name >= rival.name and lead > 0:
            return True
        if self.name >= NEARLY_SAME_NAME and self.name > rival.name and lead > 0:
            return True
        if self.name == SAME_NAME and self.around > SEEN >= rival.around and lead > 0:
            return not rival.exact
        return lead >= -_COPIES and self.path - rival.path >= _PATH_MARGIN


def clear_best(pairs: Sequence[Pair]) -> Pair | None:
    """The pair that beats all others, if one does."""
    top = max(pairs, key=lambda pair: (pair.score, pair.path))
    likely = max(
        (pair for pair in pairs if pair.score >= top.score - _COPIES), key=lambda pair: (pair.path, pair.score)
    )
    apart = max(pairs, key=lambda pair: pair.apart)
    at_home = [pair for pair in pairs if pair.at_home]
    clear = (best for best in (top, likely, apart, *at_home) if all(pair is best or best.beats(pair) for pair in pairs))
    return next(clear, None)
