"""The tool that says what a project depends on: `dependencies`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragforge_memory.errors import ToolError
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import text_files, text_of

MAX_FILES = 5


@tool
async def dependencies(context: ToolContext) -> dict[str, Any]:
    """Lists the packages that the project says it depends on, as the files of its package managers write them.

    `files` are such files (`pyproject.toml`, `package.json`, `go.mod`, `pom.xml` …), the outermost first, each with
    `groups` of packages; `total` is how many there are.
    """
    import anyio.to_thread

    if context.root is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    found = await anyio.to_thread.run_sync(_stated, context.root)
    return {"total": len(found), "files": found[:MAX_FILES]}


def _stated(root: Path) -> list[dict[str, Any]]:
    from ragforge_memory.code.manifests import dependencies_in, is_manifest

    found = []
    for file in sorted(text_files(root), key=lambda each: (each.count("/"), each)):
        if not is_manifest(file):
            continue
        text = text_of(root / file)
        if text is not None and (groups := dependencies_in(file, text)) is not None:
            found.append({"file": file, "groups": groups})
    return found
