"""What Rust statements and patterns bind, and the types that patterns name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import bind_declared, comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.rust.text import dotted, iterated, type_text, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft, Visit
    from ragforge_memory.code.parsed import BindingKind


_HOLDING = frozenset({"Some", "Ok", "Err"})
_TRANSPARENT = frozenset(
    {"mut_pattern", "reference_pattern", "ref_pattern", "captured_pattern", "remaining_field_pattern"}
)


def bind_pattern(
    draft: Draft,
    pattern: Node | None,
    declared: Node | None = None,
    value: tuple[str, str | None] = ("unknown", None),
) -> list[Node]:
    """Bind what a pattern binds, and say what it names.

    Args:
        declared: the type's node, where there is one.
        value: what is known of the whole value; goes to a lone name, also through ``Some`` and ``Ok``.

    Returns:
        Nodes inside that are still to be visited.
    """
    known = ("type", type_text(draft, declared)) if declared is not None else value
    inside: list[Node] = []
    stack: list[tuple[Node, tuple[str, str | None]]] = [(pattern, known)] if pattern else []
    while stack:
        node, what = stack.pop()
        kind = node.type
        if kind in ("identifier", "shorthand_field_identifier"):
            _name(draft, node, what)
        elif kind in _TRANSPARENT:
            stack += [(child, what) for child in comment_free(node.named_children) if child.type != "mutable_specifier"]
        elif kind == "tuple_struct_pattern":
            _tuple_struct(draft, node, what, stack)
        elif kind == "struct_pattern":
            _named(draft, node.child_by_field_name("type"))
            stack += [(child, ("unknown", None)) for child in node.named_children if child.type == "field_pattern"]
        elif kind == "field_pattern":
            inner = node.child_by_field_name("pattern")
            name = node.child_by_field_name("name")
            target = inner or name
            if target is not None:
                stack.append((target, ("unknown", None)))
        elif kind == "scoped_identifier":
            _named(draft, node)
        elif kind in ("range_pattern", "macro_invocation", "const_block"):
            inside.append(node)
        else:
            stack += [(child, ("unknown", None)) for child in comment_free(node.named_children)]
    return inside


def _tuple_struct(
    draft: Draft, node: Node, what: tuple[str, str | None], stack: list[tuple[Node, tuple[str, str | None]]]
) -> None:
    kind = node.child_by_field_name("type")
    _named(draft, kind)
    inner = [child for child in comment_free(node.named_children) if child != kind]
    through = len(inner) == 1 and kind is not None and draft.text(kind) in _HOLDING
    stack += [(child, what if through else ("unknown", None)) for child in inner]


def _name(draft: Draft, node: Node, what: tuple[str, str | None]) -> None:
    text = draft.text(node)
    if text[:1].isupper():  # a constant, or a variant that ``use`` brought in
        draft.use(text, None, "reference", draft.line(node))
    elif what[0] == "type":
        bind_declared(draft, node, what[1])
    else:
        kind: BindingKind = "call" if what[0] == "call" else "alias" if what[0] == "alias" else "unknown"
        draft.bind(text, kind, what[1], draft.line(node))


def _named(draft: Draft, node: Node | None) -> None:
    """A variant or a struct that a pattern takes apart."""
    if node is None:
        return
    text = dotted(draft, node)
    receiver, _, name = text.rpartition(".")
    if name not in _HOLDING and text != "Self":
        draft.use(name, receiver or None, "reference", draft.line(node))
        first = receiver.partition(".")[0]
        if receiver and first == receiver and first[:1].isupper() and first != "Self":
            draft.use(first, None, "reference", draft.line(first_named(node) or node))


def bind_let(draft: Draft, node: Node) -> Visit:
    pattern, kind = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    known = ("type", type_text(draft, kind)) if kind is not None else value_of(draft, value)
    if known[1] is None and kind is not None:
        known = value_of(draft, value)
    inner = bind_pattern(draft, pattern, None, known)
    return [*inner, *present(kind, value, node.child_by_field_name("alternative"))]


def bind_let_condition(draft: Draft, node: Node) -> Visit:
    value = node.child_by_field_name("value")
    inner = bind_pattern(draft, node.child_by_field_name("pattern"), None, value_of(draft, value))
    return [*inner, *present(value)]


def bind_for(draft: Draft, node: Node) -> Visit:
    draft.decide()
    value = node.child_by_field_name("value")
    element = iterated(draft, value)
    known = ("alias" if element else "unknown", element)
    inner = bind_pattern(draft, node.child_by_field_name("pattern"), None, known)
    return [*inner, *present(value, node.child_by_field_name("body"))]


def bind_arm(draft: Draft, node: Node) -> Visit:
    draft.decide()
    pattern = node.child_by_field_name("pattern")
    match = node.parent.parent if node.parent is not None else None
    value = match.child_by_field_name("value") if match is not None else None
    inner = bind_pattern(draft, first_named(pattern), None, value_of(draft, value))
    condition = pattern.child_by_field_name("condition") if pattern else None
    return [*inner, *present(condition, node.child_by_field_name("value"))]


def bind_closure(draft: Draft, node: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    types: list[Node] = []
    for parameter in comment_free(parameters.named_children) if parameters else ():
        if parameter.type == "parameter":
            kind = parameter.child_by_field_name("type")
            bind_pattern(draft, parameter.child_by_field_name("pattern"), kind)
            types += present(kind)
        else:
            bind_pattern(draft, parameter, None)
    return [*types, *present(node.child_by_field_name("body"))]
