"""Tools that read the project's files as text: `grep_code` and `read_file`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ragforge_memory.errors import RagforgeError, ToolError
from ragforge_memory.models.code import Scope
from ragforge_memory.models.text import lines_of
from ragforge_memory.tools import grep_process
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.names import same_file
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import MAX_TEXT_BYTES, inside, is_kept_shut, text_files

GREP_SECONDS = 8.0
"""Time for one search; a million lines take about two seconds."""

MAX_MATCHES = 200
MAX_LINE = 300
"""Characters of a matching line that are shown."""

MAX_INSTEAD = 10
"""Files that are named in place of one that is not there."""

MAX_READ_BYTES = 32_000
"""Bytes of one reading: some 8,000 tokens."""


@tool
async def grep_code(
    context: ToolContext,
    pattern: str,
    path: str = "",
    ignore_case: bool = False,
    limit: int = 50,
) -> dict[str, Any]:
    """Searches the project's text files line by line for a regular expression (Python's syntax).

    Files that git ignores, binary files and files above 20 MB are left out. `language` is said of lines in languages
    whose files are not read as code, so that what they define is known by their text alone; `not_read` of lines in
    files that were not read as code, or only in part, with the reason.

    Args:
        pattern: the regular expression; plain text works too where it has no special characters.
        path: only files whose path contains this text.
        ignore_case: whether upper and lower case are the same.
        limit: matching lines at most, up to 200.
    """
    import anyio.to_thread

    root = _root(context)
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(pattern)
    except re.error as error:
        raise ToolError(
            f"{pattern!r} is not a regular expression: {error}", hint="escape special characters with \\"
        ) from None
    if not pattern:
        raise ToolError("the pattern is empty", hint="say what to look for")
    files = await anyio.to_thread.run_sync(lambda: [file for file in text_files(root) if path in file])
    order = {
        "root": str(root.resolve()),
        "files": files,
        "pattern": pattern,
        "ignore_case": ignore_case,
        "limit": max(1, min(limit, MAX_MATCHES)),
        "max_bytes": MAX_TEXT_BYTES,
        "max_line": MAX_LINE,
    }
    lines, in_time = await _search(order)
    matches = await _with_reasons(context, [_with_language(line) for line in lines if "file" in line])
    end = next((line for line in lines if "searched" in line), {"searched": None, "more": True})
    return {
        "pattern": pattern,
        "matches": matches,
        "files": len(files),
        "more": end["more"],
        "gave_up_after_seconds": None if in_time else GREP_SECONDS,
    }


def _with_language(line: dict[str, Any]) -> dict[str, Any]:
    """A line with the language of its file where that is not read."""
    from ragforge_memory.code.languages import unread_language_of

    language = unread_language_of(line["file"])
    return line if language is None else {**line, "language": language}


async def _with_reasons(context: ToolContext, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines, with why their files were not read; what they say is known without the graph too."""
    unread: dict[str, str] = {}
    if context.scopes is not None and lines:
        with suppress(RagforgeError):
            unread = await context.scopes.unread_files(context.owner.project)
    return [{**line, "not_read": unread[line["file"]]} if line["file"] in unread else line for line in lines]


@tool
async def read_file(context: ToolContext, path: str, start_line: int = 1, end_line: int | None = None) -> ToolOutput:
    """Reads lines of a text file of the project.

    Args:
        path: relative to the project's root; one right in there is found in any case and without its ending (`README`).
        start_line: the first line, counted from 1.
        end_line: the last line, included; the end of the file when left out.
    """
    import anyio.to_thread

    root = _root(context)
    if start_line < 1 or (end_line is not None and end_line < start_line):
        raise ToolError(f"there are no lines {start_line} to {end_line}", hint="count from 1")
    if await anyio.to_thread.run_sync(is_kept_shut, root, path):
        raise ToolError(f"{path} is not opened: such files hold keys", hint="ask for the code that reads it")
    file = await anyio.to_thread.run_sync(lambda: inside(root, path) or _called_so(root, path))
    if file is None:
        raise ToolError(
            f"{path} cannot be read: no regular file of this project has that path",
            hint=await _instead(context, path) or "give a path relative to the project's root, inside it",
        )
    text, total, last = await anyio.to_thread.run_sync(_lines, file, path, start_line, end_line)
    shown = file.relative_to(root.resolve()).as_posix()
    scopes: tuple[str, ...] = ()
    if context.scopes is not None:
        scopes = _read_in(await context.scopes.outline(context.owner.project, shown), start_line, last)
    return ToolOutput(
        {
            "file": shown,
            "start_line": start_line,
            "end_line": last,
            "total_lines": total,
            "content": text,
            "cut": last < min(end_line or total, total),
        },
        scopes=scopes[:50],
    )


