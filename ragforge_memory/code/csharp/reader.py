"""C#: its scopes, what they use, and how namespaces reach other files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    all_but,
    bind_declared,
    case_decision,
    child_of_type,
    children_of_type,
    closing,
    comment_free,
    deciding_operators,
    decision,
    doc_before,
    each,
    header,
    named,
    naming,
    nothing,
    only,
    signature_line,
    without_xml,
)
from ragforge_memory.code.csharp.links import COMMON_MEMBERS, modules, neighbours, parts, using
from ragforge_memory.code.csharp.parts import (
    INTERFACE,
    KINDS,
    attributes,
    bases_of,
    bind_designation,
    bind_foreach,
    bind_from,
    bind_generics,
    bind_lambda,
    bind_parameter,
    bind_parameters,
    bind_variables,
    modifiers,
    name_of,
    parameter_texts,
)
from ragforge_memory.code.csharp.uses import (
    base_text,
    type_text,
    use_access,
    use_attribute,
    use_call,
    use_conditional,
    use_constraints,
    use_creation,
    use_initializer,
    use_labeled,
    use_type_arguments,
    use_typed,
    use_types,
)
from ragforge_memory.code.directives import one_branch, whole_branches
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.packages import root_package, subpackage
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.syntax import first_error, unread_bytes
from ragforge_memory.code.written import dedented

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


# definitions


@named
def _type(draft: Draft, node: Node, name: Node) -> Visit:
    body = node.child_by_field_name("body")
    lists, decorators = attributes(draft, node)
    parameters = child_of_type(node, "parameter_list")
    listed = [base for base in bases_of(node) if base_text(draft, base)]
    texts = [text for base in listed if (text := base_text(draft, base))]
    kind = KINDS[node.type]
    end = body if body is not None else child_of_type(node, ";")
    interfaces = [text for text in texts if INTERFACE.match(text)] if kind != "interface" else []
    draft.open(
        node,
        name,
        kind,
        signature=header(draft, node, end, parameters, lists),
        docstring=without_xml(doc_before(draft, node)),
        parameters=parameter_texts(draft, parameters),
        modifiers=[*modifiers(draft, node), *(["generic"] if children_of_type(node, "type_parameter_list") else [])],
        decorators=decorators,
        bases=[text for text in texts if text not in interfaces],
        interfaces=interfaces,
    )
    for base, text in zip(listed, texts, strict=True):
        draft.use_text(text, "implement" if text in interfaces else "inherit", draft.line(base))
        named = base.child_by_field_name("name") if base.type == "qualified_name" else base
        for arguments in children_of_type(named, "type_argument_list"):
            use_types(draft, arguments)
    bind_generics(draft, node)
    bind_parameters(draft, parameters)
    clauses = children_of_type(node, "type_parameter_constraints_clause")
    base_arguments = children_of_type(child_of_type(node, "base_list"), "argument_list")
    return closing([*lists, *clauses, parameters, *base_arguments, body])


def _method(draft: Draft, node: Node) -> Visit:
    """Methods, constructors, local functions, operators, indexers, properties, and events with code of their own."""
    body = (
        node.child_by_field_name("body") or node.child_by_field_name("accessors") or node.child_by_field_name("value")
    )
    name_node, text = name_of(draft, node)
    lists, decorators = attributes(draft, node)
    words = modifiers(draft, node)
    if node.type == "constructor_declaration":
        words.append("constructor")
    elif node.type in ("property_declaration", "indexer_declaration", "event_declaration"):
        words.append("property")
    returns = node.child_by_field_name("returns") or node.child_by_field_name("type")
    parameters = node.child_by_field_name("parameters")
    kind: ScopeType = "function" if node.type == "local_function_statement" else "method"
    initializer = child_of_type(node, "constructor_initializer")
    draft.open(
        node,
        text,
        kind,
        name_node=name_node,
        signature=header(draft, node, initializer or body, parameters, lists),
        docstring=without_xml(doc_before(draft, node)),
        return_type=draft.text(returns) if returns else None,
        returns=type_text(draft, returns),
        parameters=parameter_texts(draft, parameters),
        modifiers=words,
        decorators=decorators,
    )
    bind_generics(draft, node)
    bind_parameters(draft, parameters)
    use_types(draft, returns)
    clauses = children_of_type(node, "type_parameter_constraints_clause")
    bodies = [node.child_by_field_name(field) for field in ("accessors", "value", "body")]
    return closing([*lists, *clauses, parameters, initializer, *bodies])


def _field(draft: Draft, node: Node) -> Visit:
    """``const`` and ``static readonly`` are constants; all fields have a type."""
    declaration = child_of_type(node, "variable_declaration")
    if declaration is None:
        return node.named_children
    words, declared = modifiers(draft, node), declaration.child_by_field_name("type")
    lists, decorators = attributes(draft, node)
    declarators = children_of_type(declaration, "variable_declarator")
    constant = "const" in words or {"static", "readonly"} <= set(words)
    known = type_text(draft, declared)
    for place, declarator in enumerate(declarators):
        name = declarator.child_by_field_name("name")
        if name is None:
            continue
        bind_declared(draft, name, known)
        if constant:
            draft.open(
                node,
                name,
                "constant",
                signature=signature_line(draft, declaration),
                docstring=without_xml(doc_before(draft, node)),
                return_type=draft.text(declared) if declared else None,
                returns=known if known and not known.endswith("[]") else None,
                modifiers=words,
                decorators=decorators,
            )
            if place < len(declarators) - 1:
                draft.close()
    use_types(draft, declared)
    values = [c for d in declarators for c in comment_free(d.named_children) if c != d.child_by_field_name("name")]
    return closing([*lists, *values]) if constant else [*lists, *values]


@named
def _enum_member(draft: Draft, node: Node, name: Node) -> Visit:
    lists, decorators = attributes(draft, node)
    draft.open(
        node,
        name,
        "constant",
        signature=header(draft, node, None, None, lists),
        docstring=without_xml(doc_before(draft, node)),
        returns=draft.current.name if draft.current else None,
        decorators=decorators,
    )
    return closing([*lists, node.child_by_field_name("value")])


@named
def _delegate(draft: Draft, node: Node, name: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    lists, decorators = attributes(draft, node)
    draft.open(
        node,
        name,
        "type",
        signature=header(draft, node, None, parameters, lists),
        docstring=without_xml(doc_before(draft, node)),
        parameters=parameter_texts(draft, parameters),
        modifiers=modifiers(draft, node),
        decorators=decorators,
    )
    bind_generics(draft, node)
    use_types(draft, node.child_by_field_name("type"))
    return closing([*lists, parameters])


# namespaces


def _namespace(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is not None:
        draft.belong(".".join(draft.open_space(node, "".join(draft.text(name).split()).split("."))))
    body = node.child_by_field_name("body")
    return [body] if body is not None else [child for child in node.named_children if child != name]


def refusal(root: Node, data: bytes) -> str | None:
    """The grammar stumbles over ``#if`` inside of expressions: only where much of the file is lost is it broken."""
    return first_error(root) if unread_bytes(root) * 10 > len(data) or root.type == "ERROR" else None


