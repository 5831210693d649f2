"""The few words of a file that lookups over the whole project go by, kept apart so that they are read without it."""

from __future__ import annotations

import json
from typing import NamedTuple

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
