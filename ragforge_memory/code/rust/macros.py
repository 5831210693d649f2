"""The arguments of Rust macros: the grammar gives tokens alone, so calls and paths are told from their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.rust.text import rooted

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.clauses import Visit
    from ragforge_memory.code.draft import Draft

_WORDS = frozenset({"identifier", "self", "super", "crate"})
_THROUGH = frozenset({"unwrap", "expect", "clone", "as_ref", "as_mut"})


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
