"""The tool that says which version the project is: `project_version`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ragforge_memory.errors import ToolError
from ragforge_memory.text.names import stands_aside
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import text_files, text_of

MAX_READ = 500
"""Files that are read; of a large project those nearest to its root."""
MAX_TOLD = 20


@tool
async def project_version(context: ToolContext) -> dict[str, Any]:
    """Says which version the project is: what its files state, and the newest tag that git has before this commit.

    `files` are those that state a version, the outermost first, each with `file`, `line` and `version`; `total` is how
    many there are. `git` has the `commit`, the `tag` (empty: none) and `ahead`, the commits since that tag.
    """
    import anyio.to_thread

    if context.root is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    found = await anyio.to_thread.run_sync(_stated, context.root)
    git = await anyio.to_thread.run_sync(_described, context.root)
    return {"total": len(found), "files": found[:MAX_TOLD], "git": git}


def _stated(root: Path) -> list[dict[str, Any]]:
    from ragforge_memory.code.versions import may_state_version, version_in

    found = []
    files = [each for each in text_files(root) if may_state_version(each) and not stands_aside(each)]
    # What is a package's file of its own comes before code.
    for file in sorted(files, key=lambda each: (each.count("/"), each.endswith((".py", ".rb")), each))[:MAX_READ]:
        text = text_of(root / file)
        if text is not None and (stated := version_in(file, text)):
            found.append({"file": file, "line": stated[1], "version": stated[0]})
    return found


def _described(root: Path) -> dict[str, Any]:
    """What git knows of where the work tree is; nothing where there is no commit."""
    from ragforge_memory.code.git import ask, head_commit

    commit = head_commit(root)
    if commit is None:
        return {}
    said = re.fullmatch(r"(.+)-(\d+)-g[0-9a-f]+", ask(root, "describe", "--tags", "--long", "HEAD") or "")
    return {"commit": commit[:12], "tag": said[1] if said else "", "ahead": int(said[2]) if said else 0}
