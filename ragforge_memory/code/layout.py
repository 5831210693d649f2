"""Where the files of a project are, and the few words of each that lookups over the whole project go by."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from posixpath import commonprefix
from typing import NamedTuple

from ragforge_memory.code.languages import LANGUAGES
from ragforge_memory.code.parsed import ParsedFile


class Outline(NamedTuple):
    """What a project's index knows of a file before it looks into it.

    Args:
        language, package: as of `ParsedFile`.
        names: of all its definitions, sorted.
        owners: the last names of types that it defines members of from outside, sorted.
        modules: that it imports, sorted; of Go alone, whose module path is told by all imports together.
    """

    language: str
    package: str
    names: tuple[str, ...]
    owners: tuple[str, ...]
    modules: tuple[str, ...]


def outline(file: ParsedFile) -> Outline:
    """The outline of a file."""
    owners = {owner_name(scope.owner) for scope in file.scopes if scope.owner is not None}
    modules = {imported.module for imported in file.imports} if file.language == "go" else ()
    names = {scope.name for scope in file.scopes}
    return Outline(file.language, file.package, tuple(sorted(names)), tuple(sorted(owners)), tuple(sorted(modules)))


def owner_name(owner: str) -> str:
    """The last name of a scope's ``owner``."""
    return owner.rpartition(".")[2]


def to_text(known: Outline) -> str:
    """An outline to be kept."""
    return json.dumps(known, separators=(",", ":"))


def from_text(text: str) -> Outline:
    """What `to_text` kept."""
    language, package, *lists = json.loads(text)
    names, owners, modules = (tuple(each) for each in lists)
    return Outline(language, package, names, owners, modules)


class Layout:
    """Everything that the outlines of all files say together.

    Args:
        outlines: by path; not changed.
    """

    def __init__(self, outlines: Mapping[str, Outline]) -> None:
        self.outlines = outlines

    @cached_property
    def directories(self) -> dict[str, list[str]]:
        """For each directory (``""`` or with a final slash) the paths of the files right in it, sorted.

        Files of no code are left out, like a ``go.mod``, which says where a module is.
        """
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(path for path, known in self.outlines.items() if LANGUAGES[known.language].has_code):
            found[path[: path.rfind("/") + 1]].append(path)
        return dict(found)

    @cached_property
    def all_directories(self) -> dict[str, None]:
        """Every directory above a file, with a final slash."""
        found: dict[str, None] = {}
        for directory in self.directories:
            while directory:
                found[directory] = None
                directory = directory[: directory.rstrip("/").rfind("/") + 1]
        return found

    @cached_property
    def by_basename(self) -> dict[str, list[str]]:
        """For each file name without directories the paths that end with it, sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.outlines):
            found[path.rpartition("/")[2]].append(path)
        return dict(found)

    @cached_property
    def packages(self) -> dict[str, list[str]]:
        """For each module ``language:package/`` the paths of its files, sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.outlines):
            for module in package_modules(self.outlines[path]):
                found[module].append(path)
        return dict(found)

    @cached_property
    def parent_packages(self) -> dict[str, None]:
        """Every package above one that has files, with files of its own or not."""
        found: dict[str, None] = {}
        for module in self.packages:
            language, _, name = module.rstrip("/").partition(":")
            while name:
                found[f"{language}:{name}/"] = None
                name = name.rpartition(".")[0]
        return found

    @cached_property
    def defining(self) -> dict[tuple[str, str], list[str]]:
        """For each (family of languages, bare name) the paths of the files that define it, sorted."""
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for path in sorted(self.outlines):
            known = self.outlines[path]
            family = LANGUAGES[known.language].family
            for name in known.names:
                found[family, name].append(path)
        return dict(found)

    @cached_property
    def detaching(self) -> dict[str, list[str]]:
        """For the last name of each ``owner`` the paths of the files that define members of it, sorted."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.outlines):
            for name in self.outlines[path].owners:
                found[name].append(path)
        return dict(found)


def package_modules(known: Outline) -> list[str]:
    """The modules that a file says it belongs to."""
    return [f"{known.language}:{package}/" for package in known.package.split()]


def shared_folders(one: str, other: str) -> int:
    """How many parts two paths begin with alike."""
    return len(commonprefix([one.split("/"), other.split("/")]))


def folder_of(path: str) -> str:
    """Where a file is: empty, or with a final slash."""
    return path[: path.rfind("/") + 1]
