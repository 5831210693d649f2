"""Names with their namespaces (``geo::Circle``): these are in the files, not in the names that the graph has."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.tools.project_files import inside

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope

MAX_FILES = 20
"""Files that are read for one name."""

_Space = tuple[int, int, str]

_PARTED = {"cpp": "::", "php": "\\", "csharp": ".", "java": "."}
_QUALIFIER = re.compile(r"([^\W\d]\w*)\s*(?:<[^<>]*>)?\s*::")


def languages_of(name: str) -> frozenset[str]:
    """The languages that part a name's namespaces so (``geo::Circle``, ``FastRoute\\Route``, ``A.B.Widget``)."""
    return frozenset(language for language, mark in _PARTED.items() if mark in name)


def within(root: Path, scopes: Sequence[Scope], spaces: Sequence[str], languages: Collection[str]) -> list[Scope]:
    """The scopes of these languages that stand in namespaces of these names, in this order; in C++ others may stand
    between, elsewhere outside of them."""
    known: dict[str, list[_Space]] = {}
    found = []
    for scope in scopes:
        if scope.language not in languages or (scope.file not in known and len(known) == MAX_FILES):
            continue
        if scope.file not in known:
            path = inside(root, scope.file)
            try:
                known[scope.file] = _spaces(scope, path.read_bytes()) if path is not None else []
            except OSError:
                known[scope.file] = []
        line = scope.definition_line
        around = [name for first, last, name in known[scope.file] if first <= line <= last]
        if scope.language != "cpp":
            wanted = f".{'.'.join(spaces)}"
            if any(f".{space}".endswith(wanted) for space in around):
                found.append(scope)
            continue
        # What is defined outside of its namespace says it before its name.
        order = iter([*around, *_QUALIFIER.findall(scope.signature.partition("(")[0])])
        if all(any(space == other for other in order) for space in spaces):
            found.append(scope)
    return found


def _spaces(scope: Scope, data: bytes) -> list[_Space]:
    """The namespaces of a scope's file, each with its first and last line; but in C++ of the file as a whole."""
    from ragforge_memory.code.cpp.reader import namespaces_of
    from ragforge_memory.code.parse import parse

    if scope.language == "cpp":
        return namespaces_of(scope.file, data)
    parsed = parse(scope.file, data)
    return [(1, parsed.line_count, each) for each in parsed.package.split()]
