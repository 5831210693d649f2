"""How C and C++ files reach one another: includes, namespaces, and the linker for what is declared elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.layout import folder_of, folders_above, shared_folders
from ragforge_memory.code.packages import known_parent, root_package, subpackage
from ragforge_memory.code.parsed import TYPE_TYPES

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope

INCLUDE = "#"
"""Begins the module of an include, so that it is told from a namespace."""

_LINKED = frozenset({"function", "constant", "macro"}) | TYPE_TYPES
submodule = subpackage


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The header that an include means, or the files of a namespace."""
    if imported.module.startswith(INCLUDE):
        found = _included(index, file.path, imported.module[1:])
        return [found] if found is not None else []
    module = f"cpp:{imported.module}/"
    return [module] if module in index.packages else known_parent(index, module)


def _included(index: ProjectIndex, path: str, name: str) -> str | None:
    """Beside the including file, else the file whose path ends so and that shares most directories with it."""
    here = path[: path.rfind("/") + 1]
    parts: list[str] = []
    for part in f"{here}{name}".split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    beside = "/".join(parts)
    if beside in index.files:
        return beside
    plain = name.lstrip("./")
    named = index.by_basename.get(plain.rpartition("/")[2], ())
    candidates = [found for found in named if found == plain or found.endswith(f"/{plain}")]
    return max(candidates, key=lambda found: (shared_folders(found, here), -len(found)), default=None)


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """Everything that is included, directly or not; for C++ also the files of the same namespaces."""
    return index.remember(("c", "included", file.path), lambda: _all_included(index, file.path))


def _all_included(index: ProjectIndex, start: str) -> list[str]:
    found: dict[str, None] = {}
    queue = [start]
    while queue:
        path = queue.pop(0)
        for imported in index.files[path].imports.get(None, {}).get("*", ()):
            if imported.module.startswith(INCLUDE):
                header = _included(index, path, imported.module[1:])
                if header is not None and header not in found and header != start:
                    found[header] = None
                    queue.append(header)
    return list(found)


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """A definition with that name alone in the project, or alone near the file; or the root of a namespace.

    C declares a function in a header and defines it in another file: only the linker brings them together.
    """
    places: list[Place] = [
        (path, scope.key)
        for path, scope in index.defined("c", name)
        if _external(scope, path) or any(module in index.parent_packages for module in _meant(index, path, scope))
    ]
    around = ([place for place in places if place[0].startswith(each)] for each in folders_above(folder_of(file.path)))
    near = next(filter(None, around), places)
    if len(near) == 1:
        return near[0]
    return root_package(index, file, name) if not places else None


def outside(index: ProjectIndex, module: str, name: str) -> Place | None:
    """``half`` of a namespace, defined as ``detail::half`` in a file that does not open it."""
    last = module.rstrip("/").rpartition(":")[2].rpartition(".")[2]
    for path, scope in index.detached(last):
        if scope.name == name and module in _meant(index, path, scope):
            return path, scope.key
    return None


def _meant(index: ProjectIndex, path: str, scope: ParsedScope) -> list[str]:
    """The namespaces that a definition's owner can be, seen from its file; none where there is a type of that name."""
    owner = scope.owner
    if owner is None or scope.parent is not None or "specialization" in scope.modifiers:
        return []
    last = owner.rpartition(".")[2]
    if any(other.type in TYPE_TYPES for _, other in index.defined("c", last)):
        return []
    file = index.files[path]
    used = (each.module for each in file.imports.get(None, {}).get("*", ()) if not each.module.startswith(INCLUDE))
    return [f"cpp:{owner}/", *(f"cpp:{around}.{owner}/" for around in (*file.placed.package.split(), *used))]


def _external(scope: ParsedScope, path: str) -> bool:
    inside = scope.parent is not None or scope.owner is not None
    if inside or scope.type not in _LINKED or "specialization" in scope.modifiers:
        return False
    local = "static" in scope.modifiers and not path.endswith((".h", ".hpp", ".hh", ".hxx"))
    in_source = scope.type in ("macro", "constant") and path.endswith((".c", ".cc", ".cpp", ".cxx"))
    return not local and not (in_source and scope.type == "macro")
