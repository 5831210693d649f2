"""Pairs of a lost and a new definition, and which of them is clearly the best. Pure functions of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragforge_memory.code.evidence import SEEN
from ragforge_memory.code.likeness import NEARLY_SAME_NAME, SAME_NAME

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
