"""All files of a project by path, directory and name: what resolution looks things up in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from ragforge_memory.code.languages import LANGUAGES, reader_of
from ragforge_memory.code.links import Links
from ragforge_memory.code.parsed import TYPE_TYPES, Binding, Import, ParsedFile, ParsedScope


class FileIndex:
    """One file's scopes by key, parent and name."""

    def __init__(self, file: ParsedFile) -> None:
        self.file = file
        self.by_key: dict[str, ParsedScope] = {scope.key: scope for scope in file.scopes}
        self._bindings: dict[str | None, dict[str, list[Binding]]] = {}
        self._offered: frozenset[str] | None = None
        self._offers_all = False
        self.links: Links = reader_of(file.language).links

    @cached_property
    def children(self) -> dict[str | None, dict[str, list[ParsedScope]]]:
        """For each parent's key (None: the top level), what is defined in it, by name, in source order.

        Constructors that bear their type's name are left out: the name means the type.
        """
        found: dict[str | None, dict[str, list[ParsedScope]]] = {}
        for scope in self.file.scopes:
            if scope.owner is None and "constructor" not in scope.modifiers:
                found.setdefault(scope.parent, {}).setdefault(scope.name, []).append(scope)
                if "outward" in scope.modifiers and scope.parent is not None:  # a plain C enum's members
                    around = self.by_key[scope.parent].parent
                    found.setdefault(around, {}).setdefault(scope.name, []).append(scope)
        return found

    @cached_property
    def imports(self) -> dict[str | None, dict[str, list[Import]]]:
        """For each importing scope's key (None: the top level), the imports by their name in this file."""
        found: dict[str | None, dict[str, list[Import]]] = {}
        for imported in self.file.imports:
            found.setdefault(imported.scope, {}).setdefault(imported.local, []).append(imported)
        return found

    @cached_property
    def exports(self) -> dict[str, str]:
        """What the file says that it exports: the name outside and the dotted name inside."""
        return {export.name: export.local for export in self.file.exports}

    def bindings(self, key: str | None) -> dict[str, list[Binding]]:
        """The bindings of a scope (None: the top level) by name, in source order."""
        found = self._bindings.get(key)
        if found is None:
            found = self._bindings[key] = {}
            for binding in self.file.bindings if key is None else self.by_key[key].bindings:
                found.setdefault(binding.name, []).append(binding)
        return found

    def may_offer(self, name: str) -> bool:
        """Whether the file can have a top-level name; quick, and true too often rather than too rarely."""
        if self._offered is None:
            imported = self.imports.get(None, {})
            through = any(everything.exported or self.links.imports_visible for everything in imported.get("*", ()))
            names = {*self.top, *self.exports, *imported, *self.bindings(None)}
            self._offered = None if through else frozenset(names)
            self._offers_all = through
        return self._offers_all or name in (self._offered or ())

    @property
    def top(self) -> dict[str, list[ParsedScope]]:
        """What is defined at the top level."""
        return self.children.get(None, {})


class ProjectIndex:
    """The files of a project. Broken files are left out. It does not change once it is made.

    Args:
        files: each path once.
    """

    def __init__(self, files: Iterable[ParsedFile]) -> None:
        self.files: dict[str, FileIndex] = {f.path: FileIndex(f) for f in files if f.error is None}
        self.memo: dict[Any, Any] = {}
        """Where a language's functions keep what they worked out, under keys that begin with the language."""

    @cached_property
    def directories(self) -> dict[str, list[str]]:
        """For each directory (``""`` or with a final slash) the paths of the files right in it, sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            found[path[: path.rfind("/") + 1]].append(path)
        return dict(found)

    @cached_property
    def all_directories(self) -> frozenset[str]:
        """Every directory above a file, with a final slash."""
        found = set()
        for directory in self.directories:
            while directory:
                found.add(directory)
                directory = directory[: directory.rstrip("/").rfind("/") + 1]
        return frozenset(found)

    @cached_property
    def by_basename(self) -> dict[str, list[str]]:
        """For each file name without directories the paths that end with it, sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            found[path.rpartition("/")[2]].append(path)
        return dict(found)

    @cached_property
    def packages(self) -> dict[str, list[str]]:
        """For each module ``language:package/`` the paths of its files, sorted; a file may say several packages."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            file = self.files[path].file
            for package in file.package.split():
                found[f"{file.language}:{package}/"].append(path)
        return dict(found)

    def inside(self, module: str) -> list[str]:
        """The paths of the files right in a directory (``./`` is the root) or package."""
        return self.directories.get("" if module == "./" else module) or self.packages.get(module) or []

    @cached_property
    def by_name(self) -> dict[tuple[str, str], list[tuple[str, ParsedScope]]]:
        """For each (family of languages, bare name) the (path, scope) pairs of all definitions of that name."""
        found: dict[tuple[str, str], list[tuple[str, ParsedScope]]] = defaultdict(list)
        for path in sorted(self.files):
            file = self.files[path].file
            family = LANGUAGES[file.language].family
            for scope in file.scopes:
                found[family, scope.name].append((path, scope))
        return dict(found)

    @cached_property
    def detached(self) -> dict[str, list[tuple[str, ParsedScope]]]:
        """For the last name of each ``owner`` the (path, scope) pairs of members defined outside their type."""
        found: dict[str, list[tuple[str, ParsedScope]]] = defaultdict(list)
        for path in sorted(self.files):
            for scope in self.files[path].file.scopes:
                if scope.owner is not None and "constructor" not in scope.modifiers:
                    found[scope.owner.rpartition(".")[2]].append((path, scope))
        return dict(found)

    def types(self, path: str, name: str) -> list[ParsedScope]:
        """The types called ``name`` at the top level of a file."""
        return [scope for scope in self.files[path].top.get(name, ()) if scope.type in TYPE_TYPES]
