"""Rust's ``use``: each name that it brings in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import child_of_type, comment_free, first_named
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.rust.text import dotted, path_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.clauses import Visit


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
