"""How Go's imports reach other packages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import Import, ParsedFile

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex


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
    memo = "go module path"
    if memo not in index.memo:
        votes: dict[str, set[str]] = {}
        seen: set[str] = set()
        for found in index.files.values():
            if found.file.language == "go":
                seen.update(imported.module for imported in found.file.imports)
        for path in seen:
            parts = path.split("/")
            for start in range(1, len(parts)):
                if "/".join(parts[start:]) + "/" in index.directories:
                    votes.setdefault("/".join(parts[:start]), set()).add(path)
        index.memo[memo] = max(votes, key=lambda prefix: (len(votes[prefix]), -len(prefix)), default="")
    own: str = index.memo[memo]
    return own


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same package."""
    here = index.directories.get(file.path[: file.path.rfind("/") + 1], [])
    return [
        path
        for path in here
        if path != file.path and (other := index.files[path].file).language == "go" and other.package == file.package
    ]
