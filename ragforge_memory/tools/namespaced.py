"""C++ names with their namespaces (``geo::Circle``): these are in the files, not in the names that the graph has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.tools.project_files import inside

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope

MAX_FILES = 20
"""Files that are read for one name."""

_QUALIFIER = re.compile(r"([^\W\d]\w*)\s*(?:<[^<>]*>)?\s*::")


def within(root: Path, scopes: Sequence[Scope], spaces: Sequence[str]) -> list[Scope]:
    """The C++ scopes that stand in namespaces of these names, in this order; others may stand between."""
    from ragforge_memory.code.cpp.spaces import namespaces_of

    known: dict[str, list[tuple[int, int, str]]] = {}
    found = []
    for scope in scopes:
        if scope.language != "cpp" or (scope.file not in known and len(known) == MAX_FILES):
            continue
        if scope.file not in known:
            path = inside(root, scope.file)
            try:
                known[scope.file] = namespaces_of(scope.file, path.read_bytes()) if path is not None else []
            except OSError:
                known[scope.file] = []
        # What is defined outside of its namespace says it before its name.
        said = _QUALIFIER.findall(scope.signature.partition("(")[0])
        line = scope.definition_line
        around = iter([*(name for first, last, name in known[scope.file] if first <= line <= last), *said])
        if all(any(space == other for other in around) for space in spaces):
            found.append(scope)
    return found
