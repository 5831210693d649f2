"""Parts of C# definitions: modifiers, attributes, bases, names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import child_of_type, children_of_type, comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS: dict[str, ScopeType] = {
    "class_declaration": "class",
    "record_declaration": "class",
    "record_struct_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
}

INTERFACE = re.compile(r"(?:.*\.)?I[A-Z]\w*$")


def modifiers(draft: Draft, node: Node) -> list[str]:
    """The words before a declaration."""
    return [draft.text(child) for child in children_of_type(node, "modifier")]


def attributes(draft: Draft, node: Node) -> tuple[list[Node], list[str]]:
    """The lists of attributes before a declaration, and the attributes' names."""
    lists = children_of_type(node, "attribute_list")
    names = [name for part in lists for a in part.named_children if (name := a.child_by_field_name("name"))]
    return lists, [draft.text(name) for name in names]


def bases_of(node: Node) -> list[Node]:
    """The types behind the colon."""
    found = []
    for base in comment_free(base_list.named_children) if (base_list := child_of_type(node, "base_list")) else ():
        if base.type == "primary_constructor_base_type":
            found += present(base.child_by_field_name("type") or first_named(base))
        elif base.type not in ("argument_list", "predefined_type"):
            found.append(base)
    return found


def name_of(draft: Draft, node: Node) -> tuple[Node | None, str]:
    """The node of a declaration's name and the name; operators and destructors are named as they are written."""
    name = node.child_by_field_name("name")
    if node.type == "destructor_declaration" and name is not None:
        return name, f"~{draft.text(name)}"
    if node.type == "operator_declaration":
        operator = node.child_by_field_name("operator")
        return operator, f"operator {draft.text(operator)}" if operator is not None else "operator"
    if node.type == "conversion_operator_declaration":
        kind = node.child_by_field_name("type")
        return None, f"operator {draft.text(kind)}" if kind is not None else "operator"
    if node.type == "indexer_declaration":
        return child_of_type(node, "this"), "this[]"
    return name, draft.text(name) if name is not None else "?"
