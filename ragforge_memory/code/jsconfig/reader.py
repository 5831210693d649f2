"""``package.json``, ``tsconfig.json``: under which names a project's JavaScript and TypeScript import its own files.

Its packages are these names, ``lib/extra`` or with a final star ``lib/*``, and each again with what it means,
``NAME=PATH`` as seen from the file's folder. What it takes over from another file is ``=PATH``, and ``=`` says that
there is such a thing. It has no scopes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.syntax import blank

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft

# A string stays; a comment, and a comma before a closing bracket, goes.
_LOOSE = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)
_MAIN = ("source", "types", "typings", "module", "main")


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from the file's text."""
    try:
        settings = json.loads(_LOOSE.sub(lambda found: found[1] or "", draft.data.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return
    if not isinstance(settings, dict):
        return
    is_package = draft.path.rpartition("/")[2] == "package.json"
    for base in () if is_package else _strings(settings.get("extends")):
        # What has no dot before it is a package, whose files are another project's.
        if re.fullmatch(r"\.{1,2}(?:/\S*)?", base):
            draft.belong("=")
            draft.belong(f"={base}")
    for name, path in _package(settings) if is_package else _paths(settings):
        if name and not re.search(r"[\s=]", name):
            draft.belong(name)
            if path and not re.search(r"\s", path):
                draft.belong(f"{name}={path}")


def _package(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a package's name, and paths below it, mean."""
    name, exports = settings.get("name"), settings.get("exports")
    if not isinstance(name, str) or not name:
        return
    yield name, ""
    yield f"{name}/*", ""
    if not (isinstance(exports, dict) and all(key.startswith(".") for key in exports)):
        exports = {".": exports}
    for key, value in exports.items():
        for path in _strings(value):
            yield normpath(f"{name}/{key}"), path
    for key in _MAIN:
        if isinstance(settings.get(key), str):
            yield name, settings[key]


def _paths(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What TypeScript's ``paths`` and ``baseUrl`` say."""
    options = settings.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base, paths = options.get("baseUrl"), options.get("paths")
    for key, value in paths.items() if isinstance(paths, dict) else ():
        for path in _strings(value):
            yield key, normpath(f"{base or '.'}/{path}")
    if isinstance(base, str):
        yield "*", normpath(f"{base}/*")


def _strings(value: Any) -> Iterator[str]:
    """The texts in lists and under conditions, in order."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list | dict):
            stack.extend(reversed(list(part.values() if isinstance(part, dict) else part)))


READER = Reader(
    grammar="tree_sitter_javascript",
    handlers={},
    finish=extract,
    links=Links(modules=lambda index, file, imported: ()),
    prepare=blank,  # no code, and no grammar for it
)
