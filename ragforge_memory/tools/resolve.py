"""From a name as asked to the definitions it means."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ragforge_memory.code.asides import is_declaration, stands_aside
from ragforge_memory.code.parsed import TYPE_TYPES
from ragforge_memory.text.names import KINDS, words
from ragforge_memory.tools.names import (
    Reference,
    distance,
    end_mark,
    fits,
    is_part,
    is_typo,
    lies_in,
    module_parts,
    reference,
    stands_last,
    vocabulary,
)
from ragforge_memory.tools.namespaced import languages_of, within
from ragforge_memory.tools.remembered import remembered

if TYPE_CHECKING:
    from pathlib import Path

    from ragforge_memory.models.code import CodeReference, Scope, ScopeName
    from ragforge_memory.tools.ports import MessageReader, ScopeReader

Match = Literal["exact", "inherited", "moved", "spelling", "typo", "partial", "none"]

MAX_PARTIAL = 8
"""Names that contain the asked words: more than this say nothing about which was meant."""

MAX_EDITS = 2
"""Edits in all parts of a dotted name."""

MAX_NEAR = 20
"""Definitions of near names that are looked up."""

_BASES = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name was taken for.

    Args:
        asked: the name as read.
        match: how sure; ``inherited``: the class exists and has the member from a base; ``moved``: it was spoken of
            under this name, and is elsewhere or is called something else now.
        scopes: the definitions, the likeliest first; without source.
        was: where it was when it was spoken of, of what has moved or is gone.
    """

    asked: Reference
    match: Match
    scopes: tuple[Scope, ...] = ()
    was: CodeReference | None = None


async def resolve(
    code: ScopeReader,
    project: str,
    name: str,
    file: str = "",
    kind: str = "",
    root: Path | None = None,
    memory: MessageReader | None = None,
) -> Resolution:
    """Finds the definitions that ``name`` means.

    Args:
        name: as asked, see `ragforge_memory.tools.names`.
        file: its path or the end of it, or the path of a folder around it; ``""`` where it is not known.
        kind: what it is said to be (a key of ``KINDS``; others say nothing): such come first. "The option
            class" is ``Option``, even where there is a function ``option``.
        root: where the files are: what namespaces stand before a name is told by them.
        memory: what was said: it knows what has become of code that is not there under this name any more.
    """
    asked = reference(name)
    if file:
        asked = replace(asked, file=file)
    if not asked.parts:
        return Resolution(asked, "none")
    named = await code.by_name(project, asked.name)
    # A mark belongs to the name where something is called so: Ruby's `save!` is not `save`.
    if (mark := end_mark(name)) and (so := await code.by_name(project, asked.name + mark)):
        asked, named = replace(asked, parts=(*asked.parts[:-1], asked.name + mark)), so
    exact = _of_kind(_defined(_named(named, asked), named, asked), kind)
    if exact and exact[0].type not in KINDS.get(kind, (exact[0].type,)):
        near = await _near(code, project, asked)
        spelled = _of_kind(near.scopes, kind) if near.match == "spelling" else ()
        if spelled and spelled[0].type in KINDS[kind]:
            return Resolution(asked, "spelling", spelled)
    if exact:
        return Resolution(asked, "exact", exact)
    inherited = await _inherited(code, project, asked)
    if inherited:
        return Resolution(asked, "inherited", inherited)
    if root is not None and (spaced := await _in_namespace(code, project, asked, root, languages_of(name))):
        return Resolution(asked, "exact", _of_kind(spaced, kind))
    known = await remembered(code, project, asked, memory) if memory is not None else None
    if known is not None and known.scopes:
        return Resolution(asked, "moved", known.scopes, known.was)
    near = await _near(code, project, asked, await _owners(code, project, asked))
    return replace(near, scopes=_of_kind(near.scopes, kind), was=None if known is None else known.was)


def is_overload(scope: Scope) -> bool:
    """Whether a definition only states one more signature of what is implemented elsewhere (``@overload``)."""
    return "overload" in scope.modifiers


