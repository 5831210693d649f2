"""What a bare name means at a place in a project: in the scopes around it, in its file, through its imports.

Nothing is guessed here. What cannot be told is UNKNOWN; what is certainly not the project's (a built-in, another
package, an instance of its classes) is FOREIGN.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ragforge_memory.code.index import FileIndex, ProjectIndex
from ragforge_memory.code.languages import LANGUAGES, reader_of
from ragforge_memory.code.links import Links
from ragforge_memory.code.parsed import TYPE_TYPES, Binding, Import, ParsedScope


class Entity(NamedTuple):
    """A definition (``key`` of a scope), a module (``key`` empty), or a value of a type (``instance``)."""

    path: str
    key: str
    instance: bool = False


UNKNOWN: Final = Entity("?", "?")
FOREIGN: Final = Entity("!", "!")


class Lookup(ABC):
    """Bare names and modules; what names hold and their members are Names' (names.py)."""

    def __init__(self, index: ProjectIndex) -> None:
        self._index = index
        self._busy: set[object] = set()
        self._top: dict[tuple[str, str], Entity | None] = {}

    def known(self, entity: Entity | None) -> bool:
        """Whether this is a thing of the project."""
        return entity is not None and entity is not UNKNOWN and entity is not FOREIGN

    def scope(self, entity: Entity) -> ParsedScope | None:
        """The definition that an entity is or is an instance of."""
        file = self._index.files.get(entity.path)
        return file.by_key.get(entity.key) if file and entity.key else None

    @abstractmethod
    def evaluate(self, path: str, key: str | None, text: str, line: int = 0, *, types: bool = False) -> Entity | None:
        """What a dotted text means; see Names."""

    @abstractmethod
    def member(self, entity: Entity | None, name: str) -> Entity | None:
        """``name`` of an entity; see Names."""

    @abstractmethod
    def lineage(self, entity: Entity) -> Iterator[Entity]:
        """A type and its bases; see Names."""

    @abstractmethod
    def holder(self, path: str, key: str | None) -> Entity | None:
        """The type around a scope; see Names."""

    @abstractmethod
    def _parts(self, entity: Entity) -> list[Entity]:
        """The other declarations of a type; see Names."""

    @abstractmethod
    def _bound(self, path: str, key: str | None, bindings: list[Binding], line: int) -> Entity:
        """What a variable holds; see Names."""

    # bare names

    def lookup(self, path: str, key: str | None, name: str, line: int = 0, *, types: bool = False) -> Entity | None:
        """What a bare name means inside a scope (None: at the top level); None where nobody binds it.

        ``types``: where a type is meant, variables and functions of that name are passed over.
        """
        file = self._index.files[path]
        start = key
        while key is not None:
            scope = file.by_key[key]
            found: Entity | None = None
            if scope.type not in TYPE_TYPES:
                found = self._local(file, key, name, line)
                if found is None and scope.type == "namespace":
                    found = self._in_other_parts(path, key, name)
            elif key == start or file.links.bare_members:
                found = self._local(file, key, name, line)
                if found is None and file.links.bare_members:
                    found = self.member(Entity(path, key), name)
                    found = None if found is UNKNOWN else found
            if found is None and scope.owner is not None and file.links.bare_members:
                holder = self.holder(path, key)
                if holder is not None:
                    found = self.member(holder, name)
                    found = None if found is UNKNOWN else found
            if found is not None and not (types and self._is_value(found)):
                return found
            key = scope.parent
        if types and (here := self._index.types(path, name)):
            return Entity(path, here[0].key)
        return self._in_file(path, name, line)

    def _is_value(self, entity: Entity) -> bool:
        """Whether an entity cannot be a type."""
        scope = self.scope(entity) if self.known(entity) else None
        if scope is None:
            return not self.known(entity)
        return entity.instance or scope.type not in TYPE_TYPES

    def _local(self, file: FileIndex, key: str, name: str, line: int) -> Entity | None:
        inner = file.children.get(key, {})
        if name in inner:
            return self._chosen(file, inner[name])
        found = self._imported(file, file.imports.get(key, {}).get(name, ()))
        if found is not None:
            return found
        bound = file.bindings(key).get(name)
        if bound:
            return self._bound(file.path, key, bound, line)
        return self._through_wildcards(file, key, name) if file.links.inner_modules else None

    def _in_other_parts(self, path: str, key: str, name: str) -> Entity | None:
        """What another declaration of the same namespace exports."""
        for part in self._parts(Entity(path, key)):
            file = self._index.files[part.path]
            inner = file.children.get(part.key, {}).get(name, ())
            shown = [each for each in inner if "export" in each.modifiers]
            if shown and file.by_key[part.key].type == "namespace":
                return self._chosen(file, shown)
        return None

    def _chosen(self, file: FileIndex, scopes: list[ParsedScope]) -> Entity:
        """Of several definitions of one name: the implementation behind overloads, else the first; a type without
        type parameters before those with them.
        """
        plain = [s for s in scopes if not {"overload", "setter", "generic"} & set(s.modifiers)]
        return Entity(file.path, (plain or scopes)[0].key)

    def _in_file(self, path: str, name: str, line: int = 0) -> Entity | None:
        memo = (path, name)
        if memo in self._top:
            return self._top[memo]
        if memo in self._busy:
            return UNKNOWN
        self._busy.add(memo)
        found = self._look_in_file(path, name, line)
        self._busy.discard(memo)
        self._top[memo] = found
        return found

    def _look_in_file(self, path: str, name: str, line: int) -> Entity | None:
        file = self._index.files[path]
        here = file.top.get(name)
        imported = self._imported(file, file.imports.get(None, {}).get(name, ()))
        if here and (here[0].type != "constant" or not self.known(imported)):
            return self._chosen(file, here)
        if imported is not None:
            return imported
        bound = file.bindings(None).get(name)
        if bound:
            return self._bound(path, None, bound, line)
        for neighbour in file.links.neighbours(self._index, file.placed):
            if neighbour != path and neighbour in self._index.files and self._index.files[neighbour].may_offer(name):
                found = self._exported(neighbour, name, own=True)
                if found is not None:
                    return found
        foreign = False
        for everything in file.imports.get(None, {}).get("*", ()):
            found = self._from_import(file, everything, _starred(everything, name))
            if self.known(found):
                return found
            foreign = foreign or found is FOREIGN
        linked = file.links.linked(self._index, file.placed, name)
        if linked is not None:
            return Entity(*linked)
        return FOREIGN if foreign else None

    def names_base(self, path: str, scope: ParsedScope, text: str) -> str | None:
        """The key of the scope that a type's base is named in: outside of the type, but for what is mixed in."""
        file = self._index.files[path]
        within = file.children.get(scope.key, {}) if file.links.mixes_in and text in scope.interfaces else {}
        return scope.key if text.partition(".")[0] in within else scope.parent

    def _extension(self, entity: Entity, name: str) -> Entity | None:
        """What is called as a member of a type, though it only takes one as its first parameter."""
        file = self._index.files[entity.path]
        if not file.links.extensions:
            return None
        extending = [
            (path, scope, extended)
            for path, scope in self._index.defined(LANGUAGES[file.placed.language].family, name)
            for extended in filter(None, scope.extended)
        ]
        lineage = list(self.lineage(entity)) if extending else []
        for path, scope, extended in extending:
            if (taken := self.evaluate(path, scope.key, extended, types=True)) in lineage and self.known(taken):
                return Entity(path, scope.key)
        return None

    # imports and modules

    def _imported(self, file: FileIndex, imports: Iterable[Import]) -> Entity | None:
        best: Entity | None = None
        for one in imports:
            found = self._from_import(file, one, one.name or "")
            if self.known(found):
                return found
            best = found if best is None else best
        return best

    def _from_import(self, file: FileIndex, imported: Import, name: str) -> Entity | None:
        modules = file.links.modules(self._index, file.placed, imported)
        starts = [Entity(module, "") for module in modules]
        if not modules:
            inside = self._inner_module(file, imported) if file.links.inner_modules else FOREIGN
            if not self.known(inside):
                return inside
            starts = [inside]
        if imported.name is None:
            return starts[0]
        for start in starts:
            found: Entity | None = start
            for part in name.split("."):
                found = self.member(found, part) if found is not None else None
            if found is not None:
                return found
        return None if (imported.name or "").endswith("*") else UNKNOWN

    def _inner_module(self, file: FileIndex, imported: Import) -> Entity:
        """The module or type inside of a file that an import names."""
        memo = ("module", file.path, imported)
        if memo in self._busy:  # `use a::a`
            return FOREIGN
        self._busy.add(memo)
        found = self.evaluate(file.path, imported.scope, imported.module)
        self._busy.discard(memo)
        if found is None or not self.known(found):
            own = imported.module.partition(".")[0] in file.links.inner_modules
            return UNKNOWN if own else FOREIGN
        if not found.key:
            return found
        scope = self.scope(found)
        return found if scope is not None and scope.type in (*TYPE_TYPES, "namespace") else FOREIGN

    def _through_wildcards(self, file: FileIndex, key: str, name: str, *, exported: bool = False) -> Entity | None:
        """What the wildcard imports of a scope bring in. ``exported``: of those alone that others see."""
        for everything in file.imports.get(key, {}).get("*", ()):
            # what is at this file's own top level is seen from inside anyway, private imports too
            here = file.path in file.links.modules(self._index, file.placed, everything)
            if everything.exported or not (exported or here):
                found = self._from_import(file, everything, _starred(everything, name))
                if self.known(found):
                    return found
        return None

    def _offered(self, file: FileIndex, key: str, name: str) -> Entity | None:
        """What a module inside of a file shows of what it imports."""
        found = self._imported(file, [i for i in file.imports.get(key, {}).get(name, ()) if i.exported])
        return found or self._through_wildcards(file, key, name, exported=True)

    def _exported(self, module: str, name: str, *, own: bool = False) -> Entity | None:
        """A name of a module as others see it. ``own``: also what the module does not export."""
        if module.endswith("/"):
            return self._in_directory(module, name)
        memo = ("export", module, name)
        if memo in self._busy:  # a package that imports its own submodule from itself
            return self._submodule(module, name)
        self._busy.add(memo)
        found = self._look_in_module(module, name, own)
        self._busy.discard(memo)
        return found

    def _look_in_module(self, module: str, name: str, own: bool) -> Entity | None:
        file = self._index.files[module]
        links = file.links
        local = file.exports.get(name) or (file.exports.get("=") if name == "default" else None)
        if local is not None:
            found = self.evaluate(module, None, local)
            if found is not None and found is not FOREIGN:
                return found
        if own or not (links.exports_only and file.exports_any) or name == "default":
            here = file.top.get(name)
            if here and here[0].type != "constant":
                return self._chosen(file, here)
        else:
            here = None
        shown = [i for i in file.imports.get(None, {}).get(name, ()) if links.imports_visible or i.exported]
        imported = self._imported(file, shown)
        if self.known(imported):
            return imported
        if here:
            return self._chosen(file, here)
        if imported is not None:
            return imported
        bound = file.bindings(None).get(name) if own or links.imports_visible else None
        if bound:
            return self._bound(module, None, bound, 0)
        for everything in file.imports.get(None, {}).get("*", ()):
            if links.imports_visible or everything.exported:
                found = self._from_import(file, everything, _starred(everything, name))
                if self.known(found):
                    return found
        if "=" in file.exports and name != "default":
            whole = self.evaluate(module, None, file.exports["="])
            if self.known(whole) and whole is not None:
                return self.member(whole, name)
        if name == "default" and links.exports_only and file.exports_any:
            return Entity(module, "")  # CommonJS imported as if it were an ES module
        return self._submodule(module, name)

    def _in_directory(self, module: str, name: str) -> Entity | None:
        for path in self._index.inside(module):
            if not self._index.files[path].may_offer(name):
                continue
            found = self._exported(path, name, own=True)
            if self.known(found):
                return found
        links = self._links_of(module)
        place = links.outside(self._index, module, name) if links else None
        return Entity(*place) if place else self._submodule(module, name)

    def _submodule(self, module: str, name: str) -> Entity | None:
        links = self._links_of(module) if module.endswith("/") else self._index.files[module].links
        found = links.submodule(self._index, module, name) if links else None
        return Entity(found, "") if found else None

    def _links_of(self, module: str) -> Links[ProjectIndex] | None:
        language, colon, _ = module.partition(":")
        if colon:
            return reader_of(language).links
        inside = self._index.inside(module)
        first = inside[0] if inside else self._index.first_below(module)
        return self._index.files[first].links if first is not None else None


def _starred(imported: Import, name: str) -> str:
    """What a wildcard import makes of a name: of ``Kind.*`` it is a member of ``Kind``."""
    return f"{(imported.name or '*').removesuffix('*')}{name}"
