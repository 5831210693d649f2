"""C++: what it has beyond C: classes, namespaces, templates, references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.c.family import HANDLERS, bind_parameters, open_abstract, refusal
from ragforge_memory.code.c.links import linked, modules, neighbours, outside, submodule
from ragforge_memory.code.c.prepare import LEADING, blanked, blanked_branches, blanked_cuts
from ragforge_memory.code.c.text import declared_name, dotted, qualified, type_text, value_of
from ragforge_memory.code.c.types import bind_templates, in_order, space_names, specifier, whole_of
from ragforge_memory.code.c.uses import use_qualified
from ragforge_memory.code.clauses import (
    all_but_types,
    bind_declared,
    child_of_type,
    closing,
    doc_before,
    each,
    first_named,
    named,
    naming,
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.languages import Reader, parser_of
from ragforge_memory.code.links import Links
from ragforge_memory.code.syntax import tree_of
from ragforge_memory.code.written import macro_body

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


_COMMON_MEMBERS = """
add append assign at back begin c_str capacity cbegin cend clear close compare compare_exchange_strong copy count
data emplace emplace_back empty end equal_range erase exchange extract fail fetch_add fill find find_first_of
find_last_of first flush front get get_allocator good has_value insert is_open join key length load lock lower_bound
max_size merge name notify_all notify_one open pop pop_back pop_front precision push push_back push_front put rbegin
read release remove rend replace reserve reset resize rfind second seekg set setf shrink_to_fit size sort splice
starts_with store str substr swap tellg test top try_lock type unlock upper_bound use_count value value_or wait what
width write
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From the C++ standard library's containers, strings, streams, smart pointers, locks and atomics: an unknown
receiver's method of such a name is not taken for the project's."""


def _namespace(draft: Draft, node: Node) -> Visit:
    """The file belongs to the namespace, and names can be written with it."""
    name = node.child_by_field_name("name")
    parts = draft.open_space(node, space_names(draft.text(name)) if name is not None else ())
    if parts[:1] == ("std",):  # what is added to it are specializations: its names are not the project's
        parts = ()
    for count in range(1, len(parts) + 1):
        package = ".".join(parts[:count])
        if package not in draft.packages:
            draft.belong(package)
            draft.add_import(parts[count - 1], package, None, draft.line(node), exported=True)
    return present(node.child_by_field_name("body"))


def _using(draft: Draft, node: Node) -> Visit:
    named = first_named(node)
    if named is None:
        return ()
    path = qualified(draft, named) if named.type == "qualified_identifier" else draft.text(named)
    if any(child.type == "namespace" for child in node.children):
        draft.add_import("*", path, "*", draft.line(node))
    elif "." in path and (draft.current is None or not draft.current.is_type):
        module, _, name = path.rpartition(".")
        draft.add_import(name, module, name, draft.line(node))
    return ()


def _namespace_alias(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    target = child_of_type(node, "nested_namespace_specifier", "qualified_identifier") or node.named_children[-1]
    if name is not None:
        draft.add_import(draft.text(name), draft.text(target).replace("::", "."), None, draft.line(node))
    return ()


@named
def _alias(draft: Draft, node: Node, name: Node) -> Visit:
    """``using Name = Type;``"""
    declared = node.child_by_field_name("type")
    known = type_text(draft, declared)
    if draft.enclosing_function is not None:
        draft.bind(draft.text(name), "alias", known, draft.line(name))
        return present(declared)
    whole = whole_of(node)
    draft.open(
        node,
        name,
        "type",
        whole=whole,
        signature=signature_line(draft, node),
        docstring=doc_before(draft, whole),
        returns=known.removesuffix("[]") if known else None,
    )
    templates = child_of_type(whole, "template_parameter_list")
    bind_templates(draft, templates)
    return closing([declared])


def _lambda(draft: Draft, node: Node) -> Visit:
    declarator = node.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    bind_parameters(draft, parameters)
    return present(node.child_by_field_name("captures"), parameters, node.child_by_field_name("body"))


def _range_loop(draft: Draft, node: Node) -> Visit:
    draft.decide()
    declared, over = node.child_by_field_name("type"), node.child_by_field_name("right")
    name, _, _ = declared_name(node.child_by_field_name("declarator"))
    if name is not None and name.type == "identifier":
        text = dotted(draft, over)
        if declared is not None and declared.type != "placeholder_type_specifier":
            bind_declared(draft, name, type_text(draft, declared) or None)
        elif text[:1] not in "?!":
            draft.bind(draft.text(name), "alias", f"{text}[]", draft.line(name))
        else:
            draft.bind_unknown(name)
    return present(declared, over, node.child_by_field_name("body"))


def _catch(draft: Draft, node: Node) -> Visit:
    draft.decide()
    bind_parameters(draft, node.child_by_field_name("parameters"))
    return node.named_children


def _new(draft: Draft, node: Node) -> Visit:
    kind = node.child_by_field_name("type")
    text = type_text(draft, kind)
    if kind is not None and text:
        draft.use_text(text.removesuffix("[]"), "call", draft.line(kind))
    return [child for child in node.named_children if child != kind]


_MODULE_WORDS = frozenset({"import", "module", "export"})
"""``import a;`` and ``export module a;``, which the grammar does not know, are declarations of a name to it."""


def _method_declaration(draft: Draft, node: Node) -> Visit:
    """``template`` and constructor declarations in a class, which the grammar reads as plain declarations."""
    current, declared = draft.current, node.child_by_field_name("type")
    if declared is not None and declared.type == "type_identifier" and draft.text(declared) in _MODULE_WORDS:
        return ()
    declarator = node.child_by_field_name("declarator")
    name, _, inner = declared_name(declarator)
    if current is not None and current.is_type and name is not None and inner is not None:
        default = node.child_by_field_name("default_value")
        if default is not None and draft.text(default) == "0":
            return open_abstract(draft, node, name, inner)
        return present(inner.child_by_field_name("parameters"))
    return HANDLERS["declaration"](draft, node)


@named
def _concept(draft: Draft, node: Node, name: Node) -> Visit:
    whole = whole_of(node)
    draft.open(
        node,
        name,
        "type",
        whole=whole,
        signature=signature_line(draft, node),
        docstring=doc_before(draft, whole),
    )
    bind_templates(draft, child_of_type(whole, "template_parameter_list"))
    return closing([child for child in node.named_children if child != name])


def _condition(draft: Draft, node: Node) -> Visit:
    """``if (auto it = f())``: the declaration's name and value."""
    value = node.child_by_field_name("value")
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and value is not None:
        name, _, _ = declared_name(declarator)
        if name is not None:
            draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))
        return present(node.child_by_field_name("type"), value)
    return node.named_children