def _read_in(there: Sequence[Scope], start: int, end: int) -> tuple[str, ...]:
    """The definitions that these lines show: those that are whole, and of the others the innermost, as a method that
    they are a part of; not what is around it."""
    seen = [each for each in there if each.start_line <= end and start <= each.end_line]
    spans = {(each.start_line, each.end_line) for each in seen}

    def is_read(each: Scope) -> bool:
        if start <= each.start_line and each.end_line <= end:
            return True
        own = (each.start_line, each.end_line)
        return not any(own != (first, last) and own[0] <= first and last <= own[1] for first, last in spans)

    return tuple(each.uuid for each in seen if is_read(each))


def _called_so(root: Path, path: str) -> Path | None:
    """The file right in the root that is called so in another case, or with an ending; of several a text."""
    wanted = path.lower()
    if not wanted or "/" in wanted:
        return None
    names = sorted(each.name for each in root.iterdir() if wanted in (each.name.lower(), each.stem.lower()))
    names.sort(key=lambda name: not name.lower().endswith((".md", ".rst", ".txt")))
    return next((found for name in names if (found := inside(root, name)) is not None), None)


async def _instead(context: ToolContext, path: str) -> str:
    """The files that end with a path which is none from the root: none of them is taken for it unasked."""
    if context.scopes is None:
        return ""
    named = [file for file in await context.scopes.files(context.owner.project) if same_file(path, file)]
    shown = sorted(named, key=lambda file: (file.count("/"), file))[:MAX_INSTEAD]
    return f"that is how these end: {', '.join(shown)}" if shown else ""


def _root(context: ToolContext) -> Path:
    if context.root is None:
        raise ToolError("the project's files are not at hand here, only its graph", hint="use search_code")
    return context.root


def _lines(file: Path, path: str, start: int, end: int | None) -> tuple[str, int, int]:
    """The text, how many lines there are in all, and the last line of the text."""
    if file.stat().st_size > 20 * MAX_TEXT_BYTES:
        raise ToolError(f"{path} is larger than {20 * MAX_TEXT_BYTES:,} bytes", hint="use grep_code")
    data = file.read_bytes()
    if b"\0" in data[:8192]:
        raise ToolError(f"{path} is a binary file")
    lines = lines_of(data.decode("utf-8", "replace"))
    if start > max(1, len(lines)):
        raise ToolError(f"{path} has {len(lines)} lines, so none from {start}")
    kept: list[str] = []
    size = 0
    for line in lines[start - 1 : end]:
        size += len(line.encode("utf-8")) + 1
        if size > MAX_READ_BYTES and kept:
            break
        kept.append(line[:MAX_READ_BYTES])
    return "\n".join(kept), len(lines), start - 1 + len(kept)


async def _search(order: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """Runs the search in a process of its own; its lines so far, and whether it ended in time."""
    import anyio

    # Isolated (-I): it needs the standard library alone, and no environment of the user's may change it.
    command = [sys.executable, "-I", grep_process.__file__]
    received = b""
    in_time = False
    async with await anyio.open_process(command, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with anyio.move_on_after(GREP_SECONDS):
                await process.stdin.send(json.dumps(order).encode())
                await process.stdin.aclose()
                async for chunk in process.stdout:
                    received += chunk
                in_time = True
        finally:
            if not in_time:
                with suppress(ProcessLookupError):  # it may have ended just now
                    process.kill()
    whole = received[: received.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.decode().splitlines()], in_time
