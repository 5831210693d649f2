"""What JavaScript and TypeScript code uses: calls, references, types, decorators, and the names it binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import deciding_operators, decision, each, first_named, naming, nothing, only
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.javascript.text import bind_pattern, dotted, required_module
from ragforge_memory.code.parsed import UNNAMED, UseKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


def use_dotted(draft: Draft, text: str, kind: UseKind, line: int) -> None:
    """Use a dotted text: its last name with the rest as the receiver."""
    receiver, _, name = text.rpartition(".")
    if name.isidentifier():
        draft.use(name, receiver or None, kind, line)


def _nested_type(draft: Draft, node: Node) -> Visit:
    use_dotted(draft, dotted(draft, node), "type", draft.line(node))
    return ()


def _member(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if receiver is None or name is None:
        return node.named_children
    draft.use(draft.text(name), dotted(draft, receiver), "reference", draft.line(name))
    return [receiver]


def _call(draft: Draft, node: Node) -> Visit:
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    rest = [part for part in node.named_children if part != function and part.type != "comment"]
    if function is None:
        return rest
    if function.type == "identifier":
        draft.use(draft.text(function), None, "call", draft.line(function))
        if (required := required_module(draft, node)) is not None:
            draft.add_import(UNNAMED, required[0], None, draft.line(node))
        return rest
    if function.type == "super":
        draft.use("constructor", "super", "call", draft.line(function))
        return rest
    if function.type == "member_expression":
        receiver, name = function.child_by_field_name("object"), function.child_by_field_name("property")
        if receiver is not None and name is not None:
            draft.use(draft.text(name), dotted(draft, receiver), "call", draft.line(name))
            return [receiver, *rest]
    return [function, *rest]


def _decorator(draft: Draft, node: Node) -> Visit:
    expression = first_named(node)
    rest: list[Node] = []
    if expression is not None and expression.type == "call_expression":
        arguments = expression.child_by_field_name("arguments")
        rest = [arguments] if arguments else []
        expression = expression.child_by_field_name("function")
        if expression is not None:
            use_dotted(draft, dotted(draft, expression), "call", draft.line(expression))
    if expression is not None:
        use_dotted(draft, dotted(draft, expression), "decorate", draft.line(expression))
    return rest


def _element(draft: Draft, node: Node) -> Visit:
    """``<Component …>``; lower-case names are the browser's."""
    name = node.child_by_field_name("name")
    rest = [part for part in node.named_children if part != name]
    if name is not None and name.type == "identifier" and draft.text(name)[:1].isupper():
        draft.use(draft.text(name), None, "call", draft.line(name))
    elif name is not None and name.type in ("member_expression", "nested_identifier"):
        use_dotted(draft, dotted(draft, name), "call", draft.line(name))
    return rest


def _pair(draft: Draft, node: Node) -> Visit:
    key, content = node.child_by_field_name("key"), node.child_by_field_name("value")
    computed = [key] if key is not None and key.type == "computed_property_name" else []
    return [*computed, *([content] if content else [])]


def _for_in(draft: Draft, node: Node) -> Visit:
    draft.decide()
    left = node.child_by_field_name("left")
    inside = bind_pattern(draft, left)
    return [*inside, *(part for part in node.named_children if part != left)]


def _catch(draft: Draft, node: Node) -> Visit:
    draft.decide()
    parameter, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
    inside = bind_pattern(draft, parameter)
    return [*inside, *([body] if body else [])]


def _type_parameter(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is not None:
        draft.bind_unknown(name)
    return [part for part in node.named_children if part != name]


USE_HANDLERS: dict[str, Handler] = {
    **each(naming("reference"), "identifier shorthand_property_identifier"),
    "type_identifier": naming("type"),
    "nested_type_identifier": _nested_type,
    "member_expression": _member,
    **each(_call, "call_expression new_expression"),
    "decorator": _decorator,
    **each(_element, "jsx_opening_element jsx_self_closing_element"),
    **each(nothing, "jsx_closing_element comment statement_identifier property_identifier"),
    "pair": _pair,
    "for_in_statement": _for_in,
    "catch_clause": _catch,
    **each(decision, "if_statement for_statement while_statement do_statement switch_case ternary_expression"),
    "binary_expression": deciding_operators(frozenset({"&&", "||", "??"})),
    "type_parameter": _type_parameter,
    **each(only("type", "value"), "required_parameter optional_parameter"),
}
