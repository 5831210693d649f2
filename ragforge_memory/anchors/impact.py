"""`ragforge impact`: the scopes that a diff changes by their tokens, and the messages that stand on them."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ragforge_memory.anchors.definition import Definition, standing
from ragforge_memory.anchors.history import Parsed, may_hold, parsed_definitions
from ragforge_memory.anchors.labels import still
from ragforge_memory.anchors.revisions import Blobs, Change, changes_between
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.git import ask
from ragforge_memory.code.languages import language_of
from ragforge_memory.code.readers import Reading, read_bytes
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.anchors import ReferenceStore, Tied
from ragforge_memory.models.impact import Impact, ImpactedMessage, ImpactedScope, ScopeChange
from ragforge_memory.project import git_toplevel
from ragforge_memory.text.forms import stated

# What git compares a repository's first commit with.
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_NO_COMMIT = re.compile("0{40}(?:0{24})?")

Place = tuple[str, str]
"""A file, and the key of a definition in it."""


@dataclass(frozen=True, slots=True)
class ScopeDiff:
    """A definition that a diff touches: as it was, as it is (None where it is not)."""

    change: ScopeChange
    before: Definition | None
    after: Definition | None


async def impact(
    root: Path, references: ReferenceStore, revision: str | None = None, *, ingested: str | None = None
) -> Impact:
    """What was said of the code that a diff changes.

    Args:
        root: the project's directory, inside a git work tree.
        references: the owner's messages.
        revision: a commit: what it changed; ``A..B``: what changed from A to B; ``A...B``: what B changed since both
            parted; None: what is not committed yet.
        ingested: the commit whose code the graph has: what moved between it and the diff is known by where it was.

    Raises:
        InvalidInput: git does not know the revision, or there is no repository.
    """
    before, after = await asyncio.to_thread(_ends, root, revision)
    found = await asyncio.to_thread(changed_scopes, root, before, after)
    changes = await asyncio.to_thread(partial(changes_between, root, before, after, submodules=True)) or ()
    inside = {each.file for diff in found for each in (diff.before, diff.after) if each is not None}
    places = {(each.file, each.key) for diff in found for each in (diff.before, diff.after) if each is not None}
    came = await asyncio.to_thread(_came_from, root, ingested, before, places) if ingested and places else {}
    tied = defaultdict(list)
    for each in await references.on_places(sorted({*places, *came})):
        for place in ((each.file, each.key), *came.get((each.file, each.key), ())):
            tied[place].append(each)
    return Impact(
        before=before,
        after=after,
        scopes=tuple(_impacted(diff, tied) for diff in found),
        outside=tuple(sorted({each.after or each.before or "" for each in changes} - inside)),
    )


def _came_from(root: Path, ingested: str, before: str, places: Collection[Place]) -> dict[Place, list[Place]]:
    """Where code stood at the ingested commit that has moved to these places since, with where it is now; nothing where
    that commit is not before the diff."""
    if ingested == before or ask(root, "merge-base", ingested, before) != ingested:
        return {}
    came: dict[Place, list[Place]] = {}
    for diff in changed_scopes(root, ingested, before):
        if diff.change == "moved" and diff.before and diff.after and (diff.after.file, diff.after.key) in places:
            came.setdefault((diff.before.file, diff.before.key), []).append((diff.after.file, diff.after.key))
    return came


def changed_scopes(root: Path, before: str, after: str | None) -> list[ScopeDiff]:
    """The definitions that differ between two commits (or a commit and the files as they are), by place.

    Comments, white space and position do not count. What a syntax error touches on one side counts as changed; a file
    that cannot be read at all says nothing.

    Raises:
        InvalidInput: git cannot compare them.
    """
    changes = changes_between(root, before, after)
    if changes is None:
        raise InvalidInput(f"git cannot compare {before} with {after or 'the files as they are'}")
    found: list[ScopeDiff] = []
    lost: list[Definition] = []
    new: list[Definition] = []
    renamed: dict[str, str] = {}
    with Blobs(root) as blobs:
        parsed = Parsed(blobs, partly=True)
        for change in changes:
            olds, news = _sides(root, change, parsed, on_disk=after is None)
            if olds is None or news is None:
                continue
            if change.before == change.after:
                side = standing(olds, news)
                found += [ScopeDiff("changed", a, b) for a, b in side.kept if a.body_hash != b.body_hash]
                for known, other, left in ((side.lost, news, lost), (side.new, olds, new)):
                    for each in known:
                        if may_hold(other, each):
                            found.append(ScopeDiff("changed", each, each))
                        else:
                            left.append(each)
            else:
                lost += olds
                new += news
                if change.before and change.after:
                    renamed[change.before] = change.after
    successors = find_successors(lost, new, renamed=renamed)
    taken = set()
    for old, successor in zip(lost, successors, strict=True):
        now = successor.definition
        found.append(ScopeDiff("removed" if now is None else "moved", old, now))
        if now is not None:
            taken.add((now.file, now.key))
    found += [ScopeDiff("added", None, each) for each in new if (each.file, each.key) not in taken]
    return sorted(found, key=_order)


def _sides(
    root: Path, change: Change, parsed: Parsed, *, on_disk: bool
) -> tuple[list[Definition] | None, list[Definition] | None]:
    before = parsed(change.old_blob, change.before) if change.before else []
    if change.before and not language_of(change.before):
        before = []
    if change.after is None or not language_of(change.after):
        return before, []
    if not on_disk:
        return before, parsed(change.new_blob, change.after)
    data = read_bytes(root, change.after)
    return before, None if isinstance(data, Reading) else parsed_definitions(change.after, data, partly=True)


def _ends(root: Path, revision: str | None) -> tuple[str, str | None]:
    """The commits that a revision compares."""
    if git_toplevel(root) is None:
        raise InvalidInput(
            f"{root} is not in a git repository",
            hint="impact compares commits: run it in a checkout of the project, or `git init` and commit first",
        )
    if revision is None:
        return _commit(root, "HEAD"), None
    first, dots, second = revision.partition("..")
    if dots:
        ends = _commit(root, first or "HEAD"), _commit(root, second.removeprefix(".") or "HEAD")
        return ends if not second.startswith(".") else (_parting(root, *ends), ends[1])
    commit = _commit(root, revision)
    parent = ask(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^")
    return parent or _before_the_first(root, commit), commit


def _before_the_first(root: Path, commit: str) -> str:
    """The empty tree, as this repository names it: what was before a commit that has no parent."""
    # A shallow clone leaves parents out; the commit itself still names them.
    head, _, _ = (ask(root, "cat-file", "commit", commit) or "").partition("\n\n")
    if any(line.startswith("parent ") for line in head.splitlines()):
        raise InvalidInput(
            f"what was before {commit[:12]} is not in this shallow clone",
            hint="`git fetch --deepen 1` brings one commit more",
        )
    return ask(root, "hash-object", "-t", "tree", "--stdin") or _EMPTY_TREE


def _parting(root: Path, one: str, other: str) -> str:
    """The newest commit that both have, as git's own three dots mean."""
    found = ask(root, "merge-base", one, other)
    if not found:
        raise InvalidInput(
            f"{one[:12]} and {other[:12]} have no commit in common", hint="A..B compares them as they are"
        )
    return found


