"""The tool that lists tests: `list_tests`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.language.test_marks import Mark, has_marks, marks_in
from ragforge_memory.text.names import is_test, is_test_case
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import inside, text_of
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope, ScopeName

SECONDS = 10.0
"""How long files are read for tests that no definition's name tells of."""


@tool
async def list_tests(context: ToolContext, target: str = ".") -> dict[str, Any]:
    """Lists the tests of a file or below a folder: definitions, and calls and macros that tests are made with.

    Each has a file and a line, and its `qualified_name` and `type` where it is a definition, else the `text` of the
    call. `files` is how many files have any, `test_files` how many are of tests by their paths; `late` says that there
    was no time to read all files, so that there may be more.

    Args:
        target: a file's whole path, or a folder's; `.` is the whole project.
    """
    import anyio.to_thread

    code, project = code_of(context), context.owner.project
    asked = target.strip("/").removeprefix("./")
    files = [each for each in await code.files(project) if asked in ("", ".", each) or each.startswith(f"{asked}/")]
    marks: dict[str, list[Mark]] = {}
    late = False
    if context.root is not None:
        marks, late = await anyio.to_thread.run_sync(_marks, context.root.resolve(), files)
    here = set(files)
    names = [each for each in await code.names(project) if each.file in here]
    surely = {each.uuid for each in names if is_test_scope(each)}
    wanted = [each.uuid for each in names if each.uuid in surely or (each.file in marks and _may_be_marked(each))]
    found: list[dict[str, Any]] = []
    marked: set[tuple[str, int]] = set()
    for scope in await code.by_uuid(project, wanted, source=False):
        lines = {
            mark.line for mark in marks.get(scope.file, ()) if scope.start_line <= mark.line <= scope.definition_line
        }
        marked |= {(scope.file, line) for line in lines}
        if lines or scope.uuid in surely:
            found.append(_entry(scope))
    found += [
        {"file": file, "line": mark.line, "text": mark.text}
        for file, every in marks.items()
        for mark in every
        if (file, mark.line) not in marked
    ]
    found.sort(key=lambda each: (each["file"], each["line"]))
    return {
        "target": target,
        "total": len(found),
        "files": len({each["file"] for each in found}),
        "test_files": sum(map(is_test, files)),
        "late": late,
        "tests": fitting(found, LIST_BYTES),
    }


def is_test_scope(name: ScopeName) -> bool:
    """Whether a definition is a test, by its modifiers or its name."""
    return _may_be_marked(name) and (name.test or is_test_case(name.name, name.file))


def _may_be_marked(name: ScopeName) -> bool:
    return name.type in ("function", "method")


def _entry(scope: Scope) -> dict[str, Any]:
    return {
        "file": scope.file,
        "line": scope.definition_line,
        "qualified_name": scope.qualified_name,
        "type": scope.type,
    }


def _marks(root: Path, files: Sequence[str]) -> tuple[dict[str, list[Mark]], bool]:
    """The marks of tests in files that have any, and whether there was no time for all of them."""
    from ragforge_memory.code.languages import language_of

    deadline = time.monotonic() + SECONDS
    found: dict[str, list[Mark]] = {}
    for file in files:
        language = language_of(file)
        if language is None or not has_marks(file, language.family):
            continue
        if time.monotonic() > deadline:
            return found, True
        path = inside(root, file)
        text = text_of(path) if path is not None else None
        if text and (marks := list(marks_in(file, language.family, text))):
            found[file] = marks
    return found, False
