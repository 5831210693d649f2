"""Which members override one, and which it overrides: those of its name in the types below and above its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import TYPE_TYPES

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope, ScopeUse
    from ragforge_memory.tools.ports import ScopeReader

MAX_TYPES = 500
"""Types below or above one that are looked at, near ones first."""


async def overriding(code: ScopeReader, project: str, member: Scope, named: Sequence[Scope]) -> list[Scope]:
    """The members that override one, those of near types first; none of what is not a member of a type.

    Args:
        member: the one that is overridden.
        named: all definitions of its name.
    """
    return await _in_kin(code, project, member, named, code.inheritors)


async def overridden(code: ScopeReader, project: str, member: Scope, named: Sequence[Scope]) -> list[Scope]:
    """The members that one overrides, those of near types first; see `overriding`."""
    return await _in_kin(code, project, member, named, code.bases)


async def _in_kin(
    code: ScopeReader,
    project: str,
    member: Scope,
    named: Sequence[Scope],
    next_to: Callable[..., Awaitable[Sequence[ScopeUse]]],
) -> list[Scope]:
    """The members of a name in the types that are reached from a member's own by one kind of step."""
    candidates = {
        (each.file, _owner(each)): each for each in named if each.uuid != member.uuid and "." in each.qualified_name
    }
    owner = _owner(member)
    if not owner or not candidates:
        return []
    own = next((each for each in await code.outline(project, member.file) if each.qualified_name == owner), None)
    if own is None or own.type not in TYPE_TYPES:
        return []
    kin, seen, found = [own], {own.uuid}, []
    while kin and len(seen) <= MAX_TYPES:
        for use in await next_to(project, kin.pop(0).uuid, limit=MAX_TYPES):
            if use.scope.uuid not in seen:
                seen.add(use.scope.uuid)
                kin.append(use.scope)
                found += [candidates.get((use.scope.file, use.scope.qualified_name))]
    return [each for each in found if each is not None]


def _owner(scope: Scope) -> str:
    return scope.qualified_name.rpartition(".")[0]
