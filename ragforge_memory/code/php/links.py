"""How PHP files reach one another: namespaces, and what has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.packages import package_neighbours, root_package
from ragforge_memory.code.php.text import GLOBAL

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import ParsedFile


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """What files without a namespace define is seen everywhere (functions and constants), else a root namespace."""
    if name == GLOBAL:
        return f"php:{GLOBAL}/", ""
    places = [
        (path, scope.key)
        for path, scope in index.defined("php", name)
        if scope.parent is None and index.files[path].package == GLOBAL
    ]
    return places[0] if len(places) == 1 else root_package(index, file, name)


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same namespaces."""
    return package_neighbours(index, file)
