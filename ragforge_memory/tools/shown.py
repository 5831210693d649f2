"""How a scope looks in a tool's result."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.asides import TEST_MODIFIERS
from ragforge_memory.code.parsed import HIDDEN
from ragforge_memory.errors import ToolError
from ragforge_memory.tools.resolve import is_overload

if TYPE_CHECKING:
    from ragforge_memory.models.code import CodeReference, Scope
    from ragforge_memory.tools.ports import ScopeReader, ToolContext

MAX_SOURCE_BYTES = 24_000
"""Of one scope's source in a result: some 6,000 tokens; longer ones are cut and say where to read on."""


LIST_BYTES = 40_000
"""Of one list in a result, so that the whole stays below the registry's limit."""

_UNREAD_NAMED = 5

_DISPENSABLE = frozenset({"uuid", "docstring", "signature", "start_line", "end_line"})
"""What entries lose before any of them is left out: it can be asked for. Not what says what and where they are."""


def code_of(context: ToolContext) -> ScopeReader:
    """The code of the turn's project.

    Raises:
        ToolError: this agent has no code.
    """
    if context.scopes is None:
        raise ToolError(
            "no code was read into this agent's graph", hint="run `ragforge ingest` in the project, or agent.ingest()"
        )
    return context.scopes


async def not_read(context: ToolContext) -> dict[str, Any]:
    """Gives what a result that finds nothing has to say of files that were not read, as `unread_shown`."""
    return unread_shown(await code_of(context).unread_files(context.owner.project))


def unread_shown(unread: Mapping[str, str]) -> dict[str, Any]:
    """Gives `not_read`: how many files were not read, or only in part, and the first of them, with why."""
    if not unread:
        return {}
    files = [f"{path} ({reason})" for path, reason in sorted(unread.items())[:_UNREAD_NAMED]]
    return {"not_read": {"count": len(unread), "files": files}}


def shown(scope: Scope, *, source: bool = False, docstring: bool = False) -> dict[str, Any]:
    """A scope as plain data; ``docstring`` whole or its first paragraph, ``source`` cut at its limit."""
    said: dict[str, Any] = {
        "name": scope.name,
        "qualified_name": scope.qualified_name,
        "type": scope.type,
        "file": scope.file,
        "line": scope.definition_line,
        "start_line": scope.start_line,
        "end_line": scope.end_line,
        "signature": scope.signature,
        "docstring": (scope.docstring or "") if docstring else summary(scope.docstring),
        "uuid": scope.uuid,
    }
    if is_overload(scope):
        said["overload"] = True
    if HIDDEN in scope.modifiers:
        said[HIDDEN] = True
    said.update(tests(scope))
    if source:
        said["language"] = scope.language
        text = scope.source or ""
        kept = text.encode("utf-8")[:MAX_SOURCE_BYTES].decode("utf-8", "ignore")
        if kept != text:
            kept = kept[: kept.rfind("\n") + 1]
            said["source_cut_after_line"] = scope.start_line + kept.count("\n") - 1
        said["source"] = kept
    return said


def tests(scope: Scope) -> dict[str, Any]:
    """``test`` or ``test_only``, of what is of a test though its file is none's; nothing of others."""
    return {each: True for each in scope.modifiers if each in TEST_MODIFIERS}


def before(was: CodeReference | None) -> dict[str, Any]:
    """Where code was when it was spoken of, under ``was``; nothing where nobody knows."""
    if was is None:
        return {}
    return {
        "was": {
            "qualified_name": was.qualified_name,
            "file": was.file,
            "line": was.start_line,
            "commit": was.commit,
            "status": was.status,
            "candidates": list(was.candidates),
        }
    }


def summary(docstring: str | None) -> str:
    """The first paragraph of a docstring on one line."""
    lines: list[str] = []
    for line in (docstring or "").strip().splitlines():
        if not line.strip():
            if lines:
                break
            continue
        lines.append(line.strip())
    return " ".join(lines)


def fitting(
    entries: Sequence[dict[str, Any]], budget: int = LIST_BYTES, spared: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The entries that fit into ``budget`` bytes of JSON; before any is left out, all lose what can be asked for.

    The caller says how many there were in all.

    Args:
        entries: what is listed.
        budget: bytes that the list may take.
        spared: what else these entries can do without, should that not suffice.
    """
    kept = list(entries)
    for lost in (_DISPENSABLE, _DISPENSABLE.union(spared)):
        if size_of(kept) <= budget:
            return kept
        kept = [{key: value for key, value in entry.items() if key not in lost} for entry in entries]
    while kept and (size := size_of(kept)) > budget:
        kept = kept[: min(len(kept) - 1, int(len(kept) * budget / size))]
    return kept


def size_of(entries: Sequence[dict[str, Any]]) -> int:
    """Bytes of the entries as JSON."""
    return len(json.dumps(entries, ensure_ascii=False).encode("utf-8", "replace"))


def uuids(scopes: Iterable[Scope]) -> tuple[str, ...]:
    """Their uuids."""
    return tuple(scope.uuid for scope in scopes)
