"""Which members override one: those of its name in the types below its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import TYPE_TYPES

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope
    from ragforge_memory.tools.ports import ScopeReader

MAX_TYPES = 500
"""Types below one that are looked at, near ones first."""


async def overriding(code: ScopeReader, project: str, member: Scope, named: Sequence[Scope]) -> list[Scope]:
    """The members that override one, those of near types first; none of what is no member of a type.

    Args:
        member: the one that is overridden.
        named: all definitions of its name.
    """
    candidates = {
        (each.file, _owner(each)): each for each in named if each.uuid != member.uuid and "." in each.qualified_name
    }
    owner = _owner(member)
    if not owner or not candidates:
        return []
    above = next((each for each in await code.outline(project, member.file) if each.qualified_name == owner), None)
    if above is None or above.type not in TYPE_TYPES:
        return []
    below, seen, found = [above], {above.uuid}, []
    while below and len(seen) <= MAX_TYPES:
        for use in await code.inheritors(project, below.pop(0).uuid, limit=MAX_TYPES):
            if use.scope.uuid not in seen:
                seen.add(use.scope.uuid)
                below.append(use.scope)
                found += [candidates.get((use.scope.file, use.scope.qualified_name))]
    return [each for each in found if each is not None]


def _owner(scope: Scope) -> str:
    return scope.qualified_name.rpartition(".")[0]
