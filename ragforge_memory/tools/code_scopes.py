"""Tools that show definitions: `read_scope` for one, `outline` for a file, a class or a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.asides import is_test_case
from ragforge_memory.code.parsed import TYPE_TYPES
from ragforge_memory.errors import ToolError
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.names import distance, module_parts, reference, same_file
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import inside as inside_project
from ragforge_memory.tools.project_files import is_setting, is_source, is_unread, text_files
from ragforge_memory.tools.resolve import is_overload, resolve
from ragforge_memory.tools.shown import before, code_of, not_read, shown, tests, uuids

if TYPE_CHECKING:
    from ragforge_memory.models.code import Scope, ScopeName
    from ragforge_memory.tools.ports import ScopeReader

MAX_DEFINITIONS = 20
"""Definitions of one name in a result; with source, the first `MAX_WITH_SOURCE` alone have it."""

MAX_WITH_SOURCE = 3

MAX_DETAILED = 80
"""Scopes of an outline that are shown with signature and documentation."""

MAX_FILES_DETAILED = 40
"""Files of a folder that are shown with the names of what they define."""

MAX_OUTLINE = 400
"""Scopes in one outline: a file of some 10,000 lines."""

_FROM_THE_TOP = re.compile(r"/|~/|(?:…|\.\.\.)/|[A-Za-z]:/")
_VERSION = re.compile(r"(?<=.)@.*")


@tool
async def read_scope(
    context: ToolContext, name: str, file: str = "", kind: str = "", include_source: bool = True
) -> ToolOutput:
    """Reads the definition of a function, method, class or constant: place, signature, documentation, source.

    Names may be bare (`invoke`), dotted (`Command.invoke`, `click.core.Command`), partial or slightly
    misspelled; `match` in the result says how the name was taken (exact, inherited, moved, spelling, typo, partial,
    none). `was` says where it was when it was spoken of, if it is elsewhere, called something else or gone since.
    Several definitions of the name are all listed, the likeliest first; `overload` marks those that only state
    another signature of one that is implemented. Where the name is not defined, `not_read` are files that may define
    it and were not read, or only in part.

    Args:
        name: the name to look up.
        file: path of the file that has it, or the end of that path, where more than one does.
        kind: what it is (`class`, `function`, `method`, `constant`), where other things have that name too.
        include_source: whether the source text comes along; without it only place, signature and documentation.
    """
    code = code_of(context)
    project = context.owner.project
    found = await resolve(code, project, name, file, kind, context.root, context.messages)
    scopes = list(found.scopes[:MAX_DEFINITIONS])
    if include_source and scopes:
        with_source = {
            each.uuid: each for each in await code.by_uuid(project, [s.uuid for s in scopes[:MAX_WITH_SOURCE]])
        }
        scopes = [with_source.get(each.uuid, each) for each in scopes]
    return ToolOutput(
        {
            "asked": found.asked.text,
            "match": found.match,
            **before(found.was),
            **(await not_read(context) if found.match in ("typo", "partial", "none") else {}),
            "total": len(found.scopes),
            "scopes": [
                shown(each, source=include_source and number < MAX_WITH_SOURCE, docstring=number < MAX_WITH_SOURCE)
                for number, each in enumerate(scopes)
            ],
        },
        scopes=uuids(scopes[:MAX_WITH_SOURCE]),
    )


@tool
async def outline(context: ToolContext, target: str) -> ToolOutput:
    """Lists what a file, a class or a folder contains: each definition with its line and signature.

    Of a folder the files, and where they are few the names of what each defines, else how many are in each folder;
    `types` counts all definitions there by what they are, and tests once more as `test`.
    A path from elsewhere (of an installed copy, of another machine) is taken for the file that ends like it: `match`
    is `partial` then. `other_files` of a file are those that its name fits as well, `other_scopes` of a class other
    classes of that name; `unread` is a source file that is
    there, but whose definitions are not known (of some languages none are): read_file shows it.

    Args:
        target: a file's path or the end of it (`core.py`), a module (`click.core`), a class, or a folder; `.` is
            the whole project.
    """
    code = code_of(context)
    project = context.owner.project
    files = await code.files(project)
    path = _path(_inside(context, target))
    match, matching = _files(path, files, context.root.resolve().name if context.root is not None else "")
    inside = [each for each in _folder(target, files) if not is_setting(each)]
    nothing: dict[str, Any] = {"asked": target, "match": "none", "kind": "none", "total": 0, "scopes": []}
    if path not in files and (unread := await _unread(context, path)):
        return ToolOutput({**nothing, "unread": unread, "other_files": matching[:10] if match == "exact" else []})
    # The path of a folder is also that of the package's module in it.
    if matching and not (inside and "/" in target.strip("`'\"")):
        scopes = await code.outline(project, matching[0])
        return ToolOutput(
            {
                "asked": target,
                "match": match,
                "kind": "file",
                "file": matching[0],
                "other_files": matching[1:10],
                **_listed(scopes),
            },
            scopes=uuids(scopes[:MAX_OUTLINE]) if len(scopes) <= 20 else (),
        )
    if inside:
        return ToolOutput(
            {
                "asked": target,
                "match": "exact",
                "kind": "folder",
                "total": len(inside),
                "files": inside[:MAX_OUTLINE],
                "types": await _types(code, project, inside),
                **(
                    await _outermost(code, project, inside)
                    if len(inside) <= MAX_FILES_DETAILED
                    else {"folders": _folders(inside)}
                ),
            }
        )
    if "/" in path and is_source(path):
        # `source/index.ts` is not a member `ts` of what is called like the rest.
        return ToolOutput(nothing)
    found = await resolve(code, project, target, root=context.root, memory=context.messages)
    if not found.scopes:
        return ToolOutput({**nothing, **before(found.was)})
    owner = found.scopes[0]
    members = [
        each
        for each in await code.outline(project, owner.file)
        if each.uuid != owner.uuid and each.qualified_name.startswith(f"{owner.qualified_name}.")
    ]
    if owner.type in TYPE_TYPES:
        members += await code.members_elsewhere(project, owner.uuid, limit=MAX_OUTLINE)
    return ToolOutput(
        {
            "asked": target,
            "match": found.match,
            **before(found.was),
            "kind": "scope",
            "file": owner.file,
            "scope": shown(owner),
            **({"other_scopes": [shown(each) for each in others]} if (others := _others(found.scopes)) else {}),
            **_listed(members, owner.file),
        },
        scopes=(owner.uuid,),
    )


def _others(scopes: Sequence[Scope]) -> list[Scope]:
    """The other types that a name means which means a type."""
    owner, *rest = scopes
    places = {(owner.file, owner.qualified_name)}
    found = []
    for each in rest if owner.type in TYPE_TYPES else ():
        if each.type in TYPE_TYPES and (place := (each.file, each.qualified_name)) not in places:
            places.add(place)
            found.append(each)
    return found[:MAX_DEFINITIONS]


async def _types(code: ScopeReader, project: str, files: Sequence[str]) -> dict[str, int]:
    """How many definitions the files have of each type, and how many of them are tests."""
    here = set(files)
    found = [each for each in await code.names(project) if each.file in here]
    tests = sum(map(_is_test, found))
    return {**Counter(each.type for each in found), **({"test": tests} if tests else {})}


async def _outermost(code: ScopeReader, project: str, files: Sequence[str]) -> dict[str, Any]:
    """What the files of a folder define, without what is inside of that: names alone, in order of the alphabet.

    A member of what is defined elsewhere (an ``impl`` of another file's type) has its whole name. What stands around
    other types only to give them a longer name (Ruby's modules) is left out.
    """
    here = set(files)
    named = [each for each in await code.names(project) if each.file in here]
    types = {(each.file, each.qualified_name) for each in named if each.type in TYPE_TYPES}
    around = {(file, outer) for file, name in types for outer in _around(name)}
    found: dict[str, set[str]] = {file: set() for file in files}
    for each in named:
        if each.type != "trait" or (each.file, each.qualified_name) not in around:
            found[each.file].add(each.qualified_name)
    return {
        "definitions": {
            file: sorted(name for name in names if names.isdisjoint(_around(name))) for file, names in found.items()
        }
    }


def _around(qualified_name: str) -> list[str]:
    """The names of what a definition is inside of."""
    parts = qualified_name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _folders(files: Sequence[str]) -> dict[str, int]:
    """How many files there are in each folder, those deeper than the third level counted there."""
    return dict(Counter("/".join(file.split("/")[:-1][:3]) or "." for file in files))


def _listed(scopes: Sequence[Scope], file: str = "") -> dict[str, Any]:
    """What is inside of something; of a definition of ``file`` what is in others has its own."""
    if len(scopes) <= MAX_DETAILED:
        return {"total": len(scopes), "scopes": [shown(each) for each in scopes]}
    # A long file: what is where, without signatures; the outermost definitions go first where not all fit.
    outermost = sorted(scopes, key=lambda each: each.qualified_name.count("."))[:MAX_OUTLINE]
    kept = {each.uuid for each in outermost}
    return {
        "total": len(scopes),
        "scopes": [
            {
                "name": each.name,
                "qualified_name": each.qualified_name,
                "type": each.type,
                "line": each.definition_line,
                "end_line": each.end_line,
                **({"file": each.file} if file not in ("", each.file) else {}),
                **({"overload": True} if is_overload(each) else {}),
                **tests(each),
            }
            for each in scopes
            if each.uuid in kept
        ],
    }


def _inside(context: ToolContext, target: str) -> str:
    """A path from the file system's root, as tracebacks have them, as one from the project's root if it is in there."""
    if context.root is None or not target.startswith("/"):
        return target
    return target.removeprefix(f"{context.root.resolve().as_posix()}/")


async def _unread(context: ToolContext, path: str) -> str:
    """The path of a source file that is there and not in the graph: skipped, or newer than the last ingest, or in a
    language that is not read, which the end of its path may name."""
    if context.root is None or not (is_source(path) or is_unread(path)):
        return ""
    import anyio.to_thread

    root = context.root.resolve()
    there = await anyio.to_thread.run_sync(inside_project, root, path)
    if there is not None:
        return there.relative_to(root).as_posix()
    if not is_unread(path):
        return ""
    return await anyio.to_thread.run_sync(lambda: next((x for x in text_files(root) if same_file(path, x)), ""))


def _path(target: str) -> str:
    return target.strip().strip("`'\"").replace("\\", "/").removeprefix("./")


def _files(asked: str, files: Sequence[str], project: str) -> tuple[str, list[str]]:
    """How a file's path was taken, and the files it means: the shortest path first."""
    if not asked:
        raise ToolError("outline needs the name of a file, a class or a folder")
    exact = [file for file in files if same_file(asked, file)]
    # A path from further up (of a traceback, of a diff from the work tree's root) ends with the project's own.
    exact = exact or [file for file in files if "/" in file and same_file(file, asked)]
    if exact:
        return "exact", sorted(exact, key=lambda file: (file.count("/"), file))
    if (elsewhere := _ends_like(asked, files, project)) is not None:
        return "partial", [elsewhere]
    folder, _, last = asked.rpartition("/")
    if "." in last and len(last) > 5:
        # A file's name with one slip in it; two would make another file's name, and so does another folder.
        slips = [
            file
            for file in files
            if (not folder or same_file(folder, file.rpartition("/")[0]))
            and distance(last.lower(), file.rsplit("/", 1)[-1].lower(), 1) <= 1
            and file.rsplit(".", 1)[-1].lower() == last.rsplit(".", 1)[-1].lower()
        ]
        if slips:
            return "typo", sorted(slips, key=lambda file: (file.count("/"), file))
    parts = list(reference(asked).parts)
    if len(parts) > 1:
        modules = [file for file in files if module_parts(file)[-len(parts) :] == parts]
        if modules:
            return "exact", sorted(modules, key=lambda file: (file.count("/"), file))
    return "none", []


def _ends_like(asked: str, files: Sequence[str], project: str) -> str | None:
    """The file that has most of the end of a path from a file system's top: its name and the folder that it is in,
    which is the project's own for a file at the root (``mux@v1.8.1/mux.go``). None where there is no such file, or two
    are as near."""
    if not _FROM_THE_TOP.match(asked):
        return None
    wanted = [_VERSION.sub("", part) for part in asked.lower().split("/")[::-1]]
    found: dict[int, list[str]] = {}
    for file in files:
        have = [*file.lower().split("/")[::-1], project.lower()]
        same = next((n for n, pair in enumerate(zip(wanted, have, strict=False)) if pair[0] != pair[1]), len(have))
        found.setdefault(same, []).append(file)
    most = max(found, default=0)
    return found[most][0] if most > 1 and len(found[most]) == 1 else None


def _folder(target: str, files: Sequence[str]) -> list[str]:
    asked = _path(target).strip("/")
    if asked == ".":
        return list(files)
    if not asked:
        return []
    below = [file for file in files if file.startswith(f"{asked}/")]
    return below or [file for file in files if f"/{asked}/" in f"/{file}"]


def _is_test(name: ScopeName) -> bool:
    """Whether a definition is a test, by its modifiers or its name."""
    return name.type in ("function", "method") and (name.test or is_test_case(name.name, name.file))
