"""The tool that says who wrote code, and when it was last changed: `code_history`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ragforge_memory.errors import ToolError
from ragforge_memory.text.names import same_file
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import inside, text_files
from ragforge_memory.tools.resolve import implementations, resolve
from ragforge_memory.tools.shown import before, code_of, shown, uuids

MAX_TOLD = 20
"""Authors, and definitions of one name, that are told."""


@tool
async def code_history(context: ToolContext, target: str, file: str = "", kind: str = "") -> ToolOutput:
    """Says who wrote a definition or a file and when it was last changed, as git knows it.

    `authors` says how many of its lines each wrote; `first` is the commit of the oldest line, `last` the last commit
    that changed it (`by_lines`: only known by the lines that are left). `known` is false where there is no git history
    of it. `shallow` says that this clone has only the end of the history.

    Args:
        target: a name, as for `read_scope`, or a file's path or the end of it.
        file: path of the file that has the name, or the end of that path, where more than one does.
        kind: what it is (`class`, `function`, `method`), where other things have that name too.
    """
    import anyio.to_thread

    from ragforge_memory.code.blame import blame

    if context.root is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    root = context.root.resolve()
    path = await anyio.to_thread.run_sync(_file, root, target.strip().strip("`'\"").removeprefix("./"))
    answer: dict[str, Any] = {"asked": target, "match": "exact", "file": path, "scopes": []}
    told: tuple[str, ...] = ()
    start, end = 1, None
    if not path:
        project = context.owner.project
        found = await resolve(code_of(context), project, target, file, kind, context.root, context.messages)
        scopes = implementations(found.scopes)
        answer |= {"match": found.match, **before(found.was), "total": len(scopes)}
        if not scopes:
            return ToolOutput({**answer, "known": False})
        answer["scopes"] = [shown(each) for each in scopes[:MAX_TOLD]]
        path, start, end = scopes[0].file, scopes[0].start_line, scopes[0].end_line
        told = uuids(scopes[:1])
    known = await anyio.to_thread.run_sync(blame, root, path, start, end)
    if known is None:
        return ToolOutput({**answer, "known": False}, scopes=told)
    facts = asdict(known)
    facts["authors"] = [{"name": name, "lines": lines} for name, lines in list(known.authors.items())[:MAX_TOLD]]
    totals = {"authors": len(known.authors), "lines": sum(known.authors.values()) + known.uncommitted}
    return ToolOutput({**answer, "known": True, **facts, "totals": totals}, scopes=told)


def _file(root: Any, target: str) -> str:
    """The file of the project that a path means; ``''`` where it is the path of none."""
    if inside(root, target) is not None:
        return target
    if "." not in target.rpartition("/")[2]:
        return ""
    named = [each for each in text_files(root) if same_file(target, each)]
    return min(named, key=lambda each: (each.count("/"), each), default="")
