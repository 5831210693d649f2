"""What Rust code uses: names, types, calls, macros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import children_of_type, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.rust.macros import items_in
from ragforge_memory.code.rust.text import dotted, path_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.clauses import Visit


def use_scoped(draft: Draft, node: Node) -> Visit:
    """``a::b`` that is not called: a variant, a constant, a function as a value, a type."""
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None or name is None:
        return node.named_children
    kind = "type" if node.type == "scoped_type_identifier" else "reference"
    draft.use(draft.text(name), path_text(draft, path), "type" if kind == "type" else "reference", draft.line(name))
    return [path] if path.type not in ("self", "super", "crate") else ()


def use_call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    extra: list[Node] = []
    if function is not None and function.type == "generic_function":
        extra = present(function.child_by_field_name("type_arguments"))
        function = function.child_by_field_name("function")
    if function is None:
        return present(arguments)
    if function.type == "identifier":
        if (text := draft.text(function)) != "Self":
            draft.use(text, None, "call", draft.line(function))
        return [*extra, *present(arguments)]
    if function.type == "field_expression":
        value, field = function.child_by_field_name("value"), function.child_by_field_name("field")
        if value is not None and field is not None:
            draft.use(draft.text(field), dotted(draft, value), "call", draft.line(field))
            return [value, *extra, *present(arguments)]
    if function.type == "scoped_identifier":
        path, name = function.child_by_field_name("path"), function.child_by_field_name("name")
        if path is not None and name is not None:
            draft.use(draft.text(name), path_text(draft, path), "call", draft.line(name))
            return [*([path] if path.type not in ("self", "super", "crate") else ()), *extra, *present(arguments)]
    return [function, *extra, *present(arguments)]


def use_field_access(draft: Draft, node: Node) -> Visit:
    """A field is no scope, and a method is never named without a call."""
    return present(node.child_by_field_name("value"))


def use_struct(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    text = dotted(draft, name)
    if name is not None and text != "Self":
        draft.use_text(text, "call", draft.line(name))
        if name.type == "scoped_type_identifier":
            path = name.child_by_field_name("path")
            return present(path, body)
    arguments = children_of_type(name, "type_arguments")
    return [*arguments, *present(body)]


def use_invocation(draft: Draft, node: Node) -> Visit:
    macro = node.child_by_field_name("macro")
    if macro is not None:
        draft.use_text(dotted(draft, macro), "call", draft.line(macro))
    items = items_in(draft, node)
    return items if items is not None else children_of_type(node, "token_tree")
