"""The tool that lists what inherits from types, over however many steps: `find_subtypes`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.code.parsed import TYPE_TYPES
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.overrides import MAX_TYPES
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting


@tool
async def find_subtypes(context: ToolContext, places: list[str]) -> dict[str, Any]:
    """Lists the types that inherit from those defined at some places, or from one that does, without those themselves.

    `more` says that not all were looked at, or that not all are listed.

    Args:
        places: where the types are defined, as `file:line`.
    """
    code, project = code_of(context), context.owner.project
    lines: dict[str, set[str]] = {}
    for place in places:
        file, _, line = place.rpartition(":")
        lines.setdefault(file, set()).add(line)
    kin = [
        each.uuid
        for file, some in lines.items()
        for each in await code.outline(project, file)
        if each.type in TYPE_TYPES and str(each.definition_line) in some
    ]
    seen, below = set(kin), []
    while kin and len(seen) <= MAX_TYPES:
        for use in await code.inheritors(project, kin.pop(0), limit=MAX_TYPES):
            if use.scope.uuid not in seen:
                seen.add(use.scope.uuid)
                kin.append(use.scope.uuid)
                below.append(use.scope)
    scopes = [
        {
            "qualified_name": each.qualified_name,
            "file": each.file,
            "line": each.definition_line,
            "text": each.signature,
        }
        for each in sorted(below, key=lambda each: (each.file, each.definition_line))
    ]
    listed = fitting(scopes, LIST_BYTES)
    return {"scopes": listed, "more": bool(kin) or len(listed) < len(scopes)}
