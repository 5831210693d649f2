"""How Go's imports reach other packages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import Import, ParsedFile
from ragforge_memory.code.reads import MODULE_PATH

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.layout import Layout


_VERSION = re.compile(r"v[0-9]+$")


def package_name(path: str) -> str:
    """The name that an import path most likely has in code: its last part that is no version."""
    parts = path.split("/")
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    last = parts[-1].partition(".v")[0]
    return last.removeprefix("go-").replace("-", "_")


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The directory of the package, where the import path begins with the project's own module path."""
    own, path = _module_path(index), imported.module
    if not own or (path != own and not path.startswith(f"{own}/")):
        return ()
    directory = f"{path[len(own) + 1 :]}/" if path != own else ""
    return [directory or "./"] if directory in index.directories else ()


def _module_path(index: ProjectIndex) -> str:
    """The path that the project's packages are imported by.

    ``go.mod`` is not among the files that are read, but the imports say it: what stands before the project's
    directories in most of the paths that end in one of them.
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
        if path != file.path and (other := index.files[path]).language == "go" and other.package == file.package
    ]
