"""From what files use to edges between scopes.

A use becomes an edge where the definition it means is in the project: through imports, receivers, enclosing scopes
(names.py). Built-ins, other packages and local variables give none. Where the receiver of a call cannot be told
(``x.frobnicate()``) and exactly one definition of the project has that name, and no everyday object has such a
method, the edge is drawn with ``certain=False``; everything else that stays open is counted, not guessed.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ragforge_memory.code.index import FileIndex, ProjectIndex
from ragforge_memory.code.languages import LANGUAGES
from ragforge_memory.code.links import names_another
from ragforge_memory.code.lookup import FOREIGN, UNKNOWN, Entity
from ragforge_memory.code.names import Names
from ragforge_memory.code.overloads import Overloads
from ragforge_memory.code.parsed import TYPE_TYPES, ParsedFile, ParsedScope, Use
from ragforge_memory.code.reads import digests, packed

EdgeKind = Literal["CONSUMES", "INHERITS_FROM", "IMPLEMENTS", "DECORATED_BY", "HAS_PARENT"]

log = logging.getLogger(__name__)

_CALLABLE = TYPE_TYPES | {"function", "method", "macro"}


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge between two scopes of a project.

    Args:
        source_path, source_key: the scope that uses; an empty key is the file's top level.
        kind: see EdgeKind.
        target_path, target_key: the scope that is used.
        lines: of the source's file, where it is used, ascending; empty for HAS_PARENT.
        call_lines: those of ``lines`` where it is called (or constructed).
        certain: False where only the name, unique in the project, speaks for the target.
    """

    source_path: str
    source_key: str
    kind: EdgeKind
    target_path: str
    target_key: str
    lines: tuple[int, ...] = ()
    call_lines: tuple[int, ...] = ()
    certain: bool = True


class Dependence(NamedTuple):
    """What resolving one file came across.

    Args:
        unresolved: of its uses.
        reads: what it asked of others, as numbers, see reads.py.
    """

    unresolved: int
    reads: bytes


@dataclass(frozen=True, slots=True)
class Resolution:
    """What resolving gave.

    Args:
        edges: each (source, kind, target) once, sorted by source and first line.
        unresolved: uses that may mean something of the project but could not be followed.
        foreign: uses of built-ins, other packages and local names.
        files: what each file that was looked up had to do with others, by path.
    """

    edges: tuple[Edge, ...]
    unresolved: int = 0
    foreign: int = 0
    files: Mapping[str, Dependence] = field(default_factory=dict)


@dataclass(slots=True)
class _Lines:
    lines: set[int] = field(default_factory=set)
    calls: set[int] = field(default_factory=set)
    certain: bool = False


_Found = dict[tuple[str, EdgeKind, str, str], _Lines]


def resolve(files: Iterable[ParsedFile] | ProjectIndex, only: Collection[str] | None = None) -> Resolution:
    """The edges of a project.

    Each file is looked up on its own, with nothing remembered of the others' lookups: so its edges depend on nothing
    but what it reads of them, and are the same whichever files are looked up with it.

    Args:
        files: all files of the project (broken ones are left out), or an index of them.
        only: the paths whose scopes' outgoing edges are wanted; None for all.
    """
    index = files if isinstance(files, ProjectIndex) else ProjectIndex(files)
    edges: list[Edge] = []
    foreign = 0
    dependences = {}
    for path in sorted(index.files.paths if only is None else index.files.paths.keys() & set(only)):
        resolver = Resolver(index)
        with index.reads.of(path) as reads:
            edges += resolver.edges(path)
        foreign += resolver.foreign
        dependences[path] = Dependence(resolver.unresolved, packed(digests(reads)))
    unresolved = sum(each.unresolved for each in dependences.values())
    return Resolution(tuple(edges), unresolved, foreign, dependences)


