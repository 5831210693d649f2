"""Tools that follow uses: `find_callers` and `find_callees`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.asides import TEST_MODIFIERS, stands_aside
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.overrides import overridden, overriding
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.resolve import implementations, resolve
from ragforge_memory.tools.shown import LIST_BYTES, before, code_of, fitting, not_read, shown, size_of, tests
from ragforge_memory.tools.written_uses import WrittenUse, calls_in, sources_of, uses_of

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope, ScopeUse
    from ragforge_memory.tools.meanings import Sources
    from ragforge_memory.tools.ports import ScopeReader

MAX_TARGETS = 8
"""Definitions of one name whose uses are looked up."""

MAX_USES = 500
"""Uses that are read for one definition."""

USES_BYTES = 56_000
"""Of all lists of uses in a result, below the registry's limit; the callers of `from_string` in jinja need 41,000."""

_BESIDE_LINES = ("line", "type")
"""What uses can do without: their own lines say where they are."""

_CALLING = ("function", "method", "macro")


@tool
async def find_callers(context: ToolContext, name: str, file: str = "", kind: str = "") -> ToolOutput:
    """Finds what calls or uses a function, method or class, with the lines where it does.

    `callers` are functions that call it. `possible` ones call something of that name on an object whose type is not
    known, so it may be another's. What is certainly another's (imported from elsewhere, a parameter) is left out.
    `top_level` are calls outside of functions, `decorates` what it decorates, `references` name it without
    calling it, `subclasses` inherit from it, `overrides` are members of types below its own that override it. `through`
    call what it overrides in a type above its own (`calls`), so that it may be what runs. Where nothing was found,
    `not_read` are files that may use it and were not read, or only in part.

    Args:
        name: the name that is called, as for `read_scope`.
        file: path of the file that defines it, or the end of that path, where more than one does.
        kind: what it is (`class`, `function`, `method`), where other things have that name too.
    """
    code, project = code_of(context), context.owner.project
    targets, answer = await _asked(context, name, file, kind)
    read: list[str] = []
    with sources_of(context.root, project) as sources:
        read_uses = _Uses(code, project, sources, targets)
        for target in targets:
            uses = await _uses(read_uses, target)
            answer["scopes"].append({**shown(target), **_bounded(uses, USES_BYTES // len(targets))})
            read.extend([target.uuid, *(each["uuid"] for each in uses["callers"] if each.get("uuid"))])
    if not any(each["callers"] for each in answer["scopes"]):
        answer |= await not_read(context)
    return ToolOutput(answer, scopes=tuple(dict.fromkeys(read)))


@tool
async def find_callees(context: ToolContext, name: str, file: str = "", kind: str = "") -> ToolOutput:
    """Finds what a function, method or class calls: definitions of this project, and other names as written.

    `bases` are definitions of this project that a class inherits from or implements; others stand in `signature` alone.

    Args:
        name: the name that calls, as for `read_scope`.
        file: path of the file that defines it, or the end of that path, where more than one does.
        kind: what it is (`class`, `function`, `method`), where other things have that name too.
    """
    code, project = code_of(context), context.owner.project
    targets, answer = await _asked(context, name, file, kind)
    read: list[str] = []
    budget = LIST_BYTES // max(1, len(targets))
    with sources_of(context.root, project) as sources:
        for target in targets:
            parts = [target, *await _members(code, project, target)]
            uses = [use for part in parts for use in await code.callees(project, part.uuid, limit=MAX_USES)]
            callees = _by_scope(uses)
            bases = await code.bases(project, target.uuid, limit=MAX_USES)
            known = {(line, each.scope.name) for each in callees for line in each.lines}
            # Constructing a class is written with the class's name, and resolved to its constructor.
            lines = {line for line, _ in known}
            written = await calls_in(sources, target)
            others = [
                each
                for each in written
                if (each.line, each.name) not in known and not (each.line in lines and _constructs(each, callees))
            ]
            unknown = _grouped(others)
            answer["scopes"].append(
                {
                    **shown(target),
                    "callees": fitting([{**shown(each.scope), "lines": list(each.lines)} for each in callees], budget),
                    "other_calls": fitting(unknown, budget // 4),
                    "bases": fitting([{**_user(each.scope), "lines": list(each.lines)} for each in bases], budget // 4),
                    "totals": {"callees": len(callees), "other_calls": len(unknown), "bases": len(bases)},
                }
            )
            read.extend([target.uuid, *(each.scope.uuid for each in [*callees[:MAX_USES], *bases])])
    if not any(each["callees"] for each in answer["scopes"]):
        answer |= await not_read(context)
    return ToolOutput(answer, scopes=tuple(dict.fromkeys(read)))


async def _asked(context: ToolContext, name: str, file: str, kind: str) -> tuple[Sequence[Scope], dict[str, Any]]:
    """The definitions that are meant, as many as are looked at, and the answer's beginning."""
    project = context.owner.project
    found = await resolve(code_of(context), project, name, file, kind, context.root, context.messages)
    definitions = implementations(found.scopes)
    return definitions[:MAX_TARGETS], {
        "asked": found.asked.text,
        "match": found.match,
        **before(found.was),
        "total": len(definitions),
        "scopes": [],
    }


class _Uses:
    """The uses that the graph has, each definition's read once, and those that are written, each name's looked up once:
    definitions of one name are compared with one another, and are used by the same files."""

    def __init__(self, code: ScopeReader, project: str, sources: Sources | None, targets: Sequence[Scope]) -> None:
        self.code = code
        self.project = project
        self._sources = sources
        self._targets = targets
        self._callers: dict[str, list[ScopeUse]] = {}
        self._named: dict[str, list[Scope]] = {}
        self._written: dict[tuple[str, str], list[WrittenUse]] = {}

    async def callers(self, uuid: str) -> list[ScopeUse]:
        if uuid not in self._callers:
            self._callers[uuid] = await self.code.callers(self.project, uuid, limit=MAX_USES)
        return self._callers[uuid]

    async def named(self, name: str) -> list[Scope]:
        """All definitions of a name."""
        if name not in self._named:
            self._named[name] = list(implementations(await self.code.by_name(self.project, name)))
        return self._named[name]

    async def owner(self, target: Scope) -> str:
        """The name of the type whose member it is; ``''`` where it is none's, or a trait's, called on others."""
        name = target.qualified_name.rpartition(".")[0].rpartition(".")[2]
        return name if name and all(each.type != "trait" for each in await self.named(name)) else ""

    async def written(self, target: Scope) -> list[WrittenUse]:
        """The uses of a definition's name in files of its language and its kin."""
        key = (target.name, target.language)
        if key not in self._written:
            # There may be more of a name than are looked up at once.
            targets = [each for each in self._targets if each.name == target.name and each.uuid != target.uuid]
            named = [target, *targets, *await self.named(target.name)]
            self._written[key] = await uses_of(self._sources, await self.code.files(self.project), named)
        return self._written[key]


async def _uses(read: _Uses, target: Scope) -> dict[str, Any]:
    """The uses of one definition, sorted by what they are."""
    code, project = read.code, read.project
    known = await read.callers(target.uuid)
    named = await read.named(target.name)
    written = await read.written(target)
    kinds: dict[tuple[str, int], set[str]] = {}
    for each in written:
        kinds.setdefault((each.file, each.line), set()).add(each.kind)
    sorted_out: dict[str, list[dict[str, Any]]] = {"call": [], "decorate": [], "other": []}
    possible: list[dict[str, Any]] = []
    for use in known:
        for line in use.lines:
            # Without the files at hand every use counts as a call: most are.
            kind = _kind(kinds.get((use.scope.file, line), {"call"}))
            told = sorted_out[kind] if use.certain or kind == "other" else possible
            told.append({**_user(use.scope), "lines": [line]})
    taken = {(use.scope.file, line) for use in known for line in use.lines}
    for homonym in [each for each in named if each.uuid != target.uuid][:MAX_TARGETS]:
        for use in await read.callers(homonym.uuid):
            taken.update((use.scope.file, line) for line in use.lines)
    owner = await read.owner(target)
    still_open = [each for each in written if (each.file, each.line) not in taken and _may_mean(each, target, owner)]
    for each, placed in zip(still_open, await _placed(code, project, still_open), strict=True):
        (sorted_out.get(each.kind, sorted_out["other"]) if each.means(target) else possible).append(placed)
    called = _merged(sorted_out["call"])
    inside = [each for each in called if each.get("type") in _CALLING]
    return {
        "callers": inside,
        "top_level": [each for each in called if each not in inside],
        "possible": _merged(possible),
        "decorates": _merged(sorted_out["decorate"]),
        "references": _merged(sorted_out["other"]),
        "subclasses": _merged(
            {**_user(use.scope), "lines": list(use.lines) or [use.scope.definition_line]}
            for use in await code.inheritors(project, target.uuid, limit=MAX_USES)
        ),
        "overrides": [
            {**_user(each), "lines": [each.definition_line]} for each in await overriding(code, project, target, named)
        ],
        "through": await _through(read, target, written, kinds),
    }


def _may_mean(use: WrittenUse, target: Scope, owner: str) -> bool:
    """Whether a use that no edge has is of a definition, or may be. What is handed over as a value is so only where it
    is certain: a name alone says too little."""
    if use.means(target):
        return use.kind in ("call", "decorate", "reference")
    return use.kind in ("call", "decorate") and use.fits(target) and not (owner and use.names_another(owner))


async def _through(
    read: _Uses, target: Scope, written: Sequence[WrittenUse], kinds: Mapping[tuple[str, int], set[str]]
) -> list[dict[str, Any]]:
    """Calls of what a member overrides; ``super().m()`` and ``Base.m(self)`` call that and nothing else."""
    calls: list[dict[str, Any]] = []
    for above in await overridden(read.code, read.project, target, await read.named(target.name)):
        type_name = above.qualified_name.rpartition(".")[0].rpartition(".")[2]
        fixed = {
            (each.file, each.line)
            for each in written
            if each.above or (each.receiver or "").rpartition(".")[2] == type_name
        }
        for use in await read.callers(above.uuid):
            places = [(use.scope.file, line) for line in use.lines if use.certain]
            lines = [at[1] for at in places if at not in fixed and _kind(kinds.get(at, {"call"})) == "call"]
            if lines:
                calls.append({**_user(use.scope), "lines": lines, "calls": above.qualified_name})
    return _merged(calls)


def _bounded(uses: dict[str, list[dict[str, Any]]], budget: int) -> dict[str, Any]:
    """The lists of uses in at most ``budget`` bytes, the callers first; ``totals`` says how many there were."""
    sizes = {name: size_of(entries) for name, entries in uses.items()}
    # Callers get most, they are what was asked for. The others share what is left, so that a long list (`possible` uses
    # of a name that is everywhere) leaves room for what inherits; what a short one leaves over is for the longer ones.
    others = sorted((name for name in uses if name != "callers"), key=sizes.__getitem__)
    kept: dict[str, Any] = {}
    left = budget
    for place, name in enumerate(("callers", *others)):
        reserved = min(sum(sizes[other] for other in others), left // 4)
        share = left - reserved if name == "callers" else left // (len(others) + 1 - place)
        kept[name] = fitting(uses[name], share, _BESIDE_LINES)
        left -= size_of(kept[name])
    return {"totals": {name: len(entries) for name, entries in uses.items()}, **{name: kept[name] for name in uses}}


def _kind(kinds: set[str]) -> str:
    """What a line does with a name, the strongest first: ``@app.route("/")`` both calls and decorates."""
    return "call" if "call" in kinds else "decorate" if "decorate" in kinds else "other"


def _user(scope: Scope) -> dict[str, Any]:
    return {
        "qualified_name": scope.qualified_name,
        "type": scope.type,
        "file": scope.file,
        "line": scope.definition_line,
        "uuid": scope.uuid,
        **tests(scope),
    }


async def _placed(code: ScopeReader, project: str, uses: Iterable[WrittenUse]) -> list[dict[str, Any]]:
    """Written uses with the scopes of the graph that they stand in."""
    outlines: dict[str, dict[tuple[str, int], Scope]] = {}
    placed: list[dict[str, Any]] = []
    for use in uses:
        if use.file not in outlines:
            outlines[use.file] = {
                (each.qualified_name, each.definition_line): each for each in await code.outline(project, use.file)
            }
        scope = outlines[use.file].get((use.scope, use.scope_line))
        # A file that was edited since it was read: what it says now, without the graph's uuid.
        edited = {"qualified_name": use.scope, "type": use.scope_type, "file": use.file, "line": use.scope_line}
        placed.append({**(_user(scope) if scope else edited), "lines": [use.line]})
    return placed


def _merged(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a scope, with all its lines; tests after the rest, by file and first line."""
    merged: dict[tuple[str, str, Any], dict[str, Any]] = {}
    for entry in entries:
        key = (entry["file"], entry["qualified_name"], entry.get("line"))
        if key in merged:
            before = merged[key]
            merged[key] = {**entry, **before, "lines": sorted({*before["lines"], *entry["lines"]})}
        else:
            merged[key] = entry
    return sorted(merged.values(), key=_place)


def _place(entry: dict[str, Any]) -> tuple[bool, str, int]:
    aside = any(entry.get(each) for each in TEST_MODIFIERS) or stands_aside(entry["file"])
    return aside, entry["file"], entry["lines"][0]


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
