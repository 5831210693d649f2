"""Python's expressions and annotations as dotted text, those in quotes too."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, first_named
from ragforge_memory.code.parsed import BindingKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft


WRAPPERS = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Type"}
)
"""What stands around the type that is meant."""

TREES = threading.Lock()
"""Held while Python makes a tree: some of 3.11 and 3.12 count the depth of all threads' trees as one, and raise
SystemError where two are made at once (CPython's gh-106905)."""


def expression_in(literal: str) -> ast.expr | None:
    """The expression in a string that stands for a type, as written with its quotes; None where it holds none."""
    try:
        with TREES, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python would say of the project's code is no matter of ours
            text = ast.literal_eval(literal)
            # In brackets it may go over several lines.
            return ast.parse(f"({text}\n)", mode="eval").body if isinstance(text, str) else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def named_type(node: ast.expr | None) -> str | None:
    """The class that such an expression means, by the rules of `type_text`."""
    while node is not None:
        match node:
            case ast.Name() | ast.Attribute():
                return _dotted(node)
            case ast.Constant(value=str(text)):
                node = expression_in(repr(text))
            case ast.BinOp(left=left, right=right):
                node = right if _is_none(left) else left
            case ast.Subscript(value=outer, slice=inner):
                if (_dotted(outer) or "").rpartition(".")[2] in WRAPPERS:
                    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                    node = next((part for part in parts if not _is_none(part)), None)
                else:
                    node = outer
            case _:
                return None
    return None


def names_in(node: ast.expr | None) -> Iterator[str]:
    """The dotted names in such an expression; what a ``Literal`` lists are none."""
    stack: list[ast.AST] = [node] if node else []
    while stack:
        part = stack.pop()
        match part:
            case ast.Constant(value=str(text)):
                if inner := expression_in(repr(text)):
                    stack.append(inner)
            case ast.Subscript(value=outer) if (_dotted(outer) or "").endswith("Literal"):
                continue
            case ast.Name() | ast.Attribute() if name := _dotted(part):
                yield name
            case _:
                stack.extend(reversed(list(ast.iter_child_nodes(part))))


def _dotted(node: ast.expr) -> str | None:
    tail: list[str] = []
    while isinstance(node, ast.Attribute):
        tail.append(node.attr)
        node = node.value
    return ".".join(reversed([*tail, node.id])) if isinstance(node, ast.Name) else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


LITERALS = frozenset(
    {"string", "concatenated_string", "integer", "float", "list", "tuple", "dictionary", "set", "lambda", "true",
     "false", "none", "list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression",
     "ellipsis", "binary_operator", "comparison_operator", "not_operator", "unary_operator"}
)  # fmt: skip


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; see parsed.py."""
    kind = node.type
    if kind == "identifier":
        return draft.text(node)
    if kind == "attribute":
        name = node.child_by_field_name("attribute")
        tail.append(f".{draft.text(name)}" if name else ".?")
        return node.child_by_field_name("object")
    elif kind == "call":
        tail.append("()")
        return node.child_by_field_name("function")
    elif kind == "subscript":
        tail.append("[]")
        return node.child_by_field_name("value")
    elif kind in ("parenthesized_expression", "await", "named_expression", "type"):
        return node.child_by_field_name("value") or first_named(node)
    elif kind in LITERALS:
        return "!"
    return None


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The class that an annotation means, as dotted text: of an optional the inner, of a union the first."""
    while node is not None:
        kind = node.type
        if kind in ("identifier", "attribute"):
            return dotted(draft, node)
        if kind == "string":
            return named_type(expression_in(draft.text(node)))
        if kind == "type":
            node = first_named(node)
        elif kind in ("binary_operator", "union_type"):
            parts = [part for part in node.named_children if draft.text(part) != "None"]
            node = parts[0] if parts else None
        elif kind in ("subscript", "generic_type"):
            outer = node.named_children[0] if node.named_children else None
            name = dotted(draft, outer).rpartition(".")[2] if outer else ""
            if name in WRAPPERS:
                inner = [part for part in arguments_of(node) if draft.text(part) != "None"]
                node = inner[0] if inner else None
            else:
                node = outer
        else:
            return None
    return None


def arguments_of(node: Node) -> list[Node]:
    """What stands between the brackets of a subscript or generic type."""
    inner = node.named_children[1:]
    if len(inner) == 1 and inner[0].type == "type_parameter":
        inner = inner[0].named_children
    return inner


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind == "call":
            return "call", dotted(draft, node.child_by_field_name("function"))
        if kind in ("identifier", "attribute", "subscript"):
            return "alias", dotted(draft, node)
        if kind in ("await", "parenthesized_expression", "named_expression"):
            node = node.child_by_field_name("value") or first_named(node)
        elif kind == "boolean_operator":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            node = right if right is not None and right.type == "call" else left
        elif kind == "conditional_expression":
            parts = [part for part in node.named_children if part.type != "comment"]
            node = parts[2] if len(parts) == 3 and parts[0].type in LITERALS else first_named(node)
        else:
            break
    return "unknown", None
