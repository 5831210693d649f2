"""What Java code uses: names, types, calls, annotations; its expressions and types as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, child_of_type, children_of_type, comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import BindingKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


ANNOTATIONS = ("annotation", "marker_annotation")

_LITERALS = frozenset(
    {"string_literal", "character_literal", "null_literal", "true", "false", "class_literal", "lambda_expression",
     "array_creation_expression", "array_initializer", "binary_expression", "unary_expression"}
)  # fmt: skip


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; see parsed.py. A cast and ``new X()`` are calls of the type."""
    kind = node.type
    if kind in ("identifier", "type_identifier", "this", "super"):
        return draft.text(node)
    if kind == "field_access":
        field = node.child_by_field_name("field")
        if field is not None and field.type == "this":  # Outer.this
            return "this"
        tail.append(f".{draft.text(field)}" if field else ".?")
        return node.child_by_field_name("object")
    elif kind == "method_invocation":
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("object")
        text = draft.text(name) if name else "?"
        tail.append(f".{text}()" if receiver is not None else f"{text}()")
        if receiver is None:
            return ""
        return receiver
    elif kind in ("object_creation_expression", "cast_expression"):
        found = type_text(draft, node.child_by_field_name("type"))
        return f"{found}()" if found and not found.endswith("[]") else "?"
    elif kind == "array_access":
        tail.append("[]")
        return node.child_by_field_name("array")
    elif kind in ("parenthesized_expression", "scoped_type_identifier", "generic_type"):
        if kind == "scoped_type_identifier":
            return draft.text(node)
        return first_named(node)
    elif kind in _LITERALS or kind.endswith("_literal"):
        return "!"
    return None


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The type as dotted text without generic arguments; None for ``var`` and primitive types."""
    while node is not None:
        kind = node.type
        if kind in ("type_identifier", "identifier"):
            text = draft.text(node)
            return None if text == "var" else text
        if kind == "scoped_type_identifier":
            parts = [child for child in node.named_children if child.type not in ANNOTATIONS]
            return ".".join(found for part in parts if (found := type_text(draft, part)))
        if kind in ("generic_type", "annotated_type"):
            node = next((child for child in node.named_children if child.type not in ANNOTATIONS), None)
        elif kind == "array_type":
            found = type_text(draft, node.child_by_field_name("element"))
            return f"{found}[]" if found else None
        elif kind == "catch_type":
            node = first_named(node)
        else:
            return None
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None and node.type in ("parenthesized_expression", "ternary_expression"):
        node = node.child_by_field_name("consequence") or first_named(node)
    if node is None:
        return "unknown", None
    if node.type == "object_creation_expression":
        return "call", type_text(draft, node.child_by_field_name("type"))
    if node.type == "method_invocation":
        return "call", dotted(draft, node).removesuffix("()")
    if node.type == "cast_expression":
        return "type", type_text(draft, node.child_by_field_name("type"))
    if node.type in ("identifier", "field_access", "array_access"):
        return "alias", dotted(draft, node)
    return "unknown", None


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


def use_type_parameter(draft: Draft, node: Node) -> Visit:
    return present(child_of_type(node, "type_bound"))
