"""The tool that follows imports: `find_imports`, what a file imports and what imports a file or a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ragforge_memory.errors import ToolError
from ragforge_memory.text.names import same_file
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.meanings import Sources, Unread, index_of
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import LIST_BYTES, code_of, fitting
from ragforge_memory.tools.written_uses import sources_of

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.parsed import Import, ParsedFile

MAIN_FILES = ("index", "__init__", "mod", "lib", "main")
"""What the file is called that is meant by its folder's name."""

_LINE = 200
"""Characters of a line that are shown."""

_LONGEST = 200
"""Lines of one import that are looked through for its end."""

_IMPORTS = re.compile(r"\b(?:import|from|use|using|require|include|export|extern|mod)\b")

_FEW = 3
"""Files that one import means which are shown; of more the folder."""


@tool
async def find_imports(context: ToolContext, target: str) -> ToolOutput:
    """Finds what a file imports (`imports`, with the files of this project that it means), and what imports it.

    `importers` are the lines of other files that import the file, or the module or name, where it is none: each import
    once, to its `end_line`. `file` is the path that the target was taken for, `''` where it is no file; `late` says
    that not all files were looked at.

    Args:
        target: a file's path or the end of it, a module (`click.core`), or a name (`Command`).
    """
    import anyio.to_thread

    code = code_of(context)
    asked = target.strip().strip("`'\"").replace("\\", "/").removeprefix("./")
    if not asked:
        raise ToolError("find_imports needs the name of a file, a module or a definition")
    files = await code.files(context.owner.project)
    with sources_of(context.root, context.owner.project) as sources:
        if sources is None:
            raise ToolError("the project's files are not on this machine", hint="run it where they are")
        return ToolOutput(await anyio.to_thread.run_sync(_looked_up, sources, files, asked))


def _looked_up(sources: Sources, files: Sequence[str], asked: str) -> dict[str, Any]:
    called_so = sorted((each for each in files if same_file(asked, each)), key=lambda each: (each.count("/"), each))
    file = called_so[0] if called_so else ""
    # It itself is read first: of the others there may be more than there is time for.
    own = sources.parsed(file) if file else None
    imports: list[dict[str, Any]] = []
    importing: dict[tuple[str, int], dict[str, Any]] = {}
    for some in _families(files, file):
        # What is imported under a name its name says; of a file the places of all others tell.
        index = index_of(sources, some, ()) if file else None
        seen = {} if file and index is None else sources.naming(some, _texts(file, asked))
        if own is not None:
            seen[file] = own
        for path, parsed in sorted(seen.items()):
            lines: dict[int, list[tuple[Import, tuple[str, ...]]]] = {}
            for each in parsed.imports:
                targets = tuple(_meant(index, parsed, each)) if index else ()
                if targets != (path,):
                    lines.setdefault(each.line, []).append((each, targets))
            for line, brought in sorted(lines.items()):
                entry = {"file": path, "line": line, "text": sources.line(path, line)[:_LINE]}
                if path == file:
                    to = dict.fromkeys(each for _, targets in brought for each in _shown(targets) if each != file)
                    modules = dict.fromkeys(_written(each.module, parsed.language) for each, _ in brought)
                    modules.pop("", None)
                    imports.append({**entry, "modules": list(modules), "to": list(to)})
                elif any(file in targets if file else _is_called(each, asked) for each, targets in brought):
                    begin = _begin(sources, path, line)
                    importing.setdefault((path, begin), {**entry, "end_line": _end(sources, path, begin)})
    importers = list(importing.values())
    return {
        "asked": asked,
        "file": file,
        "other_files": called_so[1:10],
        "totals": {"imports": len(imports), "importers": len(importers)},
        "imports": fitting(imports, LIST_BYTES // 2),
        "importers": fitting(importers, LIST_BYTES // 2),
        "late": sources.is_late,
    }


def _begin(sources: Sources, path: str, line: int) -> int:
    """The first line of the import that a line belongs to: some languages tell of each name where it stands."""
    begin = line
    while begin > 1 and line - begin < _LONGEST and not _IMPORTS.search(sources.line(path, begin)):
        above = sources.line(path, begin - 1).partition("#")[0].rstrip()
        if above and not above.endswith((",", "(", "{")) and not above.startswith("//"):
            return line
        begin -= 1
    return begin


def _end(sources: Sources, path: str, begin: int) -> int:
    """The last line of an import: that in which its brackets are closed."""
    depth = 0
    for number in range(begin, begin + _LONGEST):
        text = sources.line(path, number)
        depth += sum(map(text.count, "({")) - sum(map(text.count, ")}"))
        if depth <= 0:
            return number
    return begin


def _written(module: str, language: str) -> str:
    """A module as its language writes it; ``''`` where it is one inside of a file of the same package."""
    from ragforge_memory.code.languages import reader_of

    if module.partition(".")[0] in reader_of(language).links.inner_modules:
        return ""
    return module.replace(".", "::") if language == "rust" else module


def _families(files: Sequence[str], file: str) -> list[list[str]]:
    """The files by the families of their languages; of a file's own family alone, where it is about one."""
    from ragforge_memory.code.languages import language_of

    families: dict[str, list[str]] = {}
    for each in files:
        spoken = language_of(each)
        if spoken is not None:  # also what only says how others are reached
            families.setdefault(spoken.family, []).append(each)
    return [some for some in families.values() if not file or file in some]


def _texts(file: str, asked: str) -> list[bytes]:
    """What a file has that imports what is asked for: its name, or that of the folder it is in.

    Any text where a folder's main file is meant: ``require('..')`` names nothing.
    """
    from ragforge_memory.code.languages import language_of, reader_of

    if not file:
        return [re.split(r"[^\w-]+", asked.rstrip("./:"))[-1].encode()]
    folder, _, name = file.rpartition("/")
    stem, around = name.partition(".")[0], folder.rpartition("/")[2]
    if stem in MAIN_FILES:
        return [b""]
    spoken = language_of(file)
    # A package is imported with all files in it.
    by_path = spoken is not None and reader_of(spoken.name).links.by_path
    return [each.encode() for each in ((stem,) if by_path else (stem, around)) if each]


def _meant(index: ProjectIndex, parsed: ParsedFile, imported: Import) -> Iterator[str]:
    """The files of the project that an import means; none for other packages."""
    from ragforge_memory.code.languages import reader_of

    links = reader_of(parsed.language).links
    first = (imported.name or "").partition(".")[0]
    with suppress(Unread), index.reads.of(parsed.path):  # there may be no time to look at what it goes by
        for module in links.modules(index, parsed, imported):
            below = links.submodule(index, module, first) if first.strip("*") else None
            if below is not None or not module.endswith("/"):
                yield below or module
            else:
                inside = index.inside(module)
                outlines = index.layout.outlines
                yield from [each for each in inside if first in outlines[each].names] or inside


def _shown(targets: Sequence[str]) -> Sequence[str]:
    """The files, or of a package with many the folder."""
    if len(targets) <= _FEW:
        return targets
    return sorted({f"{each.rpartition('/')[0]}/" for each in targets})


def _is_called(imported: Import, asked: str) -> bool:
    """Whether an import is of a module or a name that is called so, or ends so."""
    wanted = "." + re.sub(r"::|[/\\]", ".", asked.rstrip("./:"))
    module = re.sub(r"[/\\]", ".", imported.module)
    written = (module, f"{module}.{imported.name or ''}", imported.local)
    return any(f".{each}".endswith(wanted) for each in written)
