"""Where the files of a project are, and the few words of each that lookups over the whole project go by."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import commonprefix
from typing import NamedTuple, TypeVar

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


K = TypeVar("K")


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
        code = (path for path, known in self.outlines.items() if LANGUAGES[known.language].has_code)
        return _grouped((folder_of(path), path) for path in sorted(code))

    @cached_property
    def all_directories(self) -> dict[str, None]:
        """Every directory above a file, with a final slash."""
        return {folder: None for each in self.directories for folder in folders_above(each) if folder}

    @cached_property
    def by_basename(self) -> dict[str, list[str]]:
        """For each file name without directories the paths that end with it, sorted."""
        return _grouped((path.rpartition("/")[2], path) for path in sorted(self.outlines))

    @cached_property
    def packages(self) -> dict[str, list[str]]:
        """For each module ``language:package/`` the paths of its files, sorted."""
        paths = sorted(self.outlines)
        return _grouped((module, path) for path in paths for module in package_modules(self.outlines[path]))

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
        known = ((path, self.outlines[path]) for path in sorted(self.outlines))
        return _grouped(((LANGUAGES[each.language].family, name), path) for path, each in known for name in each.names)

    @cached_property
    def detaching(self) -> dict[str, list[str]]:
        """For the last name of each ``owner`` the paths of the files that define members of it, sorted."""
        return _grouped((name, path) for path in sorted(self.outlines) for name in self.outlines[path].owners)


def _grouped(pairs: Iterable[tuple[K, str]]) -> dict[K, list[str]]:
    found: dict[K, list[str]] = defaultdict(list)
    for key, path in pairs:
        found[key].append(path)
    return dict(found)


def package_modules(known: Outline) -> list[str]:
    """The modules that a file says it belongs to."""
    return [f"{known.language}:{package}/" for package in known.package.split()]


def shared_folders(one: str, other: str) -> int:
    """How many parts two paths begin with alike."""
    return len(commonprefix([one.split("/"), other.split("/")]))


def folders_above(folder: str) -> Iterator[str]:
    """A folder, as of `folder_of`, and all that it is in, the root (``""``) last."""
    while folder:
        yield folder
        folder = folder[: folder.rstrip("/").rfind("/") + 1]
    yield ""


def folder_of(path: str) -> str:
    """Where a file is: empty, or with a final slash."""
    return path[: path.rfind("/") + 1]
