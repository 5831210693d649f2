"""Follows what is lost between two states through the commits between them, one by one.

Over a thousand commits a function is renamed, then moved, then rewritten: the two ends have little in common, but each
step has. A file's versions are halved to find the step in which a definition leaves its place; of that step alone all
changed files are parsed.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path, PurePosixPath

from ragforge_memory.anchors.definition import Definition, Successor, alike, definitions, is_replaced, standing
from ragforge_memory.anchors.revisions import Blobs, Change, Step, has_commit, steps_between
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.discover import unreadable_reason
from ragforge_memory.code.languages import language_of
from ragforge_memory.code.parse import parse_partly
from ragforge_memory.code.partly import Rest

Read = Callable[[str, str], "list[Definition] | None"]
"""Reads a blob as the file of that path; None where it cannot be parsed."""


class Partly(list[Definition]):
    """The definitions of a version with syntax errors that no error touches.

    Args:
        sound: the definitions.
        rest: what is left of it.
    """

    def __init__(self, sound: Iterable[Definition], rest: Rest) -> None:
        super().__init__(sound)
        self.rest = rest


def may_hold(version: Sequence[Definition] | None, definition: Definition) -> bool:
    """Whether a definition may stand where an error of this version hides it."""
    return isinstance(version, Partly) and version.rest.may_hold(definition.name)


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
        For each what became of it at the commit ``new``, as far as the time went; None where git cannot tell.
    """
    deadline = time.monotonic() + seconds
    if not lost or old == new or not has_commit(root, old):
        return None
    steps = steps_between(root, old, new, seconds=seconds)
    if not steps:
        return None
    with Blobs(root) as blobs:
        return follow(lost, steps, Parsed(blobs, partly=True), deadline=deadline)


def definitions_at(root: Path, commit: str, files: Iterable[str]) -> dict[str, list[Definition]]:
    """The definitions of files as a commit has them; a file that it has not, or that cannot be parsed, is left out."""
    with Blobs(root) as blobs:
        read = Parsed(blobs)
        found = {file: read(f"{commit}:./{file}", file) for file in files}
    return {file: there for file, there in found.items() if there is not None}


class Parsed:
    """Definitions of files as git keeps them; each content is parsed once.

    Args:
        blobs: where contents come from.
        partly: of what has syntax errors, too, as far as no error touches it.
    """

    def __init__(self, blobs: Blobs, *, partly: bool = False) -> None:
        self._blobs = blobs
        self._partly = partly
        self._known: dict[tuple[str, str], list[Definition] | None] = {}

    def __call__(self, blob: str, path: str) -> list[Definition] | None:
        """The definitions of a blob that stood, or stands, at this path."""
        if (blob, path) not in self._known:
            data = self._blobs.read(blob) if blob and language_of(path) else None
            self._known[blob, path] = None if data is None else parsed_definitions(path, data, self._partly)
        return self._known[blob, path]


def parsed_definitions(path: str, data: bytes, partly: bool = False) -> list[Definition] | None:
    """The definitions of a file; None where it is not source text, or broken, unless what is whole is enough."""
    if unreadable_reason(data, path) is not None:
        return None
    try:
        parsed, rest = parse_partly(path, data)
    except Exception:  # noqa: BLE001 - a file that a grammar chokes on says nothing, as in an ingest
        return None
    if parsed.error is None:
        return definitions(parsed)
    return Partly(definitions(parsed), rest) if partly and rest is not None else None


def follow(
    lost: Iterable[Definition], steps: Sequence[Step], read: Read, *, deadline: float = float("inf")
) -> dict[Definition, Successor]:
    """Where each definition went over these steps; those that the time did not suffice for are left out, and those that
    git never had where they were, since they were not committed then.

    Past the deadline no file is read any more and no step worked out, but what is known by then still tells of others
    that went the same way.

    Args:
        lost: as they were before the first step.
        steps: what changed, in order.
        read: parses a content.
        deadline: by the monotonic clock.
    """
    history = _History(steps, read, deadline)
    found = {}
    for each in lost:
        with suppress(_TooLate):
            if history.begins_with(each):
                found[each] = history.end_of(each)
    return found


class _TooLate(Exception):
    """There is no time to find something out."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a step did to the definitions of the files that it changed: where each is now, by place.

    ``free`` is what came and is not a successor of anything that could be seen before; ``renamed`` are its files.
    """

    kept: dict[tuple[str, str], Definition]
    gone: dict[tuple[str, str], Successor]
    free: list[Definition]
    renamed: dict[str, str]

    def went(self, at: Definition) -> Successor:
        """Where a lost definition is now; of one that an error hid before the step, by what is free."""
        known = self.gone.get((at.file, at.key))
        return known if known is not None else find_successors([at], self.free, renamed=self.renamed)[0]


