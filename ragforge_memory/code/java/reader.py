"""Java: its scopes, what they use, and how its imports reach other files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    all_but_types,
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
    first_named,
    header,
    named,
    naming,
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.java.links import COMMON_MEMBERS, neighbours
from ragforge_memory.code.java.uses import (
    ANNOTATIONS,
    dotted,
    type_text,
    use_access,
    use_annotation,
    use_constructor,
    use_creation,
    use_invocation,
    use_method_reference,
    use_scoped_type,
    use_type_parameter,
    value_of,
)
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.packages import package_modules, root_package, subpackage
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.written import text_block

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_KINDS: dict[str, ScopeType] = {
    "class_declaration": "class",
    "record_declaration": "class",
    "interface_declaration": "interface",
    "annotation_type_declaration": "interface",
    "enum_declaration": "enum",
}


# definitions


def _modifiers(draft: Draft, node: Node) -> tuple[list[str], list[Node]]:
    """The words and the annotations before a definition."""
    found = child_of_type(node, "modifiers")
    if found is None:
        return [], []
    words = [draft.text(child) for child in found.children if child.type not in ANNOTATIONS and not _comment(child)]
    return words, children_of_type(found, *ANNOTATIONS)


def _comment(node: Node) -> bool:
    return node.type.endswith("comment")


def _annotation_names(draft: Draft, annotations: Sequence[Node]) -> list[str]:
    return [draft.text(name) for node in annotations if (name := node.child_by_field_name("name"))]


@named
def _type(draft: Draft, node: Node, name_node: Node) -> Visit:
    body = node.child_by_field_name("body")
    words, annotations = _modifiers(draft, node)
    generics, parameters = node.child_by_field_name("type_parameters"), node.child_by_field_name("parameters")
    bases = _listed(child_of_type(node, "superclass", "extends_interfaces"))
    interfaces = _listed(node.child_by_field_name("interfaces"))
    draft.open(
        node,
        name_node,
        _KINDS[node.type],
        signature=header(draft, node, body, parameters, annotations),
        docstring=doc_before(draft, node),
        parameters=[draft.text(p) for p in comment_free(parameters.named_children)] if parameters else (),
        modifiers=words,
        decorators=_annotation_names(draft, annotations),
        bases=[text for base in bases if (text := type_text(draft, base))],
        interfaces=[text for base in interfaces if (text := type_text(draft, base))],
    )
    arguments: list[Node] = []
    for kind, listed in (("inherit", bases), ("implement", interfaces)):
        for base in listed:
            _use_type(draft, base, "inherit" if kind == "inherit" else "implement")
            arguments += children_of_type(base, "type_arguments")
    _bind_generics(draft, generics)
    _bind_parameters(draft, parameters)
    return closing([*annotations, generics, *arguments, parameters, body])


def _listed(clause: Node | None) -> list[Node]:
    """The types of an ``extends`` or ``implements`` clause."""
    found: list[Node] = []
    for child in comment_free(clause.named_children) if clause else ():
        found += comment_free(child.named_children) if child.type == "type_list" else [child]
    return found


def _use_type(draft: Draft, node: Node, kind: str) -> None:
    text = type_text(draft, node)
    if text:
        draft.use_text(text, "inherit" if kind == "inherit" else "implement", draft.line(node))


def _bind_generics(draft: Draft, generics: Node | None) -> None:
    for parameter in children_of_type(generics, "type_parameter"):
        name = child_of_type(parameter, "type_identifier", "identifier")
        bound = first_named(child_of_type(parameter, "type_bound"))
        if name is not None:
            draft.bind(draft.text(name), "alias", type_text(draft, bound), draft.line(name))


def _bind_parameters(draft: Draft, parameters: Node | None) -> None:
    for parameter in comment_free(parameters.named_children) if parameters else ():
        if parameter.type == "spread_parameter":
            declarator = child_of_type(parameter, "variable_declarator")
            name = declarator.child_by_field_name("name") if declarator else None
            inner = [c for c in comment_free(parameter.named_children) if c.type not in ("modifiers", declarator)]
            value = type_text(draft, inner[0]) if inner else None
            value = f"{value}[]" if value else None
        else:
            name, value = parameter.child_by_field_name("name"), type_text(draft, parameter.child_by_field_name("type"))
        if name is not None:
            bind_declared(draft, name, value)


@named
def _method(draft: Draft, node: Node, name_node: Node) -> Visit:
    body = node.child_by_field_name("body")
    words, annotations = _modifiers(draft, node)
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("type")
    generics = node.child_by_field_name("type_parameters")
    draft.open(
        node,
        name_node,
        "method",
        signature=header(draft, node, body, parameters, annotations),
        docstring=doc_before(draft, node),
        return_type=draft.text(returns) if returns else None,
        returns=type_text(draft, returns),
        parameters=[draft.text(p) for p in comment_free(parameters.named_children)] if parameters else (),
        takes=_takes(parameters) if node.type != "compact_constructor_declaration" else _of_record(node),
        modifiers=[*words, "constructor"] if "constructor" in node.type else words,
        decorators=_annotation_names(draft, annotations),
    )
    _bind_generics(draft, generics)
    _bind_parameters(draft, parameters)
    throws = child_of_type(node, "throws")
    return closing([*annotations, generics, returns, parameters, throws, node.child_by_field_name("value"), body])


def _takes(parameters: Node | None) -> tuple[int, int | None]:
    """How many arguments a call passes: a receiver (``A this``) is none of them."""
    kinds = [child.type for child in parameters.named_children] if parameters is not None else []
    fixed = kinds.count("formal_parameter")
    return fixed, None if "spread_parameter" in kinds else fixed


def _of_record(node: Node) -> tuple[int, int | None]:
    """What a record's constructor takes that does not say its parameters."""
    record = node.parent.parent if node.parent is not None else None
    return _takes(record.child_by_field_name("parameters") if record is not None else None)


