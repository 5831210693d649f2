"""Which namespaces stand around the lines of a C++ file: they are no part of a definition's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.c.prepare import blanked
from ragforge_memory.code.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node


def namespaces_around(path: str, data: bytes, line: int) -> list[str]:
    """The names of the namespaces around a line, from outside in."""
    found: list[str] = []
    nodes: list[Node] = [parser_of("cpp", path).parse(blanked(data)).root_node]
    while nodes:
        node = nodes.pop()
        if not node.start_point[0] < line <= node.end_point[0] + 1:
            continue
        name = node.child_by_field_name("name") if node.type == "namespace_definition" else None
        if name is not None:
            text = data[name.start_byte : name.end_byte].decode("utf-8", "replace")
            found += ["".join(part.split()).removeprefix("inline") for part in text.split("::")]
        if node.type not in ("class_specifier", "struct_specifier", "function_definition"):
            nodes.extend(node.named_children)
    return found
