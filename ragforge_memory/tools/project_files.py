"""The files below a project's root: which may be read, and which are text that belongs to it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ragforge_memory.project import TEXTS_MARKER

MAX_TEXT_BYTES = 20_000_000
"""Larger files are data; no ingest can be set to read larger ones."""

# What programs read their keys from, and private keys themselves; an example of one has none.
_OF_KEYS = re.compile(
    r".*\.env|\.env(rc)?(\..+)?|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)",
    re.IGNORECASE,
)
_OF_KEYS_IN = {".aws": "credentials", ".docker": "config.json", ".kube": "config"}
_EXAMPLE = re.compile(r"example|sample|template|\bdist\b|defaults?\b", re.IGNORECASE)


def holds_keys(path: str) -> bool:
    """Whether a path's name is that of a file of keys and passwords, which no tool opens: a model's vendor gets to
    see what a tool reads, and what asks for it may be a text that was planted in the code."""
    *folders, name = path.split("/")
    if folders and _OF_KEYS_IN.get(folders[-1]) == name:
        return True
    return _OF_KEYS.fullmatch(name) is not None and _EXAMPLE.search(name) is None


def inside(root: Path, path: str) -> Path | None:
    """The regular file at ``path`` below ``root`` that a tool may open; None for everything else.

    Refused are absolute paths, ``..``, links that leave the root, git's own folder (its config may hold
    credentials), files of keys (`holds_keys`), the files with conversations' texts, folders, devices and pipes.
    """
    real = _below(root, path)
    return None if real is None or holds_keys(real.relative_to(root.resolve()).as_posix()) else real


def is_kept_shut(root: Path, path: str) -> bool:
    """Whether there is a regular file at ``path`` below ``root`` that no tool opens for the keys it holds."""
    return holds_keys(path) and _below(root, path) is not None


def _below(root: Path, path: str) -> Path | None:
    """The regular file at ``path`` below ``root``; None for what `inside` refuses but files of keys."""
    parts = path.replace("\\", "/").split("/")
    if not path or "\0" in path or path.startswith(("/", "~")) or ":" in parts[0] or ".." in parts:
        return None
    if ".git" in (part.lower() for part in parts):
        return None
    try:
        top = root.resolve(strict=True)
        real = (top / Path(*parts)).resolve(strict=True)
        if not real.is_relative_to(top) or ".git" in real.relative_to(top).parts:
            return None
        if any((folder / TEXTS_MARKER).exists() for folder in real.parents if folder.is_relative_to(top)):
            return None
        return real if stat.S_ISREG(real.stat().st_mode) else None
    except (OSError, RuntimeError, ValueError):
        return None


def text_of(file: Path) -> str | None:
    """What a file has, up to `MAX_TEXT_BYTES`; None where it may not be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_TEXT_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def is_source(path: str) -> bool:
    """Whether a path's name is that of a file of code that an ingest reads."""
    from ragforge_memory.code.languages import language_of

    language = language_of(path)
    return language is not None and language.has_code


def is_setting(path: str) -> bool:
    """Whether a path's name is that of a file that only says how files of code are reached, like a ``go.mod``."""
    from ragforge_memory.code.languages import language_of

    language = language_of(path)
    return language is not None and not language.has_code


def is_unread(path: str) -> bool:
    """Whether a path's name is that of a file of code in a language that no ingest reads."""
    from ragforge_memory.code.languages import unread_language_of

    return unread_language_of(path) is not None


def text_files(root: Path) -> Iterator[str]:
    """Paths of the project's files below ``root``, with ``/``; what git ignores, tools wrote or has keys is left out.

    Links are not followed. Whether a file is text is for its reader to say.
    """
    from ragforge_memory.code.ignore import IgnoreRules, is_tool_folder, outer_rules

    top = root.resolve()
    first, prefix = outer_rules(top)

    def walk(folder: Path, relative: str, rules: IgnoreRules) -> Iterator[str]:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            return
        names = frozenset(entry.name for entry in entries)
        if "pyvenv.cfg" in names or TEXTS_MARKER in names:
            return
        below = "/".join(part for part in (prefix, relative) if part)
        if ".gitignore" in names:
            rules = rules.entering(folder, below)
        for entry in entries:
            path = f"{relative}/{entry.name}" if relative else entry.name
            outer = f"{below}/{entry.name}" if below else entry.name
            if entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                if not is_tool_folder(entry.name, names) and (inner := rules.below(outer)) is not None:
                    yield from walk(folder / entry.name, path, inner)
            elif entry.is_file(follow_symlinks=False) and not rules.ignores(outer) and not holds_keys(path):
                yield path

    yield from walk(top, "", first)
