"""What Go code uses: names, calls, conversions, literals of types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.go.text import CONTAINERS, dotted, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.clauses import Visit


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