def _field(draft: Draft, node: Node) -> Visit:
    """``static final`` fields and those of interfaces are constants; all fields have a type."""
    words, annotations = _modifiers(draft, node)
    declared = node.child_by_field_name("type")
    declarators = node.children_by_field_name("declarator")
    constant = node.type == "constant_declaration" or {"static", "final"} <= set(words)
    for place, declarator in enumerate(declarators):
        name = declarator.child_by_field_name("name")
        if name is None:
            continue
        bind_declared(draft, name, type_text(draft, declared))
        if not constant:
            continue
        draft.open(
            node,
            name,
            "constant",
            signature=signature_line(draft, declared or node, node),
            docstring=doc_before(draft, node),
            return_type=draft.text(declared) if declared else None,
            returns=type_text(draft, declared),
            modifiers=words,
            decorators=_annotation_names(draft, annotations),
        )
        if place < len(declarators) - 1:
            draft.close()
    values = [value for declarator in declarators if (value := declarator.child_by_field_name("value"))]
    parts = [*annotations, *present(declared), *values]
    return closing(parts) if constant else parts


@named
def _enum_constant(draft: Draft, node: Node, name: Node) -> Visit:
    _, annotations = _modifiers(draft, node)
    body = node.child_by_field_name("body")
    draft.open(
        node,
        name,
        "constant",
        signature=header(draft, node, body, None, annotations),
        docstring=doc_before(draft, node),
        returns=draft.current.name if draft.current else None,
        decorators=_annotation_names(draft, annotations),
    )
    return closing([*annotations, node.child_by_field_name("arguments"), body])


def _locals(draft: Draft, node: Node) -> Visit:
    """Local variables, resources of ``try``, loop variables, caught exceptions."""
    declared = node.child_by_field_name("type") or child_of_type(node, "catch_type")
    declarators = node.children_by_field_name("declarator") or [node]
    parts = present(declared)
    for declarator in declarators:
        name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        known = type_text(draft, declared)
        if name is not None and name.type == "identifier":
            if known is not None:
                bind_declared(draft, name, known)
            elif node.type == "enhanced_for_statement":
                draft.bind(draft.text(name), "alias", f"{dotted(draft, value)}[]", draft.line(name))
            else:
                draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))
        parts += present(value)
    if node.type == "enhanced_for_statement":
        draft.decide()
        parts += present(node.child_by_field_name("body"))
    return parts


