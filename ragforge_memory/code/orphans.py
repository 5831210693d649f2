"""Where orphans are that show again, in an ingest after the one that lost them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from ragforge_memory.code.anchored import Before, Now, Place, last_on, made_on
from ragforge_memory.code.anchors import still
from ragforge_memory.code.definition import Definition, Standing, Successor
from ragforge_memory.code.successors import find_successors
from ragforge_memory.graph.anchors import AnchorRow, AnchorStore


async def decide(
    undecided: Sequence[AnchorRow], now: Now, before: Before, new: Iterable[Definition], store: AnchorStore
) -> dict[str, Successor]:
    """What orphans with candidates are, by the candidates that are left and by what is new in the files touched."""
    told = {one for anchor in undecided for one in anchor.candidates}
    new = set(new)
    # A path may have spaces, and so may a name: what is no file has no definitions.
    places = {one[:at] for one in told for at, letter in enumerate(one) if letter == " "}
    now.add(await store.definitions(sorted(places - now.files.keys())))
    left = {each for each in now.by_place.values() if called(each) in told}
    considered = sorted(left | new, key=lambda each: (each.file, each.key))
    successors = await asyncio.to_thread(
        find_successors, [last_on(anchor) for anchor in undecided], considered, renamed=before.renamed
    )
    found = dict(zip((anchor.uuid for anchor in undecided), successors, strict=True))
    for anchor in undecided:
        taken = found[anchor.uuid].definition
        if not anchor.alone and taken is not None and taken not in new:
            # It may be a twin, and that the others are gone makes it no successor.
            there = [each for each in considered if called(each) in anchor.candidates and still(last_on(anchor), each)]
            found[anchor.uuid] = Successor(None, 1.0, tuple(there))
    return found


async def found_again(orphans: Sequence[AnchorRow], change: Standing, before: Before) -> dict[str, Successor]:
    """Where orphans are that show again: what is cut in one ingest and put elsewhere in a later one is new there, and
    nothing is lost by then. The name has to be the same, for much may be like what went long ago: the one that it had
    last, or the one that it was made under, with the very tokens."""
    gone, new = change.lost, change.new
    tokens = {each.body_hash for each in new}
    names = {each.name for each in new}
    whole = {(each.name, each.body_hash) for each in new}
    # Of the anchors on one place, which were made on its tokens of several times, one speaks for all.
    places: dict[Place, Definition] = {}
    for anchor in orphans:
        place = (anchor.at_file, anchor.at_key)
        last, made = last_on(anchor), made_on(anchor)
        one = made if made.name != last.name and (made.name, made.body_hash) in whole else last
        if one.name in names and (place not in places or anchor.body_hash in tokens):
            places[place] = one
    if not places:
        return {}
    asked = [*gone, *places.values()]
    successors = await asyncio.to_thread(find_successors, asked, new, renamed=before.renamed)
    found = {}
    for (place, one), successor in zip(places.items(), successors[len(gone) :], strict=True):
        there = [successor.definition] if successor.definition is not None else successor.candidates
        if there and all(each.name == one.name and still(one, each) for each in there):
            found[place] = successor
    return {
        anchor.uuid: found[anchor.at_file, anchor.at_key]
        for anchor in orphans
        if (anchor.at_file, anchor.at_key) in found
    }


def called(definition: Definition) -> str:
    """How a candidate is told."""
    return f"{definition.file} {definition.qualified_name}"
