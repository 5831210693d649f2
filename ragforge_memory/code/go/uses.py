"""What Go code uses: names, calls, conversions, literals of types; its expressions and types as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import BindingKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


CONTAINERS = frozenset({"slice_type", "array_type", "map_type", "channel_type", "implicit_length_array_type"})

_NAMES = frozenset({"identifier", "type_identifier", "package_identifier", "field_identifier"})


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; see parsed.py. A conversion or a type assertion is a call of the type."""
    kind = node.type
    if kind in _NAMES:
        return draft.text(node)
    if kind == "selector_expression":
        tail.append(f".{draft.text(field)}" if (field := node.child_by_field_name("field")) else ".?")
        return node.child_by_field_name("operand")
    elif kind == "call_expression":
        tail.append("()")
        function = node.child_by_field_name("function")
        if function is not None and function.type == "identifier" and draft.text(function) == "new":
            found = type_text(draft, first_named(node.child_by_field_name("arguments")))
            return found or "?"
        return function
    elif kind in ("index_expression", "slice_expression"):
        tail.append("[]" if kind == "index_expression" else "")
        return node.child_by_field_name("operand")
    elif kind in ("parenthesized_expression", "type_instantiation_expression"):
        return first_named(node)
    elif kind == "unary_expression":
        return node.child_by_field_name("operand")
    elif kind in ("composite_literal", "type_assertion_expression", "type_conversion_expression"):
        named = node.child_by_field_name("type")
        found = type_text(draft, named)
        is_container = named is not None and named.type in CONTAINERS
        return "!" if found is None or is_container else f"{found}()"
    elif kind.endswith("literal") or kind in ("true", "false", "nil", "iota"):
        return "!"
    return None


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The named type that a type expression means, pointers and generic arguments left out."""
    while node is not None:
        kind = node.type
        if kind in ("type_identifier", "identifier"):
            return draft.text(node)
        if kind in ("qualified_type", "selector_expression"):
            return draft.text(node).replace(" ", "")
        if kind == "generic_type":
            node = node.child_by_field_name("type")
        elif kind in ("pointer_type", "parenthesized_type", "type_elem", "parenthesized_expression"):
            node = first_named(node)
        elif kind == "unary_expression":
            node = node.child_by_field_name("operand")
        elif kind in CONTAINERS:
            inner = node.child_by_field_name("element") or node.child_by_field_name("value")
            found = type_text(draft, inner)
            return f"{found}[]" if found else None
        elif kind == "parameter_list":  # several results: the first one that is named
            first = first_named(node)
            node = first.child_by_field_name("type") if first is not None else None
        else:
            return None
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None and node.type in ("parenthesized_expression", "unary_expression"):
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type not in ("&", "*"):
            return "unknown", None
        node = first_named(node)
    if node is None:
        return "unknown", None
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        name = draft.text(function) if function is not None and function.type == "identifier" else ""
        if name in ("new", "make"):
            return "type", type_text(draft, first_named(node.child_by_field_name("arguments")))
        if name == "append":
            return value_of(draft, first_named(node.child_by_field_name("arguments")))
        if function is not None and function.type == "parenthesized_expression":
            return "type", type_text(draft, first_named(function))
        return "call", dotted(draft, function)
    if node.type in ("composite_literal", "type_assertion_expression", "type_conversion_expression"):
        return "type", type_text(draft, node.child_by_field_name("type"))
    if node.type in ("identifier", "selector_expression", "index_expression"):
        return "alias", dotted(draft, node)
    return "unknown", None


def use_qualified_type(draft: Draft, node: Node) -> Visit:
    package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
    if package is not None and name is not None:
        draft.use(draft.text(name), draft.text(package), "type", draft.line(name))
    return ()


def use_selector(draft: Draft, node: Node) -> Visit:
    operand, field = node.child_by_field_name("operand"), node.child_by_field_name("field")
    if operand is None or field is None:
        return node.named_children
    draft.use(draft.text(field), dotted(draft, operand), "reference", draft.line(field))
    return [operand]


def use_call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    while function is not None and function.type == "type_instantiation_expression":
        function = first_named(function)
    if function is None:
        return present(arguments)
    if function.type == "identifier":
        draft.use(draft.text(function), None, "call", draft.line(function))
        return present(arguments)
    if function.type == "selector_expression":
        operand, field = function.child_by_field_name("operand"), function.child_by_field_name("field")
        if operand is not None and field is not None:
            draft.use(draft.text(field), dotted(draft, operand), "call", draft.line(field))
            return present(operand, arguments)
    return present(function, arguments)


def use_conversion(draft: Draft, node: Node) -> Visit:
    """``T[int](x)``: a call of a generic function or a conversion; the grammar cannot tell."""
    kind, operand = node.child_by_field_name("type"), node.child_by_field_name("operand")
    if kind is not None and kind.type == "generic_type":
        _construct(draft, kind)
        return [*kind.children_by_field_name("type_arguments"), *present(operand)]
    return present(kind, operand)


def _construct(draft: Draft, kind: Node) -> None:
    text = type_text(draft, kind)
    if text is not None:
        draft.use_text(text, "call", draft.line(kind))


def use_composite(draft: Draft, node: Node) -> Visit:
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if kind is None or body is None:
        return node.named_children
    if kind.type in ("type_identifier", "qualified_type", "generic_type"):
        _construct(draft, kind)
        return [*kind.children_by_field_name("type_arguments"), *_elements(body, keys=False)]
    return [kind, *_elements(body, keys=kind.type in CONTAINERS)]


def use_literal_value(draft: Draft, node: Node) -> Visit:
    return _elements(node, keys=False)


def _elements(body: Node, keys: bool) -> list[Node]:
    """A literal's values, and its keys where they are expressions and not names of fields."""
    found = []
    for element in body.named_children:
        if element.type == "keyed_element" and not keys:
            key = first_named(element.child_by_field_name("key"))
            if key is not None and key.type != "identifier":
                found.append(key)
            found += present(element.child_by_field_name("value"))
        else:
            found.append(element)
    return found
