"""What Java code uses: names, types, calls, annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import child_of_type, children_of_type, comment_free, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.java.text import dotted, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.clauses import Visit


def use_scoped_type(draft: Draft, node: Node) -> Visit:
    text = type_text(draft, node)
    if text:
        draft.use_text(text, "type", draft.line(node))
    return [inner for child in node.named_children for inner in children_of_type(child, "type_arguments")]


def use_invocation(draft: Draft, node: Node) -> Visit:
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("object")
    arguments = node.child_by_field_name("arguments")
    if name is not None:
        before = dotted(draft, receiver) if receiver else None
        draft.use(draft.text(name), before, "call", draft.line(name), _count(arguments))
    return [*present(receiver), *children_of_type(node, "type_arguments"), *present(arguments)]


def _count(arguments: Node | None) -> int:
    return len(comment_free(arguments.named_children)) if arguments is not None else 0


def use_constructor(draft: Draft, node: Node) -> Visit:
    """``super(…)`` and ``this(…)``."""
    name, arguments = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
    if name is not None:
        draft.use(draft.text(name), None, "call", draft.line(name), _count(arguments))
    parts = present(node.child_by_field_name("object"), arguments)
    return [*parts, *children_of_type(node, "type_arguments")]


def use_creation(draft: Draft, node: Node) -> Visit:
    kind = node.child_by_field_name("type")
    text = type_text(draft, kind)
    if kind is not None and text:
        draft.use_text(text, "call", draft.line(kind))
    arguments = children_of_type(kind, "type_arguments")
    return [child for child in node.named_children if child != kind] + arguments


def use_access(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("field")
    if receiver is None or name is None:
        return node.named_children
    if name.type == "this":
        return ()
    draft.use(draft.text(name), dotted(draft, receiver), "reference", draft.line(name))
    return [receiver]


def use_method_reference(draft: Draft, node: Node) -> Visit:
    parts = comment_free(node.named_children)
    receiver = parts[0] if parts else None
    if len(parts) > 1 and parts[-1].type == "identifier":
        text = type_text(draft, receiver) or dotted(draft, receiver)
        draft.use(draft.text(parts[-1]), text, "call", draft.line(parts[-1]))
    elif receiver is not None and receiver.type == "identifier":
        draft.use(draft.text(receiver), None, "call", draft.line(receiver))
        return ()
    return present(receiver)


def use_annotation(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is not None:
        draft.use_text(draft.text(name), "decorate", draft.line(name))
    return present(node.child_by_field_name("arguments"))


def use_value_only(draft: Draft, node: Node) -> Visit:
    return present(node.child_by_field_name("value"))


def use_without_label(draft: Draft, node: Node) -> Visit:
    return [child for child in node.named_children if child.type != "identifier"]


def use_type_only(draft: Draft, node: Node) -> Visit:
    return [child for child in node.named_children if child.type not in ("identifier", "variable_declarator", "this")]


def use_type_parameter(draft: Draft, node: Node) -> Visit:
    return present(child_of_type(node, "type_bound"))


def use_case(draft: Draft, node: Node) -> Visit:
    if node.child_count and node.children[0].type == "case":
        draft.decide()
    return node.named_children
