"""What Rust statements and patterns bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.rust.patterns import bind_pattern
from ragforge_memory.code.rust.text import iterated, type_text, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.clauses import Visit


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


def bind_parameter(draft: Draft, node: Node) -> Visit:
    return present(node.child_by_field_name("type"))
