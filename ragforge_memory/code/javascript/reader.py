"""JavaScript, TypeScript and TSX: the reader of their files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.javascript.functions import FUNCTION_HANDLERS
from ragforge_memory.code.javascript.links import LINKS
from ragforge_memory.code.javascript.modules import MODULE_HANDLERS
from ragforge_memory.code.javascript.types import TYPE_HANDLERS
from ragforge_memory.code.javascript.uses import USE_HANDLERS
from ragforge_memory.code.javascript.variables import VARIABLE_HANDLERS
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.written import one_line

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPE_STAR = re.compile(rb"(\bexport\s+)type(?=\s*\*)")
_IMPORT_TYPE = re.compile(rb"""\bimport\((['"])[^'"\n]*\1\)(?=(?:\.[\w$]+)+<|>\((?!\)))""")
_USING = re.compile(rb"\busing\b(?!\s+[\w$])")
# A line that begins with type parameters and brackets, where the one before can be the end of a type.
_CALL_SIGNATURE = re.compile(
    rb"""(?<=[\w$>\])}'"`/])(\s*\n[ \t]*)[ \t](?=<[A-Za-z_$](?:[^<>()]|=>|<(?:[^<>()]|<[^<>()]*>)*>)*>\()"""
)
_AMPERSAND = re.compile(rb"&(?!#?\w+;)")


def _grammar(path: str) -> object:
    if path.endswith((".ts", ".mts", ".cts")):
        import tree_sitter_typescript

        return tree_sitter_typescript.language_typescript()
    if path.endswith(".tsx"):
        import tree_sitter_typescript

        return tree_sitter_typescript.language_tsx()
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def known(data: bytes) -> bytes:
    """What the grammar (0.23) does not know, as something of the same length and place in the tree that it does.

    ``export type * from`` (TypeScript 5.0) as ``export * from``; ``import('./a').B<T>`` as ``i____________.B<T>``, and
    ``f<typeof import('./a')>(x)`` likewise; a function named ``using``, which opens a declaration elsewhere, under
    another name; an ampersand that begins no entity, in a text or an attribute of JSX, as a bar, which is an operator
    as well; a generic call signature of an object type that a line feed parts from the one before, with a semicolon
    before it.
    """
    data = _TYPE_STAR.sub(rb"\1    ", data)
    data = _IMPORT_TYPE.sub(lambda found: b"i".ljust(len(found[0]), b"_"), data)
    data = _CALL_SIGNATURE.sub(rb"\1;", data)
    return _AMPERSAND.sub(b"|", _USING.sub(b"u____", data))


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a file's tree."""
    draft.walk(root, _HANDLERS)


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
    grammar=_grammar,
    extract=extract,
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
