"""Ruby expressions as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free, first_named
from ragforge_memory.code.parsed import LONGEST_TEXT

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft
    from ragforge_memory.code.parsed import BindingKind

VARIABLES = frozenset({"instance_variable", "class_variable", "global_variable"})
_LITERAL_TYPES = """
string integer float array hash regex simple_symbol delimited_symbol true false nil lambda string_array symbol_array
range chained_string heredoc_beginning rational complex character subshell binary unary
"""
_LITERALS = frozenset(_LITERAL_TYPES.split())
_SAME = frozenset({"class", "itself", "dup", "freeze", "tap", "clone", "then"})
"""Methods whose value is taken for the receiver: its class, or the same object."""


def is_local(draft: Draft, name: str) -> bool:
    """Whether a bare name is a variable here and not a call."""
    scope = draft.current
    while scope is not None and not scope.is_type:
        if scope.bound(name):
            return True
        scope = scope.parent if scope.type == "constant" else None
    return False


def dotted(draft: Draft, node: Node | None) -> str:
    """An expression as dotted text; a bare name that is no variable is a call, ``X.new`` is a call of X."""
    tail: list[str] = []
    while node is not None and len(tail) < LONGEST_TEXT:
        kind = node.type
        if kind == "identifier":
            text = draft.text(node)
            return "".join([text if is_local(draft, text) else f"{text}()", *reversed(tail)])
        if kind in ("constant", "self", "super") or kind in VARIABLES:
            return "".join([draft.text(node), *reversed(tail)])
        if kind == "scope_resolution":
            name, scope = node.child_by_field_name("name"), node.child_by_field_name("scope")
            text = draft.text(name) if name is not None else "?"
            if scope is None:
                return "".join([text, *reversed(tail)])
            tail.append(f".{text}")
            node = scope
        elif kind == "call":
            receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
            name_text = draft.text(method) if method is not None else "?"
            if receiver is None:
                return "".join(["self()" if name_text == "new" else f"{name_text}()", *reversed(tail)])
            if name_text == "new":
                tail.append("()")
            elif name_text not in _SAME:
                tail.append(f".{name_text}()")
            node = receiver
        elif kind == "element_reference":
            tail.append("[]")
            node = node.child_by_field_name("object") or first_named(node)
        elif kind in ("parenthesized_statements", "assignment", "operator_assignment"):
            node = node.child_by_field_name("right") or first_named(node)
        elif kind in _LITERALS:
            return "".join(["!", *reversed(tail)])
        else:
            break
    return "".join(["?", *reversed(tail)])


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None and node.type in ("parenthesized_statements", "binary", "assignment", "conditional"):
        if node.type == "binary":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type not in ("||", "or"):
                return "unknown", None
        node = node.child_by_field_name("consequence") or node.child_by_field_name("right") or first_named(node)
    if node is None:
        return "unknown", None
    if node.type == "call":
        text = dotted(draft, node)
        return ("call", text.removesuffix("()")) if text.endswith("()") else ("alias", text)
    if node.type == "identifier":
        text = draft.text(node)
        return ("alias", text) if is_local(draft, text) else ("call", text)
    if node.type in ("constant", "scope_resolution", "self") or node.type in VARIABLES:
        return "alias", dotted(draft, node)
    return "unknown", None


def symbol_name(draft: Draft, node: Node) -> str | None:
    """The name that a symbol or a string says: ``:price``."""
    if node.type == "simple_symbol":
        return draft.text(node).lstrip(":")
    if node.type == "string":
        inner = comment_free(node.named_children)
        return draft.text(inner[0]) if len(inner) == 1 and inner[0].type == "string_content" else None
    return None
