"""Where in a C++ file which namespaces are: they are no part of a definition's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.c.prepare import blanked
from ragforge_memory.code.c.types import space_names
from ragforge_memory.code.languages import parser_of
from ragforge_memory.code.syntax import tree_of

if TYPE_CHECKING:
    from tree_sitter import Node


def namespaces_of(path: str, data: bytes) -> list[tuple[int, int, str]]:
    """First line, last line and name of each namespace in a file, outer ones before inner ones."""
    found: list[tuple[int, int, str]] = []
    root = tree_of(parser_of("cpp", path), blanked(data))
    nodes: list[Node] = [] if root is None else [root]
    while nodes:
        node = nodes.pop()
        name = node.child_by_field_name("name") if node.type == "namespace_definition" else None
        if name is not None:
            text = data[name.start_byte : name.end_byte].decode("utf-8", "replace")
            found += [(node.start_point[0] + 1, node.end_point[0] + 1, each) for each in space_names(text)]
        if node.type not in ("class_specifier", "struct_specifier", "function_definition"):
            nodes.extend(node.named_children)
    return found
