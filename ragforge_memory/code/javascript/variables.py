"""JavaScript and TypeScript: variables, and assignments that define."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import doc_before, named
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.javascript.functions import (
    FUNCTIONS,
    around,
    given,
    open_function,
    open_other_name,
    signature_line,
)
from ragforge_memory.code.javascript.modules import (
    bind_required,
    export_member,
    export_whole,
    is_exported,
    members,
    sets_exports,
    this_member,
)
from ragforge_memory.code.javascript.text import (
    bind_pattern,
    dotted,
    is_made_object,
    property_name,
    required_module,
    type_text,
    value,
)
from ragforge_memory.code.javascript.types import CLASSES, open_class

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_GLOBALS = frozenset({"window", "global", "globalThis", "self"})
_OR_ELSE = frozenset({"||", "??"})


@named
def _declarator(draft: Draft, node: Node, name_node: Node) -> Visit:
    content = node.child_by_field_name("value")
    declared = node.child_by_field_name("type")
    required = required_module(draft, content)
    if required is not None:
        bind_required(draft, name_node, *required)
        return []
    if name_node.type != "identifier":
        inside = bind_pattern(draft, name_node)
        return [*inside, *(part for part in (declared, content) if part)]
    name, whole = draft.text(name_node), around(node)
    exported = is_exported(node)
    if exported:
        draft.export(name, name, draft.line(node))
    modifiers = ["export"] if exported else []
    if content is not None and content.type in FUNCTIONS:
        return open_function(draft, node, name, name_node=name_node, whole=whole, function=content, modifiers=modifiers)
    if content is not None and content.type in CLASSES:
        return open_class(draft, content, name, name_node, whole)
    annotation = type_text(draft, declared)
    if annotation is not None:
        draft.bind(name, "type", annotation, draft.line(name_node))
    else:
        draft.bind(name, *value(draft, content), draft.line(name_node))
    parts = [part for part in (declared, content) if part]
    if content is not None and content.type == "assignment_expression" and sets_exports(draft, content):
        draft.export("=", name, draft.line(node))
    if not _worth_naming(draft, node, exported):
        return parts
    draft.open(
        node, name, "constant", name_node=name_node, whole=whole, signature=signature_line(draft, node),
        docstring=doc_before(draft, whole), modifiers=modifiers,
        return_type=draft.text(declared).lstrip(": ") if declared else None, returns=annotation,
    )  # fmt: skip
    if content is not None and content.type == "object":
        members(draft, content)
        return [*([declared] if declared else []), CLOSE]
    return [*parts, CLOSE]


def _worth_naming(draft: Draft, node: Node, exported: bool) -> bool:
    declaration = node.parent
    kind = declaration.child_by_field_name("kind") if declaration is not None else None
    constant = kind is not None and kind.type == "const"
    statement = declaration.parent if declaration is not None else None
    ambient = statement is not None and statement.type == "ambient_declaration"
    top = statement is not None and statement.type in ("program", "export_statement")
    content = node.child_by_field_name("value")
    while content is not None and content.type == "assignment_expression":
        content = content.child_by_field_name("right")
    constant = constant or (content is not None and content.type == "object") or is_made_object(draft, content)
    scope = draft.current
    if scope is not None and scope.type != "namespace":
        return False
    return exported or ambient or (top and constant)


def _assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return node.named_children
    member = _member(draft, left)
    if member is not None:
        defined = _define_member(draft, node, *member, _or_else(draft, left, right))
        if defined is not None:
            return defined
    if left.type == "member_expression":
        receiver = left.child_by_field_name("object")
        return [*([receiver] if receiver and receiver.type != "this" else []), right]
    if left.type == "identifier":
        kind, known = value(draft, right)
        if known is not None and kind != "alias":
            draft.bind(draft.text(left), kind, known, draft.line(left))
        return [right]
    if left.type == "subscript_expression":
        return [left, right]
    return [*bind_pattern(draft, left), right]


def _augmented(draft: Draft, node: Node) -> Visit:
    """``a.b ||= function () {}`` defines as ``a.b = function () {}`` does."""
    left, right, operator = (node.child_by_field_name(field) for field in ("left", "right", "operator"))
    if left is not None and right is not None and operator is not None:
        member = _member(draft, left) if draft.text(operator).removesuffix("=") in _OR_ELSE else None
        if member is not None and right.type in FUNCTIONS:
            return _define_member(draft, node, *member, right) or [left, right]
    return node.named_children


def _or_else(draft: Draft, left: Node, right: Node) -> Node:
    """What is assigned where nothing is there yet: of ``a.b = a.b || x`` it is ``x``."""
    operator = right.child_by_field_name("operator") if right.type == "binary_expression" else None
    if operator is not None and draft.text(operator) in _OR_ELSE:
        first, other = right.child_by_field_name("left"), right.child_by_field_name("right")
        if first is not None and other is not None and other.type in FUNCTIONS:
            return other if draft.text(first) == draft.text(left) else right
    return right


def _member(draft: Draft, left: Node) -> tuple[str, str, Node | None] | None:
    """What is assigned to as receiver, name and the name's node: ``a.b``, and ``a["b"]``."""
    if left.type == "member_expression":
        receiver, _, name = dotted(draft, left).rpartition(".")
        return receiver, name, left.child_by_field_name("property")
    if left.type == "subscript_expression":
        index = left.child_by_field_name("index")
        named = property_name(draft, index)
        return None if named is None else (dotted(draft, left.child_by_field_name("object")), named, index)
    return None


def _define_member(
    draft: Draft, node: Node, receiver: str, name: str, name_node: Node | None, right: Node
) -> Visit | None:
    line = draft.line(node)
    if (receiver, name) == ("module", "exports"):
        return export_whole(draft, node, right, line)
    if receiver in ("module.exports", "exports"):
        return export_member(draft, node, name, name_node, right, line)
    if name == "prototype" and right.type == "object" and receiver.isidentifier():
        members(draft, right, f"{receiver}.", owner=receiver)
        return []
    if receiver == "this":
        return this_member(draft, node, name, name_node, right, line)
    owner = receiver.removesuffix(".prototype")
    if given(right).type not in FUNCTIONS or not owner.replace(".", "").isidentifier():
        return None
    modifiers = [] if receiver.endswith(".prototype") else ["static"]
    if right.type not in FUNCTIONS:
        if draft.enclosing_function is not None or owner in _GLOBALS:
            return None
        open_other_name(
            draft, node, name, name_node, type="method", qualified_name=f"{owner}.{name}", owner=owner,
            modifiers=modifiers,
        )  # fmt: skip
        return [CLOSE, right]
    if draft.enclosing_function is not None or owner in _GLOBALS:
        own = right.child_by_field_name("name")
        if own is not None:  # nobody finds it by the member, and it calls itself by its own name
            name, name_node = draft.text(own), own
        return open_function(draft, node, name, name_node=name_node, whole=around(node), function=right)
    return open_function(
        draft, node, name, name_node=name_node, whole=around(node), function=right, type="method",
        qualified_name=f"{owner}.{name}", owner=owner, modifiers=modifiers,
    )  # fmt: skip


VARIABLE_HANDLERS: dict[str, Handler] = {
    "variable_declarator": _declarator,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
}
