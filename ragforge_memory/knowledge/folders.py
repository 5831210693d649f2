"""The documents below a folder, by their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ragforge_memory.code.ignore import IgnoreRules, is_tool_folder, outer_rules
from ragforge_memory.errors import InvalidInput
from ragforge_memory.knowledge.readers import format_by_name


def documents_below(folder: Path) -> list[Path]:
    """The files in a format that can be read, and folders that cannot be looked into, sorted.

    Hidden files and folders, what ``.gitignore`` names, and folders of dependencies and builds are left out; links are
    not followed.

    Raises:
        InvalidInput: the folder cannot be listed.
    """
    rules, prefix = outer_rules(folder)
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be read: {error.strerror}") from error
    return sorted(_below(folder, prefix, rules))


def _below(folder: Path, below: str, rules: IgnoreRules) -> Iterator[Path]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        yield folder  # whoever opens it says why not
        return
    names = frozenset(entry.name for entry in entries)
    if ".gitignore" in names:
        rules = rules.entering(folder, below)
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            inside = None if is_tool_folder(entry.name, names) else rules.below(path)
            if inside is not None:
                yield from _below(folder / entry.name, path, inside)
        elif entry.is_file() and format_by_name(entry.name) is not None and not rules.ignores(path):
            yield folder / entry.name
