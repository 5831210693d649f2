"""Python's expressions and annotations as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import LONGEST_TEXT, BindingKind
from ragforge_memory.code.python.quoted import WRAPPERS, expression_in, named_type

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft

LITERALS = frozenset(
    {"string", "concatenated_string", "integer", "float", "list", "tuple", "dictionary", "set", "lambda", "true",
     "false", "none", "list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression",
     "ellipsis", "binary_operator", "comparison_operator", "not_operator", "unary_operator"}
)  # fmt: skip


def dotted(draft: Draft, node: Node | None) -> str:
    """An expression as dotted text; see parsed.py."""
    tail: list[str] = []
    while node is not None and len(tail) < LONGEST_TEXT:
        kind = node.type
        if kind == "identifier":
            tail.append(draft.text(node))
            return _joined(tail)
        if kind == "attribute":
            name = node.child_by_field_name("attribute")
            tail.append(f".{draft.text(name)}" if name else ".?")
            node = node.child_by_field_name("object")
        elif kind == "call":
            tail.append("()")
            node = node.child_by_field_name("function")
        elif kind == "subscript":
            tail.append("[]")
            node = node.child_by_field_name("value")
        elif kind in ("parenthesized_expression", "await", "named_expression", "type"):
            node = node.child_by_field_name("value") or first_named(node)
        elif kind in LITERALS:
            tail.append("!")
            return _joined(tail)
        else:
            break
    tail.append("?")
    return _joined(tail)


def _joined(tail: list[str]) -> str:
    return "".join(reversed(tail))


def first_named(node: Node) -> Node | None:
    """The first named child that is no comment."""
    return next((child for child in node.named_children if child.type != "comment"), None)


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The class that an annotation means, as dotted text: of an optional the inner, of a union the first."""
    while node is not None:
        kind = node.type
        if kind in ("identifier", "attribute"):
            return dotted(draft, node)
        if kind == "string":
            return named_type(expression_in(draft.text(node)))
        if kind == "type":
            node = first_named(node)
        elif kind in ("binary_operator", "union_type"):
            parts = [part for part in node.named_children if draft.text(part) != "None"]
            node = parts[0] if parts else None
        elif kind in ("subscript", "generic_type"):
            outer = node.named_children[0] if node.named_children else None
            name = dotted(draft, outer).rpartition(".")[2] if outer else ""
            if name in WRAPPERS:
                inner = [part for part in arguments_of(node) if draft.text(part) != "None"]
                node = inner[0] if inner else None
            else:
                node = outer
        else:
            return None
    return None


def arguments_of(node: Node) -> list[Node]:
    """What stands between the brackets of a subscript or generic type."""
    inner = node.named_children[1:]
    if len(inner) == 1 and inner[0].type == "type_parameter":
        inner = inner[0].named_children
    return inner


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind == "call":
            return "call", dotted(draft, node.child_by_field_name("function"))
        if kind in ("identifier", "attribute", "subscript"):
            return "alias", dotted(draft, node)
        if kind in ("await", "parenthesized_expression", "named_expression"):
            node = node.child_by_field_name("value") or first_named(node)
        elif kind == "boolean_operator":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            node = right if right is not None and right.type == "call" else left
        elif kind == "conditional_expression":
            parts = [part for part in node.named_children if part.type != "comment"]
            node = parts[2] if len(parts) == 3 and parts[0].type in LITERALS else first_named(node)
        else:
            break
    return "unknown", None
