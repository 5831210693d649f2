"""What an anchor was made on and stands on, what an ingest found before and has now, where orphans show again."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragforge_memory.anchors.definition import Definition, Standing, Successor, is_replaced, likest, standing
from ragforge_memory.anchors.history import definitions_at
from ragforge_memory.anchors.labels import in_place, still
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.fingerprint import whole
from ragforge_memory.graph.anchors import AnchorRow, AnchorStore, DefinitionRow

Place = tuple[str, str]


@dataclass(slots=True)
class Before:
    """What an ingest found in the graph before it wrote, of the files that it touches.

    Args:
        commit: of the last ingest.
        scopes: by file.
        renamed: files that the ingest took for renamed, old path → new.
        remembered: where another tool has taken scopes away, the keys of those that each file had, as far as this
            machine remembers them.
    """

    commit: str | None
    scopes: dict[str, list[Definition]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    remembered: dict[str, frozenset[str]] = field(default_factory=dict)

    def places(self) -> dict[Place, Definition]:
        """What was in each place."""
        return {(each.file, each.key): each for scopes in self.scopes.values() for each in scopes}

    def note(self, stored: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
        """Keeps scopes as `CodeStore.stored_scopes` gives them; those of other tools say nothing of their tokens."""
        for file, scopes in stored.items():
            self.scopes[file] = [
                Definition(
                    file,
                    scope["qualified_name"],
                    scope["type"],
                    whole(scope["body_hash"]),
                    scope.get("sketch") or "",
                    scope.get("key") or scope["qualified_name"],
                )
                for scope in scopes
                if scope.get("body_hash") and scope.get("qualified_name")
            ]


class Now:
    """The scopes of some files as they are in the graph."""

    def __init__(self, rows: Iterable[DefinitionRow]) -> None:
        self.files: dict[str, list[Definition]] = defaultdict(list)
        self.by_place: dict[Place, Definition] = {}
        self.uuids: dict[Place, str] = {}
        self.add(rows)

    def add(self, rows: Iterable[DefinitionRow]) -> None:
        """Takes files in, each with all its scopes."""
        for row in rows:
            self.files[row.file].append(self.one(row))

    def one(self, row: DefinitionRow) -> Definition:
        """Takes a scope in, of whatever file."""
        each = Definition(row.file, row.qualified_name, row.type, row.body_hash, row.sketch or "", row.key)
        self.by_place[row.file, row.key] = each
        self.uuids[row.file, row.key] = row.uuid
        return each


class Pairs:
    """Which definitions of now are which of those that were there before, in the files that are known of both.

    Args:
        before, now: the files.
    """

    def __init__(self, before: Before, now: Now) -> None:
        self.went: dict[Place, Definition | None] = {}
        """What each is now, by the place where it was; None where it is not there any more."""
        self.was: dict[Place, Definition] = {}
        """What each was, by the place where it is."""
        for file in before.scopes.keys() & now.files.keys():
            side = standing(before.scopes[file], now.files[file])
            self.went.update(dict.fromkeys(map(place_of, side.lost)))
            self.went.update({place_of(old): new for old, new in side.kept})
            self.was.update({place_of(new): old for old, new in side.kept})


def made_on(anchor: AnchorRow) -> Definition:
    """The definition that an anchor was made on."""
    return Definition(anchor.file, anchor.qualified_name, anchor.kind, anchor.body_hash, anchor.sketch, anchor.key)


def stands_on(anchor: AnchorRow, now: Now, pairs: Pairs) -> Definition | None:
    """What is in the place where an anchor was made, else what is now what it stood on last.

    Other tokens in the place that it had left may be of anything that has its name now: they are no reason to leave
    the place where it stands, nor not to look where it went from there. What stood beside it under the same name
    (an overload, a setter) is not what it is now.
    """
    made, there = where_made(anchor, now), _own(anchor, now, pairs)
    if made is not None and made != there:
        if made.body_hash == anchor.body_hash:
            # A twin that is as it was, while the anchor's own place has other tokens by now.
            was = pairs.was.get(place_of(made))
            if there is None or was is None or was.body_hash != made.body_hash:
                there = made
        elif there is None and not _left(anchor) and not _is_another(anchor, made, pairs):
            there = made
    return None if there is None or is_replaced(made_on(anchor), there) else there


def came_there(anchor: AnchorRow, now: Now, pairs: Pairs) -> Definition | None:
    """What carries on under the name of an anchor that is found nowhere, whatever its tokens are: the likest of those
    that stood beside it where it stood last, else what came into the place where it was made."""
    made = where_made(anchor, now)
    if anchor.status != "orphaned":
        last = last_on(anchor)
        beside = [each for each in now.files.get(last.file, ()) if each.qualified_name == last.qualified_name]
        if beside:
            return likest(last, beside)
    return None if made is None or _is_another(anchor, made, pairs) else made


def _own(anchor: AnchorRow, now: Now, pairs: Pairs) -> Definition | None:
    """What is now what an anchor stood on: of several of one name the numbers shift where one of them goes."""
    place = (anchor.at_file, anchor.at_key)
    there = now.by_place.get(place)
    if anchor.status != "orphaned":
        return pairs.went.get(place, there)
    return None if there is None or _is_another(anchor, there, pairs) else there


def _is_another(anchor: AnchorRow, there: Definition, pairs: Pairs) -> bool:
    """Whether what has an anchor's name was something else before; of an orphan it was not a successor then."""
    was = pairs.was.get(place_of(there))
    if was is None or anchor.status != "orphaned":
        return was is not None
    return was.body_hash == there.body_hash or (was.type == there.type and not still(made_on(anchor), there))


