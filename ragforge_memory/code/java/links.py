"""Which files of Java see one another without an import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.packages import package_neighbours

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.parsed import ParsedFile


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same package; without one, those of none in the same directory."""
    if file.package:
        return package_neighbours(index, file)
    directory = file.path[: file.path.rfind("/") + 1]
    return index.remember(("java", "unnamed", directory), lambda: _unnamed(index, directory))


def _unnamed(index: ProjectIndex, directory: str) -> list[str]:
    outlines = index.layout.outlines
    here = [path for path in index.directories.get(directory, ()) if path in index.files]  # asked, so that it is noted
    return [path for path in here if outlines[path].language == "java" and not outlines[path].package]
