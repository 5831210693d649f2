"""Who wrote lines of a file and when, as git tells it of the file as it is."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from ragforge_memory.code.git import ask

SECONDS = 10.0
"""How long git may take; a line's whole past in a history of some ten thousand commits needs about two."""

_HEADER = re.compile(r"([0-9a-f]{40,64}) \d+ \d+(?: \d+)?")
_NOBODY = re.compile(r"0+")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, its day in the committer's time zone, its author, its title."""

    id: str
    day: str
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class Blame:
    """What git knows of lines.

    Args:
        authors: how many of the lines each wrote, who wrote most first.
        first: the commit of the oldest line.
        last: the last commit that changed the lines; that of the newest line where git cannot tell of lines that were
            taken away (``by_lines``).
        by_lines: whether ``last`` is only known by the lines that are left.
        uncommitted: how many of the lines are not committed.
        shallow: whether the repository has only the end of its history, so that what is older is unknown.
    """

    authors: dict[str, int] = field(default_factory=dict)
    first: Commit | None = None
    last: Commit | None = None
    by_lines: bool = False
    uncommitted: int = 0
    shallow: bool = False


def blame(root: Path, file: str, start: int = 1, end: int | None = None) -> Blame | None:
    """Who wrote lines of a file, and when they were last changed; None where git does not know the file.

    Args:
        root: the project's directory.
        file: relative to it.
        start, end: the lines, inclusive; without an end all from the first on.
    """
    deadline = time.monotonic() + SECONDS
    lines = f"{start},{end or ''}"
    said = ask(root, "blame", "--porcelain", "-L", lines, "--", file, seconds=SECONDS)
    if said is None:
        return None
    written: Counter[str] = Counter()
    facts: dict[str, dict[str, str]] = {}
    now = ""
    for line in said.split("\n"):
        if line.startswith("\t"):
            written[now] += 1
        elif header := _HEADER.fullmatch(line):
            now = header[1]
            facts.setdefault(now, {})
        else:
            key, _, value = line.partition(" ")
            facts[now][key] = value
    uncommitted = sum(count for commit, count in written.items() if _NOBODY.fullmatch(commit))
    known = [commit for commit in written if not _NOBODY.fullmatch(commit)]
    known.sort(key=lambda commit: int(facts[commit]["committer-time"]))
    authors: Counter[str] = Counter()
    for commit in known:
        authors[facts[commit]["author"]] += written[commit]
    last = None
    if (
        known
        and not uncommitted
        and ask(root, "diff", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD", "--", file) is not None
    ):
        # Where the file is as it was committed, git tells of lines that were taken away too.
        which = ("-L", f"{lines}:{file}", "-s") if end else ("--", file)
        last = ask(root, "log", "-1", "--format=%H", *which, seconds=max(1.0, deadline - time.monotonic()))
    return Blame(
        dict(authors.most_common()),
        _commit(root, known[0]) if known else None,
        _commit(root, last or known[-1]) if known else None,
        by_lines=last is None,
        uncommitted=uncommitted,
        shallow=ask(root, "rev-parse", "--is-shallow-repository") == "true",
    )


def _commit(root: Path, commit: str) -> Commit | None:
    said = ask(root, "log", "-1", "--format=%H%x00%cs%x00%an%x00%s", commit, "--")
    return Commit(*said.split("\0", 3)) if said and said.count("\0") >= 3 else None