def where_made(anchor: AnchorRow, now: Now) -> Definition | None:
    """What is in the place where an anchor was made."""
    return in_place(made_on(anchor), now.files.get(anchor.file, ()))


def _left(anchor: AnchorRow) -> bool:
    """Whether an anchor stood elsewhere last than where it was made; a number tells those of one name apart."""
    same_name = anchor.at_key == anchor.qualified_name or anchor.at_key.startswith(f"{anchor.qualified_name}#")
    return anchor.at_file != anchor.file or not same_name


def supposed(
    root: Path, commit: str | None, files: Sequence[str], anchors: Sequence[AnchorRow]
) -> dict[str, list[Definition]]:
    """What was in files of which the graph knows nothing any more, after a crash or where another tool took all scopes
    away: what git has of them as of the last ingest, and what anchors stood on."""
    found: dict[str, dict[str, Definition]] = {file: {} for file in files}
    for file, there in (definitions_at(root, commit, files) if commit else {}).items():
        found[file] = {each.key: each for each in there}
    for anchor in anchors:
        # What had changed since an anchor was made git knows better.
        there_too = found.get(anchor.at_file)
        if (
            there_too is not None
            and anchor.status != "orphaned"
            and not (anchor.changed and anchor.at_key in there_too)
        ):
            there_too[anchor.at_key] = last_on(anchor)
    return {file: list(there.values()) for file, there in found.items()}


def with_remembered(
    was: Mapping[str, list[Definition]], remembered: Mapping[str, frozenset[str]], now: Now
) -> dict[str, list[Definition]]:
    """What was there, and in the places that are only remembered what is there now: it is nothing new."""
    found = dict(was)
    for file, keys in remembered.items():
        known = {each.key for each in was.get(file, ())}
        more = [now.by_place[file, key] for key in sorted(keys - known) if (file, key) in now.by_place]
        found[file] = [*was.get(file, ()), *more]
    return found


def change_in(before: Mapping[str, Sequence[Definition]], now: Now, files: Iterable[str]) -> Standing:
    """What the ingest did to these files."""
    change = Standing()
    for file in sorted(files):
        side = standing(before.get(file, ()), now.files.get(file, ()))
        change.kept.extend(side.kept)
        change.lost.extend(side.lost)
        change.new.extend(side.new)
    return change


def written_out(kept: Sequence[tuple[Definition, Definition]]) -> list[Definition]:
    """The types that were interfaces and are structs now, with their methods: these were only asked for, and what a
    struct of another name had may be in them. The places still count as kept."""
    structs = {(now.file, now.key) for was, now in kept if was.type == "interface" and now.type == "struct"}
    return [now for _, now in kept if (now.file, now.key) in structs or (now.file, now.around) in structs]


def last_on(anchor: AnchorRow) -> Definition:
    """The definition that an anchor was made on, in the place where it stood last."""
    name = anchor.at_key.partition("#")[0]
    return Definition(anchor.at_file, name, anchor.kind, anchor.body_hash, anchor.sketch, anchor.at_key)


def place_of(definition: Definition) -> Place:
    """Where a definition is."""
    return definition.file, definition.key


async def decide(
    undecided: Sequence[AnchorRow], now: Now, before: Before, new: Iterable[Definition], store: AnchorStore
) -> dict[str, Successor]:
    """What orphans with candidates are, by the candidates that are left and by what is new in the files touched."""
    told = {one for anchor in undecided for one in anchor.candidates}
    new = set(new)
    # A path may have spaces, and so may a name: what is not a file has no definitions.
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
