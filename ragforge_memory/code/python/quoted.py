"""Types that Python code writes in quotes: forward references, read as the expressions that they are."""

from __future__ import annotations

import ast
import threading
import warnings
from collections.abc import Iterator

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
