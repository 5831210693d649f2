"""The tool that finds files by what they and their definitions are called: `find_files`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.language.reading.wording import beginning, covered, stem
from ragforge_memory.retrieval.relevance import asks_for_aside
from ragforge_memory.text.names import is_declaration, stands_aside
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.project_files import is_source
from ragforge_memory.tools.shown import code_of

MAX_FILES = 8
MAX_NAMES = 5
_LONG = 4
"""Letters of a word that a file's name may begin with without any border behind it (``staticfiles``)."""


@tool
async def find_files(context: ToolContext, words: str) -> dict[str, Any]:
    """Finds the files of code whose names, or whose definitions' names, have some words; the likeliest first.

    Of each `called` are those of the words that the file's name has, `words` those that it or a definition has, and
    `definitions` are called by some. Tests, examples and mere declarations, `aside`, come last.

    Args:
        words: what is done there, in plain words.
    """
    code, project = code_of(context), context.owner.project
    asked = tuple(words.split())
    named: dict[str, dict[str, tuple[str, ...]]] = {}
    for each in await code.names(project):
        if have := covered(asked, each.name):
            named.setdefault(each.file, {}).setdefault(each.qualified_name, have)
    found = []
    for file in await code.files(project):
        called = _called(asked, file)
        definitions = named.get(file, {})
        inside = {word for have in definitions.values() for word in have}
        if is_source(file) and (called or inside):
            best = max(map(len, definitions.values()), default=0)
            rank = (-2 * len(called) - len(inside.difference(called)), -len(called), -best, -len(definitions), file)
            found.append((_is_aside(file) and not asks_for_aside(words), rank, file, called, inside, definitions))
    found.sort(key=lambda each: each[:2])
    return {
        "words": words,
        "total": len(found),
        "files": [
            {
                "file": file,
                "called": called,
                "words": [word for word in asked if word in called or word in inside],
                "definitions": sorted(definitions, key=lambda name: -len(definitions[name]))[:MAX_NAMES],
                "more": max(0, len(definitions) - MAX_NAMES),
                **({"aside": True} if aside else {}),
            }
            for aside, _, file, called, inside, definitions in found[:MAX_FILES]
        ],
    }


def _is_aside(file: str) -> bool:
    return stands_aside(file) or is_declaration(file)


def _called(asked: tuple[str, ...], file: str) -> list[str]:
    """Those of the words that a file's name has, or begins with."""
    name = file.rpartition("/")[2].partition(".")[0].lower()
    sure = covered(asked, name)
    return [
        word
        for word in asked
        if word in sure or (len(stem(word)) >= _LONG and name.startswith(beginning(word.lower())))
    ]
