"""Go: its scopes, what they use, and how its imports reach other packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    bind_declared,
    child_of_type,
    closing,
    comment_free,
    deciding_operators,
    decision,
    doc_before,
    each,
    first_named,
    header,
    naming,
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.go.links import BUILTINS, COMMON_MEMBERS, modules, neighbours, package_name
from ragforge_memory.code.go.uses import (
    dotted,
    type_text,
    use_call,
    use_composite,
    use_conversion,
    use_literal_value,
    use_qualified_type,
    use_selector,
    value_of,
)
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.parsed import BindingKind, ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


# definitions


def _function(draft: Draft, node: Node) -> Visit:
    name_node, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if name_node is None or parameters is None:
        return node.named_children
    name = draft.text(name_node)
    body, result = node.child_by_field_name("body"), node.child_by_field_name("result")
    receiver = node.child_by_field_name("receiver")
    receiver_parameter = first_named(receiver)
    owner = None
    if receiver_parameter is not None:
        owner = type_text(draft, receiver_parameter.child_by_field_name("type"))
    kind: ScopeType = "method" if receiver is not None or node.type == "method_elem" else "function"
    draft.open(
        node,
        name,
        kind,
        name_node=name_node,
        qualified_name=f"{owner}.{name}" if owner else None,
        owner=owner,
        signature=header(draft, node, body, parameters),
        docstring=doc_before(draft, node),
        return_type=draft.text(result) if result else None,
        returns=type_text(draft, result),
        parameters=[draft.text(child) for child in comment_free(parameters.named_children)],
    )
    generics = node.child_by_field_name("type_parameters")
    _bind_generics(draft, generics)
    if receiver_parameter is not None:
        _bind_receiver(draft, receiver_parameter)
    for group in present(parameters, result):
        _bind_parameters(draft, group)
    return closing([generics, parameters, result, body])


def _bind_receiver(draft: Draft, parameter: Node) -> None:
    name, kind = parameter.child_by_field_name("name"), parameter.child_by_field_name("type")
    while kind is not None and kind.type in ("pointer_type", "parenthesized_type"):
        kind = first_named(kind)
    if kind is not None and kind.type == "generic_type":
        arguments = kind.child_by_field_name("type_arguments")
        if arguments is not None:
            draft.bind_unknown(*arguments.named_children)
    if name is not None:
        draft.bind(draft.text(name), "self", None, draft.line(name))


def _bind_generics(draft: Draft, generics: Node | None) -> None:
    for declaration in comment_free(generics.named_children) if generics else ():
        constraint = first_named(declaration.child_by_field_name("type"))
        single = constraint is not None and constraint.type in ("type_identifier", "qualified_type")
        for name in declaration.children_by_field_name("name"):
            value = type_text(draft, constraint) if single else None
            draft.bind(draft.text(name), "alias", value, draft.line(name))


def _bind_parameters(draft: Draft, group: Node) -> None:
    if group.type != "parameter_list":
        return
    for parameter in group.named_children:
        value = type_text(draft, parameter.child_by_field_name("type"))
        if parameter.type == "variadic_parameter_declaration" and value:
            value = f"{value}[]"
        for name in parameter.children_by_field_name("name"):
            bind_declared(draft, name, value)


def _closure(draft: Draft, node: Node) -> Visit:
    for field in ("parameters", "result"):
        if (group := node.child_by_field_name(field)) is not None:
            _bind_parameters(draft, group)
    return node.named_children


def _type_declaration(draft: Draft, node: Node) -> Visit:
    name_node, value = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name_node is None or value is None:
        return node.named_children
    alone = node.parent if node.parent is not None and node.parent.named_child_count == 1 else None
    kind: ScopeType = "type"
    bases: list[tuple[Node, str]] = []
    if value.type == "struct_type":
        kind, bases = "struct", _embedded(draft, child_of_type(value, "field_declaration_list"))
    elif value.type == "interface_type":
        kind, bases = "interface", _embedded(draft, value)
    end = next((brace for part in value.children for brace in (part, *part.children[:1]) if brace.type == "{"), None)
    draft.open(
        node,
        name_node,
        kind,
        whole=alone,
        tokens_of=node,  # `type ( … )` around it says nothing of it
        signature=header(draft, alone or node, end) if end else signature_line(draft, alone or node),
        docstring=doc_before(draft, node) or (doc_before(draft, alone) if alone else None),
        returns=type_text(draft, value) if kind == "type" else None,
        bases=[text for _, text in bases],
    )
    for base, text in bases:
        draft.use_text(text, "inherit", draft.line(base))
    generics = node.child_by_field_name("type_parameters")
    _bind_generics(draft, generics)
    return closing([generics, value])


def _embedded(draft: Draft, fields: Node | None) -> list[tuple[Node, str]]:
    """The types that a struct or an interface embeds: their methods are its own."""
    found = []
    for child in fields.named_children if fields is not None else ():
        kind = None
        if child.type == "field_declaration" and child.child_by_field_name("name") is None:
            kind = child.child_by_field_name("type")
        elif child.type == "type_elem" and child.named_child_count == 1:
            kind = first_named(child)
        text = type_text(draft, kind)
        if kind is not None and text is not None and not text.endswith("[]") and text not in BUILTINS:
            found.append((kind, text))
    return found


def _field(draft: Draft, node: Node) -> Visit:
    kind, scope = node.child_by_field_name("type"), draft.current
    text = type_text(draft, kind)
    names = node.children_by_field_name("name")
    if scope is None or not scope.is_type:  # a struct without a name
        return present(kind)
    for name in names:
        bind_declared(draft, name, text)
    if names:
        return present(kind)
    if text is not None:
        draft.bind(text.rpartition(".")[2], "type", text, draft.line(node))
    return kind.named_children[1:] if kind is not None and kind.type == "generic_type" else ()


def _type_element(draft: Draft, node: Node) -> Visit:
    """A lone type in an interface is embedded and was said as a base already."""
    inside = node.parent is not None and node.parent.type == "interface_type"
    return () if inside and node.named_child_count == 1 else node.named_children


def _values(draft: Draft, node: Node) -> Visit:
    """One ``const`` or ``var`` line."""
    names = [name for name in node.children_by_field_name("name") if name.is_named]
    declared, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    _bind_values(draft, names, comment_free(value.named_children) if value else [], type_text(draft, declared))
    parts = present(declared, value)
    if draft.current is not None or not names or draft.text(names[0]) == "_":
        return parts
    whole = node.parent if node.parent is not None and node.parent.named_child_count == 1 else None
    doc = doc_before(draft, node) or (doc_before(draft, whole) if whole else None)
    for place, name in enumerate(names):
        draft.open(
            node,
            name,
            "constant",
            whole=whole,
            signature=signature_line(draft, whole or node),
            docstring=doc,
            return_type=draft.text(declared) if declared else None,
            returns=type_text(draft, declared),
        )
        if place < len(names) - 1:
            draft.close()
    return closing(parts)


def _bind_values(draft: Draft, names: Sequence[Node], values: Sequence[Node], declared: str | None = None) -> None:
    for place, name in enumerate(names):
        if name.type != "identifier" or (text := draft.text(name)) == "_":
            continue
        kind: BindingKind = "unknown"
        value = None
        if declared is not None:
            kind, value = "type", declared
        elif len(values) == len(names) or (place == 0 and len(values) == 1):
            kind, value = value_of(draft, values[place])
        if kind == "type":
            bind_declared(draft, name, value)
        else:
            draft.bind(text, kind, value, draft.line(name))


def _short_variables(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None:
        _bind_values(draft, left.named_children, comment_free(right.named_children))
    return present(right)


def _range(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    declares = any(child.type == ":=" for child in node.children)
    if left is None or not declares:
        return present(left, right)
    for place, name in enumerate(left.named_children):
        over = dotted(draft, right)
        known = place == 1 and over[-1:] not in ("?", "!")
        draft.bind(draft.text(name), "alias" if known else "unknown", f"{over}[]" if known else None, draft.line(name))
    return present(right)


def _type_switch(draft: Draft, node: Node) -> Visit:
    alias = node.child_by_field_name("alias")
    if alias is not None:
        draft.bind_unknown(*alias.named_children)
    return [child for child in node.named_children if child != alias]


def _received(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and any(child.type == ":=" for child in node.children):
        draft.bind_unknown(*left.named_children)
        return present(right)
    return present(left, right)


# uses


def _import(draft: Draft, node: Node) -> Visit:
    path, alias = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return ()
    module = draft.text(path).strip('"`')
    if alias is not None and alias.type == "dot":
        draft.add_import("*", module, "*", draft.line(node))
    elif alias is None or alias.type == "package_identifier":
        draft.add_import(draft.text(alias) if alias else package_name(module), module, None, draft.line(node))
    return ()


def _package(draft: Draft, node: Node) -> Visit:
    name = first_named(node)
    if name is not None:
        draft.belong(draft.text(name))
    return ()


def _say_interfaces(root: Node, draft: Draft) -> None:
    """``var _ Pricer = (*Item)(nil)`` is how Go code states that a type implements an interface."""
    for declaration in root.named_children:
        if declaration.type != "var_declaration":
            continue
        for line in declaration.named_children:
            names = [draft.text(name) for name in line.children_by_field_name("name")]
            interface = type_text(draft, line.child_by_field_name("type"))
            kind, value = value_of(draft, first_named(line.child_by_field_name("value")))
            if names != ["_"] or interface is None or value is None or kind == "alias":
                continue
            for scope in draft.scopes:
                if scope.qualified_name == value and scope.is_type:
                    scope.implement(interface, draft.line(line))


_HANDLERS: dict[str, Handler] = {
    "package_clause": _package,
    "import_spec": _import,
    **each(_function, "function_declaration method_declaration method_elem"),
    "func_literal": _closure,
    **each(_type_declaration, "type_spec type_alias"),
    "field_declaration": _field,
    "type_elem": _type_element,
    **each(_values, "const_spec var_spec"),
    "short_var_declaration": _short_variables,
    "range_clause": _range,
    "type_switch_statement": _type_switch,
    "receive_statement": _received,
    **each(only("type"), "parameter_declaration variadic_parameter_declaration type_parameter_declaration"),
    "identifier": naming("reference", but=("_",)),
    "type_identifier": naming("type", but=BUILTINS),
    "qualified_type": use_qualified_type,
    "selector_expression": use_selector,
    "call_expression": use_call,
    "type_conversion_expression": use_conversion,
    "composite_literal": use_composite,
    "literal_value": use_literal_value,
    **each(decision, "if_statement for_statement expression_case type_case communication_case"),
    "binary_expression": deciding_operators(frozenset({"&&", "||"})),
    **each(nothing, "comment interpreted_string_literal raw_string_literal"),
}

# Behind these a line break is a semicolon (https://go.dev/ref/spec#Semicolons).
_ENDS = frozenset(
    {"identifier", "field_identifier", "type_identifier", "package_identifier", "label_name", "blank_identifier",
     "int_literal", "float_literal", "imaginary_literal", "rune_literal", "interpreted_string_literal",
     "raw_string_literal", "true", "false", "nil", "iota", "break", "continue", "fallthrough", "return",
     "++", "--", ")", "]", "}"}
)  # fmt: skip

READER = Reader(
    grammar="tree_sitter_go",
    handlers=_HANDLERS,
    finish=_say_interfaces,
    cut_behind=_ENDS,
    links=Links(modules=modules, neighbours=neighbours, common_members=COMMON_MEMBERS),
    atoms=frozenset({"interpreted_string_literal", "raw_string_literal", "rune_literal"}),
)
