"""What PHP statements and parameters bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.open_scope import OpenScope
from ragforge_memory.code.php.text import dotted, type_text, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


def bind(draft: Draft, text: str, declared: str | None, line: int, scope: OpenScope | None = None) -> None:
    """Binds a name to its type; of ``T[]`` its elements."""
    if declared is not None and declared.endswith("[]"):
        draft.bind(f"{text}[]", "type", declared.removesuffix("[]"), line, scope)
        declared = None
    draft.bind(text, "type", declared, line, scope)


def bind_parameters(draft: Draft, parameters: Node | None, tags: dict[str, str] | None = None) -> None:
    """Parameters with their types; ``tags`` are those of the comment, by name."""
    for parameter in comment_free(parameters.named_children) if parameters is not None else ():
        name = parameter.child_by_field_name("name")
        if name is None:
            continue
        text = draft.text(name).lstrip("&")
        declared = type_text(draft, parameter.child_by_field_name("type")) or (tags or {}).get(text.lstrip("$"))
        bind(draft, text, declared, draft.line(name))
        if parameter.type == "property_promotion_parameter":
            bind(draft, text.lstrip("$"), declared, draft.line(name), draft.enclosing_type)


def bind_closure(draft: Draft, node: Node) -> Visit:
    bind_parameters(draft, node.child_by_field_name("parameters"))
    return node.named_children


def bind_parameter(draft: Draft, node: Node) -> Visit:
    return present(
        node.child_by_field_name("attributes"),
        node.child_by_field_name("type"),
        node.child_by_field_name("default_value"),
    )


def bind_assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return node.named_children
    if left.type == "variable_name":
        draft.bind(draft.text(left), *value_of(draft, right), draft.line(left))
        return present(right)
    if left.type == "member_access_expression" and dotted(draft, left.child_by_field_name("object")) == "this":
        owner, name = draft.enclosing_type, left.child_by_field_name("name")
        if owner is not None and name is not None and not any(b.value for b in owner.bound(draft.text(name))):
            kind, value = value_of(draft, right)
            known = draft.known(value) if kind == "alias" and value is not None else None
            if known is not None:
                kind, value = known.kind, known.value
            elif kind == "alias" and value is not None and value.startswith("$"):
                kind, value = "unknown", None
            draft.bind(draft.text(name), kind, value, draft.line(left), owner)
        return present(right)
    if left.type in ("list_literal", "array_creation_expression"):
        _bind_unknown(draft, left)
        return present(right)
    return present(left, right)


def _bind_unknown(draft: Draft, node: Node) -> None:
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type == "variable_name":
            draft.bind(draft.text(part), "unknown", None, draft.line(part))
        elif part.type not in ("member_access_expression", "subscript_expression"):
            stack += part.named_children


def bind_foreach(draft: Draft, node: Node) -> Visit:
    draft.decide()
    body = node.child_by_field_name("body")
    parts = [child for child in comment_free(node.named_children) if child != body]
    over = parts[0] if parts else None
    for target in parts[1:]:
        value = target.named_children[-1] if target.type == "pair" else target
        if target.type == "pair":
            _bind_unknown(draft, target.named_children[0])
        while value.type in ("by_ref", "reference_modifier") and value.named_children:
            value = value.named_children[0]
        text = dotted(draft, over)
        if value.type == "variable_name" and text[:1] not in "?!":
            draft.bind(draft.text(value), "alias", f"{text}[]", draft.line(value))
        else:
            _bind_unknown(draft, value)
    return present(over, body)


def bind_catch(draft: Draft, node: Node) -> Visit:
    draft.decide()
    declared, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if name is not None:
        draft.bind(draft.text(name), "type", type_text(draft, declared), draft.line(name))
    return present(declared, node.child_by_field_name("body"))


def bind_declared_variables(draft: Draft, node: Node) -> Visit:
    """``global $x`` and ``static $x = 1``."""
    _bind_unknown(draft, node)
    return [child for child in node.named_children if child.type != "variable_name"]
