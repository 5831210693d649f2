"""``go.mod``: the path of the module that a folder is. Its package is that path; it has no scopes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.syntax import blank

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft

_MODULE = re.compile(rb"^[ \t]*module(?:[ \t]*\(\s*|[ \t]+)([\"`]?)([^\s\"`()]+)\1", re.MULTILINE)


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from the file's text."""
    found = _MODULE.search(draft.data)
    if found is not None:
        draft.belong(found[2].decode("utf-8", "replace"))


READER = Reader(
    grammar="tree_sitter_go",
    handlers={},
    finish=extract,
    links=Links(modules=lambda index, file, imported: ()),
    prepare=blank,  # no code, and no grammar for it
)