_HANDLERS: dict[str, Handler] = {
    **HANDLERS,
    "class_specifier": specifier,
    "namespace_definition": _namespace,
    "using_declaration": _using,
    "namespace_alias_definition": _namespace_alias,
    "alias_declaration": _alias,
    "template_declaration": all_but_types("template_parameter_list"),
    "concept_definition": _concept,
    "declaration": _method_declaration,
    "condition_clause": _condition,
    "lambda_expression": _lambda,
    "for_range_loop": _range_loop,
    "catch_clause": _catch,
    "new_expression": _new,
    "field_initializer": all_but_types("field_identifier", "qualified_identifier"),
    "qualified_identifier": use_qualified,
    "template_function": only("name", "arguments"),
    **each(nothing, "lambda_capture_specifier access_specifier type_parameter_declaration"),
    "namespace_identifier": naming("reference"),
    "optional_type_parameter_declaration": only("default_type"),
}

READER = Reader(
    grammar="tree_sitter_cpp",
    handlers=_HANDLERS,
    finish=in_order,
    links=Links(
        modules=modules,
        submodule=submodule,
        neighbours=neighbours,
        linked=linked,
        outside=outside,
        self_names=frozenset({"this"}),
        bare_members=True,
        global_names=True,
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal", "preproc_arg"}),
    forms={"preproc_arg": macro_body},
    refusal=refusal,
    prepare=blanked,
    leading=LEADING,
    simplify=(blanked_cuts, blanked_branches),
)


def namespaces_of(path: str, data: bytes) -> list[tuple[int, int, str]]:
    """First line, last line and name of each namespace in a file, outer ones before inner ones."""
    found: list[tuple[int, int, str]] = []
    root = tree_of(parser_of("cpp", path), blanked(data))
    nodes: list[Node] = [] if root is None else [root]
    while nodes:
        node = nodes.pop()
        name = node.child_by_field_name("name") if node.type == "namespace_definition" else None
        if name is not None:
            text = data[name.start_byte : name.end_byte].decode("utf-8", "replace")
            found += [(node.start_point[0] + 1, node.end_point[0] + 1, each) for each in space_names(text)]
        if node.type not in ("class_specifier", "struct_specifier", "function_definition"):
            nodes.extend(node.named_children)
    return found