class _History:
    """Steps by the files that they change. What one step did is worked out once, for all definitions together.

    Past the deadline only what is known already is told; `_TooLate` where that does not suffice.
    """

    def __init__(self, steps: Sequence[Step], read: Read, deadline: float) -> None:
        self._deadline = deadline
        self._steps = steps
        self._read_blob = read
        self._known: set[tuple[str, str]] = set()
        self._outcomes: dict[int, _Outcome] = {}
        self._carried: dict[int, dict[str, str]] = {}
        self._changes: dict[str, list[tuple[int, Change]]] = defaultdict(list)
        for number, step in enumerate(steps):
            for change in step.changes:
                if change.before is not None:
                    self._changes[change.before].append((number, change))

    def begins_with(self, origin: Definition) -> bool:
        """Whether a definition was in its place before the first step, as far as these steps tell."""
        changes = self._changes.get(origin.file)
        return not changes or self._holds(changes[0][1].old_blob, origin)

    def end_of(self, origin: Definition) -> Successor:
        """Follows one definition to the last step."""
        at, number = origin, 0
        passed: dict[tuple[str, str], Definition] = {}
        while (number := self._parting(at, number)) < len(self._steps):
            place = (at.file, at.key)
            carried = self._carried_by(number).get(at.file)
            if carried is not None:
                at = replace(at, file=carried)
            elif (kept := self._outcome(number).kept.get(place)) is not None:
                at = kept
            else:
                successor = self._outcome(number).went(at)
                if successor.definition is None:
                    return replace(successor, passed=tuple(passed.values()))
                at = successor.definition
            passed.setdefault((at.file, at.key), at)
            number += 1
        passed.pop((origin.file, origin.key), None)
        return Successor(at, 1.0 if at.body_hash == origin.body_hash else alike(origin, at), (), tuple(passed.values()))

    def _parting(self, at: Definition, number: int) -> int:
        """A step from ``number`` on that a definition does not outlive in its place; past the last where none is.

        Between a version that has it and one that has not there is such a step, and halving finds one without reading
        all versions. A version that cannot be parsed says nothing and counts as having it, and so does one in which an
        error may hide it.
        """
        changes = self._changes.get(at.file, [])
        chain = changes[bisect_left(changes, number, key=itemgetter(0)) :]
        end = next((place for place, (_, change) in enumerate(chain) if change.after != at.file), None)
        if end is None:
            if not chain or self._holds(chain[-1][1].new_blob, at):
                return len(self._steps)
            low, high = -1, len(chain) - 1
        else:
            if self._holds(chain[end][1].old_blob, at):
                return chain[end][0]
            low, high = -1, end - 1
        # It is there after change ``low`` and not after change ``high``.
        while high - low > 1:
            middle = (low + high) // 2
            if self._holds(chain[middle][1].new_blob, at):
                low = middle
            else:
                high = middle
        return chain[max(high, 0)][0]

    def _holds(self, blob: str, at: Definition) -> bool:
        found = self._read(blob, at.file)
        if found is None or any(each.key == at.key and not is_replaced(at, each) for each in found):
            return True
        return may_hold(found, at)

    def _read(self, blob: str, path: str) -> list[Definition] | None:
        if (blob, path) not in self._known:
            self._ask_for_time()
            self._known.add((blob, path))
        return self._read_blob(blob, path)

    def _outcome(self, number: int) -> _Outcome:
        if number not in self._outcomes:
            self._ask_for_time()
            self._outcomes[number] = self._worked_out(number)
        return self._outcomes[number]

    def _ask_for_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise _TooLate

    def _carried_by(self, number: int) -> dict[str, str]:
        """The files that a step moved as they were, old path → new: what is in them went along, unread."""
        if number not in self._carried:
            self._carried[number] = _moved_whole(self._steps[number].changes)
        return self._carried[number]

    def _worked_out(self, number: int) -> _Outcome:
        every, carried = self._steps[number].changes, self._carried_by(number)
        renamed = {c.before: c.after for c in every if c.before and c.after and c.before != c.after}
        changes = [each for each in every if each.before not in carried]
        kept: dict[tuple[str, str], Definition] = {}
        gone: list[Definition] = []
        new: list[Definition] = []
        unseen: list[Definition] = []
        for change in changes:
            before = self._read(change.old_blob, change.before) if change.before else []
            after = self._read(change.new_blob, change.after) if change.after else []
            if change.before == change.after:
                if before is None or after is None:
                    unseen.extend(after or ())
                    continue
                side = standing(before, after)
                kept.update({(old.file, old.key): now for old, now in side.kept})
                left, came = side.lost, side.new
            else:
                left, came = before or [], after or []
            names = {each.qualified_name for each in came}
            for each in left:
                if change.after and each.qualified_name not in names and may_hold(after, each):
                    kept[each.file, each.key] = replace(each, file=change.after)
                else:
                    gone.append(each)
            new.extend(came)
        successors = find_successors(gone, new, renamed=renamed)
        taken = {each.definition for each in successors}
        free = [each for each in (*new, *unseen) if each not in taken]
        outcome = {(old.file, old.key): went for old, went in zip(gone, successors, strict=True)}
        return _Outcome(kept, outcome, free, renamed)


def _moved_whole(changes: Iterable[Change]) -> dict[str, str]:
    """Files that are elsewhere with the same content, where no other that came or went has it: a copy is not told from
    what it is of."""
    parted = [each for each in changes if each.before != each.after]
    went = Counter(each.old_blob for each in parted if each.before)
    came = Counter(each.new_blob for each in parted if each.after)
    return {
        each.before: each.after
        for each in parted
        if each.before
        and each.after
        and each.old_blob == each.new_blob
        and went[each.old_blob] == came[each.new_blob] == 1
        and PurePosixPath(each.before).suffix == PurePosixPath(each.after).suffix
    }
