"""What git knows of a directory: the commit that is checked out, and which files are not in it as they are."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ragforge_memory.project import git_toplevel

# A local git answers in some milliseconds; a network drive that hangs must not hang an ingest.
_TIMEOUT = 5.0
# What looks at every file of a work tree takes a second with a hundred thousand of them.
_LISTING_TIMEOUT = 30.0
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def head_commit(directory: Path) -> str | None:
    """The commit of HEAD of the work tree that ``directory`` is in, None where git tells none. Never raises."""
    asked = ask(directory, "rev-parse", "--verify", "--quiet", "HEAD", seconds=_LISTING_TIMEOUT)
    return asked if asked is not None and _COMMIT.fullmatch(asked) else None


def first_commit(directory: Path) -> str | None:
    """The commit that the history of a work tree begins with, along its main line: clones share it, forks too.

    None where nothing is committed yet; '' where git tells none, as of a clone without its whole history. Never raises.
    """
    if head_commit(directory) is None:
        return None if git_toplevel(directory) is not None else ""
    if ask(directory, "rev-parse", "--is-shallow-repository") != "false":
        return ""
    roots = ask(directory, "rev-list", "--first-parent", "--max-parents=0", "HEAD", seconds=_LISTING_TIMEOUT) or ""
    return roots.rpartition("\n")[2]


def has_commit(directory: Path, commit: str) -> bool | None:
    """Whether a commit is in the repository that ``directory`` is in, if there is one; None where git cannot tell.

    Never raises.
    """
    if git_toplevel(directory) is None:
        return False
    if ask(directory, "cat-file", "-e", f"{commit}^{{commit}}") is not None:
        return True
    return None if ask(directory, "rev-parse", "--git-dir") is None else False


def uncommitted_files(directory: Path, commit: str | None, files: Iterable[str]) -> tuple[str, ...] | None:
    """Those of ``files`` (relative to ``directory``) that a commit does not have as they are now, sorted.

    None where there is no commit, or git cannot tell: then nothing may be said to be in it.
    """
    if commit is None:
        return None
    tracked = tracked_files(directory)
    changed = ask(
        directory,
        *("diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv", commit, "--"),
        seconds=_LISTING_TIMEOUT,
    )
    if tracked is None or changed is None:
        return None
    clean = tracked.difference(changed.split("\0"))
    return tuple(sorted(set(files) - clean))


def tracked_files(directory: Path) -> frozenset[str] | None:
    """The files below ``directory`` (relative to it) that git's index has; None where git cannot tell. Never raises.

    Those of a submodule are its own index's: here it is one name.
    """
    listed = ask(directory, "ls-files", "-z", seconds=_LISTING_TIMEOUT)
    return None if listed is None else frozenset(filter(None, listed.split("\0")))


def git_environment() -> dict[str, str]:
    """What a git of ours runs with: it takes no locks, speaks plain English, asks about no other repository and no
    other machine, which has what a partial clone has not."""
    # Inside a git hook these point to the repository that is being committed to.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Before 2.44 git knows only the second way to be told so: no protocol has this name.
    alone = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    return environment | alone | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def git_command(directory: Path, *arguments: str) -> list[str]:
    """A git of ours in a directory, which may be somebody else's: it runs no program that is named there.

    A folder of a clone can be laid out like a repository with a configuration of its own; only ``.git`` is one for us.
    """
    safe = ("safe.bareRepository=explicit", "core.fsmonitor=false", f"core.hooksPath={os.devnull}")
    return ["git", *(each for setting in safe for each in ("-c", setting)), "-C", str(directory), *arguments]


def ask(directory: Path, *arguments: str, seconds: float = _TIMEOUT) -> str | None:
    """What git says to this, without its last line break; None where it refuses, is not there, or takes longer.

    Never raises.
    """
    try:
        done = subprocess.run(
            git_command(directory, *arguments),
            capture_output=True,
            timeout=seconds,
            env=git_environment(),
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode != 0:
        return None
    return done.stdout.decode("utf-8", "replace").rstrip("\n")
