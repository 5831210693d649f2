"""Tools that follow uses: `find_callers` and `find_callees`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.resolve import resolve
from ragforge_memory.tools.shown import code_of, shown
from ragforge_memory.tools.written_uses import WrittenUse, calls_in, uses_of

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope, ScopeUse
    from ragforge_memory.tools.ports import ScopeReader

MAX_TARGETS = 8
"""Definitions of one name whose uses are looked up."""

MAX_USES = 200
"""Uses in one list of a result."""


@tool
async def find_callers(context: ToolContext, name: str, file: str = "") -> ToolOutput:
    """Finds what calls or uses a function, method or class, with the lines where it does.

    `callers` are certain, or the only definition of that name is this one and the receiver's type is not known
    (`by_name`). `possible` have a receiver of unknown type and a name that several things have. `references`
    name it without calling it; `subclasses` inherit from it; `top_level` are uses outside of any function or class.

    Args:
        name: the name that is called, as for `read_scope`.
        file: path of the file that defines it, or the end of that path, where more than one does.
    """
    code = code_of(context)
    project = context.owner.project
    found = await resolve(code, project, name, file)
    targets = found.scopes[:MAX_TARGETS]
    answer: dict[str, Any] = {
        "asked": found.asked.text,
        "match": found.match,
        "total": len(found.scopes),
        "scopes": [],
    }
    read: list[str] = []
    for target in targets:
        uses = await _uses(context, code, target, targets)
        answer["scopes"].append({**shown(target), **uses})
        read.extend([target.uuid, *(each["uuid"] for each in uses["callers"] if each.get("uuid"))])
    return ToolOutput(answer, scopes=tuple(dict.fromkeys(read)))


@tool
async def find_callees(context: ToolContext, name: str, file: str = "") -> ToolOutput:
    """Finds what a function, method or class calls: definitions of this project, and other names as written.

    Args:
        name: the name that calls, as for `read_scope`.
        file: path of the file that defines it, or the end of that path, where more than one does.
    """
    code = code_of(context)
    project = context.owner.project
    found = await resolve(code, project, name, file)
    answer: dict[str, Any] = {
        "asked": found.asked.text,
        "match": found.match,
        "total": len(found.scopes),
        "scopes": [],
    }
    read: list[str] = []
    for target in found.scopes[:MAX_TARGETS]:
        parts = [target, *await _members(code, project, target)]
        uses = [use for part in parts for use in await code.callees(project, part.uuid, limit=MAX_USES)]
        callees = _by_scope(uses)
        known = {(line, each.scope.name) for each in callees for line in each.lines}
        # Constructing a class is written with the class's name, and resolved to its constructor.
        lines = {line for line, _ in known}
        written = await calls_in(context.root, target)
        others = [
            each
            for each in written
            if (each.line, each.name) not in known and not (each.line in lines and _constructs(each, callees))
        ]
        answer["scopes"].append(
            {
                **shown(target),
                "callees": [{**shown(each.scope), "lines": list(each.lines)} for each in callees[:MAX_USES]],
                "other_calls": _grouped(others)[:MAX_USES],
            }
        )
        read.extend([target.uuid, *(each.scope.uuid for each in callees[:MAX_USES])])
    return ToolOutput(answer, scopes=tuple(dict.fromkeys(read)))


async def _uses(context: ToolContext, code: ScopeReader, target: Scope, targets: Sequence[Scope]) -> dict[str, Any]:
    project = context.owner.project
    known = await code.callers(project, target.uuid, limit=MAX_USES)
    resolved = {(use.scope.file, line) for use in known for line in use.lines}
    written = await uses_of(context.root, await code.files(project), target)
    kinds: dict[tuple[str, int], set[str]] = {}
    for each in written:
        kinds.setdefault((each.file, each.line), set()).add(each.kind)
    callers: list[dict[str, Any]] = []
    references: list[dict[str, Any]] = []
    for use in known:
        called = [line for line in use.lines if kinds.get((use.scope.file, line), {"call"}) & {"call", "decorate"}]
        plain = [line for line in use.lines if line not in called]
        if called:
            callers.append({**_user(use.scope), "lines": called})
        elif plain:
            references.append({**_user(use.scope), "lines": plain})
    homonyms = [each for each in await code.by_name(project, target.name) if each.uuid != target.uuid]
    others: set[tuple[str, int]] = set()
    for homonym in homonyms[:MAX_TARGETS]:
        for use in await code.callers(project, homonym.uuid, limit=MAX_USES):
            others.update((use.scope.file, line) for line in use.lines)
    open_uses = [
        each for each in written if (each.file, each.line) not in resolved and (each.file, each.line) not in others
    ]
    alone = not homonyms
    sure = [each for each in open_uses if each.scope and alone and each.may_be(target)]
    possible = [each for each in open_uses if each.scope and not alone and each.may_be(target)]
    top = [
        each
        for each in open_uses
        if not each.scope and each.kind in ("call", "decorate") and each.bare_or_member(target)
    ]
    callers.extend({**each, "by_name": True} for each in await _placed(code, project, sure))
    return {
        "callers": _merged(callers)[:MAX_USES],
        "possible": _merged(await _placed(code, project, possible))[:MAX_USES],
        "references": _merged(references)[:MAX_USES],
        "subclasses": _merged(await _placed(code, project, [each for each in written if each.inherits(target)]))[
            :MAX_USES
        ],
        "top_level": _merged({"qualified_name": "", "file": each.file, "lines": [each.line]} for each in top)[
            :MAX_USES
        ],
    }


def _user(scope: Scope) -> dict[str, Any]:
    return {
        "qualified_name": scope.qualified_name,
        "type": scope.type,
        "file": scope.file,
        "line": scope.definition_line,
        "uuid": scope.uuid,
    }


async def _placed(code: ScopeReader, project: str, uses: Iterable[WrittenUse]) -> list[dict[str, Any]]:
    """Written uses with the scopes of the graph that they stand in."""
    outlines: dict[str, dict[tuple[str, int], Scope]] = {}
    placed = []
    for use in uses:
        if use.file not in outlines:
            outlines[use.file] = {
                (each.qualified_name, each.definition_line): each for each in await code.outline(project, use.file)
            }
        scope = outlines[use.file].get((use.scope, use.scope_line))
        if scope is not None:
            placed.append({**_user(scope), "lines": [use.line]})
        else:
            # The file was edited since it was read: what it says now, without the graph's uuid.
            placed.append({"qualified_name": use.scope, "file": use.file, "line": use.scope_line, "lines": [use.line]})
    return placed


def _merged(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a scope, with all its lines, by file and first line."""
    merged: dict[tuple[str, str, Any], dict[str, Any]] = {}
    for entry in entries:
        key = (entry["file"], entry["qualified_name"], entry.get("line"))
        if key in merged:
            before = merged[key]
            merged[key] = {**entry, **before, "lines": sorted({*before["lines"], *entry["lines"]})}
        else:
            merged[key] = entry
    return sorted(merged.values(), key=lambda entry: (entry["file"], entry["lines"][0]))


