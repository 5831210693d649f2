"""Which readings (reads.py) an edit makes obsolete: the difference between what files showed and what they show now.

A file that read nothing of what is named here resolves as it did before. The languages' rules for modules are bounded
by names (`MODULE`, `ROOTED`) or, where they depend on all files together, by one reading for the whole language, which
is obsolete when the answer is another one (Go's module path, C# files of no namespace).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from ragforge_memory.code import reads as kinds
from ragforge_memory.code.facts import PLACES, TEXTS
from ragforge_memory.code.go.links import module_path
from ragforge_memory.code.languages import LANGUAGES
from ragforge_memory.code.layout import Layout, folder_of, folders_above, owner_name, package_modules
from ragforge_memory.code.parsed import Binding, ParsedFile, ParsedScope
from ragforge_memory.code.python.links import package_roots
from ragforge_memory.code.reads import Reading

_SCOPE = attrgetter(
    *(f.name for f in fields(ParsedScope) if f.name not in {*TEXTS, *PLACES, "uses", "bindings"}),
)
_WORDS = re.compile(r"[A-Za-z_$][\w$]*")

Shown = Mapping[Reading, list[Any]]


def obsolete(
    before: Mapping[str, ParsedFile], after: Mapping[str, ParsedFile], old: Layout, new: Layout
) -> set[Reading]:
    """The readings that another answer is given to now.

    Args:
        before: the files that were changed or removed, as they were, by path.
        after: those that were changed or added, as they are.
        old: where all files were.
        new: where they are.
    """
    found: set[Reading] = set()
    for path in before.keys() | after.keys():
        was, now = (shown(side[path]) if path in side else {} for side in (before, after))
        some = {reading for reading in was.keys() | now.keys() if was.get(reading) != now.get(reading)}
        if some:
            found |= some
            found.add((path, kinds.ALL))
    found.update(_moved(old, new))
    return found


def shown(file: ParsedFile) -> Shown:
    """All that a file answers to readings of it, lines left out."""
    found: dict[Reading, list[Any]] = defaultdict(list)
    path, family = file.path, LANGUAGES[file.language].family
    by_key = {scope.key: scope for scope in file.scopes}
    with_members = {scope.parent for scope in file.scopes}
    for scope in file.scopes:
        around = None
        if "outward" in scope.modifiers and scope.parent is not None:
            around = by_key[scope.parent].parent
        shape = (_SCOPE(scope), scope.key in with_members, around)
        found[path, scope.name].append(shape)
        found[kinds.DEFINED, f"{family}:{scope.name}"].append((path, shape))
        if scope.owner is not None:
            found[kinds.DETACHED, owner_name(scope.owner)].append((path, shape))
        for binding in scope.bindings:
            found[path, binding.name].append((scope.key, binding.kind, binding.value))
    for binding in file.bindings:
        found[path, binding.name].append((None, binding.kind, binding.value))
    for imported in file.imports:
        found[path, imported.local].append((imported.module, imported.name, imported.scope, imported.exported))
    for export in file.exports:
        found[path, export.name].append((export.name, export.local))
    found[path, kinds.EXPORTS].append(bool(file.exports))
    for name, order in _orders(file):
        found[path, name].append(order)
    return found


def _orders(file: ParsedFile) -> Iterator[tuple[str, list[Any]]]:
    """For each name that one scope binds more than once: in which order that and what asks for it stand.

    What such a name means depends on the line where it is asked for; what else is bound or defined between does not
    matter, so a line more or less changes nothing.
    """
    again: dict[str, list[tuple[int, Any]]] = {}
    asked: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    levels: list[tuple[str | None, tuple[Binding, ...]]] = [(None, file.bindings)]
    levels += [(scope.key, scope.bindings) for scope in file.scopes]
    for key, bindings in levels:
        here: dict[str, list[tuple[int, Any]]] = defaultdict(list)
        for number, binding in enumerate(bindings):
            here[binding.name].append((binding.line, (key, number)))
            for word in _WORDS.findall(binding.value or ""):
                asked[word].append((binding.line, (key, binding.name, binding.value)))
        for name, places in here.items():
            if len(places) > 1:
                again.setdefault(name, []).extend((line, (key, count)) for count, (line, _) in enumerate(places))
    for scope in file.scopes if again else ():
        for word in {*_WORDS.findall(" ".join((scope.returns or "", *scope.bases, *scope.interfaces))), scope.name}:
            asked[word].append((scope.start_line, scope.key))
    for name, places in again.items():
        words = _WORDS.findall(name)
        lines = [*places, *(place for word in words for place in asked.get(word, ()))]
        by_line: dict[int, list[str]] = defaultdict(list)
        for line, label in lines:
            by_line[line].append(repr(label))
        yield name, [sorted(by_line[line]) for line in sorted(by_line)]


def _moved(old: Layout, new: Layout) -> Iterable[Reading]:
    """What files that came or went, or changed their package, make obsolete."""
    was, now = old.outlines, new.outlines
    paths = [
        path for path in was.keys() | now.keys() if path not in was or path not in now or was[path][:2] != now[path][:2]
    ]
    found: set[Reading] = set()
    if module_path(old) != module_path(new):
        found.add((kinds.MODULE_PATH, "go"))
    if not paths:
        return found
    for path in paths:
        directory, _, name = path.rpartition("/")
        found |= {
            (kinds.FILE, path),
            (path, kinds.ALL),
            (kinds.DIRECTORY, folder_of(path)),
            (kinds.BASENAME, name),
        }
        found |= {(kinds.MODULE, each) for each in _module_names(directory, name)}
        found |= {(kinds.BELOW, each) for each in folders_above(folder_of(path)) if each}
        for known in (was.get(path), now.get(path)):
            if known is not None:
                found |= {(kinds.PACKAGE, module) for module in package_modules(known)}
                if known.language == "csharp" and not known.package:
                    found.add((kinds.UNPLACED, ""))
    for directory in old.all_directories.keys() ^ new.all_directories.keys():
        last = directory.rstrip("/").rpartition("/")[2]
        found |= {(kinds.ABOVE, directory), (kinds.MODULE, last), (kinds.MODULE, last.partition(".")[0])}
    found |= {(kinds.PARENT_PACKAGE, module) for module in old.parent_packages.keys() ^ new.parent_packages.keys()}
    found |= {(kinds.ROOTED, name) for name in _rooted(old, new)}
    found |= {(kind, kinds.ALL) for kind, _ in list(found) if kind.startswith("?")}
    return found


def _module_names(directory: str, name: str) -> set[str]:
    found = {name.partition(".")[0], name.rpartition(".")[0]}
    if name.startswith(("__init__.", "index.")):
        last = directory.rpartition("/")[2]
        found |= {last, last.partition(".")[0]}
    return found


def _rooted(old: Layout, new: Layout) -> set[str]:
    """What is right in the directories that Python may import from now and could not before, or the reverse."""
    found = set()
    for root in {*package_roots(old)} ^ {*package_roots(new)}:
        for layout in (old, new):
            found |= {path.rpartition("/")[2].partition(".")[0] for path in layout.directories.get(root, ())}
            found |= {
                directory[len(root) :].partition("/")[0]
                for directory in layout.all_directories
                if directory.startswith(root) and directory != root
            }
    return found