class Resolver:
    """Looks up what files use, each on its own; see `resolve`."""

    def __init__(self, index: ProjectIndex) -> None:
        self._index = index
        self._names = Names(index)
        self._overloads = Overloads(index, self._names)
        self._unique: dict[tuple[str, str], Entity | None] = {}
        self.unresolved = 0
        self.foreign = 0

    def edges(self, path: str) -> list[Edge]:
        file = self._index.files[path]
        found: _Found = {}
        for scope in (None, *file.file.scopes):
            for use in file.file.uses if scope is None else scope.uses:
                try:
                    self._follow(file, scope, use, found)
                except Exception:  # code is written in more ways than we know, and one name must not end an ingest
                    log.warning("%s:%d: what %s means is not told", path, use.line, use.name, exc_info=True)
                    self.unresolved += 1
            if scope is None:
                continue
            self._parent(file, scope, found)
            self._parameters(file, scope, found)
        edges = [
            Edge(path, source, kind, target_path, target_key,
                 tuple(sorted(at.lines)), tuple(sorted(at.calls)), at.certain)
            for (source, kind, target_path, target_key), at in found.items()
        ]  # fmt: skip
        places = {scope.key: number for number, scope in enumerate(file.file.scopes)}
        edges.sort(key=lambda e: (places.get(e.source_key, -1), e.lines[:1], e.kind, e.target_path, e.target_key))
        return edges

    def _parent(self, file: FileIndex, scope: ParsedScope, found: _Found) -> None:
        holder = self._names.outside_parent(file.path, scope)
        if holder is not None:
            found[scope.key, "HAS_PARENT", holder.path, holder.key] = _Lines(certain=True)
        elif scope.parent is not None:
            found[scope.key, "HAS_PARENT", file.path, scope.parent] = _Lines(certain=True)

    def _parameters(self, file: FileIndex, scope: ParsedScope, found: _Found) -> None:
        for binding in scope.bindings:
            if binding.kind == "parameter":
                source = self._names.injected(file.path, scope.key, binding.name)
                if source is not None:
                    at = found.setdefault((scope.key, "CONSUMES", source.path, source.key), _Lines())
                    at.lines.add(binding.line)
                    at.certain = True

    def _follow(self, file: FileIndex, scope: ParsedScope | None, use: Use, found: _Found) -> None:
        target, certain = self._target(file, scope, use)
        if target is None:
            return
        target = self._names.principal(target)
        source = scope.key if scope else ""
        definition = self._names.scope(target)
        if definition is None or (target == (file.path, source, False) and use.kind != "call"):
            return
        if use.kind == "reference" and definition.type == "method" and file.links.methods_are_called:
            return
        kind: EdgeKind = "CONSUMES"
        if use.kind == "decorate":
            kind = "DECORATED_BY"
        elif use.kind == "implement":
            kind = "IMPLEMENTS"
        elif use.kind == "inherit":
            interface = definition.type in ("interface", "trait")
            kind = "IMPLEMENTS" if interface and scope and scope.type != definition.type else "INHERITS_FROM"
        at = found.setdefault((source, kind, target.path, target.key), _Lines())
        at.lines.add(use.line)
        at.certain = at.certain or certain
        if use.kind == "call":
            at.calls.add(use.line)

    def _target(self, file: FileIndex, scope: ParsedScope | None, use: Use) -> tuple[Entity | None, bool]:
        """The definition that a use means, and whether that is certain; None (counted) where there is none."""
        found, may_guess = self._meaning(file, scope, use)
        if self._names.known(found):
            if not found.instance and found.key:
                return found, use.kind != "word"
            self.foreign += use.receiver is None or not found.key
            return None, True
        if found is FOREIGN or use.kind == "word" or (use.receiver is None and use.kind != "call"):
            self.foreign += 1
            return None, True
        guess = self._guess(file, scope, use) if may_guess else None
        self.unresolved += guess is None
        return guess, False

    def meaning(self, path: str, scope: ParsedScope | None, use: Use) -> Entity:
        """What a use means, nothing guessed: FOREIGN is what is certainly no definition of the project.

        A name that a parameter or a variable binds means what that holds, where it can be told, and nothing else.
        """
        file, names = self._index.files[path], self._names
        key = scope.key if scope else None
        found, _ = self._meaning(file, scope, use)
        if found is not FOREIGN:
            return names.principal(found) if names.known(found) else found
        if use.receiver is not None:
            module = names.evaluate(path, key, use.receiver, use.line)
            if module is not None and names.known(module) and module.path in self._index.files and not module.key:
                return UNKNOWN if names.member(module, use.name) is None else FOREIGN  # it may be put there unseen
        first = (use.receiver or use.name).partition(".")[0].partition("(")[0].partition("[")[0]
        meant = names.lookup(path, key, first, use.line)
        if use.receiver is None and meant is not None and names.known(meant):
            return names.principal(meant)
        return UNKNOWN if meant is None and file.links.global_names and first.isidentifier() else FOREIGN

    def _meaning(self, file: FileIndex, scope: ParsedScope | None, use: Use) -> tuple[Entity, bool]:
        """A thing of the project, FOREIGN or UNKNOWN, and whether the name alone may tell what is UNKNOWN."""
        path, key, names = file.path, scope.key if scope else None, self._names
        if use.receiver is None:
            # a type's own bases and decorators are read outside it
            if scope is not None and use.kind in ("inherit", "implement", "decorate"):
                key = names.names_base(path, scope, use.name)
            found = self._bare(file, key, use)
            if found is FOREIGN and use.kind == "call" and self._may_be_hosts(file, key, use.name):
                return UNKNOWN, True
            return self._overloads.fitting(path, key, use, found), False
        receiver = names.evaluate(path, key, use.receiver, use.line)
        if receiver is not None and names.known(receiver):
            receiver = names.receiver(receiver)
        if receiver is None or receiver is FOREIGN:
            return (UNKNOWN, True) if file.links.extensions and self._may_extend(file, use) else (FOREIGN, False)
        member = names.member(receiver, use.name)
        if member is not None and names.known(member):
            return self._overloads.fitting(path, key, use, member, receiver), False
        if member is FOREIGN:
            return FOREIGN, False
        if member is None and names.known(receiver) and not receiver.key:
            # a module of the project without such a name: nothing to look for elsewhere
            return UNKNOWN if use.kind == "call" else FOREIGN, False
        # a module says all it has; a project's type with a foreign base or an unknown field has the name from there
        inherited = names.known(receiver) and (not receiver.key or member is UNKNOWN)
        settled = inherited or use.receiver in file.links.super_names
        return UNKNOWN, use.kind in ("call", "decorate") and not settled

    def _may_be_hosts(self, file: FileIndex, key: str | None, name: str) -> bool:
        """Whether a bare call of what nobody binds may mean what those have that take in the type around it."""
        if not file.links.mixes_in or name in file.links.bare_words or self._is_variable(file, key, name):
            return False
        holder = self._names.holder(file.path, key)
        return holder is not None and self._names.member(holder, name) is None

    def _bare(self, file: FileIndex, key: str | None, use: Use) -> Entity:
        """What a bare name means; what a local variable holds is not what the name itself means."""
        path, names = file.path, self._names
        if use.arguments is not None and use.name in file.links.self_names | file.links.super_names:
            return self._overloads.constructor(path, key, use)
        if use.kind in ("type", "inherit", "implement") and not self._is_type_variable(file, key, use.name):
            meant = names.lookup(path, key, use.name, use.line, types=True)
            if meant is not None and names.known(meant) and meant.key and not meant.instance:
                definition = names.scope(meant)
                if definition is not None and definition.type in TYPE_TYPES:
                    return meant
        if use.kind == "call" and (source := names.injected(path, key, use.name)):
            return source
        if self._is_variable(file, key, use.name):
            return FOREIGN
        found = names.lookup(path, key, use.name, use.line)
        if found is None:
            return FOREIGN
        if use.kind == "call" and file.links.bare_members and self._is_property(found):
            # `new Kind()` beside a property that is called like its type: what is made is the type.
            made = names.lookup(path, key, use.name, use.line, types=True)
            if made is not None and names.known(made) and made.key and not made.instance:
                return made
        if names.known(found) and not found.key and use.kind in ("call", "inherit"):
            whole = names.called_module(found)
            return found if whole is None else whole
        return found

    def _is_property(self, entity: Entity) -> bool:
        scope = self._names.scope(entity) if self._names.known(entity) else None
        return scope is not None and not entity.instance and "property" in scope.modifiers

    def _is_variable(self, file: FileIndex, key: str | None, name: str) -> bool:
        """Whether the innermost binding of a name is a variable, not a definition or an import."""
        while key is not None:
            scope = file.by_key[key]
            if scope.type not in TYPE_TYPES or file.links.bare_members:
                if name in file.children.get(key, {}) or name in file.imports.get(key, {}):
                    return False
                if name in file.bindings(key):
                    return True
            key = scope.parent
        if name in file.top or name in file.imports.get(None, {}):
            return False
        return name in file.bindings(None)

    def _is_type_variable(self, file: FileIndex, key: str | None, name: str) -> bool:
        """Whether a name stands for another type here: a generic's parameter, a local alias."""
        while key is not None:
            if any(b.kind in ("alias", "unknown") for b in file.bindings(key).get(name, ())):
                return True
            key = file.by_key[key].parent
        return False

    def _guess(self, file: FileIndex, scope: ParsedScope | None, use: Use) -> Entity | None:
        on_itself = use.receiver is None or use.receiver in file.links.self_names
        holder = self._names.holder(file.path, scope.key) if on_itself and scope is not None else None
        if holder is not None:
            hosts = self._overloads.of_host(holder, LANGUAGES[file.placed.language].family, use.name)
            definition = self._names.scope(holder)
            if hosts is not None or (use.receiver is None and definition is not None and definition.type != "trait"):
                return hosts
        if not file.links.guesses or use.name in file.links.common_members or use.name.startswith("__"):
            return None
        family = LANGUAGES[file.placed.language].family
        memo = (family, use.name)
        if memo not in self._unique:
            places = self._index.defined(family, use.name)
            # What an object may stand before.
            members = [(p, s) for p, s in places if s.extended or "static" not in s.modifiers]
            callable_ = [(p, s) for p, s in members if s.type in _CALLABLE]
            distinct = {(path, scope.qualified_name) for path, scope in callable_}
            one = len(distinct) == 1 and callable_[0][1].type != "function" and not self._is_local(callable_[0])
            self._unique[memo] = Entity(callable_[0][0], callable_[0][1].key) if one else None
        found = self._unique[memo]
        if found is not None and file.links.named_owners:
            definition = self._names.scope(found)
            if definition is not None and definition.owner and names_another(use.receiver, definition.owner):
                return None
        return found if found is None or use.arguments is None else self._overloads.beside(found, use.arguments)

    def _may_extend(self, file: FileIndex, use: Use) -> bool:
        """Whether all that has a called name extends types, which may be of another package; what stands before it is a
        value then, and no type (``Assert.Null(it)``)."""
        receiver = use.receiver or ""
        if use.kind != "call" or (receiver[:1].isupper() and receiver.isidentifier()):
            return False
        places = self._index.defined(LANGUAGES[file.placed.language].family, use.name)
        return bool(places) and all(scope.extended for _, scope in places)

    def _is_local(self, place: tuple[str, ParsedScope]) -> bool:
        """Whether a definition is inside a function, where no receiver reaches it."""
        path, scope = place
        by_key, parent = self._index.files[path].by_key, scope.parent
        while parent is not None:
            if by_key[parent].type in ("function", "method"):
                return True
            parent = by_key[parent].parent
        return False
