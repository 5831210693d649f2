"""Rust's modules as files: ``crate::a::b``, ``super``, ``mod``, and the other crates of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.layout import folder_of, folders_above
from ragforge_memory.code.rust.text import OWN_FILE

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile


_COMMON_MEMBERS = """
abs all and_then any append arg args as_bytes as_mut as_ptr as_ref as_slice as_str borrow build by_ref bytes chain
chars clear clone cloned cmp collect contains contains_key copied count default deref display drain drop end
ends_with entry enumerate eq err exists expect extend filter filter_map find first flat_map flush fmt fold for_each
from from_str get get_mut get_or_insert_with hash index insert into into_inner into_iter is_dir is_empty is_err
is_file is_none is_ok is_some iter iter_mut join keys kind last len lines lock map map_err max metadata min name ne
new next nth ok ok_or ok_or_else open or_else or_insert parent parse partial_cmp path peek poll pop position push
push_str read read_line read_to_string recv remove replace resize retain rev send set skip sort sort_by spawn split
split_at splice start starts_with step_by sum swap take then to_owned to_path_buf to_string to_vec trim truncate
try_from try_into unwrap unwrap_or unwrap_or_default unwrap_or_else value values with_capacity write write_all
write_fmt write_str zip
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From core, alloc and std (Option, Result, Iterator, Vec, str, String, HashMap, Path, io): an unknown receiver's
method of such a name is not taken for the project's."""


_ROOTS = ("lib.rs", "main.rs")
_MODULES = (*_ROOTS, "mod.rs")


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The file of the module that a path leads to; none for a module inside of a file."""
    first, *rest = imported.module.split(".")
    found = _start(index, file.path, first)
    for part in rest:
        found = submodule(index, found, part) if found is not None else None
    return [found] if found is not None else []


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """The first word of a path, or a macro that the crate exports."""
    if name == "self":
        return None
    found = _start(index, file.path, name)
    if found is not None:
        return found, ""
    macros = [(path, scope) for path, scope in index.defined("rust", name) if scope.type == "macro"]
    return (macros[0][0], macros[0][1].key) if len(macros) == 1 else None


def submodule(index: ProjectIndex, module: str, name: str) -> str | None:
    """The file of ``mod name`` inside a module's file, or of the module around it."""
    if name == "super":
        return _parent(index, module)
    base = _directory(module)
    return next((path for path in (f"{base}{name}.rs", f"{base}{name}/mod.rs") if path in index.files), None)


def _directory(path: str) -> str:
    """The directory that has the modules inside a file's module."""
    directory, _, filename = path.rpartition("/")
    prefix = f"{directory}/" if directory else ""
    is_root = filename in _MODULES or directory.rpartition("/")[2] in ("bin", "tests", "examples", "benches")
    return prefix if is_root else f"{prefix}{filename.removesuffix('.rs')}/"


def _start(index: ProjectIndex, path: str, first: str) -> str | None:
    if first in (OWN_FILE, "self"):
        return path
    if first == "crate":
        return _root(index, path)
    if first == "super":
        return _parent(index, path)
    return submodule(index, path, first) or _crate(index, first)


def _parent(index: ProjectIndex, path: str) -> str | None:
    directory, _, filename = path.rpartition("/")
    if filename == "mod.rs":
        directory = directory.rpartition("/")[0]
    prefix = f"{directory}/" if directory else ""
    candidates = [f"{prefix}{name}" for name in ("mod.rs", *_ROOTS)]
    candidates.append(f"{directory}.rs")
    return next((found for found in candidates if found in index.files and found != path), None)


def _root(index: ProjectIndex, path: str) -> str | None:
    """The crate's root: the nearest ``lib.rs`` or ``main.rs`` at or above the file, else the file."""
    for folder in folders_above(folder_of(path)):
        found = [f"{folder}{name}" for name in _ROOTS if f"{folder}{name}" in index.files]
        if found:
            return path if path in found else found[0]
    return path


def _crate(index: ProjectIndex, name: str) -> str | None:
    """A crate of the workspace. ``Cargo.toml`` is not read: the crate's directory tells, or the end of its name."""
    crates = index.remember(("rust", "crates"), lambda: _crates(index))
    known = crates.get(name) or (crates.get(name.partition("_")[2]) if "_" in name else None)
    return known[0] if known and len(known) == 1 else None


def _crates(index: ProjectIndex) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in index.by_basename.get("lib.rs", ()):
        directory = path.removesuffix("lib.rs").removesuffix("src/").rstrip("/")
        found.setdefault(directory.rpartition("/")[2].replace("-", "_"), []).append(path)
    return found