async def _members(code: ScopeReader, project: str, target: Scope) -> list[Scope]:
    """What is defined inside a scope: a class calls what its methods call."""
    return [
        each
        for each in await code.outline(project, target.file)
        if each.uuid != target.uuid
        and each.qualified_name.startswith(f"{target.qualified_name}.")
        and target.start_line <= each.start_line <= target.end_line
    ][:50]


def _by_scope(uses: Iterable[ScopeUse]) -> list[ScopeUse]:
    merged: dict[str, ScopeUse] = {}
    for use in uses:
        before = merged.get(use.scope.uuid)
        lines = tuple(sorted({*(before.lines if before else ()), *use.lines}))
        merged[use.scope.uuid] = use.model_copy(update={"lines": lines})
    return sorted(merged.values(), key=lambda use: use.lines[:1])


def _constructs(use: WrittenUse, callees: Sequence[ScopeUse]) -> bool:
    return any(
        use.line in each.lines and each.scope.qualified_name.rpartition(".")[0].endswith(use.name) for each in callees
    )


def _grouped(uses: Iterable[WrittenUse]) -> list[dict[str, Any]]:
    grouped: dict[str, list[int]] = {}
    for use in uses:
        grouped.setdefault(use.text, []).append(use.line)
    return [{"name": name, "lines": sorted(set(lines))} for name, lines in grouped.items()]
