"""What a type calls on itself that only those define which inherit from it or mix it in.

A module, a trait or a base calls what it does not have: which of them it runs in is not known where it is written.
"""

from __future__ import annotations

from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.lookup import Entity
from ragforge_memory.code.names import Names
from ragforge_memory.code.parsed import TYPE_TYPES

_MOST = 40
"""Definitions of one name that are looked at; a name of more tells nothing."""


class Hosts:
    """Answers over one index, by the names that are looked up in it, and remembers what it found."""

    def __init__(self, index: ProjectIndex, names: Names) -> None:
        self._index = index
        self._names = names
        self._found: dict[tuple[Entity, str], Entity | None] = {}

    def member(self, type_: Entity, family: str, name: str) -> Entity | None:
        """``name`` of the one type that has it and is of this type too; None where there is none or are several."""
        memo = (type_, name)
        if memo not in self._found:
            self._found[memo] = self._look_for(type_, family, name)
        return self._found[memo]

    def _look_for(self, type_: Entity, family: str, name: str) -> Entity | None:
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
