"""The syntax trees of the package's own files."""

from __future__ import annotations

import ast
from pathlib import Path

from ragforge_memory.collection import paused_collection


def tree_of_file(path: Path) -> ast.Module:
    """A file's tree.

    Nothing is collected meanwhile: what is told of a finalizer that fails has a traceback, which asks for a tree
    itself, and two at once are "AST constructor recursion depth mismatch" (CPython 3.11).
    """
    with paused_collection():
        return ast.parse(path.read_text(encoding="utf-8"))
