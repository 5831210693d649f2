"""What has become of code that a name meant when it was spoken of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragforge_memory.tools.names import Reference, fits, lies_in

if TYPE_CHECKING:
    from ragforge_memory.models.code import CodeReference, Scope
    from ragforge_memory.tools.ports import MessageReader, ScopeReader


@dataclass(frozen=True, slots=True)
class Remembered:
    """Where code was when it was spoken of last, and what it is now; no scopes: it is gone."""

    was: CodeReference
    scopes: tuple[Scope, ...] = ()


async def remembered(code: ScopeReader, project: str, asked: Reference, memory: MessageReader) -> Remembered | None:
    """What memory knows of a name that nothing is called now; None where nobody spoke of it.

    A member of a class that is called something else is looked for in that class.
    """
    spoken = await _spoken_of(asked, memory)
    if spoken is not None:
        return Remembered(spoken, tuple(await code.by_uuid(project, [spoken.scope_id] if spoken.scope_id else [])))
    if len(asked.parts) < 2:
        return None
    owner = await _spoken_of(Reference(asked.parts[:-1], asked.file), memory)
    if owner is None or owner.status != "moved":
        return None
    members = [
        each
        for each in await code.by_name(project, asked.name)
        if (each.file, each.qualified_name) == (owner.moved_to_file, f"{owner.moved_to_name}.{asked.name}")
    ]
    return Remembered(owner, tuple(members)) if members else None


async def _spoken_of(asked: Reference, memory: MessageReader) -> CodeReference | None:
    """The last tie to code of this name that is elsewhere or gone now."""
    return next(
        (
            each
            for each in await memory.code_named(asked.text)
            if each.status in ("moved", "orphaned")
            and fits(asked.parts, each.qualified_name, each.file)
            and (not asked.file or lies_in(asked.file, each.file))
        ),
        None,
    )
