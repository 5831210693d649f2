"""The arguments of Rust macros: the grammar gives tokens alone, so calls and paths are told from their order; and what
macros around items hold, which is read as a file of its own."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import child_of_type
from ragforge_memory.code.languages import parser_of
from ragforge_memory.code.rust.text import rooted
from ragforge_memory.code.syntax import tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft, Visit

_WORDS = frozenset({"identifier", "self", "super", "crate"})
_THROUGH = frozenset({"unwrap", "expect", "clone", "as_ref", "as_mut"})

_BRACE = re.compile(rb"[{}]")
# Macros in macros are read level by level, each time all that is inside.
_DEEPEST = 100
_TRY = re.compile(rb"\btry(?=\s*!\s*[(\[{])")


# Remembered, for each macro of a file asks for the whole of it.
@lru_cache(maxsize=1)
def prepared(data: bytes) -> bytes:
    """``try!``, a macro until Rust 2018 made a keyword of its name, under a name that the grammar (0.24) takes."""
    return _TRY.sub(b"trY", data)


def items_in(draft: Draft, node: Node) -> list[Node] | None:
    """What a macro around items holds: ``cfg_rt! { pub fn … }``, in a file, a module, an ``impl`` or a trait.

    None where it holds something else, stands in a function, or is nested deeper than anybody writes.
    """
    body, around = child_of_type(node, "token_tree"), _around(node)
    if body is None or around is None or draft.data[body.start_byte : body.start_byte + 1] != b"{":
        return None
    if _is_deep(draft.data[body.start_byte : body.end_byte]):
        return None
    from tree_sitter import Range

    def between(start: Node, end: Node) -> Range:
        return Range(start.end_point, end.start_point, start.end_byte, end.start_byte)

    ranges = [between(body.children[0], body.children[-1])]
    held = around.parent if around.type == "declaration_list" else None
    if held is not None and held.type != "mod_item":
        # Read as if they stood in it without the macro: that is what they are members of.
        brace, last = around.children[0], around.children[-1]
        head = Range(held.start_point, brace.end_point, held.start_byte, brace.end_byte)
        ranges = [head, *ranges, Range(last.start_point, last.end_point, last.start_byte, last.end_byte)]
    parser = parser_of("rust", draft.path)
    parser.included_ranges = ranges
    try:
        root = tree_of(parser, prepared(draft.data))
    finally:
        parser.included_ranges = []
    if root is None or root.has_error:
        return None
    items = root.children
    if len(ranges) > 1:
        found = root.children[0].child_by_field_name("body")
        items = found.named_children if found is not None else []
    return items if any(item.type.endswith(("_item", "_type")) or _may_hold_items(item) for item in items) else None


def _is_deep(text: bytes) -> bool:
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == b"{" else -1
        if depth > _DEEPEST:
            return True
    return False


def _may_hold_items(node: Node) -> bool:
    """Whether a node is a macro with braces, which is asked in its turn."""
    body = child_of_type(node, "token_tree") if node.type == "macro_invocation" else None
    return body is not None and body.children[0].type == "{"


def _around(node: Node) -> Node | None:
    """What a macro stands in, where items can stand; a statement's end may be around it."""
    around = node.parent
    if around is not None and around.type in ("source_file", "declaration_list"):
        return around
    return None


def token_tree(draft: Draft, node: Node) -> Visit:
    """Say the calls, paths and capitalised names of a token tree; lone small names say too little."""
    children = node.children
    inside = [child for child in children if child.type == "token_tree"]
    place = 0
    while place < len(children):
        if children[place].type in _WORDS and not _follows_dot(children, place):
            place = _chain(draft, children, place)
        else:
            place += 1
    return inside


def _follows_dot(children: list[Node], place: int) -> bool:
    return place > 0 and children[place - 1].type in (".", "::")


def _chain(draft: Draft, children: list[Node], place: int) -> int:
    """One ``a::b.c(…).d(…)``; the place behind it."""
    receiver, name, line = "", draft.text(children[place]), draft.line(children[place])
    first = name
    place += 1
    if first in ("self", "super"):
        while place + 1 < len(children) and children[place].type == "::" and children[place + 1].type == "super":
            name = f"{name}.super"
            place += 2
        if place < len(children) and children[place].type == "::":
            name = rooted(draft, name)
    while True:
        following = children[place].type if place < len(children) else ""
        called = (
            following == "token_tree"
            and draft.data[children[place].start_byte : children[place].start_byte + 1] == b"("
        )
        if following == "!" and place + 1 < len(children) and children[place + 1].type == "token_tree":
            draft.use(name, receiver or None, "call", line)
            return place + 2
        if called:
            draft.use(name, receiver or None, "call", line)
            whole = f"{receiver}.{name}" if receiver else name
            receiver, name = (receiver, "") if name in _THROUGH and receiver else (f"{whole}()", "")
            place += 1
            following = children[place].type if place < len(children) else ""
        if following in (".", "::") and place + 1 < len(children) and children[place + 1].type in _WORDS:
            if name:
                receiver = f"{receiver}.{name}" if receiver else name
            name, line = draft.text(children[place + 1]), draft.line(children[place + 1])
            if following == "::" and receiver == first and first[:1].isupper() and first != "Self":
                draft.use(first, None, "reference", line)
            place += 2
            continue
        if name and not called and (name[:1].isupper() or (receiver and children[place - 2].type == "::")):
            draft.use(name, receiver or None, "reference", line)
        return place
