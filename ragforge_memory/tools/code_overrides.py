"""The tool that says what overrides each member of a name: `find_overrides`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.overrides import overriding
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.resolve import implementations, resolve
from ragforge_memory.tools.shown import LIST_BYTES, before, code_of, fitting, shown, uuids

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope

SECONDS = 10.0
"""How long definitions are looked at, one after the other."""


@tool
async def find_overrides(context: ToolContext, name: str, file: str = "", kind: str = "") -> ToolOutput:
    """Lists all definitions of a name, each with the members that override it; those that are overridden come first.

    `total` is how many definitions there are; where fewer are listed, there was no time or room for more.

    Args:
        name: the name of the members, as for `read_scope`.
        file: path of the file that defines it, or the end of that path, where more than one does.
        kind: what it is (`class`, `function`, `method`), where other things have that name too.
    """
    code, project = code_of(context), context.owner.project
    found = await resolve(code, project, name, file, kind, context.root, context.messages)
    definitions = implementations(found.scopes)
    deadline = time.monotonic() + SECONDS
    named: dict[str, list[Scope]] = {}
    over: list[tuple[Scope, list[Scope]]] = []
    for each in definitions:
        if over and time.monotonic() > deadline:
            break
        if each.name not in named:
            named[each.name] = list(implementations(await code.by_name(project, each.name)))
        over.append((each, await overriding(code, project, each, named[each.name])))
    over.sort(key=lambda pair: not pair[1])
    scopes: list[dict[str, Any]] = [
        {
            **shown(target),
            "overrides": fitting([{**shown(each), "lines": [each.definition_line]} for each in below], LIST_BYTES // 4),
            "totals": {"overrides": len(below)},
        }
        for target, below in over
    ]
    answer = {"asked": found.asked.text, "match": found.match, **before(found.was), "total": len(definitions)}
    return ToolOutput({**answer, "scopes": fitting(scopes)}, scopes=uuids(target for target, _ in over))
