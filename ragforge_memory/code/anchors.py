"""What became of the code that messages are anchored to, one label an anchor. Pure functions of values.

``fresh``: in its place (file and qualified name) with the same tokens; ``drifted``: in its place, other tokens;
``moved``: in another place, ``changed`` where the tokens are others too, the name in its definition not counted;
``orphaned``: no successor, or several that are equally good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragforge_memory.code.definition import Definition, Successor, alike
from ragforge_memory.code.fingerprint import is_marked
from ragforge_memory.code.likeness import TELLING_WORDS, folded, words_shared
from ragforge_memory.models.code import AnchorStatus

# Code that shows in the same place again, or under the same name where history says that it is gone, is taken for the
# same from here on.
_AGAIN = 0.5


@dataclass(frozen=True, slots=True)
class Label:
    """What became of an anchor.

    Args:
        status: see above.
        definition: what it is now; None for an orphan.
        changed: whether the tokens are others; None for an orphan.
        similarity: how alike the tokens are, from 0 to 1.
        candidates: of an orphan, the equally good successors.
    """

    status: AnchorStatus
    definition: Definition | None = None
    changed: bool | None = None
    similarity: float = 0.0
    candidates: tuple[Definition, ...] = ()


def in_place(made: Definition, there: Iterable[Definition]) -> Definition | None:
    """The definition in an anchor's own place, among those of its file: of several of that name the one with the same
    tokens, else the one that counts as the same among them, else one of the same type."""
    same = [each for each in there if each.qualified_name == made.qualified_name]
    ranked = (
        [each for each in same if each.body_hash == made.body_hash and each.type == made.type],
        [each for each in same if each.key == made.key and each.type == made.type],
        [each for each in same if each.type == made.type],
        same,
    )
    return next((found[0] for found in ranked if found), None)


def label(made: Definition, now: Definition | None, candidates: Sequence[Definition] = ()) -> Label:
    """The label of an anchor that was made on one definition and stands on another."""
    if now is None:
        return Label("orphaned", candidates=tuple(candidates))
    changed = is_marked(now.body_hash) or made.body_hash != now.body_hash
    if made.file == now.file and made.qualified_name == now.qualified_name:
        return Label("drifted" if changed else "fresh", now, changed, alike(made, now))
    return Label("moved", now, changed, alike(made, now))


def still(made: Definition, there: Definition) -> bool:
    """Whether what is, or was, in the place that an anchor has left is the code that it was made on, or near to it."""
    return alike(made, there) >= _AGAIN


def settled(
    lost: Definition,
    ends: Successor,
    history: Successor | None,
    now: Mapping[tuple[str, str], Definition],
    *,
    twin: bool = False,
) -> Successor:
    """What became of a lost definition, by the history between two states where that is known, and by the two alone.

    Args:
        lost: as it was.
        ends: what the two states say; of what the last commit has and the files as they are have not, what became of
            it from there.
        history: what the commits between say; None where they were not followed.
        now: what is there now, by (file, key).
        twin: whether another file had the same all the time, under the same name: what shows under the name later
            is of that one, and history is right that this one is gone.
    """
    if history is None:
        return ends
    if history.definition is not None:
        there = now.get((history.definition.file, history.definition.key)) or ends.definition
        return ends if there is None else Successor(there, alike(lost, there), (), history.passed)
    went = ends.definition
    if went is None and history.candidates:
        return history
    if went in history.candidates:
        return ends
    # What is ported to another place in one commit and cut in a later one was never lost and found in one step; what
    # cannot have been, by its name or for a twin, is no candidate either.
    told = ends.candidates if went is None else (went,)
    again = [each for each in told if not twin and ends.similarity >= _AGAIN and _has_its_name(lost, each)]
    if not again:
        return history
    return ends if went is not None else replace(ends, candidates=tuple(again))


def _has_its_name(lost: Definition, other: Definition) -> bool:
    """Whether the name says that one is the other: it is qualified by the same, or says much by itself."""
    telling = words_shared(lost.name, other.name) >= TELLING_WORDS
    return telling or folded(other.qualified_name) == folded(lost.qualified_name)
