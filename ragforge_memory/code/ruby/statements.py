"""What Ruby assignments and parameters bind; constants and the types that ``Struct.new`` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import closing, comment_free, first_named, present, signature_line
from ragforge_memory.code.comments import doc_before
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.ruby.text import VARIABLES, dotted, is_local, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_MAKERS = {
    ("Struct", "new"): "class",
    ("Class", "new"): "class",
    ("Data", "define"): "class",
    ("Module", "new"): "trait",
}


def doc(draft: Draft, node: Node) -> str | None:
    """The grammar puts the comment before the first statement of a body outside the body."""
    found = doc_before(draft, node)
    parent = node.parent
    if found is None and parent is not None and parent.type == "argument_list" and parent.parent is not None:
        return doc(draft, parent.parent)  # ``private def …``
    if found is None and parent is not None and parent.type == "body_statement" and node.prev_named_sibling is None:
        return doc_before(draft, parent)
    return found


def split(draft: Draft, name: Node) -> tuple[str | None, str]:
    """A constant's path as what it stands in, if anything, and its last name."""
    owner, _, last = dotted(draft, name).rpartition(".")
    return owner or None, last


def qualified(draft: Draft, owner: str | None, name: str) -> str:
    """A name with all that it stands in."""
    current = draft.current
    outer = current.qualified_name if current is not None else None
    return ".".join(part for part in (outer, owner, name) if part)


def bind_parameters(draft: Draft, parameters: Node | None) -> None:
    """Parameters, those inside of patterns too."""
    stack = comment_free(parameters.named_children) if parameters is not None else []
    for parameter in stack:
        if parameter.type == "identifier":
            draft.bind(draft.text(parameter), "unknown", None, draft.line(parameter))
        elif parameter.type == "destructured_parameter":
            bind_parameters(draft, parameter)
        elif (name := parameter.child_by_field_name("name")) is not None:
            value = parameter.child_by_field_name("value")
            draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))


def visit_parameters(draft: Draft, node: Node) -> Visit:
    return [value for child in node.named_children if (value := child.child_by_field_name("value"))]


def bind_block(draft: Draft, node: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    bind_parameters(draft, parameters)
    return node.named_children


def _made_type(draft: Draft, right: Node | None) -> str | None:
    """The kind of type that ``Struct.new``, ``Class.new`` and the like make."""
    if right is None or right.type != "call":
        return None
    receiver, method = right.child_by_field_name("receiver"), right.child_by_field_name("method")
    if receiver is None or method is None:
        return None
    return _MAKERS.get((draft.text(receiver).removeprefix("::"), draft.text(method)))


def bind_assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return node.named_children
    if left.type in ("constant", "scope_resolution"):
        return _constant(draft, node, left, right)
    if left.type == "identifier":
        draft.bind(draft.text(left), *value_of(draft, right), draft.line(left))
        return present(right)
    if left.type in VARIABLES:
        _bind_variable(draft, left, right)
        return present(right)
    if left.type == "left_assignment_list":
        for part in _flat(left):
            if part.type == "constant":
                return _constant(draft, node, part, right)
            if part.type == "identifier":
                draft.bind(draft.text(part), "unknown", None, draft.line(part))
        return present(right)
    if left.type == "call":
        receiver, method = left.child_by_field_name("receiver"), left.child_by_field_name("method")
        if receiver is not None and method is not None:
            draft.use(f"{draft.text(method)}=", dotted(draft, receiver), "call", draft.line(method))
        return present(receiver, right)
    return present(left, right)


def _flat(node: Node) -> list[Node]:
    found: list[Node] = []
    for child in node.named_children:
        nested = child.type in ("destructured_left_assignment", "rest_assignment", "left_assignment_list")
        found += _flat(child) if nested else [child]
    return found


def _bind_variable(draft: Draft, left: Node, right: Node | None) -> None:
    kind, value = value_of(draft, right)
    if kind == "alias" and value is not None and is_local(draft, value):
        known = draft.known(value)
        kind, value = (known.kind, known.value) if known is not None else ("unknown", None)
    owner = draft.enclosing_type if left.type != "global_variable" else None
    draft.bind(draft.text(left), kind, value, draft.line(left), owner)


def _constant(draft: Draft, node: Node, left: Node, right: Node | None) -> Visit:
    if draft.enclosing_function is not None:
        return present(right)
    owner, name = split(draft, left)
    made = _made_type(draft, right)
    if made is None:
        draft.bind(name, *value_of(draft, right), draft.line(left))
    draft.open(
        node,
        name,
        "constant" if made is None else "trait" if made == "trait" else "class",
        name_node=left if owner is None else left.child_by_field_name("name"),
        qualified_name=qualified(draft, owner, name),
        signature=signature_line(draft, node, right.child_by_field_name("arguments") if made and right else None),
        docstring=doc(draft, node),
        owner=owner,
    )
    if made is None or right is None:
        return closing([right])
    arguments = right.child_by_field_name("arguments")
    first = first_named(arguments)
    scope = draft.current
    if first is not None and first.type in ("constant", "scope_resolution") and scope is not None:
        base = dotted(draft, first)
        receiver, _, last = base.rpartition(".")
        scope.bases = (base,)
        draft.use(last, receiver or None, "inherit", draft.line(first))
    block = right.child_by_field_name("block")
    return closing([block])