def _lambda(draft: Draft, node: Node) -> Visit:
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if parameters is not None and parameters.type == "formal_parameters":
        _bind_parameters(draft, parameters)
        return present(parameters, body)
    names = [parameters] if parameters is not None and parameters.type == "identifier" else []
    draft.bind_unknown(*names or (parameters.named_children if parameters else ()))
    return present(body)


def _pattern(draft: Draft, node: Node) -> Visit:
    """``o instanceof Item it`` and ``case Item it``."""
    name = node.child_by_field_name("name")
    declared = node.child_by_field_name("right")
    if node.type != "instanceof_expression":
        parts = comment_free(node.named_children)
        declared, name = (parts[0], parts[-1]) if len(parts) > 1 else (first_named(node), None)
    if name is not None:
        bind_declared(draft, name, type_text(draft, declared))
    return [child for child in node.named_children if child != name]


# packages


def _package(draft: Draft, node: Node) -> Visit:
    name = child_of_type(node, "scoped_identifier", "identifier")
    if name is not None:
        draft.belong(draft.text(name))
    return ()


def _import(draft: Draft, node: Node) -> Visit:
    name = child_of_type(node, "scoped_identifier", "identifier")
    if name is None:
        return ()
    path = "".join(draft.text(name).split())
    if child_of_type(node, "asterisk") is not None:
        module, inner = split_package(path)
        of_type = inner[:1].isupper()
        draft.add_import("*", module if of_type else path, f"{inner}.*" if of_type else "*", draft.line(node))
    else:
        module, inner = split_package(path)
        draft.add_import(path.rpartition(".")[2], module, inner, draft.line(node))
    return ()


def split_package(path: str) -> tuple[str, str]:
    """``a.b.Outer.Inner`` to ``a.b.Outer`` and ``Outer.Inner``: packages are written small, types are not."""
    parts = path.split(".")
    first = next((place for place, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[: first + 1]), ".".join(parts[first:])


_HANDLERS: dict[str, Handler] = {
    "package_declaration": _package,
    "import_declaration": _import,
    **dict.fromkeys(_KINDS, _type),
    **each(
        _method,
        "method_declaration constructor_declaration compact_constructor_declaration "
        "annotation_type_element_declaration",
    ),
    **each(_field, "field_declaration constant_declaration"),
    "enum_constant": _enum_constant,
    **each(_locals, "local_variable_declaration resource catch_formal_parameter enhanced_for_statement"),
    "lambda_expression": _lambda,
    **each(_pattern, "instanceof_expression type_pattern record_pattern_component"),
    **each(
        all_but_types("identifier", "variable_declarator", "this"),
        "formal_parameter spread_parameter receiver_parameter",
    ),
    "type_parameter": use_type_parameter,
    "identifier": naming("reference"),
    "type_identifier": naming("type", but=("var",)),
    "scoped_type_identifier": use_scoped_type,
    "method_invocation": use_invocation,
    "object_creation_expression": use_creation,
    "explicit_constructor_invocation": use_constructor,
    "field_access": use_access,
    "method_reference": use_method_reference,
    **each(use_annotation, "annotation marker_annotation"),
    "element_value_pair": only("value"),
    "labeled_statement": all_but_types("identifier"),
    **each(nothing, "break_statement continue_statement line_comment block_comment string_literal"),
    "switch_label": case_decision,
    **each(decision, "if_statement for_statement while_statement do_statement catch_clause ternary_expression"),
    "binary_expression": deciding_operators(frozenset({"&&", "||"})),
}

READER = Reader(
    grammar="tree_sitter_java",
    handlers=_HANDLERS,
    links=Links(
        modules=package_modules,
        submodule=subpackage,
        neighbours=neighbours,
        linked=root_package,
        self_names=frozenset({"this"}),
        super_names=frozenset({"super"}),
        bare_members=True,
        methods_are_called=True,
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"string_literal", "character_literal"}),
    forms={"string_literal": text_block},
)
