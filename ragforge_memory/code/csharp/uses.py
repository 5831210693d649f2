"""What C# code uses: names, types, calls, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import children_of_type, comment_free, present
from ragforge_memory.code.csharp.text import dotted, simple_name, type_text
from ragforge_memory.code.draft import Draft

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


def use_types(draft: Draft, node: Node | None) -> None:
    """Say every type that a type expression names."""
    stack = [node] if node is not None else []
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.use(draft.text(part), None, "type", draft.line(part))
        elif part.type == "qualified_name":
            text = type_text(draft, part) or ""
            draft.use_text(text.removesuffix("[]"), "type", draft.line(part))
            last = part.child_by_field_name("name")
            stack += children_of_type(last, "type_argument_list")
        elif part.type == "tuple_element":
            stack += present(part.child_by_field_name("type"))
        else:
            stack += reversed(part.named_children)


def use_access(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
    if receiver is None or name is None:
        return node.named_children
    draft.use(simple_name(draft, name), dotted(draft, receiver), "reference", draft.line(name))
    return [receiver, *children_of_type(name, "type_argument_list")]


def use_conditional(draft: Draft, node: Node) -> Visit:
    """``a?.b`` that is not called."""
    condition = node.child_by_field_name("condition")
    for child in node.named_children:
        if child.type == "member_binding_expression" and (name := child.child_by_field_name("name")) is not None:
            draft.use(simple_name(draft, name), dotted(draft, condition), "reference", draft.line(name))
    return [child for child in node.named_children if child.type != "member_binding_expression"]


def use_call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return present(arguments)
    if function.type in ("identifier", "generic_name"):
        if (name := simple_name(draft, function)) != "nameof":
            draft.use(name, None, "call", draft.line(function))
        return [*children_of_type(function, "type_argument_list"), *present(arguments)]
    if function.type == "member_access_expression":
        receiver, member = function.child_by_field_name("expression"), function.child_by_field_name("name")
        if receiver is not None and member is not None:
            draft.use(simple_name(draft, member), dotted(draft, receiver), "call", draft.line(member))
            return [receiver, *children_of_type(member, "type_argument_list"), *present(arguments)]
    if function.type == "conditional_access_expression":
        condition = function.child_by_field_name("condition")
        rest = [child for child in comment_free(function.named_children) if child != condition]
        binding = rest[0] if rest else None
        if binding is not None and binding.type == "member_binding_expression":
            name_node = binding.child_by_field_name("name")
            draft.use(simple_name(draft, name_node), dotted(draft, condition), "call", draft.line(binding))
            return present(condition, arguments)
    return present(function, arguments)


def use_creation(draft: Draft, node: Node) -> Visit:
    kind = node.child_by_field_name("type")
    last = kind
    while last is not None and last.type == "qualified_name":
        last = last.child_by_field_name("name")
    if kind is not None and last is not None:
        qualifier = kind.child_by_field_name("qualifier") if kind.type == "qualified_name" else None
        if kind.type != "predefined_type":
            outer = type_text(draft, qualifier) if qualifier is not None else None
            draft.use(simple_name(draft, last), outer, "call", draft.line(kind))
        for arguments in children_of_type(last, "type_argument_list"):
            use_types(draft, arguments)
    return [child for child in node.named_children if child != kind]


def use_initializer(draft: Draft, node: Node) -> Visit:
    """``{ Name = value }`` of a new object: the names are its properties."""
    inside = []
    for child in node.named_children:
        left = child.child_by_field_name("left") if child.type == "assignment_expression" else None
        if left is not None and left.type == "identifier":
            inside += present(child.child_by_field_name("right"))
        else:
            inside.append(child)
    return inside


def use_attribute(draft: Draft, node: Node) -> Visit:
    """``[Audited]`` may mean ``AuditedAttribute``; the draft keeps both spellings and one of them is found."""
    name = node.child_by_field_name("name")
    if name is not None:
        text = type_text(draft, name) or draft.text(name)
        draft.use_text(text, "decorate", draft.line(name))
        if not text.endswith("Attribute"):
            draft.use_text(f"{text}Attribute", "decorate", draft.line(name))
    return [child for child in node.named_children if child != name]


def use_typed(draft: Draft, node: Node) -> Visit:
    """Casts and ``typeof``: their type is one for sure."""
    declared = node.child_by_field_name("type")
    use_types(draft, declared)
    return [child for child in node.named_children if child != declared]


def use_type_arguments(draft: Draft, node: Node) -> Visit:
    use_types(draft, node)
    return ()


def use_constraints(draft: Draft, node: Node) -> Visit:
    for constraint in children_of_type(node, "type_parameter_constraint"):
        use_types(draft, constraint.child_by_field_name("type"))
    return ()


def use_argument(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    return [child for child in node.named_children if child != name]


def use_binary(draft: Draft, node: Node) -> Visit:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("&&", "||", "??"):
        draft.decide()
    return node.named_children


def use_section(draft: Draft, node: Node) -> Visit:
    if node.child_count and node.children[0].type == "case":
        draft.decide()
    return node.named_children


def use_labeled(draft: Draft, node: Node) -> Visit:
    return node.named_children[1:]
