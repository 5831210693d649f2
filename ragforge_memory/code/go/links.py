"""How Go's imports reach other packages, and the names that everybody has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.layout import folder_of, folders_above
from ragforge_memory.code.parsed import Import, ParsedFile
from ragforge_memory.code.reads import MODULE_PATH

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.layout import Layout


_BUILTINS = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint
uint8 uint16 uint32 uint64 uintptr
"""
BUILTINS: frozenset[str] = frozenset(_BUILTINS.split())
"""Predeclared types (Go specification, section Predeclared identifiers)."""

_COMMON_MEMBERS = """
Add Bytes Close Context Copy Do Done Err Error Flush Get Len Less Lock Name New Next Print Printf Println Read
ReadAll ReadFrom Reset RLock RUnlock Scan Seek Set Size Sprintf Start Stop String Swap Sync Unlock Unwrap Value Wait
Write WriteString WriteTo
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""Methods of the interfaces and types of the packages builtin, io, fmt, errors, sync, sort, context, time, bytes,
strings and bufio that code meets daily: an unknown receiver's method of such a name is not taken for the project's."""


_VERSION = re.compile(r"v[0-9]+$")


def package_name(path: str) -> str:
    """The name that an import path most likely has in code: its last part that is not a version."""
    parts = path.split("/")
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    last = parts[-1].partition(".v")[0]
    return last.removeprefix("go-").replace("-", "_")


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The directory of the package, where the import path begins with the path of a module of the project."""
    home = _module_file(index, folder_of(file.path))
    module, own = _module(index, home, imported.module)
    if module is None:
        # Nothing but the imports says where the files of a project without a ``go.mod`` belong.
        own = _module_path(index) if home is None else ""
        if not own or not f"{imported.module}/".startswith(f"{own}/"):
            return ()
    rest = imported.module[len(own) + 1 :]
    directory = f"{folder_of(module or '')}{rest}/" if rest else folder_of(module or "")
    if directory not in index.directories or _module_file(index, directory) != module:
        return ()  # a folder with a ``go.mod`` of its own is not a part of the module around it
    return [directory or "./"]


def _module(index: ProjectIndex, home: str | None, path: str) -> tuple[str | None, str]:
    """The ``go.mod`` with the longest module path that an import path begins with, and that module path.

    Args:
        home: that of the module which imports.
    """
    own = path
    while own:
        named = index.packages.get(f"gomod:{own}/", ())
        if named:
            around = [each for each in named if home is not None and home.startswith(folder_of(each))]
            if around:
                return max(around, key=len), own
            return (named[0], own) if len(named) == 1 else (None, "")
        own = own.rpartition("/")[0]
    return None, ""


def _module_file(index: ProjectIndex, directory: str) -> str | None:
    """The nearest ``go.mod`` in a directory or above it."""
    return next((path for each in folders_above(directory) if (path := f"{each}go.mod") in index.files), None)


def _module_path(index: ProjectIndex) -> str:
    """The path that packages are imported by where the project has no ``go.mod`` that says it.

    The imports say it: what stands before the project's directories in most of the paths that end in one of them.
    """
    return index.remember(("go", "module path"), lambda: module_path(index.layout), reads=((MODULE_PATH, "go"),))


def module_path(layout: Layout) -> str:
    """The same of a layout."""
    votes: dict[str, set[str]] = {}
    for path in sorted({module for known in layout.outlines.values() for module in known.modules}):
        parts = path.split("/")
        for start in range(1, len(parts)):
            if "/".join(parts[start:]) + "/" in layout.directories:
                votes.setdefault("/".join(parts[:start]), set()).add(path)
    return max(votes, key=lambda prefix: (len(votes[prefix]), -len(prefix), prefix), default="")


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same package."""
    here = index.directories.get(file.path[: file.path.rfind("/") + 1], [])
    return [
        path
        for path in here
        if path != file.path and (other := index.files[path].placed).language == "go" and other.package == file.package
    ]
