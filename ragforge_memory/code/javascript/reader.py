"""JavaScript, TypeScript and TSX: the reader of their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.draft import Handler
from ragforge_memory.code.javascript.functions import FUNCTION_HANDLERS
from ragforge_memory.code.javascript.known import known
from ragforge_memory.code.javascript.links import LINKS
from ragforge_memory.code.javascript.modules import MODULE_HANDLERS
from ragforge_memory.code.javascript.types import TYPE_HANDLERS
from ragforge_memory.code.javascript.uses import USE_HANDLERS
from ragforge_memory.code.javascript.variables import VARIABLE_HANDLERS
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.written import one_line

if TYPE_CHECKING:
    from tree_sitter import Node


def refusal(root: Node, data: bytes) -> str | None:
    """Two errors are the grammar's own (0.23): ``in`` and ``out`` before type parameters, ``f<typeof import(…)>()``."""
    stack = [root]
    while stack:
        node = stack.pop()
        parent = node.parent
        variance = parent is not None and parent.type in ("type_parameters", "type_parameter")
        if node.is_missing:
            return f"syntax error in line {node.start_point[0] + 1}: {node.type} is missing"
        if node.is_error and not variance and data[node.start_byte : node.end_byte] != b">()":
            return f"syntax error in line {node.start_point[0] + 1}"
        if not node.is_error:
            stack.extend(reversed([child for child in node.children if child.has_error or child.is_missing]))
    return None


_HANDLERS: dict[str, Handler] = {
    **USE_HANDLERS,
    **FUNCTION_HANDLERS,
    **TYPE_HANDLERS,
    **VARIABLE_HANDLERS,
    **MODULE_HANDLERS,
}

READER = Reader(
    grammar="tree_sitter_javascript",
    grammars={
        **dict.fromkeys((".ts", ".mts", ".cts"), "tree_sitter_typescript:language_typescript"),
        ".tsx": "tree_sitter_typescript:language_tsx",
    },
    handlers=_HANDLERS,
    links=LINKS,
    atoms=frozenset({"string", "template_string", "regex", "jsx_text"}),
    forms={"jsx_text": one_line},
    statements=frozenset(
        {"program", "statement_block", "switch_case", "switch_default", "class_body", "interface_body", "object_type"}
    ),
    cut_behind=frozenset({"return", "break", "continue", "yield", "throw", "async", "abstract"}),
    refusal=refusal,
    simplify=(known,),
)
