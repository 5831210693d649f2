"""Parts of C# definitions, and what statements and parameters bind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    bind_declared,
    child_of_type,
    children_of_type,
    comment_free,
    first_named,
    present,
)
from ragforge_memory.code.csharp.uses import dotted, type_text, use_types, value_of
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


KINDS: dict[str, ScopeType] = {
    "class_declaration": "class",
    "record_declaration": "class",
    "record_struct_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
}

INTERFACE = re.compile(r"(?:.*\.)?I[A-Z]\w*$")


def modifiers(draft: Draft, node: Node) -> list[str]:
    """The words before a declaration."""
    return [draft.text(child) for child in children_of_type(node, "modifier")]


def attributes(draft: Draft, node: Node) -> tuple[list[Node], list[str]]:
    """The lists of attributes before a declaration, and the attributes' names."""
    lists = children_of_type(node, "attribute_list")
    names = [name for part in lists for a in part.named_children if (name := a.child_by_field_name("name"))]
    return lists, [draft.text(name) for name in names]


def bases_of(node: Node) -> list[Node]:
    """The types behind the colon."""
    found = []
    for base in comment_free(base_list.named_children) if (base_list := child_of_type(node, "base_list")) else ():
        if base.type == "primary_constructor_base_type":
            found += present(base.child_by_field_name("type") or first_named(base))
        elif base.type not in ("argument_list", "predefined_type"):
            found.append(base)
    return found


def name_of(draft: Draft, node: Node) -> tuple[Node | None, str]:
    """The node of a declaration's name and the name; operators and destructors are named as they are written."""
    name = node.child_by_field_name("name")
    if node.type == "destructor_declaration" and name is not None:
        return name, f"~{draft.text(name)}"
    if node.type == "operator_declaration":
        operator = node.child_by_field_name("operator")
        return operator, f"operator {draft.text(operator)}" if operator is not None else "operator"
    if node.type == "conversion_operator_declaration":
        kind = node.child_by_field_name("type")
        return None, f"operator {draft.text(kind)}" if kind is not None else "operator"
    if node.type == "indexer_declaration":
        return child_of_type(node, "this"), "this[]"
    return name, draft.text(name) if name is not None else "?"


def parameter_texts(draft: Draft, parameters: Node | None) -> list[str]:
    """Each parameter as written; ``params T[] rest`` is not a node of its own in the grammar."""
    if parameters is None:
        return []
    found = [draft.text(p) for p in children_of_type(parameters, "parameter")]
    kind, name = parameters.child_by_field_name("type"), parameters.child_by_field_name("name")
    if kind is not None and name is not None:
        found.append(f"params {draft.text(kind)} {draft.text(name)}")
    return [" ".join(text.split()) for text in found]


def bind_parameters(draft: Draft, parameters: Node | None) -> None:
    """Parameters with their types; ``this Kind kind`` is bound as ``this`` too, see `Links.extensions`."""
    for parameter in [*children_of_type(parameters, "parameter"), *present(parameters)]:
        name, declared = parameter.child_by_field_name("name"), parameter.child_by_field_name("type")
        if name is not None:
            bind_declared(draft, name, type_text(draft, declared))
            if any(draft.text(word) == "this" for word in children_of_type(parameter, "modifier")):
                draft.bind("this", "type", type_text(draft, declared), draft.line(name))


def bind_generics(draft: Draft, node: Node) -> None:
    """Type parameters with the first named type of their constraints."""
    bounds: dict[str, str] = {}
    for clause in children_of_type(node, "type_parameter_constraints_clause"):
        name = first_named(clause)
        for constraint in children_of_type(clause, "type_parameter_constraint"):
            found = type_text(draft, constraint.child_by_field_name("type"))
            if found and name is not None:
                bounds.setdefault(draft.text(name), found)
    for generics in children_of_type(node, "type_parameter_list"):
        for parameter in children_of_type(generics, "type_parameter"):
            if (name := parameter.child_by_field_name("name")) is not None:
                draft.bind(draft.text(name), "alias", bounds.get(draft.text(name)), draft.line(name))


def bind_variables(draft: Draft, node: Node) -> Visit:
    """Local variables."""
    declared = node.child_by_field_name("type")
    known = type_text(draft, declared) if declared is not None and declared.type != "implicit_type" else None
    values: list[Node] = []
    for declarator in children_of_type(node, "variable_declarator"):
        name = declarator.child_by_field_name("name")
        parts = [child for child in comment_free(declarator.named_children) if child != name]
        if name is not None and known is not None:
            bind_declared(draft, name, known)
        elif name is not None:
            draft.bind(draft.text(name), *value_of(draft, parts[0] if parts else None), draft.line(name))
        for part in parts:
            if part.type == "tuple_pattern":
                _unknown(draft, part)
            else:
                values.append(part)
    if declared is not None and declared.type != "implicit_type":
        use_types(draft, declared)
    return values


def _unknown(draft: Draft, node: Node) -> None:
    for name in node.named_children:
        if name.type == "identifier":
            draft.bind_unknown(name)


def bind_foreach(draft: Draft, node: Node) -> Visit:
    draft.decide()
    declared, left, right = (node.child_by_field_name(field) for field in ("type", "left", "right"))
    if left is not None and left.type == "identifier":
        if declared is not None and declared.type != "implicit_type":
            bind_declared(draft, left, type_text(draft, declared))
            use_types(draft, declared)
        else:
            over = dotted(draft, right)
            known = over[:1] not in "?!"
            draft.bind(
                draft.text(left), "alias" if known else "unknown", f"{over}[]" if known else None, draft.line(left)
            )
    elif left is not None:
        _unknown(draft, left)
    return present(right, node.child_by_field_name("body"))


def bind_designation(draft: Draft, node: Node) -> Visit:
    """``is T name``, ``case T name``, ``out T name``, ``catch (T name)``."""
    name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
    if declared is not None and declared.type != "implicit_type":
        use_types(draft, declared)
    if name is not None:
        known = type_text(draft, declared) if declared is not None else None
        bind_declared(draft, name, known)
    skipped = (name, declared)
    return [child for child in node.named_children if child not in skipped]


def bind_lambda(draft: Draft, node: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    if parameters is not None and parameters.type == "implicit_parameter":
        draft.bind_unknown(parameters)
        return [child for child in node.named_children if child != parameters]
    bind_parameters(draft, parameters)
    return node.named_children


def bind_parameter(draft: Draft, node: Node) -> Visit:
    name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
    use_types(draft, declared)
    return [child for child in node.named_children if child not in (name, declared)]


def bind_from(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is not None:
        draft.bind_unknown(name)
    return [child for child in node.named_children if child != name]
