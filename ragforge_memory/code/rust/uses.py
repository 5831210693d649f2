"""What Rust code uses: names, types, calls, macros, and each name that ``use`` brings in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import child_of_type, children_of_type, comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.rust.macros import items_in
from ragforge_memory.code.rust.text import dotted, path_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


def use_declaration(draft: Draft, node: Node) -> Visit:
    argument = node.child_by_field_name("argument")
    exported = child_of_type(node, "visibility_modifier") is not None
    stack: list[tuple[Node | None, str]] = [(argument, "")]
    while stack:
        part, prefix = stack.pop()
        if part is None:
            continue
        kind = part.type
        if kind == "scoped_use_list":
            path = part.child_by_field_name("path")
            stack.append((part.child_by_field_name("list"), _joined(prefix, _use_path(draft, path, prefix))))
        elif kind == "use_list":
            stack += [(child, prefix) for child in reversed(comment_free(part.named_children))]
        elif kind == "use_wildcard":
            path_node = first_named(part)
            path_text_ = _joined(prefix, _use_path(draft, path_node, prefix)) if path_node else prefix
            module, name = _split(f"{path_text_}.*")
            draft.add_import("*", module, name, draft.line(part), exported=exported)
        else:
            alias = part.child_by_field_name("alias") if kind == "use_as_clause" else None
            path = part.child_by_field_name("path") if kind == "use_as_clause" else part
            inner = "" if path is None or (path.type == "self" and prefix) else _use_path(draft, path, prefix)
            full = _joined(prefix, inner)
            local = draft.text(alias) if alias else full.rpartition(".")[2]
            if local != "_":
                module, name = _split(full)
                draft.add_import(local, module, name or None, draft.line(part), exported=exported)
    return ()


def _use_path(draft: Draft, node: Node | None, prefix: str) -> str:
    return dotted(draft, node) if prefix else path_text(draft, node)


def _joined(prefix: str, rest: str) -> str:
    return ".".join(part for part in (prefix, rest) if part)


def _split(path: str) -> tuple[str, str]:
    """``crate.a.Kind.Book`` to the module ``crate.a`` and the name ``Kind.Book``: modules are written small."""
    parts = path.split(".")
    last = len(parts) - 1
    first = next((place for place, part in enumerate(parts) if part[:1].isupper()), last)
    first = max(first, 1)
    return ".".join(parts[:first]), ".".join(parts[first:])


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
