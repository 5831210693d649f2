"""C and C++ structs, classes, enums and typedefs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.c.text import SPECIFIERS, declared_name, is_name, qualified, type_text
from ragforge_memory.code.clauses import (
    child_of_type,
    children_of_type,
    closing,
    comment_free,
    doc_before,
    header,
    named,
    present,
    signature_line,
)
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_KINDS: dict[str, ScopeType] = {
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "class_specifier": "class",
    "enum_specifier": "enum",
}


def whole_of(node: Node) -> Node:
    """The definition with its ``template <…>`` before it, or the ``typedef`` or declaration around it."""
    while node.parent is not None and node.parent.type in ("template_declaration", "friend_declaration"):
        node = node.parent
    return node


def qualified_name(draft: Draft, owner: str | None, name: str) -> str:
    """Classes around and in front of the name; namespaces that the file declares are left out."""
    current = draft.current
    outer = current.qualified_name if current is not None else None
    parts = owner.split(".") if owner else []
    while len(parts) > 1 and parts[0] in draft.package_names:
        parts.pop(0)
    return ".".join([*([outer] if outer else []), *parts, name])


def space_names(written: str) -> list[str]:
    """The namespaces that one definition opens: ``a::inline b`` → a, b."""
    return ["".join(part.split()).removeprefix("inline") for part in written.split("::")]


def owning_type(draft: Draft, node: Node, owner: str | None) -> str | None:
    """The owner before a name, unless it is a namespace that the file opens: that is not a part of names."""
    if not owner:
        return owner
    around = draft.spaces(node)
    opened = any(".".join([*around[:count], owner]) in draft.packages for count in range(len(around) + 1))
    return None if opened else owner


def bind_templates(draft: Draft, templates: Node | None) -> None:
    """Template parameters hide types of the same name."""
    for parameter in comment_free(templates.named_children) if templates is not None else ():
        name = child_of_type(parameter, "type_identifier") or parameter.child_by_field_name("name")
        if name is None:
            name, _, _ = declared_name(parameter.child_by_field_name("declarator"))
        if name is not None:
            draft.bind_unknown(name)


def specifier(draft: Draft, node: Node) -> Visit:
    """``struct x { … }`` and the like; without a body it only names the type."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        if name is not None:
            text = type_text(draft, name) or draft.text(name)
            draft.use_text(text, "type", draft.line(name))
        return ()
    if name is None:
        return present(body)
    return open_type(draft, node, name, body)


def open_type(draft: Draft, node: Node, name: Node | None, body: Node, text: str | None = None) -> Visit:
    """Open a struct, class, union or enum. ``text`` is the name where the type itself has none."""
    whole = whole_of(node)
    parent = node.parent
    if parent is not None and parent.type == "type_definition":
        whole = parent
    clause = child_of_type(node, "base_class_clause")
    bases = [base for base in clause.named_children if base.type in _BASES] if clause is not None else []
    kind: ScopeType = "interface" if is_abstract(draft, body) else _KINDS[node.type]
    owner = None
    label = text or (draft.text(name) if name is not None else "?")
    if name is not None and name.type == "qualified_identifier":
        before, _, label = qualified(draft, name).rpartition(".")
        owner = owning_type(draft, node, before)
    elif name is not None and name.type == "template_type":
        label = type_text(draft, name) or label
    if not is_name(f"{owner}.{label}" if owner else label):
        return present(body)
    draft.open(
        node,
        label,
        kind,
        name_node=name,
        whole=whole,
        qualified_name=qualified_name(draft, owner, label),
        signature=header(draft, node, body) if name is not None else f"typedef {header(draft, node, body)} {label}",
        docstring=doc_before(draft, whole),
        owner=owner,
        bases=[found for base in bases if (found := type_text(draft, base))],
        modifiers=("specialization",) if _is_specialized(name) else (),
    )
    for base in bases:
        if found := type_text(draft, base):
            draft.use_text(found, "inherit", draft.line(base))
    templates = child_of_type(whole, "template_parameter_list")
    bind_templates(draft, templates)
    arguments = [list_ for base in [*present(name), *bases] for list_ in _template_arguments(base)]
    return closing([templates, *arguments, body])


