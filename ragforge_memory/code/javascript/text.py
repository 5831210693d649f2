"""JavaScript and TypeScript expressions and types as dotted text, and the names that patterns bind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, first_named
from ragforge_memory.code.parsed import BindingKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft
    from ragforge_memory.code.open_scope import OpenScope

NAMES = frozenset(
    {"identifier", "type_identifier", "property_identifier", "private_property_identifier",
     "shorthand_property_identifier", "shorthand_property_identifier_pattern", "statement_identifier"}
)  # fmt: skip
_LITERALS = frozenset(
    {"string", "template_string", "number", "array", "object", "true", "false", "null", "undefined", "regex",
     "arrow_function", "function_expression", "binary_expression", "unary_expression", "update_expression",
     "jsx_element", "jsx_self_closing_element"}
)  # fmt: skip
_MAKING = frozenset({"Object.create", "Object.assign", "Object.freeze", "Object.seal", "Object.setPrototypeOf"})
_AROUND = frozenset(
    {"parenthesized_expression", "await_expression", "non_null_expression", "as_expression", "satisfies_expression"}
)
_HOLDERS = frozenset({"Promise", "Partial", "Required", "Readonly", "NonNullable", "Awaited"})
"""Generic types whose argument says what one works with."""


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; see parsed.py."""
    kind = node.type
    if kind in ("identifier", "type_identifier", "this", "super"):
        return draft.text(node)
    if kind in ("member_expression", "nested_identifier", "nested_type_identifier"):
        name = node.child_by_field_name("property") or node.child_by_field_name("name")
        tail.append(f".{draft.text(name)}" if name else ".?")
        return node.child_by_field_name("object") or node.child_by_field_name("module")
    elif kind == "call_expression":
        tail.append("()")
        return node.child_by_field_name("function")
    elif kind == "new_expression":
        tail.append("()")
        return node.child_by_field_name("constructor")
    elif kind == "subscript_expression":
        tail.append("[]")
        return node.child_by_field_name("object")
    elif kind in ("as_expression", "satisfies_expression"):
        declared = type_text(draft, node.named_children[-1])
        if declared is not None:
            return f"{declared}()"  # an instance, as if it were constructed here
        return first_named(node)
    elif kind in _AROUND:
        return first_named(node)
    elif kind in _LITERALS:
        return "!"
    return None


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The type that an annotation means, as dotted text: of a union the first that is not null."""
    while node is not None:
        kind = node.type
        if kind in ("type_identifier", "identifier", "nested_type_identifier", "nested_identifier"):
            return dotted(draft, node)
        if kind == "generic_type":
            name, arguments = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
            text = dotted(draft, name) if name else ""
            if text not in _HOLDERS or arguments is None:
                return text or None
            node = first_named(arguments)
        elif kind in ("union_type", "intersection_type"):
            parts = [part for part in _flat(node, kind) if part.type not in ("literal_type", "predefined_type")]
            node = parts[0] if parts else None
        elif kind in ("type_annotation", "parenthesized_type", "readonly_type", "asserts_annotation"):
            node = first_named(node)
        elif kind == "array_type":
            return "Array"
        elif kind == "predefined_type":
            text = draft.text(node)
            return None if text in ("any", "unknown", "object") else text
        elif kind == "this_type":
            return "this"
        else:
            return None
    return None


def _flat(node: Node, kind: str) -> Iterator[Node]:
    stack = [*reversed(node.named_children)]  # a union of a thousand is as deep
    while stack:
        child = stack.pop()
        if child.type == kind:
            stack += reversed(child.named_children)
        elif child.type != "comment":
            yield child


def is_made_object(draft: Draft, node: Node | None) -> bool:
    """Whether it is an object that has what another has, and may get more: ``Object.create(base)``."""
    function = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    return function is not None and draft.text(function) in _MAKING


def value(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind == "call_expression":
            arguments = node.child_by_field_name("arguments")
            if arguments is not None and is_made_object(draft, node):
                node = first_named(arguments)
                continue
            return "call", dotted(draft, node.child_by_field_name("function"))
        if kind == "new_expression":
            return "call", dotted(draft, node.child_by_field_name("constructor"))
        if kind in ("as_expression", "satisfies_expression"):
            declared = type_text(draft, node.named_children[-1])
            if declared is not None:
                return "type", declared
            node = first_named(node)
        elif kind in ("identifier", "member_expression", "this"):
            return "alias", dotted(draft, node)
        elif kind in _AROUND:
            node = first_named(node)
        elif kind == "assignment_expression":
            node = node.child_by_field_name("right")
        elif kind == "binary_expression" and any(c.type in ("||", "??") for c in node.children):
            node = node.child_by_field_name("left")
        elif kind == "ternary_expression":
            node = node.child_by_field_name("consequence")
        else:
            break
    return "unknown", None


def bind_pattern(draft: Draft, pattern: Node | None, scope: OpenScope | None = None) -> list[Node]:
    """Every name of a pattern gets an unknown value; gives the expressions inside it (defaults, keys)."""
    inside: list[Node] = []
    stack = [pattern] if pattern else []
    while stack:
        part = stack.pop()
        if part.type in ("identifier", "shorthand_property_identifier_pattern"):
            draft.bind(draft.text(part), "unknown", None, draft.line(part), scope)
        elif part.type == "pair_pattern":
            following = part.child_by_field_name("value")
            if following is not None:
                stack.append(following)
        elif part.type in ("assignment_pattern", "object_assignment_pattern"):
            left, right = part.child_by_field_name("left"), part.child_by_field_name("right")
            if left is not None:
                stack.append(left)
            if right is not None:
                inside.append(right)
        elif part.type in ("member_expression", "subscript_expression"):
            inside.append(part)
        else:
            stack.extend(part.named_children)
    return inside


def string_value(draft: Draft, node: Node | None) -> str | None:
    """The text of a string literal without its quotes."""
    if node is None or node.type != "string":
        return None
    return draft.text(node)[1:-1]


def property_name(draft: Draft, node: Node | None) -> str | None:
    """A property's name as far as it is known without running: identifiers, ``#x``, strings that are names."""
    if node is None:
        return None
    if node.type in ("property_identifier", "private_property_identifier"):
        return draft.text(node)
    text = string_value(draft, node)
    return text if text is not None and text.isidentifier() else None


def required_module(draft: Draft, node: Node | None) -> tuple[str, str | None] | None:
    """``require("m")`` and ``require("m").name``: the module, and the name."""
    name = None
    if node is not None and node.type == "member_expression":
        name_node = node.child_by_field_name("property")
        name = draft.text(name_node) if name_node else None
        node = node.child_by_field_name("object")
    if node is None or node.type != "call_expression":
        return None
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or draft.text(function) != "require":
        return None
    module = string_value(draft, first_named(arguments))
    return (module, name) if module is not None else None
