"""Finds the source files of a project."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ragforge_memory.code.ignore import EVERYTHING, Globs, IgnoreRules, compiled, is_tool_folder, outer_rules
from ragforge_memory.code.languages import language_of
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.code import SkippedFile
from ragforge_memory.project import git_text, git_toplevel

# Larger files are data or generated; parsing one takes seconds and nobody asks where its functions are.
MAX_FILE_BYTES = 1_000_000

_HEAD_BYTES = 256
# Written by people, a line is rarely longer; a minifier's are tens of thousands of characters. Files of people may have
# a few such lines (a picture, a path of SVG), a minifier's have few others.
_LONG_LINE = 400
_MINIFIED_SHARE = 0.25
_MINIFIED_BYTES = 4_096
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_MINIFIED_NAMES = (".min.js", ".min.mjs", ".min.cjs", ".bundle.js", "-min.js")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read: its path below the root with ``/``, its language, and what `stat` said (bytes, ns)."""

    path: str
    language: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """The source files below ``root``, sorted by path, and those left out, each with a reason."""

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedFile, ...]


@dataclass(slots=True)
class _Walk:
    root: Path
    globs: Globs
    max_bytes: int
    prefix: str
    in_repository: bool
    files: list[SourceFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(SkippedFile(file=path, reason=reason))


def discover(
    root: Path,
    *,
    include: Sequence[str] = ("**/*",),
    exclude: Sequence[str] = (),
    max_bytes: int = MAX_FILE_BYTES,
) -> Discovery:
    """Walks ``root`` and finds the files in a language that can be parsed.

    ``.gitignore`` files are respected (nested ones, negation, those above the root in a git work tree) but for what git
    tracks, folders of dependencies and builds are left out unless ``include`` names them, and links are not followed:
    what a link inside the root points to is read where it is, and one that leaves the root is reported.

    Args:
        root: the project's directory.
        include, exclude: globs in gitignore's format, relative to the root.
        max_bytes: larger files are skipped.

    Raises:
        InvalidInput: ``root`` is not a directory, or cannot be listed.
    """
    root = root.resolve()
    if not root.is_dir():
        raise InvalidInput(f"{root} is not a directory", hint="give the root of a project")
    rules, prefix = outer_rules(root)
    walk = _Walk(root, Globs(include, exclude), max_bytes, prefix, git_toplevel(root) is not None)
    try:
        os.scandir(root).close()
    except OSError as error:
        raise InvalidInput(f"{root} cannot be read: {error.strerror}") from error
    _folder(walk, root, "", rules)
    return Discovery(
        root,
        tuple(sorted(walk.files, key=lambda file: file.path)),
        tuple(sorted(walk.skipped, key=lambda file: file.file)),
    )


def unmatched(root: Path, include: Sequence[str], exclude: Sequence[str]) -> list[str]:
    """The patterns, each with its key, that match none of the source files that there would be without them.

    Raises:
        InvalidInput: as `discover` does.
    """
    told = [("source.include", pattern) for pattern in include if pattern not in EVERYTHING]
    told += [("source.exclude", pattern) for pattern in exclude]
    if not told:
        return []
    # What is named is read in a folder of builds too.
    paths = [file.path for file in discover(root, include=(*EVERYTHING, *include)).files]
    found = []
    for key, pattern in told:
        spec = compiled([pattern.removeprefix("!")])
        if spec is None or not any(spec.match_file(path) for path in paths):
            found.append(f"{key}: {pattern!r} matches no source file")
    return found


def unreadable_reason(content: bytes, path: str) -> str | None:
    """Why a file's content is not source text (binary, minified), None where it may be."""
    if b"\0" in content and not content.startswith(_WIDE_MARKS):
        return "binary"
    if len(content) > _MINIFIED_BYTES:
        lines = [len(line) for line in content.split(b"\n") if line.strip()]
        long = sum(1 for length in lines if length > _LONG_LINE)
        if long >= _MINIFIED_SHARE * len(lines):
            return f"minified ({long} of {len(lines)} lines have more than {_LONG_LINE} bytes)"
    if path.lower().endswith(_MINIFIED_NAMES):
        return "minified"
    return None


def _folder(walk: _Walk, folder: Path, path: str, rules: IgnoreRules) -> None:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        walk.skip(path + "/", f"unreadable: {error.strerror}")
        return
    names = frozenset(entry.name for entry in entries)
    if path and ".git" in names and (why := _other_checkout(walk, folder)) is not None:
        walk.skip(path + "/", why)
        return
    if "pyvenv.cfg" in names:  # a virtual environment under any name
        return
    below = _joined(walk.prefix, path)
    if ".gitignore" in names:
        rules = rules.entering(folder, below)
    for entry in entries:
        entry_path = _joined(path, entry.name)
        if (unfit := _unfit(entry.name)) is not None:
            folder_mark = "/" if entry.is_dir(follow_symlinks=False) else ""
            if folder_mark or language_of(entry.name) is not None:
                shown = entry_path.encode("utf-8", "replace").decode()
                walk.skip(" ".join(shown.splitlines()) + folder_mark, unfit)
            continue
        if entry.is_symlink():
            _link(walk, entry, entry_path, rules)
        elif entry.is_dir(follow_symlinks=False):
            if walk.globs.leaves_out(entry_path):
                continue
            if is_tool_folder(entry.name, names) and not walk.globs.names(entry_path):
                continue
            if (inside := rules.below(_joined(walk.prefix, entry_path))) is not None:
                _folder(walk, folder / entry.name, entry_path, inside)
        else:
            _file(walk, entry, entry_path, rules)


def _other_checkout(walk: _Walk, folder: Path) -> str | None:
    """Why a folder with a ``.git`` of its own is no part of the project: its code would be read twice, or is another
    repository's. None for a submodule, and where the project itself is in no repository."""
    own = folder / ".git"
    if own.is_file():
        place = PurePosixPath(git_text(own).strip())
        return "another work tree of a repository" if "worktrees" in place.parts else None
    return "another repository" if walk.in_repository else None


def _file(walk: _Walk, entry: os.DirEntry[str], path: str, rules: IgnoreRules) -> None:
    language = language_of(entry.name)
    if language is None and "." in entry.name:
        return
    try:
        state = os.stat(entry.path, follow_symlinks=False)
        if language is None and (os.name == "nt" or state.st_mode & stat.S_IXUSR) and stat.S_ISREG(state.st_mode):
            language = language_of(entry.name, _head(entry.path))
    except OSError as error:
        if language is not None and _wanted(walk, path, rules):
            walk.skip(path, f"unreadable: {error.strerror}")
        return
    if language is None or not _wanted(walk, path, rules):
        return
    if not stat.S_ISREG(state.st_mode):
        walk.skip(path, "not a regular file")
    elif state.st_size > walk.max_bytes:
        walk.skip(path, f"{state.st_size:,} bytes; source.max_file_bytes is {walk.max_bytes:,}")
    else:
        walk.files.append(SourceFile(path, language.name, state.st_size, changed_ns(state)))


def _link(walk: _Walk, entry: os.DirEntry[str], path: str, rules: IgnoreRules) -> None:
    """A link is never followed: its target is read where it is, or is not part of the project."""
    try:
        target = Path(entry.path).resolve(strict=True)
    except (OSError, RuntimeError):
        if language_of(entry.name) is not None and _wanted(walk, path, rules):
            walk.skip(path, "a symbolic link to nothing")
        return
    if target.is_relative_to(walk.root) or not _wanted(walk, path, rules):
        return
    if target.is_dir():
        walk.skip(path + "/", "a symbolic link that leaves the project")
    elif language_of(entry.name) is not None:
        walk.skip(path, "a symbolic link that leaves the project")


def _wanted(walk: _Walk, path: str, rules: IgnoreRules) -> bool:
    return walk.globs.takes(path) and not rules.ignores(_joined(walk.prefix, path))


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEAD_BYTES)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name


def _unfit(name: str) -> str | None:
    """Why what is called so is left out; None where it is not. What is not Unicode cannot be stored or asked for."""
    if "\\" in name or any(0xD800 <= ord(character) <= 0xDFFF for character in name):
        return "its name is not portable"
    return None if name.splitlines() == [name] else "a line break in its name"


def changed_ns(state: os.stat_result) -> int:
    """When a file was last changed. Its time of modification can be set back (`cp -p`, an archive's), that of its
    status cannot; on Windows the latter is when it was made."""
    return max(state.st_mtime_ns, state.st_ctime_ns)
