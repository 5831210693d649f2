"""Java expressions and types as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import first_named
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import LONGEST_TEXT, BindingKind

if TYPE_CHECKING:
    from tree_sitter import Node

ANNOTATIONS = ("annotation", "marker_annotation")

_LITERALS = frozenset(
    {"string_literal", "character_literal", "null_literal", "true", "false", "class_literal", "lambda_expression",
     "array_creation_expression", "array_initializer", "binary_expression", "unary_expression"}
)  # fmt: skip


def dotted(draft: Draft, node: Node | None) -> str:
    """An expression as dotted text; see parsed.py. A cast and ``new X()`` are calls of the type."""
    tail: list[str] = []
    while node is not None and len(tail) < LONGEST_TEXT:
        kind = node.type
        if kind in ("identifier", "type_identifier", "this", "super"):
            tail.append(draft.text(node))
            return "".join(reversed(tail))
        if kind == "field_access":
            field = node.child_by_field_name("field")
            if field is not None and field.type == "this":  # Outer.this
                tail.append("this")
                return "".join(reversed(tail))
            tail.append(f".{draft.text(field)}" if field else ".?")
            node = node.child_by_field_name("object")
        elif kind == "method_invocation":
            name, receiver = node.child_by_field_name("name"), node.child_by_field_name("object")
            text = draft.text(name) if name else "?"
            tail.append(f".{text}()" if receiver is not None else f"{text}()")
            if receiver is None:
                return "".join(reversed(tail))
            node = receiver
        elif kind in ("object_creation_expression", "cast_expression"):
            found = type_text(draft, node.child_by_field_name("type"))
            tail.append(f"{found}()" if found and not found.endswith("[]") else "?")
            return "".join(reversed(tail))
        elif kind == "array_access":
            tail.append("[]")
            node = node.child_by_field_name("array")
        elif kind in ("parenthesized_expression", "scoped_type_identifier", "generic_type"):
            if kind == "scoped_type_identifier":
                tail.append(draft.text(node))
                return "".join(reversed(tail))
            node = first_named(node)
        elif kind in _LITERALS or kind.endswith("_literal"):
            tail.append("!")
            return "".join(reversed(tail))
        else:
            break
    return "".join(["?", *reversed(tail)])


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
