"""The tool that says what a file shows to others: `exports`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ragforge_memory.errors import ToolError
from ragforge_memory.text.names import same_file
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import inside
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting
from ragforge_memory.tools.written_uses import sources_of


@tool
async def exports(context: ToolContext, file: str) -> dict[str, Any]:
    """Lists the names of a file that other files see: what it exports, or what is public by the rules of its language.

    `rule` says by which, where the file does not say it itself. `module` is where a name comes from that the file only
    passes on. `file` is `''` where no file that was read is meant, `broken` says that it cannot be parsed now.

    Args:
        file: its path or the end of it.
    """
    import anyio.to_thread

    from ragforge_memory.code.exported import exported

    asked = file.strip().strip("`'\"").removeprefix("./")
    if not asked:
        raise ToolError("exports needs the name of a file")
    if context.root is None:
        raise ToolError("the project's files are not on this machine", hint="run it where they are")
    files = [each for each in await code_of(context).files(context.owner.project) if same_file(asked, each)]
    files.sort(key=lambda each: (each.count("/"), each))
    root, answer = context.root, {"asked": file, "file": "", "exports": [], "total": 0}
    if not files:
        return answer
    answer |= {"file": files[0], "other_files": files[1:10]}

    def found() -> tuple[list[dict[str, Any]], str] | None:
        with sources_of(root, context.owner.project) as sources:
            parsed = sources.parsed(files[0]) if sources is not None else None
        path = inside(root.resolve(), files[0])
        if parsed is None or parsed.error or path is None:
            return None
        names, rule = exported(parsed, path.read_text(encoding="utf-8", errors="replace"))
        return [asdict(each) for each in names], rule

    seen = await anyio.to_thread.run_sync(found)
    if seen is None:
        return {**answer, "broken": True}
    return {**answer, "rule": seen[1], "total": len(seen[0]), "exports": fitting(seen[0], LIST_BYTES)}
