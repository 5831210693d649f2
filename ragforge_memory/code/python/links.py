"""How Python's names reach other files: imports, and the fixtures that pytest passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.links import Links, Place
from ragforge_memory.code.python.names import COMMON_MEMBERS
from ragforge_memory.code.reads import MODULE, ROOTED

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.layout import Layout
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The module files (or namespace directories) that ``import`` means, nearest to the importing file first."""
    name = imported.module
    here = file.path[: file.path.rfind("/") + 1]
    dots = len(name) - len(name.lstrip("."))
    if dots:
        for _ in range(dots - 1):
            here = here[: here.rstrip("/").rfind("/") + 1]
        found = _module_at(index, here + name[dots:].replace(".", "/"))
        return [found] if found else []
    return index.remember(("python", here, name), lambda: _absolute(index, here, name))


def _absolute(index: ProjectIndex, here: str, name: str) -> Sequence[str]:
    """Any directory above a top-level package may be on the path; one next to the importing file is likelier."""
    tail = name.replace(".", "/")
    index.reads.note(ROOTED, name.partition(".")[0])
    found = []
    for root in _roots(index):
        module = _module_at(index, root + tail)
        if module and (root or module != "./"):
            found.append((not here.startswith(root), -_shared(root, here), len(root), module))
    return [module for *_, module in sorted(found)]


def _roots(index: ProjectIndex) -> list[str]:
    return index.remember(("python", "roots"), lambda: package_roots(index.layout), reads=())


def package_roots(layout: Layout) -> list[str]:
    """Directories with Python files or packages that are not packages themselves."""
    return sorted(d for d in {"", *layout.all_directories} if f"{d}__init__.py" not in layout.outlines)


def _shared(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count


def _module_at(index: ProjectIndex, base: str) -> str | None:
    base = base.rstrip("/")
    prefix = f"{base}/" if base else ""
    index.reads.note(MODULE, base.rpartition("/")[2])
    layout = index.layout
    for path in (f"{base}.py", f"{prefix}__init__.py", f"{base}.pyi", f"{prefix}__init__.pyi"):
        if path in layout.outlines:
            return path
    return prefix if prefix in layout.all_directories else None


def submodule(index: ProjectIndex, module: str, name: str) -> str | None:
    """``pkg/__init__.py`` and ``mod`` to ``pkg/mod.py``."""
    filename = module.rpartition("/")[2]
    if filename and not filename.startswith("__init__."):
        return None
    return _module_at(index, module[: module.rfind("/") + 1] + name)


def injected(index: ProjectIndex, path: str, scope: ParsedScope, name: str) -> Place | None:
    """The fixture that pytest passes for a parameter: of the class, the module, or a ``conftest.py`` above."""
    if not scope.name.startswith("test") and not _is_fixture(scope):
        return None
    file = index.files[path]
    parent = scope.parent
    while parent is not None:
        found = _fixture(file.children.get(parent, {}).get(name, ()), scope)
        if found is not None:
            return path, found.key
        parent = file.by_key[parent].parent
    directory = path[: path.rfind("/") + 1]
    places = [path]
    while True:
        places.append(f"{directory}conftest.py")
        if not directory:
            break
        directory = directory[: directory.rstrip("/").rfind("/") + 1]
    for place in places:
        if place in index.files:
            found = _fixture(index.files[place].top.get(name, ()), scope)
            if found is not None:
                return place, found.key
    return None


def _fixture(scopes: Sequence[ParsedScope], besides: ParsedScope) -> ParsedScope | None:
    return next((scope for scope in scopes if scope is not besides and _is_fixture(scope)), None)


def _is_fixture(scope: ParsedScope) -> bool:
    return any(name.rpartition(".")[2] == "fixture" for name in scope.decorators)


LINKS = Links(
    modules=modules,
    submodule=submodule,
    injected=injected,
    self_names=frozenset({"self"}),
    super_names=frozenset({"super()"}),
    imports_visible=True,
    by_path=True,
    common_members=COMMON_MEMBERS,
)
