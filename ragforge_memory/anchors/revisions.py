"""What git keeps of earlier states: the commits between two, what each changed, and the files as they were.

Asks the ``git`` program; where it cannot answer (no repository, a shallow clone, an unknown commit) there is nothing
to follow, and nothing is raised.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from ragforge_memory.code.git import ask, git_command, git_environment

# Longer ways than this are not walked: two end points say nearly as much of so far a past.
MOST_COMMITS = 5_000
_NO_BLOB = "0"
_LINK = "120000"
_MODULE = "160000"


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a commit changed.

    Args:
        before, after: its path before and after; None where it was added or is gone. Different where git takes it for
            renamed.
        old_blob, new_blob: names of its contents, as `Blobs` reads them.
    """

    before: str | None
    after: str | None
    old_blob: str
    new_blob: str


@dataclass(frozen=True, slots=True)
class Step:
    """What changed from one commit to the next; ``commit`` is the one that it led to."""

    commit: str
    changes: tuple[Change, ...]


def has_commit(directory: Path, commit: str) -> bool:
    """Whether the repository around ``directory`` has this commit."""
    return ask(directory, "cat-file", "-e", f"{commit}^{{commit}}") is not None


def steps_between(directory: Path, old: str, new: str, *, seconds: float) -> list[Step] | None:
    """The way from one commit to another, change by change; None where git knows none, or not in time.

    Along first parents where that leads there. Where the old commit is on another branch the way goes back to where
    the two parted first.

    Args:
        directory: the project's root; paths are relative to it, and only files below it are told.
        old, new: commit ids.
        seconds: how long git may take.
    """
    deadline = time.monotonic() + seconds
    prefix = ask(directory, "rev-parse", "--show-prefix") or ""
    base = ask(directory, "merge-base", old, new, seconds=seconds)
    if base is None:
        return None
    back, forth = _way(directory, base, old, seconds), _way(directory, base, new, seconds)
    if back is None or forth is None:
        return None
    # Told in pairs (from, to); the way back is walked against its direction.
    pairs = [(to, start) for start, to in reversed(back)] + forth
    if not pairs:
        return []
    said = _ask_pairs(directory, pairs, deadline - time.monotonic())
    if said is None:
        return None
    steps = _steps(said, [to for _, to in pairs], prefix)
    # Files that take each other's names look changed beyond recognition. To compare what is changed takes git twenty
    # times as long, so it is asked for where something left its name as well.
    odd = {step.commit: number for number, step in enumerate(steps) if _may_swap(step.changes)}
    asked = [pairs[number] for number in odd.values()]
    if asked and (said := _ask_pairs(directory, asked, deadline - time.monotonic(), rewritten=True)) is not None:
        for step in _steps(said, list(odd), prefix):
            steps[odd[step.commit]] = step
    return steps


def changes_between(directory: Path, old: str, new: str | None, *, submodules: bool = False) -> list[Change] | None:
    """What changed from one commit to another, or to the files as they are (``new`` is None), renames found.

    Of files as they are the new blob is empty: they are read from the disk. Untracked files are told too, as added.
    ``submodules``: those that are at another commit too, without blobs: what is in them is another repository's.
    """
    arguments = ["diff-index" if new is None else "diff-tree", "-r", "-M", "--raw", "-z", "--no-abbrev", old]
    said = _output(directory, [*arguments, *([] if new is None else [new])], seconds=_DIFF_SECONDS)
    if said is None:
        return None
    prefix = ask(directory, "rev-parse", "--show-prefix") or ""
    changes = list(_changes(iter(said.decode("utf-8", "surrogateescape").split("\0")), prefix, submodules=submodules))
    if new is None:
        listed = _output(directory, ["ls-files", "--others", "--exclude-standard", "-z"], seconds=_DIFF_SECONDS)
        untracked = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
        changes += [Change(None, path, "", "") for path in untracked if path]
    return changes


_DIFF_SECONDS = 30.0


class Blobs:
    """Contents of files as git keeps them, through one process; a context manager.

    Args:
        directory: inside the repository; without git nothing is read.
    """

    def __init__(self, directory: Path) -> None:
        self._process = _started(git_command(directory, "cat-file", "--batch"))

    def __enter__(self) -> Blobs:
        return self

    def read(self, name: str) -> bytes | None:
        """The content of a blob (its id, or ``COMMIT:path``); None where there is none."""
        if self._process is None or "\n" in name:
            return None
        asked, answers = self._process.stdin, self._process.stdout
        if asked is None or answers is None:
            return None
        try:
            asked.write(name.encode("utf-8", "surrogateescape") + b"\n")
            asked.flush()
            return _answer(answers)
        except (OSError, ValueError):
            return None

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()


