"""How Ruby files reach one another: constants and top-level methods are global, classes are reopened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import TYPE_TYPES

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """Constants are global: what is required does not matter."""
    return ()


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """A constant or a method that some file defines at its top level."""
    return index.remember(("ruby", "top", name), lambda: _at_top(index, name))


def _at_top(index: ProjectIndex, name: str) -> Place | None:
    places = [
        (path, scope) for path, scope in index.defined("ruby", name) if scope.parent is None and scope.owner is None
    ]
    if name[:1].isupper():
        kinds = sorted(
            places, key=lambda place: (place[1].type not in TYPE_TYPES, place[0].startswith(("test/", "spec/")))
        )
        return (kinds[0][0], kinds[0][1].key) if kinds else None
    return (places[0][0], places[0][1].key) if len(places) == 1 else None


def parts(index: ProjectIndex, path: str, scope: ParsedScope) -> Sequence[Place]:
    """Where else a class or module is opened."""
    return [
        (other, found.key)
        for other, found in index.defined("ruby", scope.name)
        if found.type in TYPE_TYPES
        and found.qualified_name == scope.qualified_name
        and (other, found.key) != (path, scope.key)
    ]
