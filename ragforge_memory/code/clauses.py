"""What the handlers of several languages have in common: decisions, signatures, lists of parts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.open_scope import OpenScope

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import _Close
    from ragforge_memory.code.parsed import UseKind

    Visit = Iterable[Node | _Close]

_ENDING = re.compile(r"(?:\s|=>|=(?!\w)|[{;:])+$")

SIGNATURE_LIMIT = 160
"""Characters of a constant's signature; longer ones end in an ellipsis."""


def each(handler: Handler, types: str) -> dict[str, Handler]:
    """One handler for several types of nodes, their names apart by spaces."""
    return dict.fromkeys(types.split(), handler)


def nothing(draft: Draft, node: Node) -> Visit:
    """A node whose inside says nothing about other scopes."""
    return ()


def decision(draft: Draft, node: Node) -> Visit:
    """A branch: one more in the complexity, and on to what is inside."""
    draft.decide()
    return node.named_children


def deciding_operators(operators: frozenset[str]) -> Handler:
    """A handler of binary expressions: those with one of the operators decide."""

    def binary(draft: Draft, node: Node) -> Visit:
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in operators:
            draft.decide()
        return node.named_children

    return binary


def naming(kind: UseKind, *, but: Collection[str] = ()) -> Handler:
    """A handler of bare names: each is used, but for these."""

    def use(draft: Draft, node: Node) -> Visit:
        if (name := draft.text(node)) not in but:
            draft.use(name, None, kind, draft.line(node))
        return ()

    return use


def comment_free(nodes: Iterable[Node]) -> list[Node]:
    """The nodes that are not comments."""
    return [node for node in nodes if not node.type.endswith("comment")]


def first_named(node: Node | None) -> Node | None:
    """The first child that is not a comment."""
    if node is None:
        return None
    return next((child for child in node.named_children if not child.type.endswith("comment")), None)


def child_of_type(node: Node | None, *types: str) -> Node | None:
    """The first child of one of the types."""
    return next((child for child in node.children if child.type in types), None) if node is not None else None


def children_of_type(node: Node | None, *types: str) -> list[Node]:
    """All children of one of the types."""
    return [child for child in node.children if child.type in types] if node is not None else []


def present(*nodes: Node | None) -> list[Node]:
    """The nodes that there are."""
    return [node for node in nodes if node is not None]


def closing(nodes: Sequence[Node | None]) -> Visit:
    """What an opened definition visits, and its end."""
    return [*(node for node in nodes if node is not None), CLOSE]


def header(
    draft: Draft, node: Node, body: Node | None, inside: Node | None = None, without: Sequence[Node] = ()
) -> str:
    """The signature: from the node's start up to its body, else to its end, without comments.

    Args:
        inside: a part (the parameters) in which comments may stand too.
        without: other parts to leave out: annotations, attributes.
    """
    end = body.start_byte if body is not None else node.end_byte
    words = [part for child in node.children if child.type == "modifiers" for part in child.children]
    candidates = [*node.children, *words, *(inside.children if inside is not None else ())]
    cut = [*without, *(child for child in candidates if child.type.endswith("comment"))]
    cut.sort(key=lambda part: part.start_byte)
    return _ENDING.sub("", draft.compact(node.start_byte, end, cut))


def signature_line(draft: Draft, start: Node, end: Node | None = None) -> str:
    """A constant's signature: its text on one line, cut at SIGNATURE_LIMIT."""
    text = draft.compact(start.start_byte, (end or start).end_byte).rstrip("; ,")
    return text if len(text) <= SIGNATURE_LIMIT else f"{text[: SIGNATURE_LIMIT - 3]}..."


def bind_declared(draft: Draft, name: Node, declared: str | None, scope: OpenScope | None = None) -> None:
    """A variable with its declared type; of a collection ``X[]`` the elements are bound, as ``name[]``."""
    text, line = draft.text(name), draft.line(name)
    if declared is not None and declared.endswith("[]"):
        draft.bind(text, "unknown", None, line, scope)
        draft.bind(f"{text}[]", "type", declared.removesuffix("[]"), line, scope)
    else:
        draft.bind(text, "type", declared, line, scope)