def _commit(root: Path, name: str) -> str:
    found = ask(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not found and _NO_COMMIT.fullmatch(name):
        raise InvalidInput(
            f"{name[:7]}… is not a commit: git gives it to hooks for a branch that is new, or is deleted",
            hint="compare with a branch that is there already, as in origin/main...HEAD",
        )
    if not found:
        raise InvalidInput(
            f"git knows no commit {name!r} in {root}",
            hint="give a commit, a branch or a range (A..B, A...B) of the project's repository",
        )
    return found


def _impacted(diff: ScopeDiff, tied: dict[tuple[str, str], list[Tied]]) -> ImpactedScope:
    shown = diff.before or diff.after
    assert shown is not None
    messages: dict[tuple[str, str], ImpactedMessage] = {}
    for each in (diff.before, diff.after):
        for one in tied.get((each.file, each.key), ()) if each is not None else ():
            if _concerns(diff, one):
                said = ImpactedMessage(
                    message=one.message,
                    reference=one.reference,
                    title=one.title,
                    decision=stated(one.message.content) if one.message.kind else None,
                    corrected=one.corrected,
                    summaries=one.summaries,
                )
                messages.setdefault((one.message.uuid, one.reference.kind), said)
    moved = diff.after if diff.change == "moved" else None
    return ImpactedScope(
        file=shown.file,
        qualified_name=shown.qualified_name,
        type=shown.type,
        change=diff.change,
        moved_to_file=moved.file if moved else None,
        moved_to_name=moved.qualified_name if moved else None,
        messages=tuple(messages.values()),
    )


def _concerns(diff: ScopeDiff, tied: Tied) -> bool:
    """Whether a diff is of the code that a message is tied to.

    Where that was said and moved away since, the place may have something else of its name: the diff has to have the
    code that was meant, or what is near to it, on one of its sides.
    """
    if tied.stands:
        return True
    meant = tied.reference
    # As it was made, and as it was when it came by here.
    codes = ((tied.body_hash, tied.sketch), *tied.came)
    known = [Definition(meant.file, meant.qualified_name, tied.type, *code, tied.key) for code in codes]
    sides = [side for side in (diff.before, diff.after) if side is not None]
    return any(still(one, side) for one in known for side in sides)


def _order(diff: ScopeDiff) -> tuple[str, str]:
    shown = diff.before or diff.after
    return (shown.file, shown.key) if shown is not None else ("", "")
