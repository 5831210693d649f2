"""Imports of languages whose files say which package or namespace they belong to: Java, C#, PHP, C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile


def package_modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The package that an import names; of ``a.b.C`` the one before the name that is looked up in it.

    A wildcard over a type's members (``import static a.b.C.*``) has no module here: see star_members.
    """
    path = imported.module
    if imported.name not in (None, "*"):
        path = path.rpartition(".")[0]
    module = f"{file.language}:{path}/"
    return [module] if module in index.packages else known_parent(index, module)


def known_parent(index: ProjectIndex, module: str) -> Sequence[str]:
    """The module itself where it only has packages inside."""
    return [module] if module in index.parent_packages else ()


def package_neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same package."""
    found: list[str] = []
    for package in file.package.split():
        found += index.packages.get(f"{file.language}:{package}/", ())
    return found


def subpackage(index: ProjectIndex, module: str, name: str) -> str | None:
    """``a.b`` and ``c`` to ``a.b.c``."""
    inner = f"{module.rstrip('/')}.{name}/"
    return inner if inner in index.parent_packages else None


def root_package(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """The first word of a name that is written in full."""
    module = f"{file.language}:{name}/"
    return (module, "") if module in index.parent_packages else None
