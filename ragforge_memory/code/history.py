"""Follows what is lost between two states through the commits between them, one by one.

Over a thousand commits a function is renamed, then moved, then rewritten: the two ends have little in common, but each
step has. Only steps that touch a file of a definition that is followed are parsed, and all changed files of a step
only where one of them is lost in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ragforge_memory.code.discover import unreadable_reason
from ragforge_memory.code.languages import language_of
from ragforge_memory.code.parse import parse
from ragforge_memory.code.revisions import Blobs, Change, Step, has_commit, steps_between
from ragforge_memory.code.successors import (
    GONE,
    Definition,
    Standing,
    Successor,
    definitions,
    find_successors,
    standing,
)

# A commit that changes more files than this (a reformatting, vendored code) is judged by the files alone that git
# takes for renamed or that hold what is followed.
_MOST_FILES = 400

Read = Callable[[str, str], "list[Definition] | None"]
"""Reads a blob as the file of that path; None where it cannot be parsed."""


def follow_history(
    root: Path, lost: Sequence[Definition], old: str, new: str, *, seconds: float
) -> dict[Definition, Successor] | None:
    """Where each of these definitions went between two commits.

    Args:
        root: the project's directory, inside a git repository.
        lost: as they were at the commit ``old``.
        old, new: commit ids.
        seconds: how long it may take, all in all; about.

    Returns:
        For each what became of it at the commit ``new``; None where git cannot tell, or not in time.
    """
    deadline = time.monotonic() + seconds
    if not lost or old == new or not has_commit(root, old):
        return None
    steps = steps_between(root, old, new, seconds=seconds)
    if not steps:
        return None
    with Blobs(root) as blobs:
        return follow(lost, steps, Parsed(blobs), deadline=deadline)


class Parsed:
    """Definitions of files as git keeps them; each content is parsed once.

    Args:
        blobs: where contents come from.
    """

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: dict[tuple[str, str], list[Definition] | None] = {}

    def __call__(self, blob: str, path: str) -> list[Definition] | None:
        """The definitions of a blob that stood, or stands, at this path."""
        if (blob, path) not in self._known:
            data = self._blobs.read(blob) if blob and language_of(path) else None
            self._known[blob, path] = None if data is None else parsed_definitions(path, data)
        return self._known[blob, path]


def parsed_definitions(path: str, data: bytes) -> list[Definition] | None:
    """The definitions of a file; None where it is no source text, or broken."""
    if unreadable_reason(data, path) is not None:
        return None
    try:
        parsed = parse(path, data)
    except Exception:  # noqa: BLE001 - a file that a grammar chokes on says nothing, as in an ingest
        return None
    return definitions(parsed) if parsed.error is None else None


def follow(
    lost: Iterable[Definition], steps: Iterable[Step], read: Read, *, deadline: float = float("inf")
) -> dict[Definition, Successor] | None:
    """Where each definition went over these steps; None where the time is over.

    Args:
        lost: as they were before the first step.
        steps: what changed, in order.
        read: parses a content.
        deadline: by the monotonic clock.
    """
    found = {each: Successor(each, 1.0) for each in lost}
    for step in steps:
        if time.monotonic() > deadline:
            return None
        at = {each.file for each in (s.definition for s in found.values()) if each is not None}
        touched = [change for change in step.changes if change.before in at]
        if touched:
            _take_step(found, step, touched, read)
    return found


def _take_step(found: dict[Definition, Successor], step: Step, touched: Sequence[Change], read: Read) -> None:
    """Moves what is followed to where it is after a step."""
    by_place = {
        (successor.definition.file, successor.definition.key): origin
        for origin, successor in found.items()
        if successor.definition is not None
    }
    compared = {id(change): _compared(change, read, by_place, found) for change in touched}
    for side in compared.values():
        for before, after in side.kept:
            origin = by_place.get((before.file, before.key))
            if origin is not None:
                found[origin] = Successor(after, 1.0)
    wanted = [
        (origin, each)
        for side in compared.values()
        for each in side.lost
        if (origin := by_place.get((each.file, each.key))) is not None
    ]
    if not wanted:
        return
    changes = step.changes
    if len(changes) > _MOST_FILES:
        changes = tuple(c for c in changes if id(c) in compared or (c.before != c.after and c.before and c.after))
    for change in changes:
        if id(change) not in compared:
            compared[id(change)] = _compared(change, read, by_place, found)
    gone = [each for side in compared.values() for each in side.lost]
    new = [each for side in compared.values() for each in side.new]
    renamed = {c.before: c.after for c in step.changes if c.before and c.after and c.before != c.after}
    successors = dict(zip(map(_place, gone), find_successors(gone, new, renamed=renamed), strict=True))
    for origin, each in wanted:
        found[origin] = successors.get(_place(each), GONE)


def _compared(
    change: Change, read: Read, by_place: Mapping[tuple[str, str], Definition], found: Mapping[Definition, Successor]
) -> Standing:
    """A changed file's definitions before and after; a side that cannot be parsed changes nothing."""
    before = read(change.old_blob, change.before) if change.before else []
    after = read(change.new_blob, change.after) if change.after else []
    if change.after and after is None and change.before == change.after and language_of(change.after):
        return Standing()  # broken for a while, or forever: then the last state shows it
    if before is None:
        # Broken before: what is followed is known as it was when it could be read last.
        there = (found[origin].definition for (file, _), origin in by_place.items() if file == change.before)
        before = [each for each in there if each is not None]
    if change.before != change.after:
        return Standing(lost=list(before), new=list(after or ()))
    return standing(before, after or ())


def _place(definition: Definition) -> tuple[str, str]:
    return definition.file, definition.key
