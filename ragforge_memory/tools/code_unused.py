"""The tools that list what nothing names, and what no test names: `find_unused` and `find_untested`."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.errors import ToolError
from ragforge_memory.text.names import is_declaration, is_test, stands_aside
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import inside, text_of
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting

if TYPE_CHECKING:
    from ragforge_memory.models.code import ScopeName

SECONDS = 10.0
"""How long files are read; a million lines take about five."""

MAX_UNREAD = 10
"""Files that are named as ones that could not be read."""

_KINDS = (("function", "method", "macro"), ("class", "struct", "interface", "trait", "enum"))
_NAME = re.compile(r"[^\W\d]\w*")
# What a runtime calls by its name alone.
_CALLED_FROM_OUTSIDE = re.compile(r"__\w+__|main|init|constructor|initialize|default|_")


@tool
async def find_unused(context: ToolContext, kind: str = "function") -> dict[str, Any]:
    """Lists functions and methods (or classes) whose names stand nowhere in the code but where they are defined.

    Nothing of the project calls those by name; other code, a framework, or a name that is put together may. Tests, and
    what a runtime calls by itself, are left out. `late` says that there was no time to read all files, so that nothing
    is known; `unread` are files that could not be read, and may name some.

    Args:
        kind: `function` for functions and methods, or `class`.
    """
    import anyio.to_thread

    if context.root is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    code, project, root = code_of(context), context.owner.project, context.root.resolve()
    names = await code.names(project)
    files = await code.files(project)
    read = await anyio.to_thread.run_sync(_written, root, files)
    if read is None:
        return {"kind": kind, "late": True, "total": 0, "scopes": []}
    written, unread = read
    defined = Counter(each.name for each in names)
    found = [
        each
        for each in names
        if each.type in _KINDS[kind == "class"]
        and not _is_called_from_outside(each)
        and written[each.name] <= defined[each.name]
    ]
    shown = {"kind": kind, "late": False, **await _shown(context, found)}
    return {**shown, "unread": unread[:MAX_UNREAD]} if unread else shown


@tool
async def find_untested(context: ToolContext, kind: str = "function", path: str = "") -> dict[str, Any]:
    """Lists functions and methods (or classes) whose names stand in no test.

    Tests may run them through others. What a runtime calls by itself, examples and mere declarations are left out.
    `tests` is how many files and definitions of tests were read; `late` says that there was no time for all.

    Args:
        kind: `function` for functions and methods, or `class`.
        path: only those of files whose path has this in it.
    """
    import anyio.to_thread

    if context.root is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    code, project, root = code_of(context), context.owner.project, context.root.resolve()
    names = await code.names(project)
    files = [file for file in await code.files(project) if is_test(file)]
    read = await anyio.to_thread.run_sync(_written, root, files)
    if read is None:
        return {"kind": kind, "late": True, "total": 0, "tests": 0, "scopes": []}
    written, unread = read
    # Rust has its tests in the file of what they test.
    inside_code = [each.uuid for each in names if each.test and not is_test(each.file)]
    for scope in await code.by_uuid(project, inside_code):
        written.update(_NAME.findall(scope.source or ""))
    found = [
        each
        for each in names
        if each.type in _KINDS[kind == "class"]
        and path in each.file
        and not (_is_called_from_outside(each) or stands_aside(each.file) or is_declaration(each.file))
        and not written[each.name]
    ]
    shown = {"kind": kind, "late": False, "tests": len(files) + len(inside_code), **await _shown(context, found)}
    return {**shown, "unread": unread[:MAX_UNREAD]} if unread else shown


async def _shown(context: ToolContext, found: Sequence[ScopeName]) -> dict[str, Any]:
    """The definitions with their places, by file and line."""
    code, project = code_of(context), context.owner.project
    known = {each.uuid: each for each in await code.by_uuid(project, [each.uuid for each in found], source=False)}
    scopes = [
        {
            "qualified_name": each.qualified_name,
            "type": each.type,
            "file": each.file,
            "line": each.definition_line,
            **({"decorated": True} if each.start_line < each.definition_line else {}),
        }
        for each in sorted(known.values(), key=lambda each: (each.file, each.definition_line))
    ]
    return {"total": len(scopes), "scopes": fitting(scopes, LIST_BYTES)}


def _is_called_from_outside(name: ScopeName) -> bool:
    return name.test or is_test(name.file) or bool(_CALLED_FROM_OUTSIDE.fullmatch(name.name))


def _written(root: Path, files: Sequence[str]) -> tuple[Counter[str], list[str]] | None:
    """How often each name stands in the files, and which could not be read; None where there was no time for all."""
    deadline = time.monotonic() + SECONDS
    found: Counter[str] = Counter()
    unread: list[str] = []
    for file in files:
        if time.monotonic() > deadline:
            return None
        path = inside(root, file)
        if path is None:
            continue
        text = text_of(path)
        if text is None:
            unread.append(file)
        else:
            found.update(_NAME.findall(text))
    return found, unread
