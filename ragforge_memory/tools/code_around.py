"""The tool that tells what lines of code stand in: `find_around`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import code_of


@tool
async def find_around(context: ToolContext, places: list[str]) -> dict[str, Any]:
    """Tells the innermost definition around each of some lines; of lines in none nothing.

    Args:
        places: the lines, as `file:line`.
    """
    code, project = code_of(context), context.owner.project
    lines: dict[str, list[int]] = {}
    for file, _, number in (place.rpartition(":") for place in places):
        if number.isdigit():
            lines.setdefault(file, []).append(int(number))
    around: dict[str, str] = {}
    for file, some in lines.items():
        scopes = await code.outline(project, file)
        for line in some:
            holding = [each for each in scopes if each.start_line <= line <= each.end_line]
            if holding:
                innermost = min(holding, key=lambda each: each.end_line - each.start_line)
                around[f"{file}:{line}"] = innermost.qualified_name
    return {"around": around}
