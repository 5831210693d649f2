"""JavaScript: what object literals and constructor functions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.draft import CLOSE, Draft
from ragforge_memory.code.javascript.functions import (
    FUNCTIONS,
    around,
    given,
    modifiers_of,
    open_function,
    open_other_name,
)
from ragforge_memory.code.javascript.text import property_name, value
from ragforge_memory.code.open_scope import OpenScope
from ragforge_memory.code.parsed import ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


def members(draft: Draft, node: Node, prefix: str = "", owner: str | None = None) -> None:
    """The properties of an object that has a name: functions in it are its methods.

    What else it holds by name is bound to the object's scope with a dot before (names.py looks there).
    """
    scope = draft.current
    base = scope.qualified_name if scope is not None else ""
    stack: list[tuple[Node, str]] = [(child, prefix) for child in reversed(node.named_children)]
    while stack:
        child, path = stack.pop()
        if child.type == "pair":
            name_node, content = child.child_by_field_name("key"), child.child_by_field_name("value")
            name = property_name(draft, name_node)
            if name is not None and content is not None and content.type == "object":
                stack += [(inner, f"{path}{name}.") for inner in reversed(content.named_children)]
                continue
            if name is not None and content is not None and content.type in FUNCTIONS:
                qualified = ".".join(part for part in (base, f"{path}{name}") if part)
                kind: ScopeType = "method" if base or path or owner else "function"
                # said now and not in a handler: the name depends on where the object stands
                inside = open_function(
                    draft, child, name, name_node=name_node, whole=child, function=content,
                    type=kind, qualified_name=qualified, owner=owner,
                )  # fmt: skip
                draft.walk_inside(inside)
                continue
        elif child.type == "method_definition":
            name_node = child.child_by_field_name("name")
            name = property_name(draft, name_node)
            if name is not None:
                qualified = ".".join(part for part in (base, f"{path}{name}") if part)
                kind = "method" if base or path or owner else "function"
                inside = open_function(
                    draft, child, name, name_node=name_node, whole=child, type=kind,
                    qualified_name=qualified, owner=owner, modifiers=modifiers_of(draft, child),
                )  # fmt: skip
                draft.walk_inside(inside)
                continue
        if scope is not None and not path:
            _bind_property(draft, scope, child)
        draft.walk_inside([child])


def _bind_property(draft: Draft, scope: OpenScope, node: Node) -> None:
    if node.type == "shorthand_property_identifier":
        draft.bind(f".{draft.text(node)}", "alias", draft.text(node), draft.line(node), scope)
    elif node.type == "pair":
        name = property_name(draft, node.child_by_field_name("key"))
        kind, known = value(draft, node.child_by_field_name("value"))
        if name is not None and known is not None:
            draft.bind(f".{name}", kind, known, draft.line(node), scope)


def this_member(draft: Draft, node: Node, name: str, name_node: Node | None, right: Node, line: int) -> Visit | None:
    """``this.name = …`` in a class or a constructor function."""
    owner, function = draft.enclosing_type, draft.enclosing_function
    if given(right).type in FUNCTIONS and function is not None:
        holder = owner.qualified_name if owner is not None else function.qualified_name
        if right.type not in FUNCTIONS:
            open_other_name(
                draft, node, name, name_node, type="method", qualified_name=f"{holder}.{name}", owner=holder
            )
            return [CLOSE, right]
        return open_function(
            draft, node, name, name_node=name_node, whole=around(node), function=right, type="method",
            qualified_name=f"{holder}.{name}", owner=holder,
        )  # fmt: skip
    if owner is None and function is None:
        return None
    kind, known = value(draft, right)
    if owner is None:
        draft.bind(f".{name}", kind, known, line, function)
        return None
    if kind == "alias" and known is not None and function is not None:
        local = draft.known(known)
        if local is not None:
            kind, known = local.kind, local.value
        elif function.bound(known):
            kind, known = "unknown", None
    draft.bind(name, kind, known, line, owner)
    return None