def _is_specialized(name: Node | None) -> bool:
    """Whether a type is one for certain arguments of a template (``struct hash<Item>``)."""
    while name is not None and name.type == "qualified_identifier":
        name = name.child_by_field_name("name")
    return name is not None and name.type == "template_type"


def is_abstract(draft: Draft, body: Node) -> bool:
    """Whether a class has pure virtual methods and nothing but them, destructors, constructors and types."""
    pure = False
    for child in body.named_children:
        if child.type == "field_declaration":
            default = child.child_by_field_name("default_value")
            declarator = child.child_by_field_name("declarator")
            name, _, function_ = declared_name(declarator)
            if declarator is None or name is None:
                continue
            if function_ is None or default is None or draft.text(default) != "0":
                return False
            pure = True
        elif child.type == "function_definition":
            name, _, _ = declared_name(child.child_by_field_name("declarator"))
            special = child_of_type(child, "default_method_clause", "delete_method_clause") is not None
            if not special and (name is None or name.type != "destructor_name"):
                return False
    return pure


_BASES = ("type_identifier", "qualified_identifier", "template_type")


def _template_arguments(node: Node) -> list[Node]:
    inner: Node | None = node
    while inner is not None and inner.type == "qualified_identifier":
        inner = inner.child_by_field_name("name")
    return children_of_type(inner, "template_argument_list")


def type_definition(draft: Draft, node: Node) -> Visit:
    """``typedef``: a name of its own unless it repeats the struct's."""
    declared = node.child_by_field_name("type")
    if declared is None:
        return node.named_children
    found = [declared_name(child)[0] for child in node.children_by_field_name("declarator")]
    names = [name for name in found if name is not None and name.type != "primitive_type"]
    is_specifier = declared.type in SPECIFIERS
    body = declared.child_by_field_name("body") if is_specifier else None
    tag = declared.child_by_field_name("name") if is_specifier else None
    known = draft.text(tag) if tag is not None else draft.text(names[0]) if body is not None and names else None
    target = known or type_text(draft, declared)
    if body is None and tag is not None:
        known = None  # a type that some other file, or a later line, fills in
    aliases = [name for name in names if draft.text(name) != known and is_name(draft.text(name))]
    parameters = [
        p for child in node.children_by_field_name("declarator") for p in children_of_type(child, "parameter_list")
    ]
    if draft.enclosing_function is not None:
        for name in aliases:
            draft.bind(draft.text(name), "alias", target, draft.line(name))
        return [declared]
    for place, name in enumerate(aliases):
        draft.open(
            name if body is not None else node,
            draft.text(name),
            "type",
            name_node=name,
            signature=signature_line(draft, node) if body is None else f"typedef {target} {draft.text(name)}",
            docstring=doc_before(draft, node),
            returns=target if target != draft.text(name) else None,
        )
        if body is not None or place < len(aliases) - 1:
            draft.close()
    if body is not None:
        return open_type(draft, declared, tag, body, known)
    return closing([declared, *parameters]) if aliases else [declared]


def in_order(root: Node, draft: Draft) -> None:
    """Scopes in the order of their start: a ``typedef``'s name was met before the struct that it names."""
    draft.scopes.sort(key=lambda scope: (scope.start_byte, -scope.end_byte))


@named
def enumerator(draft: Draft, node: Node, name: Node) -> Visit:
    """A constant; of a plain ``enum`` its name is seen around the enum too."""
    enum = draft.current
    scoped = enum is not None and enum.type == "enum" and bool(re.match(r"enum\s+(class|struct)\b", enum.signature))
    draft.open(
        node,
        name,
        "constant",
        signature=signature_line(draft, node),
        docstring=doc_before(draft, node),
        returns=enum.name if enum is not None and enum.type == "enum" else None,
        modifiers=() if scoped else ("outward",),
    )
    return closing([node.child_by_field_name("value")])