def implementations(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """The scopes without the overloads of what is among them; of overloads alone the first stands for all."""
    given = tuple(scopes)
    first: dict[tuple[str, str], Scope] = {}
    for scope in sorted(given, key=is_overload):
        first.setdefault((scope.file, scope.qualified_name), scope)
    return tuple(scope for scope in given if not is_overload(scope) or first[scope.file, scope.qualified_name] is scope)


def ranked(scopes: Iterable[Scope], asked: Reference) -> tuple[Scope, ...]:
    """The likeliest first: named to the end, no test, no mere declaration, no overload, no constant, outermost."""
    return tuple(
        sorted(
            scopes,
            key=lambda scope: (
                not stands_last(asked.parts, scope.qualified_name, scope.file),
                stands_aside(scope.file, scope.modifiers),
                is_declaration(scope.file),
                is_overload(scope),
                scope.type == "constant",
                scope.qualified_name.count("."),
                scope.file,
                scope.definition_line,
            ),
        )
    )


def _of_kind(scopes: Sequence[Scope], kind: str) -> tuple[Scope, ...]:
    """Those that are what the name is said to be first, else in their order; overloads behind what they overload."""
    wanted = KINDS.get(kind, ())

    def place(scope: Scope) -> tuple[bool, bool, int, bool]:
        nearness = wanted.index(scope.type) if scope.type in wanted else len(wanted)
        return (
            nearness == len(wanted),
            bool(wanted) and stands_aside(scope.file, scope.modifiers),
            nearness,
            is_overload(scope),
        )

    return tuple(sorted(scopes, key=place))


def _named(scopes: Iterable[Scope], asked: Reference) -> tuple[Scope, ...]:
    found = [
        scope
        for scope in scopes
        if fits(asked.parts, scope.qualified_name, scope.file) and (not asked.file or lies_in(asked.file, scope.file))
    ]
    return ranked(found, asked)


def _defined(found: tuple[Scope, ...], named: Iterable[Scope], asked: Reference) -> tuple[Scope, ...]:
    """``found`` behind what it only declares: ``attrs.define`` of a stub is ``define`` of another package.

    That is the project's one definition of the same name, tests aside; of several nobody knows which.
    """
    if not found or asked.file or not all(is_declaration(scope.file) for scope in found):
        return found
    names = {scope.qualified_name for scope in found}
    defined = [
        scope
        for scope in implementations(named)
        if scope.qualified_name in names
        and not is_declaration(scope.file)
        and not stands_aside(scope.file, scope.modifiers)
    ]
    return (*defined, *found) if len(defined) == 1 else found


async def _inherited(code: ScopeReader, project: str, asked: Reference) -> tuple[Scope, ...]:
    """A member asked for at a class that has it from a base: the bases are read off the class's signature."""
    if len(asked.parts) < 2:
        return ()
    owner = Reference(asked.parts[:-1], asked.file)
    waiting = [owner]
    seen: set[str] = set()
    while waiting and len(seen) < 20:
        next_one = waiting.pop(0)
        if next_one.text in seen:
            continue
        seen.add(next_one.text)
        for scope in _named(await code.by_name(project, next_one.name), next_one):
            member = await code.by_name(project, asked.name)
            own = [each for each in member if each.qualified_name == f"{scope.qualified_name}.{asked.name}"]
            if own:
                return ranked(own, Reference((asked.name,)))
            after = scope.signature.partition(scope.name)[2]
            waiting.extend(reference(base) for base in _BASES.findall(after))
    return ()


async def _in_namespace(
    code: ScopeReader, project: str, asked: Reference, root: Path, languages: Collection[str]
) -> tuple[Scope, ...]:
    """What the last parts name in a file of these languages where the first ones are its namespaces."""
    import anyio.to_thread

    named = (
        [each for each in await code.by_name(project, asked.name) if each.language in languages] if languages else []
    )
    for count in range(1, len(asked.parts)):
        rest = Reference(asked.parts[count:], asked.file)
        found = await anyio.to_thread.run_sync(within, root, _named(named, rest), asked.parts[:count], languages)
        if found:
            return tuple(found)
    return ()


async def _owners(code: ScopeReader, project: str, asked: Reference) -> list[Scope]:
    """The types that a dotted name says it is a member of, where they are called just so."""
    owner = Reference(asked.parts[:-1], asked.file)
    named = await code.by_name(project, owner.name) if owner.parts else []
    return [each for each in _named(named, owner) if each.type in TYPE_TYPES]


async def _near(code: ScopeReader, project: str, asked: Reference, owners: Sequence[Scope] = ()) -> Resolution:
    """Names that are the same but for spelling or a slip, or that contain the asked words.

    Of a type that is there (``owners``) only a member is near to one of it: `Request.hooks` is not a constant `HOOKS`.
    """
    everything = await code.names(project)
    if owners:
        inside = tuple(f"{each.qualified_name}." for each in owners)
        everything = [each for each in everything if each.qualified_name.startswith(inside)]
    names = {each.name for each in everything}
    known = vocabulary([*names, *(part for each in everything for part in each.file.split("/"))])
    slips = {
        # `_rate` is what a property `rate` reads, and not the property.
        name: edits + (asked.name.startswith("_") and not name.startswith("_") and edits == 0)
        for name in names
        if (edits := is_typo(asked.name, name, known)) is not None
    }
    placed = [
        (edits, each)
        for each in everything
        if each.name in slips and (edits := _edits(asked, each, slips[each.name], known)) is not None
    ]
    if placed:
        least = min(edits for edits, _ in placed)
        nearest = sorted((each for edits, each in placed if edits == least), key=lambda each: _as_written(asked, each))
        return Resolution(asked, "spelling" if least == 0 else "typo", await _scopes(code, project, nearest))
    if len(asked.parts) == 1:
        parts = {name for name in names if is_part(asked.name, name)}
        own = {each.name for each in everything if each.name in parts and not stands_aside(each.file)}
        containing = sorted(parts, key=lambda name: (name not in own, *_by_length(name)))[:MAX_PARTIAL]
        partial = [each for name in containing for each in everything if each.name == name and _in_file(asked, each)]
        if partial:
            return Resolution(asked, "partial", await _scopes(code, project, sorted(partial, key=_aside)))
    return Resolution(asked, "none")


def _edits(asked: Reference, name: ScopeName, last: int, known: frozenset[str]) -> int | None:
    """Edits in all of the asked parts; the parts before the last may leave out places, but keep their order."""
    if not _in_file(asked, name):
        return None
    places = [*module_parts(name.file), *name.qualified_name.split(".")[:-1]]
    total = last
    for part in reversed(asked.parts[:-1]):
        while places:
            edits = is_typo(part, places.pop(), known)
            if edits is not None:
                total += edits
                break
        else:
            return None
    return total if total <= MAX_EDITS else None


def _as_written(asked: Reference, name: ScopeName) -> tuple[int, bool, bool, int]:
    """The nearest with case and separators counted first (``test_docc`` is ``test_docs`` before ``TestDocs``)."""
    return distance(asked.name, name.name, 20), *_aside(name), name.qualified_name.count(".")


def _aside(name: ScopeName) -> tuple[bool, bool]:
    """Tests and mere declarations stand behind the rest."""
    return stands_aside(name.file), is_declaration(name.file)


def _in_file(asked: Reference, name: ScopeName) -> bool:
    return not asked.file or lies_in(asked.file, name.file)


def _by_length(name: str) -> tuple[int, str]:
    return len(words(name)), name


async def _scopes(code: ScopeReader, project: str, names: Sequence[ScopeName]) -> tuple[Scope, ...]:
    """The scopes of these names in their order; at most `MAX_NEAR`."""
    ordered = names[:MAX_NEAR]
    found = {scope.uuid: scope for scope in await code.by_uuid(project, [each.uuid for each in ordered])}
    return tuple(found[each.uuid] for each in ordered if each.uuid in found)
