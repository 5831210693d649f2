"""What git knows of a directory: its work tree's root, the head commit and the remote's address.

Asks the ``git`` program; where there is none, or it refuses, the ``.git`` directory is read directly.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# A local git answers in some milliseconds; a network drive that hangs must not hang an ingest.
_TIMEOUT = 5.0
# What looks at every file of a work tree takes a second with a hundred thousand of them.
_LISTING_TIMEOUT = 30.0
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_USER_INFO = re.compile(r"^(\w[\w+.-]*://)[^/@]*@")


@dataclass(frozen=True, slots=True)
class GitState:
    """A work tree: its root, the commit of HEAD (None before the first) and the address of its remote.

    ``remote`` is origin's, else the only remote's; user names, passwords and tokens in it are left out.
    """

    root: Path
    commit: str | None
    remote: str | None


def git_state(directory: Path) -> GitState | None:
    """The state of the work tree that ``directory`` is in, None outside of one. Never raises."""
    directory = directory.resolve()
    asked = ask(directory, "rev-parse", "--show-toplevel")
    if asked is None:
        return _read(directory)
    root = Path(asked)
    commit = ask(directory, "rev-parse", "--verify", "--quiet", "HEAD")
    return GitState(root, commit or None, _remote(ask(directory, "config", "--get-regexp", r"^remote\..*\.url$")))


def head_commit(directory: Path) -> str | None:
    """The commit of HEAD of the work tree that ``directory`` is in, None where there is none."""
    asked = ask(directory, "rev-parse", "--verify", "--quiet", "HEAD")
    if asked is not None and _COMMIT.fullmatch(asked):
        return asked
    state = _read(directory.resolve())
    return state.commit if state is not None else None


def uncommitted_files(directory: Path, commit: str | None, files: Iterable[str]) -> tuple[str, ...] | None:
    """Those of ``files`` (relative to ``directory``) that a commit does not have as they are now, sorted.

    None where there is no commit, or git cannot tell: then nothing may be said to be in it.
    """
    if commit is None:
        return None
    tracked = ask(directory, "ls-files", "-z", seconds=_LISTING_TIMEOUT)
    changed = ask(
        directory,
        *("diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", commit, "--"),
        seconds=_LISTING_TIMEOUT,
    )
    if tracked is None or changed is None:
        return None
    clean = set(tracked.split("\0")).difference(changed.split("\0"))
    return tuple(sorted(set(files) - clean))


def without_credentials(address: str) -> str:
    """A remote's address without the user name, password or token before its host."""
    return _USER_INFO.sub(r"\1", address)


def git_environment() -> dict[str, str]:
    """What a git of ours runs with: it takes no locks, speaks plain English, asks about no other repository and no
    other machine, which has what a partial clone has not."""
    # Inside a git hook these point to the repository that is being committed to.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Before 2.44 git knows only the second way to be told so: no protocol has this name.
    alone = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    return environment | alone | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def ask(directory: Path, *arguments: str, seconds: float = _TIMEOUT) -> str | None:
    """What git says to this, without its last line break; None where it refuses, is not there, or takes longer.

    Never raises.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments],
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


def _remote(listing: str | None) -> str | None:
    """The address in lines of ``remote.NAME.url ADDRESS``."""
    found = {}
    for line in (listing or "").splitlines():
        key, _, address = line.partition(" ")
        found[key.removeprefix("remote.").removesuffix(".url")] = address.strip()
    if "origin" in found:
        return without_credentials(found["origin"])
    return without_credentials(next(iter(found.values()))) if len(found) == 1 else None


def _read(directory: Path) -> GitState | None:
    for root in (directory, *directory.parents):
        marker = root / ".git"
        try:
            if marker.is_dir():
                git = marker
            elif marker.is_file():  # a linked work tree or a submodule
                target = marker.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
                git = (root / target).resolve()
            else:
                continue
            return GitState(root, _read_head(git), _read_remote(git))
        except (OSError, UnicodeDecodeError):
            return None
    return None


def _shared(git: Path) -> Path:
    """Where references and configuration are: a linked work tree keeps them in the main one."""
    pointer = git / "commondir"
    if pointer.is_file():
        return (git / pointer.read_text(encoding="utf-8").strip()).resolve()
    return git


def _read_head(git: Path) -> str | None:
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if _COMMIT.fullmatch(head):
        return head
    name = head.removeprefix("ref:").strip()
    shared = _shared(git)
    for folder in (git, shared):
        reference = folder / name
        if reference.is_file():
            commit = reference.read_text(encoding="utf-8").strip()
            return commit if _COMMIT.fullmatch(commit) else None
    packed = shared / "packed-refs"
    if packed.is_file():
        for line in packed.read_text(encoding="utf-8").splitlines():
            commit, _, reference_name = line.partition(" ")
            if reference_name == name and _COMMIT.fullmatch(commit):
                return commit
    return None


def _read_remote(git: Path) -> str | None:
    config = _shared(git) / "config"
    if not config.is_file():
        return None
    lines = []
    section = None
    for line in config.read_text(encoding="utf-8", errors="replace").splitlines():
        line = line.strip()
        if line.startswith("["):
            match = re.match(r'\[remote "(.+)"\]', line)
            section = match.group(1) if match else None
        elif section and (match := re.match(r"url\s*=\s*(.+)", line)):
            lines.append(f"remote.{section}.url {match.group(1)}")
    return _remote("\n".join(lines))
