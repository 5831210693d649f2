"""The tree of a text, and what it says of the places that the grammar could not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# The parser looks up this often, and a byte each so many times fewer: 11 times as often as in any of 8,198 files, whole
# or broken in the middle. On some broken texts it would try forms for minutes (472 bytes of Rust: four and more).
_MOST_LOOKS, _BYTES_A_LOOK = 2_000, 4

# Nodes with the nodes around each, in all: what is asked of a node's surroundings, or said again of each that holds it,
# takes as many steps. Of 2,511 files of 17 projects none has more than a 200th of this, nor a fifth a node.
_MOST_LEVELS, _LEVELS_A_NODE = 200_000_000, 500
# Smaller parts of a tree are not counted.
_FEW = 50
_SEEN = re.compile(rb"[^\n]")


def blank(text: bytes) -> bytes:
    """As many spaces, with the line feeds."""
    return _SEEN.sub(b" ", text)


def tree_of(parser: Parser, data: bytes) -> Node | None:
    """The root of a text's tree; None where the parser does not come to an end in reasonable time."""
    view, most, looks = memoryview(data), _MOST_LOOKS + len(data) // _BYTES_A_LOOK, 0

    def has_enough(_: int, __: bool) -> bool:
        nonlocal looks
        looks += 1
        return looks > most

    try:
        return parser.parse(lambda at, _: view[at:], progress_callback=has_enough).root_node
    except ValueError:
        parser.reset()
        return None


def is_too_deep(root: Node) -> bool:
    """Whether a tree is nested so deeply that reading it would take a time that grows with the square of its size."""
    most = max(_MOST_LEVELS, _LEVELS_A_NODE * root.descendant_count)
    levels, stack = 0, [root]
    while stack and levels <= most:
        node = stack.pop()
        levels += node.descendant_count
        stack.extend([child for child in node.children if child.descendant_count > _FEW])
    return levels > most


def first_error(root: Node) -> str | None:
    """One line about the first place that the grammar could not read, None where it could read all."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing:
            return f"syntax error in line {node.start_point[0] + 1}: {node.type} is missing"
        if node.is_error:
            return f"syntax error in line {node.start_point[0] + 1}"
        stack.extend(reversed([child for child in node.children if child.has_error or child.is_missing]))
    return None


def unread_bytes(root: Node) -> int:
    """How much of a tree stands in its errors."""
    count, stack = 0, [root]
    while stack:
        node = stack.pop()
        if node.is_error:
            count += node.end_byte - node.start_byte
        elif node.has_error:
            stack.extend(node.children)
    return count


def error_places(root: Node) -> list[tuple[int, int]]:
    """From which byte to which errors go, in order. A root that is one counts as none: what is in it was read."""
    places, stack = [], list(root.children)
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            places.append((node.start_byte, node.end_byte))
        elif node.has_error:
            stack.extend(node.children)
    return sorted(places)