_METHODS = ("method_declaration", "constructor_declaration", "destructor_declaration", "local_function_statement",
            "operator_declaration", "conversion_operator_declaration", "indexer_declaration",
            "property_declaration", "event_declaration")  # fmt: skip

_HANDLERS: dict[str, Handler] = {
    "using_directive": using,
    **each(_namespace, "namespace_declaration file_scoped_namespace_declaration"),
    **dict.fromkeys(KINDS, _type),
    **dict.fromkeys(_METHODS, _method),
    **each(_field, "field_declaration event_field_declaration"),
    "enum_member_declaration": _enum_member,
    "delegate_declaration": _delegate,
    "variable_declaration": bind_variables,
    "foreach_statement": bind_foreach,
    **each(bind_designation, "declaration_pattern declaration_expression recursive_pattern catch_declaration"),
    **each(bind_lambda, "lambda_expression anonymous_method_expression"),
    **each(bind_parameter, "parameter parameter_list"),
    **each(bind_from, "from_clause join_clause let_clause"),
    "identifier": naming("reference", but=("var", "nameof", "_", "global", "value")),
    "member_access_expression": use_access,
    "conditional_access_expression": use_conditional,
    "invocation_expression": use_call,
    "object_creation_expression": use_creation,
    "initializer_expression": use_initializer,
    "attribute": use_attribute,
    **each(all_but("name"), "attribute_argument argument"),
    **each(use_typed, "cast_expression typeof_expression default_expression array_creation_expression"),
    "type_argument_list": use_type_arguments,
    **each(
        nothing,
        "type_parameter_list goto_statement comment string_literal verbatim_string_literal preproc_region "
        "preproc_endregion preproc_pragma",
    ),
    "type_parameter_constraints_clause": use_constraints,
    "alias_qualified_name": only("name"),
    "labeled_statement": use_labeled,
    **each(
        decision,
        "if_statement for_statement while_statement do_statement catch_clause conditional_expression "
        "switch_expression_arm",
    ),
    "switch_section": case_decision,
    "binary_expression": deciding_operators(frozenset({"&&", "||", "??"})),
    **each(
        all_but("condition"),
        "preproc_if preproc_elif",
    ),
}

READER = Reader(
    grammar="tree_sitter_c_sharp",
    handlers=_HANDLERS,
    links=Links(
        modules=modules,
        submodule=subpackage,
        neighbours=neighbours,
        linked=root_package,
        parts=parts,
        self_names=frozenset({"this"}),
        super_names=frozenset({"base"}),
        bare_members=True,
        common_members=COMMON_MEMBERS,
        extensions=True,
    ),
    refusal=refusal,
    simplify=(whole_branches, one_branch),
    atoms=frozenset({"string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal"}),
    forms={"raw_string_literal": dedented},
)
