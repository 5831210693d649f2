"""The tool that lists what is of one kind: `list_definitions`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ragforge_memory.language.reading.wording import covered
from ragforge_memory.text.names import declared_with, is_aside
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting, tests

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope

MODULE = "module"
"""Ruby's modules are read as traits; those of other languages are files, and no definitions."""


@tool
async def list_definitions(
    context: ToolContext, kinds: list[str], folder: str = ".", modifier: str = "", words: str = ""
) -> dict[str, Any]:
    """Lists the definitions of some kinds, tests last; `types` counts them by what they are.

    Args:
        kinds: types as `outline` says them (`interface`, `function`), or `module`.
        folder: only what lies below this folder; `.` is the whole project.
        modifier: only what has this word before its name (`unsafe`, `async`).
        words: only what has all these words, in any form, in its name or the path of its file.
    """
    code, project = code_of(context), context.owner.project
    wanted = tuple(words.split())
    asked = folder.strip("/").removeprefix("./")
    here = [
        each
        for each in await code.names(project)
        if (each.type in kinds or (MODULE in kinds and each.type == "trait" and each.file.endswith(".rb")))
        and (asked in ("", ".") or f"/{asked}/" in f"/{each.file}")
        and covered(wanted, f"{each.qualified_name} {each.file}") == wanted
    ]
    known = await code.by_uuid(project, [each.uuid for each in here], source=False)
    scopes = [
        {
            "qualified_name": each.qualified_name,
            "type": each.type,
            "file": each.file,
            "line": each.definition_line,
            **tests(each),
        }
        for each in sorted(known, key=lambda each: (each.file, each.definition_line))
        if not modifier or _has(each, modifier)
    ]
    scopes.sort(key=is_aside)
    types = Counter(str(each["type"]) for each in scopes)
    return {"kinds": kinds, "total": len(scopes), "types": dict(types), "scopes": fitting(scopes, LIST_BYTES)}


def _has(scope: Scope, modifier: str) -> bool:
    return modifier in (*scope.modifiers, *declared_with(scope.signature, scope.name))
