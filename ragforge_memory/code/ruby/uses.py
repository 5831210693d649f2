"""What Ruby code uses, and what its statements bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.ruby.text import dotted, is_local, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

VISIBILITIES = frozenset({"private", "protected", "public", "module_function", "private_class_method"})


def _last(body: Node | None) -> Node | None:
    found = comment_free(body.named_children) if body is not None else []
    return found[-1] if found else None


def use_identifier(draft: Draft, node: Node) -> Visit:
    text = draft.text(node)
    if not is_local(draft, text) and text not in VISIBILITIES:
        draft.use(text, None, "call", draft.line(node))
    return ()


def use_constant_use(draft: Draft, node: Node) -> Visit:
    draft.use(draft.text(node), None, "reference", draft.line(node))
    return ()


def use_scope_resolution(draft: Draft, node: Node) -> Visit:
    name, scope = node.child_by_field_name("name"), node.child_by_field_name("scope")
    if name is not None:
        draft.use(draft.text(name), dotted(draft, scope) if scope is not None else None, "reference", draft.line(name))
    return present(scope)


def use_super(draft: Draft, node: Node) -> Visit:
    method = draft.enclosing_function
    if method is not None and method.type == "method":
        draft.use(method.name, "super", "call", draft.line(node))
    return ()


def use_rescue(draft: Draft, node: Node) -> Visit:
    draft.decide()
    variable = first_named(node.child_by_field_name("variable"))
    exceptions = node.child_by_field_name("exceptions")
    if variable is not None and variable.type == "identifier":
        first = first_named(exceptions)
        known = dotted(draft, first) if first is not None and first.type in ("constant", "scope_resolution") else None
        draft.bind(draft.text(variable), "type" if known else "unknown", known, draft.line(variable))
    return present(exceptions, node.child_by_field_name("body"))


def use_for(draft: Draft, node: Node) -> Visit:
    draft.decide()
    pattern = node.child_by_field_name("pattern")
    if pattern is not None and pattern.type == "identifier":
        draft.bind(draft.text(pattern), "unknown", None, draft.line(pattern))
    return present(node.child_by_field_name("value"), node.child_by_field_name("body"))


def use_in_clause(draft: Draft, node: Node) -> Visit:
    draft.decide()
    stack = present(node.child_by_field_name("pattern"))
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.bind(draft.text(part), "unknown", None, draft.line(part))
        elif part.type == "keyword_pattern" and part.child_by_field_name("value") is None:
            key = part.child_by_field_name("key")
            if key is not None:
                draft.bind(draft.text(key).rstrip(":"), "unknown", None, draft.line(key))
        else:
            stack += part.named_children
    return node.named_children


def use_return(draft: Draft, node: Node) -> Visit:
    inner = first_named(first_named(node))
    kind, value = value_of(draft, inner)
    scope = draft.current
    if value is not None and scope is not None and scope.type in ("function", "method"):
        draft.bind("return", kind, value, draft.line(node))
    return node.named_children


_RETURNED = frozenset(
    {"call", "constant", "instance_variable", "identifier", "scope_resolution", "operator_assignment"}
)


def use_body(draft: Draft, node: Node) -> Visit:
    """A method returns its last expression."""
    scope, last, parent = draft.current, _last(node), node.parent
    in_method = scope is not None and parent is not None and parent.type in ("method", "singleton_method")
    if in_method and last is not None and last.type in _RETURNED:
        inner = last.child_by_field_name("right") if last.type == "operator_assignment" else last
        kind, value = value_of(draft, inner)
        if value is not None:
            draft.bind("return", kind, value, draft.line(last))
    return node.named_children
