"""Writes what was rendered into a project that a team edits: a three-way merge with what was rendered last."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragforge_memory.config.load import FILE_NAME
from ragforge_memory.errors import InvalidInput
from ragforge_memory.scaffold.rendering import EXECUTABLE, OWN

GENERATED = ".ragforge/generated"
"""The folder with what was rendered last."""

What = Literal["new", "changed", "merged", "conflict", "unchanged", "kept", "removed", "in the way", "unresolved"]

_MARKERS = ("<<<<<<< yours", ">>>>>>> generated")
_ENOUGH: frozenset[What] = frozenset({"unchanged", "kept", "in the way"})


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a file.

    - ``new``, ``changed``, ``removed``: as rendered; nobody has edited it.
    - ``merged``: what was edited and what is rendered anew, both.
    - ``conflict``: both changed the same lines, which are marked in the file; or one of both took it away.
    - ``unresolved``: marks of an earlier conflict stand in it; it is left as it is.
    - ``kept``: as it was edited, for nothing of it is rendered otherwise.
    - ``in the way``: it is not one of the generated ones, and is left as it is.

    ``text`` is what is written; None: nothing is, or the file goes.
    """

    path: str
    what: What
    text: str | None = None
    why: str = ""

    @property
    def is_one(self) -> bool:
        """Whether anything is to do, for us or for the team."""
        return self.what not in _ENOUGH


def changes(folder: Path, files: Mapping[str, str], *, force: bool = False) -> list[Change]:
    """What writing these files would do, by path; nothing is written.

    Args:
        folder: the project.
        files: what is rendered now, by path.
        force: take what is rendered, whatever was edited but for the team's own tools.

    Raises:
        InvalidInput: git is needed for a merge and is not there, or a file cannot be read.
    """
    before = _generated(folder / GENERATED)
    found = [_change(folder, path, before.get(path), text, force=force) for path, text in files.items()]
    # A configuration that was made elsewhere is the project's own from then on.
    found += [_left(folder, path, text) for path, text in before.items() if path not in files and path != FILE_NAME]
    return sorted(found, key=lambda each: each.path)


def write(folder: Path, files: Mapping[str, str], done: Sequence[Change], *, private: bool = False) -> None:
    """Writes what `changes` gave, and keeps what was rendered for the next time.

    Args:
        folder: the project.
        files: what is rendered now, by path.
        done: what becomes of each file.
        private: whether the configuration is for its owner's eyes alone.

    Raises:
        InvalidInput: a file cannot be written.
    """
    try:
        for change in done:
            place = folder / change.path
            mode = 0o755 if change.path in EXECUTABLE else 0o600 if private and change.path == FILE_NAME else 0o644
            if change.what == "removed":
                place.unlink(missing_ok=True)
            elif change.text is not None:
                _write(place, change.text, mode)
            kept = folder / GENERATED / change.path
            if change.what in ("in the way", "unresolved"):
                continue
            if change.path in files:
                _write(kept, files[change.path], mode & 0o666)
            elif change.what != "conflict":  # which is told again until somebody has taken the file away
                kept.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(error) from error


def write_new(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Writes files whatever is there, through links; returns their paths.

    Raises:
        InvalidInput: one cannot be written.
    """
    try:
        for path, text in files.items():
            _write((folder / path).resolve(), text)
    except OSError as error:
        raise _unwritable(error) from error
    return list(files)


def _generated(base: Path) -> dict[str, str]:
    """What was rendered last, by path; what is not text, or is in a tool's cache, did not come from here."""
    found = {}
    caches = {tag.parent for tag in base.rglob("CACHEDIR.TAG")}
    for path in sorted(base.rglob("*")) if base.is_dir() else ():
        with suppress(InvalidInput):
            if path.is_file() and caches.isdisjoint(path.parents):
                found[path.relative_to(base).as_posix()] = _read(path)
    return found


def _is_elsewhere(folder: Path, path: str) -> bool:
    """Whether a file, or a folder that it is in, is a link: what it leads to is not the project's own."""
    place = folder / path
    return any(each.is_symlink() for each in (place, *place.parents) if folder in each.parents)


def _change(folder: Path, path: str, base: str | None, new: str, *, force: bool) -> Change:
    place = folder / path
    if _is_elsewhere(folder, path) or place.is_dir():
        return Change(path, "in the way", None, "it is a folder" if place.is_dir() else "it is a link")
    mine = _read(place) if place.is_file() else None
    if mine == new:
        return Change(path, "unchanged")
    if mine is not None and place.name == OWN:
        return Change(path, "kept")
    if force or (mine is None and base is None):
        return Change(path, "new" if mine is None else "changed", new)
    if mine is None:
        return Change(path, "kept") if base == new else Change(path, "conflict", None, "you took it away")
    if base is None:
        return Change(path, "in the way", None, "it was not generated")
    if mine == base:
        return Change(path, "changed", new)
    if any(mark in mine for mark in _MARKERS):
        return Change(path, "unresolved", None, "it has marks of a conflict")
    if base == new:
        return Change(path, "kept")
    return _merged(path, mine, base, new)


def _left(folder: Path, path: str, base: str) -> Change:
    """What becomes of a file that is generated no more."""
    place = folder / path
    if not place.is_file() or _is_elsewhere(folder, path):
        return Change(path, "kept")
    if _read(place) == base:
        return Change(path, "removed")
    return Change(path, "conflict", None, "it is generated no more, and you have edited it")


def _merged(path: str, mine: str, base: str, new: str) -> Change:
    git = shutil.which("git")
    if git is None:
        raise InvalidInput(
            f"{path} was edited and is rendered anew: merging both needs git, which is not there",
            hint="install git, or take what is rendered with --force",
        )
    with tempfile.TemporaryDirectory() as place:
        names = []
        for name, text in (("yours", mine), ("base", base), ("generated", new)):
            (Path(place) / name).write_text(text, encoding="utf-8", newline="")
            names.append(name)
        done = subprocess.run(
            [git, "merge-file", "-p", "-L", "yours", "-L", "base", "-L", "generated", *names],
            cwd=place,
            capture_output=True,
            check=False,
        )
    # git ends with how many conflicts there are, at most 127; 255 is a failure.
    if done.returncode > 127:
        raise InvalidInput(f"git cannot merge {path}: {done.stderr.decode(errors='replace').strip()}")
    text = done.stdout.decode("utf-8")
    if done.returncode:
        return Change(path, "conflict", text, f"{done.returncode} marked in it")
    return Change(path, "merged", text)


def _read(path: Path) -> str:
    """A text with plain ends of lines, whatever an editor or a checkout has made of them."""
    try:
        return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {path}: {error}", hint="it must be text in UTF-8") from error


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    """Writes a file at once or not at all; one that is there keeps its mode and its ends of lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        mode = path.stat().st_mode & 0o777
        text = text.replace("\n", "\r\n") if b"\r\n" in path.read_bytes() else text
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.touch(mode=0o600)
        beside.write_text(text, encoding="utf-8", newline="")
        beside.chmod(mode)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _unwritable(error: OSError) -> InvalidInput:
    return InvalidInput(
        f"cannot write {error.filename2 or error.filename}: {error.strerror}", hint="free it and run again"
    )
