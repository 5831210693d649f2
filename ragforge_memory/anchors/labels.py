"""What became of the code that messages are anchored to, one label an anchor; and what a change put elsewhere.

``fresh``: in its place (file and qualified name) with the same tokens; ``drifted``: in its place, other tokens;
``moved``: in another place, ``changed`` where the tokens are others too, the name in its definition not counted;
``orphaned``: no successor, or several that are equally good. Pure functions of values.

That a name is still there says little where the very tokens that it had stand elsewhere, and others under it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from ragforge_memory.anchors.definition import FAMILIES, Definition, Standing, Successor, alike
from ragforge_memory.anchors.likeness import TELLING_WORDS, folded, words_shared
from ragforge_memory.code.fingerprint import is_marked
from ragforge_memory.code.sketch import decode
from ragforge_memory.models.code import AnchorStatus

# From so many tokens and pairs of them on, those of what took the name counted with them: a few lines are the same by
# chance.
_TELLING = 40


def exchanged(change: Standing) -> dict[Definition, Definition]:
    """Where the definitions are, one to one, in whose place something else stands under their name.

    Args:
        change: by names alone.
    """
    changed = [pair for pair in change.kept if pair[0].body_hash != pair[1].body_hash]
    there = [*change.new, *(now for _, now in changed)]
    went = _by_tokens([*change.lost, *(was for was, _ in changed)], there)
    came = {now: was for was, now in went.items()}
    found = {was: went[was] for was, now in changed if was in went and _is_taken(was, now, came.get(now))}
    found |= _with_members(change, changed, went, there, taken=set(found.values()))
    ends = {(was.file, was.qualified_name): (now.file, now.qualified_name) for was, now in found.items()}
    places = {(each.file, each.qualified_name, each.body_hash): each for each in there}
    for was, _ in changed:
        # What a class holds goes with it, however short it is.
        file, around = ends.get((was.file, was.around), ("", ""))
        end = places.get((file, f"{around}.{was.name}", was.body_hash))
        if end is not None and end not in found.values():
            found.setdefault(was, end)
    return found


def parted(change: Standing, went: Mapping[Definition, Definition]) -> Standing:
    """The change where what `exchanged` found is lost, and what stands in its place new."""
    return Standing(
        [pair for pair in change.kept if pair[0] not in went],
        [*change.lost, *went],
        [*change.new, *(now for was, now in change.kept if was in went)],
    )


def _by_tokens(before: Sequence[Definition], after: Sequence[Definition]) -> dict[Definition, Definition]:
    """The pairs that alone have their tokens."""
    had: dict[str, list[Definition]] = defaultdict(list)
    having: dict[str, list[Definition]] = defaultdict(list)
    for each in before:
        had[each.body_hash].append(each)
    for each in after:
        if not is_marked(each.body_hash):
            having[each.body_hash].append(each)
    return {
        olds[0]: news[0]
        for tokens, olds in had.items()
        if len(olds) == len(news := having.get(tokens, [])) == 1
        and FAMILIES.get(olds[0].type) == FAMILIES.get(news[0].type)
    }


def _is_taken(was: Definition, now: Definition, taker: Definition | None) -> bool:
    """Whether another one stands in the place of what has gone with its tokens: one that has come with its own, or one
    that is nothing like it. What is near to it is what it was, and elsewhere is a copy of how it was."""
    count = decode(was.sketch).count + (decode(taker.sketch).count if taker else 0)
    return count >= _TELLING and (taker is not None or not still(was, now))


def _with_members(
    change: Standing,
    changed: Sequence[tuple[Definition, Definition]],
    went: Mapping[Definition, Definition],
    there: Sequence[Definition],
    *,
    taken: Set[Definition],
) -> dict[Definition, Definition]:
    """Types whose members have gone to another one, most of them, and whose own tokens are others."""
    members: Counter[tuple[str, str]] = Counter()
    votes: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for each in (*change.lost, *(was for was, _ in change.kept)):
        members[each.file, each.around] += 1
        if each in went:
            votes[each.file, each.around][went[each].file, went[each].around] += 1
    types = {(each.file, each.qualified_name): each for each in there if FAMILIES.get(each.type) == "type"}
    found: dict[Definition, Definition] = {}
    for was, now in changed:
        place = (was.file, was.qualified_name)
        if was in went or place not in votes or FAMILIES.get(was.type) != "type" or still(was, now):
            continue
        [(end, count)] = votes[place].most_common(1)
        if end != place and end in types and types[end] not in taken and count * 2 > members[place]:
            found[was] = types[end]
    several = Counter(found.values())
    return {was: end for was, end in found.items() if several[end] == 1}


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
    # cannot have been, by its name or for a twin, is not a candidate either.
    told = ends.candidates if went is None else (went,)
    again = [each for each in told if not twin and ends.similarity >= _AGAIN and _has_its_name(lost, each)]
    if not again:
        return history
    return ends if went is not None else replace(ends, candidates=tuple(again))


def _has_its_name(lost: Definition, other: Definition) -> bool:
    """Whether the name says that one is the other: it is qualified by the same, or says much by itself."""
    telling = words_shared(lost.name, other.name) >= TELLING_WORDS
    return telling or folded(other.qualified_name) == folded(lost.qualified_name)
