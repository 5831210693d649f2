"""What the handlers of several languages have in common: decisions, signatures, documentation, lists of parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import wraps
from textwrap import dedent
from typing import TYPE_CHECKING

from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.open_scope import OpenScope
from ragforge_memory.code.parsed import LONGEST_TEXT

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft, Visit
    from ragforge_memory.code.parsed import BindingKind, UseKind


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


def named(handler: Callable[[Draft, Node, Node], Visit]) -> Handler:
    """A handler of what has a name, which it is given too; of what has lost it only what is inside is visited."""

    def visit(draft: Draft, node: Node) -> Visit:
        name = node.child_by_field_name("name")
        return node.named_children if name is None else handler(draft, node, name)

    return visit


def chain(step: Callable[[Draft, Node, list[str]], Node | str | None]) -> Callable[[Draft, Node | None], str]:
    """What gives an expression as dotted text (see parsed.py), from its end to its beginning.

    Args:
        step: puts what a node adds behind what is before it into the list, and gives that; or the beginning itself, or
            None where it cannot be told.
    """

    @wraps(step)
    def dotted(draft: Draft, node: Node | None) -> str:
        tail: list[str] = []
        while node is not None and len(tail) < LONGEST_TEXT:
            found = step(draft, node, tail)
            if isinstance(found, str):
                return "".join([found, *reversed(tail)])
            node = found
        return "".join(["?", *reversed(tail)])

    return dotted


def returning(value: Callable[[Draft, Node | None], tuple[BindingKind, str | None]]) -> Handler:
    """A handler of ``return``: where nothing is declared, a function returns what is known of the value."""

    def result(draft: Draft, node: Node) -> Visit:
        scope = draft.current
        if scope is not None and scope.returns is None and scope.type in ("function", "method"):
            kind, known = value(draft, first_named(node))
            if known is not None:
                draft.bind("return", kind, known, draft.line(node))
        return node.named_children

    return result


def case_decision(draft: Draft, node: Node) -> Visit:
    """``case`` decides, ``default`` does not."""
    if node.child_count and node.children[0].type == "case":
        draft.decide()
    return node.named_children


def only(*fields: str) -> Handler:
    """A handler of which these parts alone matter, in this order: names of parameters and fields are not uses."""
    return lambda draft, node: present(*map(node.child_by_field_name, fields))


def all_but(field: str) -> Handler:
    """A handler of which one part does not matter: a name, a condition for the preprocessor."""

    def rest(draft: Draft, node: Node) -> Visit:
        left_out = node.child_by_field_name(field)
        return [child for child in node.named_children if child != left_out]

    return rest


def all_but_types(*types: str) -> Handler:
    """The same of parts by their types."""
    return lambda draft, node: [child for child in node.named_children if child.type not in types]


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


_LINE_MARK = re.compile(r"^\s*(?://[/!]?<?|#)")
_STAR = re.compile(r"^\s*\*(?!/)")
_DIRECTIVE = re.compile(
    r"^\s*(?://\s?(?:go:|\+build|nolint|export |clang-format|NOLINT|#nosec)|#\s*(?:rubocop:|frozen_string_literal))"
)
"""Comments that speak to a tool and not to a reader."""

_XML_REFERENCE = re.compile(r'<(?:see|paramref|typeparamref)\s+\w+="(?:[A-Z]:)?([^"]*)"\s*/>')
_XML_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")

_MOST_BEFORE = 1_000
"""So many nodes before another are looked at: each costs a way through all that its parent holds."""


def before(node: Node) -> Iterator[Node]:
    """The nodes before one in its parent, the nearest first."""
    for _ in range(_MOST_BEFORE):
        sibling = node.prev_sibling
        if sibling is None:
            return
        yield sibling
        node = sibling


def doc_before(draft: Draft, node: Node, *, skipping: frozenset[str] = frozenset()) -> str | None:
    """What the comments directly before a node say; None where there are none.

    A block is the comments that end on the line before the node (or before one another): a blank line between
    cuts it off, and so does a comment that stands behind code on its line. ``/** … */``, which is made to document what
    follows, may have a blank line behind it, unless it begins the file.

    Args:
        node: the whole definition, with its decorators.
        skipping: types of nodes that may stand between (attributes that are siblings, not children).
    """
    top = node.start_point[0]
    texts: list[str] = []
    for sibling in before(node):
        row, column = sibling.end_point
        last = row if column else row - 1
        if sibling.type in skipping and last >= top - 1:
            top = sibling.start_point[0]
        elif sibling.type.endswith("comment") and (
            (last in (top - 1, top) and not _behind_code(draft, sibling))
            or (not texts and last == top - 2 and _documents(draft, sibling))
        ):
            top = sibling.start_point[0]
            texts.append(draft.text(sibling))
        else:
            break
    return clean(texts[::-1]) if texts else None


def _documents(draft: Draft, comment: Node) -> bool:
    return comment.start_point[0] > 0 and draft.text(comment).startswith("/**")


def _behind_code(draft: Draft, comment: Node) -> bool:
    start = draft.data.rfind(b"\n", 0, comment.start_byte) + 1
    return bool(draft.data[start : comment.start_byte].strip())


def clean(comments: list[str]) -> str | None:
    """Comments without their marks, decoration and common indentation; None if nothing is left."""
    lines: list[str] = []
    for comment in comments:
        text = comment.strip()
        if text.startswith("/*"):
            lines += _block(text)
        elif text.startswith("=begin"):
            lines += text.split("\n")[1:-1]
        else:
            lines += [_LINE_MARK.sub("", line) for line in text.split("\n") if not _DIRECTIVE.match(line)]
    cleaned = dedent("\n".join("" if _is_rule(line) else line.rstrip() for line in lines)).strip("\n")
    return cleaned.strip() or None


def _block(text: str) -> list[str]:
    """The lines of one ``/* … */``; its first line is taken to be indented as the second."""
    inner = text[2:].removesuffix("*/").lstrip("*!")
    first, *rest = inner.split("\n")
    rest = [_STAR.sub("", line) for line in rest]
    rest = dedent("\n".join(rest)).split("\n") if rest else []
    return [first.strip(), *rest]


def _is_rule(line: str) -> bool:
    """A line of dashes, stars or slashes that only decorates."""
    stripped = line.strip()
    return len(stripped) > 2 and not stripped.strip("-=*/#~_")


def without_xml(text: str | None) -> str | None:
    """C#'s documentation as text: references by their names, tags dropped."""
    if text is None:
        return None
    plain = _XML_TAG.sub("", _XML_REFERENCE.sub(r"\1", text))
    lines = [line.strip() for line in plain.replace("&lt;", "<").replace("&gt;", ">").split("\n")]
    return "\n".join(lines).strip() or None
