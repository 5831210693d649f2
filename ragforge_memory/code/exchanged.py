"""What a change put under another name while its own was taken: two functions whose names were swapped, a class that
went elsewhere and left a wrapper of its name behind. Pure functions of values.

That a name is still there says little where the very tokens that it had stand elsewhere, and others under it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set

from ragforge_memory.code.anchors import still
from ragforge_memory.code.definition import FAMILIES, Definition, Standing
from ragforge_memory.code.fingerprint import is_marked
from ragforge_memory.code.sketch import decode

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
