"""JavaScript and TypeScript: classes, interfaces, enums, type aliases, namespaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import all_but_types, comment_free, doc_before, each, named
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.javascript.functions import (
    FUNCTIONS,
    around,
    decorators_of,
    modifiers_of,
    open_function,
    signature,
    signature_line,
)
from ragforge_memory.code.javascript.text import dotted, property_name, type_text, value
from ragforge_memory.code.javascript.uses import use_dotted

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*$")


def _class(draft: Draft, node: Node) -> Visit:
    name_node = node.child_by_field_name("name")
    whole = around(node)
    default = whole.type == "export_statement" and any(c.type == "default" for c in whole.children)
    exported_value = node.parent is not None and node.parent.type == "export_statement"
    name = draft.text(name_node) if name_node else "default" if exported_value else ""
    if not name:
        return node.named_children
    if whole.type == "export_statement":
        draft.export("default" if default else name, name, draft.line(node))
    return open_class(draft, node, name, name_node, whole)


def open_class(draft: Draft, node: Node, name: str, name_node: Node | None, whole: Node) -> Visit:
    """Opens a class with its bases and interfaces; gives what is to be visited inside."""
    bases: list[tuple[str, int]] = []
    interfaces: list[tuple[str, int]] = []
    inside: list[Node] = [child for child in whole.children if child.type == "decorator" and whole is not node]
    inside += [child for child in node.children if child.type == "decorator"]
    decorators = list(inside)
    for heritage in (child for child in node.children if child.type == "class_heritage"):
        clauses = [c for c in heritage.named_children if c.type in ("extends_clause", "implements_clause")]
        for clause in clauses or [heritage]:
            for part in clause.named_children:
                if part.type in ("type_arguments", "arguments"):
                    inside.append(part)
                    continue
                if part.type == "comment":
                    continue
                generic = part.child_by_field_name("type_arguments") if part.type == "generic_type" else None
                if generic is not None:
                    inside.append(generic)
                target = interfaces if clause.type == "implements_clause" else bases
                shown = type_text(draft, part) if part.type == "generic_type" else dotted(draft, part)
                target.append((shown or "?", draft.line(part)))
                if part.type == "call_expression":  # mixins
                    inside.append(part)
    generics, body = node.child_by_field_name("type_parameters"), node.child_by_field_name("body")
    draft.open(
        node,
        name,
        "class",
        name_node=name_node,
        whole=whole,
        end=whole,
        signature=signature(draft, node, body),
        docstring=doc_before(draft, whole),
        modifiers=modifiers_of(draft, node, whole),
        decorators=[draft.text(d).lstrip("@").partition("(")[0] for d in decorators],
        bases=[text for text, _ in bases],
        interfaces=[text for text, _ in interfaces],
    )
    for text, line in bases:
        use_dotted(draft, text, "inherit", line)
    for text, line in interfaces:
        use_dotted(draft, text, "implement", line)
    return [*inside, *([generics] if generics else []), *([body] if body else []), CLOSE]


def _field(draft: Draft, node: Node) -> Visit:
    """A field: with a function it is a method, else a binding of its class (and a constant if static)."""
    name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
    declared, content = node.child_by_field_name("type"), node.child_by_field_name("value")
    name = property_name(draft, name_node)
    scope = draft.current
    decorators = decorators_of(node)
    if name is None or scope is None or not scope.is_type:
        return node.named_children
    if content is not None and content.type in FUNCTIONS:
        return open_function(
            draft, node, name, name_node=name_node, whole=node, function=content, type="method",
            modifiers=modifiers_of(draft, node), decorators=decorators,
        )  # fmt: skip
    annotation = type_text(draft, declared)
    kind, known = ("type", annotation) if annotation else value(draft, content)
    draft.bind(name, kind, known, draft.line(node), scope)
    parts = [part for part in (*decorators, declared, content) if part]
    if _CONSTANT.match(name) and any(child.type == "static" for child in node.children):
        draft.open(node, name, "constant", name_node=name_node, signature=signature_line(draft, node))
        return [*parts, CLOSE]
    return parts


@named
def _interface(draft: Draft, node: Node, name_node: Node) -> Visit:
    body = node.child_by_field_name("body")
    whole = around(node)
    name = draft.text(name_node)
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    bases: list[tuple[str, int]] = []
    inside: list[Node] = []
    for clause in (child for child in node.named_children if child.type == "extends_type_clause"):
        for part in clause.named_children:
            bases.append((type_text(draft, part) or "?", draft.line(part)))
            inside += [child for child in part.named_children if child.type == "type_arguments"]
    generics = node.child_by_field_name("type_parameters")
    draft.open(
        node, name, "interface", name_node=name_node, whole=whole, signature=signature(draft, node, body),
        docstring=doc_before(draft, whole), modifiers=modifiers_of(draft, node, whole),
        bases=[text for text, _ in bases],
    )  # fmt: skip
    for text, line in bases:
        use_dotted(draft, text, "inherit", line)
    return [*inside, *(part for part in (generics, body) if part), CLOSE]


def _property_signature(draft: Draft, node: Node) -> Visit:
    scope = draft.current
    name = property_name(draft, node.child_by_field_name("name"))
    declared = node.child_by_field_name("type")
    if name is not None and scope is not None and scope.is_type:
        draft.bind(name, "type", type_text(draft, declared), draft.line(node), scope)
    return [declared] if declared else []


def _type_alias(draft: Draft, node: Node) -> Visit:
    name_node, content = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name_node is None or content is None:
        return node.named_children
    whole, name = around(node), draft.text(name_node)
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    generics = node.child_by_field_name("type_parameters")
    draft.open(
        node, name, "type", name_node=name_node, whole=whole, signature=signature_line(draft, node),
        docstring=doc_before(draft, whole), modifiers=modifiers_of(draft, node, whole),
        returns=type_text(draft, content),
    )  # fmt: skip
    return [*([generics] if generics else []), content, CLOSE]


def _enum(draft: Draft, node: Node) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or body is None:
        return node.named_children
    whole, name = around(node), draft.text(name_node)
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    draft.open(
        node, name, "enum", name_node=name_node, whole=whole, signature=signature(draft, node, body),
        docstring=doc_before(draft, whole), modifiers=modifiers_of(draft, node, whole),
    )  # fmt: skip
    for member in body.named_children:
        inner = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        text = property_name(draft, inner)
        if text is not None and inner is not None:
            draft.open(member, text, "constant", name_node=inner, signature=signature_line(draft, member))
            content = member.child_by_field_name("value")
            draft.walk_inside([*([content] if content else []), CLOSE])
    return [CLOSE]


def _namespace(draft: Draft, node: Node) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or body is None or name_node.type == "string":
        return [body] if body else []
    whole = around(node)
    if whole.type == "expression_statement" and whole.parent is not None and whole.parent.type == "export_statement":
        whole = whole.parent
    names = _names(name_node)
    if whole.type == "export_statement":
        name = draft.text(names[0])
        draft.export(name, name, draft.line(node))
    for part in names:
        # In `namespace A.B` each but the first is exported by the one around it.
        modifiers = modifiers_of(draft, node, whole) if part is names[0] else ["export"]
        draft.open(
            node, draft.text(part), "namespace", name_node=part, whole=whole, signature=signature(draft, node, body),
            docstring=doc_before(draft, whole), modifiers=modifiers,
        )  # fmt: skip
    return [body, *[CLOSE] * len(names)]


def _names(node: Node) -> list[Node]:
    """The names in ``A.B.C``, from outside in."""
    found = [node]
    while found[0].type in ("nested_identifier", "member_expression"):
        found[:1] = comment_free(found[0].named_children)
    return found


TYPE_HANDLERS: dict[str, Handler] = {
    **each(_class, "class_declaration abstract_class_declaration class"),
    "class_body": all_but_types("decorator", "comment"),
    **each(_field, "field_definition public_field_definition"),
    "interface_declaration": _interface,
    "property_signature": _property_signature,
    "type_alias_declaration": _type_alias,
    "enum_declaration": _enum,
    **each(_namespace, "internal_module module"),
}
