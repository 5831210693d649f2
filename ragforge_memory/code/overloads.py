"""Which of several definitions of one name is meant: by the number of arguments, or by the type it runs in."""

from __future__ import annotations

from collections.abc import Iterable

from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.lookup import FOREIGN, UNKNOWN, Entity
from ragforge_memory.code.names import Names
from ragforge_memory.code.parsed import TYPE_TYPES, ParsedScope, Use


class Overloads:
    """Chooses among definitions that share a name.

    Args:
        names: over the same index.
    """

    def __init__(self, index: ProjectIndex, names: Names) -> None:
        self._index = index
        self._names = names
        self._hosts: dict[tuple[Entity, str], Entity | None] = {}

    def fitting(self, path: str, key: str | None, use: Use, found: Entity, receiver: Entity | None = None) -> Entity:
        """What a call means of which the name alone says ``found``; UNKNOWN where nothing takes its arguments.

        Args:
            path, key: where it is called.
            use: the call.
            found: the first definition of that name.
            receiver: what stands before the name.
        """
        scope = self._names.scope(found) if self._names.known(found) else None
        if use.arguments is None or scope is None or scope.takes is None or "constructor" in scope.modifiers:
            return found
        here = self.beside(found, use.arguments)
        if here is not None:
            return here
        holder = self._names.receiver(receiver or self._holder(path, key, use.name, found))
        held = self._names.scope(holder)
        if held is not None and held.type == "constant":  # an enum's constant with a body of its own
            holder = self._names.value(holder)
        for ancestor in self._names.lineage(holder):
            if self._names.known(ancestor):
                named = self._index.files[ancestor.path].children.get(ancestor.key, {}).get(use.name, [])
                best = _best(named, use.arguments)
                if best is not None:
                    return Entity(ancestor.path, best.key)
        return UNKNOWN

    def beside(self, found: Entity, arguments: int) -> Entity | None:
        """The definition in the same place as ``found`` that takes so many arguments."""
        scope = self._names.scope(found)
        if scope is None or scope.takes is None:
            return found
        best = _best(self._index.files[found.path].children.get(scope.parent, {}).get(scope.name, []), arguments)
        return Entity(found.path, best.key) if best is not None else None

    def constructor(self, path: str, key: str | None, use: Use) -> Entity:
        """What ``super(…)`` or ``this(…)`` calls in a constructor: the type where nobody wrote the constructor."""
        holder = self._names.holder(path, key)
        if holder is None:
            return UNKNOWN
        if use.name in self._index.files[path].links.super_names:
            scope = self._names.scope(holder)
            holder = self._names.bases(holder)[0] if scope is not None and scope.bases else FOREIGN
        if not self._names.known(holder):
            return holder
        # A constructor cannot call itself, not even by way of others.
        written = self._index.files[holder.path].constructors(holder.key)
        best = _best((each for each in written if (holder.path, each.key) != (path, key)), use.arguments or 0)
        return Entity(holder.path, best.key) if best is not None else holder

    def _holder(self, path: str, key: str | None, name: str, found: Entity) -> Entity:
        """The type whose member a bare name is: its bases may have more of that name than those of ``found``'s."""
        file = self._index.files[path]
        while key is not None:
            around = Entity(path, key)
            if file.by_key[key].type in TYPE_TYPES and self._names.member(around, name) == found:
                return around
            key = file.by_key[key].parent
        scope = self._names.scope(found)
        return Entity(found.path, (scope.parent if scope else None) or found.key)

    def of_host(self, type_: Entity, family: str, name: str) -> Entity | None:
        """``name`` of the one type that has it and is of this type too; None where there is none or are several."""
        memo = (type_, name)
        if memo not in self._hosts:
            self._hosts[memo] = self._look_for_host(type_, family, name)
        return self._hosts[memo]

    def _look_for_host(self, type_: Entity, family: str, name: str) -> Entity | None:
        places = [(path, scope) for path, scope in self._index.defined(family, name) if scope.type == "method"]
        found: dict[str, Entity] = {}
        for path, scope in places if len(places) <= _MOST else ():
            host = self._names.holder(path, scope.key)
            definition = self._names.scope(host) if host is not None else None
            if host is None or definition is None or definition.type not in TYPE_TYPES:
                continue
            if type_ in self._names.lineage(host):
                found.setdefault(scope.qualified_name, Entity(path, scope.key))
        return next(iter(found.values())) if len(found) == 1 else None


def _best(scopes: Iterable[ParsedScope], arguments: int) -> ParsedScope | None:
    """The first that takes exactly so many arguments, else the first that takes any number from fewer on."""
    fitting = [
        scope
        for scope in scopes
        if scope.takes is not None and scope.takes[0] <= arguments and scope.takes[1] in (None, arguments)
    ]
    return next((scope for scope in fitting if scope.takes and scope.takes[1] is not None), next(iter(fitting), None))


_MOST = 40
"""Definitions of one name that are looked at; a name of more tells nothing."""
