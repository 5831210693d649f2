"""What an anchor was made on and stands on, and what an ingest found before it wrote and has now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragforge_memory.code.anchors import in_place, still
from ragforge_memory.code.definition import Definition, Standing, alike, is_replaced, standing
from ragforge_memory.code.fingerprint import whole
from ragforge_memory.code.history import definitions_at
from ragforge_memory.graph.anchors import AnchorRow, DefinitionRow

Place = tuple[str, str]

# Of more that have one name in a file none is told from the others by its likeness.
_MOST_OF_ONE_NAME = 12


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


def made_on(anchor: AnchorRow) -> Definition:
    """The definition that an anchor was made on."""
    return Definition(anchor.file, anchor.qualified_name, anchor.kind, anchor.body_hash, anchor.sketch, anchor.key)


def stands_on(anchor: AnchorRow, now: Now, before: Before) -> Definition | None:
    """What is in the place where an anchor was made, else in the place where it stood last.

    Other tokens in the place that it had left may be of anything that has its name now: they are no reason to leave
    the place where it stands, nor not to look where it went from there. What stood beside it under the same name
    ``before`` the ingest (an overload, a setter) is not what it is now.
    """
    made = where_made(anchor, now)
    own = now.by_place.get((anchor.at_file, anchor.at_key))
    if made is None or not (made.body_hash == anchor.body_hash or not _left(anchor)):
        made = own
    if made is not None and _is_another(anchor, made, now, before):
        made = own if own is not made else None
    return None if made is None or is_replaced(made_on(anchor), made) else made


def came_there(anchor: AnchorRow, now: Now, before: Before) -> Definition | None:
    """What came into the place of an anchor that is found nowhere, whatever its tokens are."""
    made = where_made(anchor, now)
    return None if made is None or _is_another(anchor, made, now, before) else made


def _is_another(anchor: AnchorRow, made: Definition, now: Now, before: Before) -> bool:
    """Whether what has an anchor's name is another one of that name in its file, which it was before."""
    was = [each for each in before.scopes.get(made.file, ()) if each.qualified_name == made.qualified_name]
    unchanged = any(each.key == made.key and each.body_hash == made.body_hash for each in was)
    if made.body_hash == anchor.body_hash:
        # A twin that is where it was, while the anchor's own place has other tokens by now.
        own = now.by_place.get((anchor.at_file, anchor.at_key))
        return own is not None and own is not made and unchanged
    if anchor.status == "orphaned" and (
        unchanged
        or (any(each.key == made.key and each.type == made.type for each in was) and not still(made_on(anchor), made))
    ):
        return True  # it was no successor before
    # Their numbers shift where one of them goes: it is told by its tokens.
    others = sum(each.key != anchor.at_key and each.body_hash == made.body_hash for each in was)
    there = [each for each in now.files.get(made.file, ()) if each.qualified_name == made.qualified_name]
    if 0 < others >= sum(each.body_hash == made.body_hash for each in there):
        return True
    return anchor.at_file == made.file and anchor.at_key in _left_over(was, there)


def _left_over(was: Sequence[Definition], there: Sequence[Definition]) -> set[str]:
    """The keys of those of one name that are not there any more, where fewer are: what is left is of the likest."""
    gone = {each.key for each in was}
    if not 0 < len(there) < len(was) <= _MOST_OF_ONE_NAME:
        return set()
    pairs = sorted(
        (
            (one.type == other.type, alike(one, other), -number, one.key, other.key)
            for number, one in enumerate(was)
            for other in there
        ),
        reverse=True,
    )
    free = {each.key for each in there}
    for *_, old, new in pairs:
        if old in gone and new in free:
            gone.remove(old)
            free.remove(new)
    return gone


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