def _started(command: Sequence[str]) -> subprocess.Popen[bytes] | None:
    """A process that is talked to; None where there is no such program."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=git_environment(),
        )
    except OSError:
        return None


def _answer(answers: IO[bytes]) -> bytes | None:
    head = answers.readline().split()
    if len(head) != 3 or not head[2].isdigit():
        return None
    size = int(head[2])
    data = answers.read(size)
    answers.read(1)
    return data if head[1] == b"blob" and len(data) == size else None


def _way(directory: Path, base: str, tip: str, seconds: float) -> list[tuple[str, str]] | None:
    """The commits from ``base`` to its descendant ``tip``, as pairs (parent, child) in order."""
    if base == tip:
        return []
    said = _output(directory, ["rev-list", "--parents", "--ancestry-path", f"{base}..{tip}"], seconds=seconds)
    if said is None:
        return None
    parents = {}
    for line in said.decode("ascii", "replace").splitlines():
        commit, *others = line.split()
        parents[commit] = others
    way: list[tuple[str, str]] = []
    at = tip
    while at != base:
        known = [parent for parent in parents.get(at, ()) if parent == base or parent in parents]
        if not known or len(way) >= MOST_COMMITS:
            return None
        way.append((known[0], at))
        at = known[0]
    return way[::-1]


def _may_swap(changes: Iterable[Change]) -> bool:
    """Whether a file may have taken the name of another, whose own went elsewhere."""
    left = {PurePosixPath(each.before).suffix for each in changes if each.before and each.before != each.after}
    return any(each.before == each.after and PurePosixPath(each.after or "").suffix in left for each in changes)


def _ask_pairs(
    directory: Path, pairs: Sequence[tuple[str, str]], seconds: float, *, rewritten: bool = False
) -> bytes | None:
    # A line "commit parent" compares the commit with that parent, whatever its own are.
    lines = "".join(f"{to} {start}\n" for start, to in pairs).encode()
    found = ["-B40%/40%", "-M"] if rewritten else ["-M"]
    arguments = ["diff-tree", "--stdin", "-r", *found, "--raw", "-z", "--no-abbrev", "--always"]
    return _output(directory, arguments, seconds=seconds, given=lines)


def _steps(said: bytes, commits: Sequence[str], prefix: str) -> list[Step]:
    fields = said.decode("utf-8", "surrogateescape").split("\0")
    found: list[Step] = []
    part: list[str] = []
    expected = iter(commits)
    following = next(expected, None)
    for each in fields:
        if following is not None and each.strip() == following:
            if found:
                found[-1] = Step(found[-1].commit, tuple(_changes(iter(part), prefix)))
            found.append(Step(following, ()))
            part = []
            following = next(expected, None)
        else:
            part.append(each)
    if found:
        found[-1] = Step(found[-1].commit, tuple(_changes(iter(part), prefix)))
    return found


def _changes(fields: Iterator[str], prefix: str, *, submodules: bool = False) -> Iterator[Change]:
    """The changes in git's raw format: ``:modes blobs status``, path, for renames a second path."""
    for head in fields:
        head = head.strip("\n")
        if not head.startswith(":"):
            continue
        old_mode, new_mode, old_blob, new_blob, status = head[1:].split(" ")
        first = next(fields)
        second = next(fields) if status[0] in "RC" else first
        if submodules and _MODULE in (old_mode, new_mode) and (path := _below(second, prefix)) is not None:
            yield Change(path, path, "", "")
            continue
        before = None if status[0] in "AC" or old_mode in (_LINK, _MODULE) else _below(first, prefix)
        after = None if status[0] == "D" or new_mode in (_LINK, _MODULE) else _below(second, prefix)
        if before is not None or after is not None:
            yield Change(before, after, _known(old_blob), _known(new_blob))


def _below(path: str, prefix: str) -> str | None:
    return path[len(prefix) :] if path.startswith(prefix) else None


def _known(blob: str) -> str:
    return blob if blob.strip(_NO_BLOB) else ""


def _output(directory: Path, arguments: Sequence[str], *, seconds: float, given: bytes | None = None) -> bytes | None:
    if seconds <= 0:
        return None
    try:
        done = subprocess.run(
            git_command(directory, *arguments),
            capture_output=True,
            timeout=seconds,
            env=git_environment(),
            input=given or b"",
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
