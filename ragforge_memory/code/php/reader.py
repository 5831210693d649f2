"""PHP: its scopes, what they use, and how namespaces reach other files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    all_but,
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
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.packages import package_modules, package_neighbours, subpackage
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.php.links import COMMON_MEMBERS, linked
from ragforge_memory.code.php.uses import (
    GLOBAL,
    bind,
    bind_assignment,
    bind_catch,
    bind_closure,
    bind_declared_variables,
    bind_foreach,
    bind_parameters,
    dotted,
    plain,
    say,
    tagged,
    tagged_parameters,
    type_text,
    use_array,
    use_attribute,
    use_callable,
    use_class_constant,
    use_creation,
    use_method_call,
    use_name,
    use_named_type,
    use_scoped_call,
    value_of,
)
from ragforge_memory.code.written import dedented

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_KINDS: dict[str, ScopeType] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
}
_MODIFIERS = ("visibility_modifier", "static_modifier", "abstract_modifier", "final_modifier", "readonly_modifier")


def _belong(root: Node, draft: Draft) -> None:
    if not draft.packages:
        draft.belong(GLOBAL)


def _attributes(draft: Draft, node: Node) -> tuple[list[Node], list[str]]:
    found = node.child_by_field_name("attributes")
    groups = comment_free(found.named_children) if found is not None else []
    names = [name for group in groups for part in group.named_children if (name := first_named(part)) is not None]
    return present(found), [plain(draft.text(name)) for name in names]


def _modifiers(draft: Draft, node: Node) -> list[str]:
    return [draft.text(child) for child in children_of_type(node, *_MODIFIERS)]


# definitions


@named
def _type(draft: Draft, node: Node, name: Node) -> Visit:
    body = node.child_by_field_name("body")
    attributes, decorators = _attributes(draft, node)
    extended = comment_free(clause.named_children) if (clause := child_of_type(node, "base_clause")) else []
    implemented = (
        comment_free(clause.named_children) if (clause := child_of_type(node, "class_interface_clause")) else []
    )
    draft.open(
        node,
        name,
        _KINDS[node.type],
        signature=header(draft, node, body, None, attributes),
        docstring=doc_before(draft, node),
        modifiers=_modifiers(draft, node),
        decorators=decorators,
        bases=[plain(draft.text(base)) for base in extended],
        interfaces=[plain(draft.text(base)) for base in implemented],
    )
    for base in extended:
        say(draft, plain(draft.text(base)), "inherit", draft.line(base))
    for base in implemented:
        say(draft, plain(draft.text(base)), "implement", draft.line(base))
    return closing([*attributes, body])


def _use_traits(draft: Draft, node: Node) -> Visit:
    """``use Trait;`` in a class: its methods become the class's."""
    scope = draft.current
    for name in children_of_type(node, "name", "qualified_name"):
        text = plain(draft.text(name))
        if scope is not None:
            scope.interfaces = (*scope.interfaces, text)
        say(draft, text, "implement", draft.line(name))
    return ()


@named
def _function(draft: Draft, node: Node, name: Node) -> Visit:
    body = node.child_by_field_name("body")
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    attributes, decorators = _attributes(draft, node)
    doc = doc_before(draft, node)
    draft.open(
        node,
        name,
        "method" if node.type == "method_declaration" else "function",
        signature=header(draft, node, body, parameters, attributes),
        docstring=doc,
        return_type=draft.text(returns) if returns else None,
        returns=type_text(draft, returns) or tagged(doc, "return"),
        parameters=[draft.text(p) for p in comment_free(parameters.named_children)] if parameters else (),
        modifiers=_modifiers(draft, node),
        decorators=decorators,
    )
    bind_parameters(draft, parameters, tagged_parameters(doc))
    return closing([*attributes, parameters, returns, body])


def _constants(draft: Draft, node: Node) -> Visit:
    attributes, decorators = _attributes(draft, node)
    elements = children_of_type(node, "const_element")
    values: list[Node] = []
    for place, element in enumerate(elements):
        name, *rest = comment_free(element.named_children)
        draft.bind(draft.text(name), *value_of(draft, rest[0] if rest else None), draft.line(name))
        draft.open(
            node,
            name,
            "constant",
            signature=signature_line(draft, node),
            docstring=doc_before(draft, node),
            modifiers=_modifiers(draft, node),
            decorators=decorators,
        )
        if place < len(elements) - 1:
            draft.close()
        values += rest
    return closing([*attributes, *values])


@named
def _case(draft: Draft, node: Node, name: Node) -> Visit:
    attributes, decorators = _attributes(draft, node)
    draft.open(
        node,
        name,
        "constant",
        signature=header(draft, node, None, None, attributes),
        docstring=doc_before(draft, node),
        returns=draft.current.name if draft.current else None,
        decorators=decorators,
    )
    return closing([*attributes, node.child_by_field_name("value")])


def _properties(draft: Draft, node: Node) -> Visit:
    declared = node.child_by_field_name("type")
    known = type_text(draft, declared) or tagged(doc_before(draft, node), "var")
    values = []
    for element in children_of_type(node, "property_element"):
        name = element.child_by_field_name("name")
        if name is not None:
            bind(draft, draft.text(name).lstrip("$"), known, draft.line(name))
            values += [child for child in comment_free(element.named_children) if child != name]
    return [*present(node.child_by_field_name("attributes"), declared), *values]


# uses


def _call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is not None and function.type in ("name", "qualified_name"):
        text = plain(draft.text(function))
        if text in ("define", f"{GLOBAL}.define") and draft.enclosing_function is None:
            return _define(draft, node, arguments)
        say(draft, text, "call", draft.line(function))
        use_callable(draft, text, arguments)
        return present(arguments)
    if function is not None:
        draft.use("__invoke", dotted(draft, function), "call", draft.line(function))
    return present(function, arguments)


def _define(draft: Draft, node: Node, arguments: Node | None) -> Visit:
    """``define('NAME', value)`` at the top level."""
    parts = comment_free(arguments.named_children) if arguments is not None else []
    string = first_named(parts[0]) if parts else None
    content = first_named(string) if string is not None and string.type in ("string", "encapsed_string") else None
    if content is None:
        return present(arguments)
    draft.open(node, content, "constant", signature=signature_line(draft, node),
               docstring=doc_before(draft, node.parent or node))  # fmt: skip
    return [*parts[1:], CLOSE]


# namespaces


def _namespace(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    text = plain(draft.text(name)) if name is not None else ""
    if text:
        draft.belong(text)
    return present(body)


def _use(draft: Draft, node: Node) -> Visit:
    group = node.child_by_field_name("body")
    prefix_node = child_of_type(node, "namespace_name")
    prefix = f"{plain(draft.text(prefix_node))}." if group is not None and prefix_node is not None else ""
    for clause in children_of_type(group if group is not None else node, "namespace_use_clause"):
        alias = clause.child_by_field_name("alias")
        named = child_of_type(clause, "qualified_name", "name")
        if named is None:
            continue
        path = prefix + plain(draft.text(named)).removeprefix(f"{GLOBAL}.")
        last = path.rpartition(".")[2]
        draft.add_import(draft.text(alias) if alias is not None else last, path, last, draft.line(clause))
    return ()


_HANDLERS: dict[str, Handler] = {
    "namespace_definition": _namespace,
    "namespace_use_declaration": _use,
    **dict.fromkeys(_KINDS, _type),
    "use_declaration": _use_traits,
    **each(_function, "function_definition method_declaration"),
    "const_declaration": _constants,
    "enum_case": _case,
    "property_declaration": _properties,
    **each(bind_closure, "anonymous_function arrow_function"),
    **each(
        only("attributes", "type", "default_value"), "simple_parameter variadic_parameter property_promotion_parameter"
    ),
    "assignment_expression": bind_assignment,
    "foreach_statement": bind_foreach,
    "catch_clause": bind_catch,
    **each(bind_declared_variables, "global_declaration static_variable_declaration"),
    **each(use_name, "name qualified_name"),
    "named_type": use_named_type,
    **each(
        nothing,
        "variable_name relative_scope goto_statement named_label_statement comment string nowdoc text "
        "text_interpolation",
    ),
    "function_call_expression": _call,
    **each(use_method_call, "member_call_expression nullsafe_member_call_expression"),
    "scoped_call_expression": use_scoped_call,
    "class_constant_access_expression": use_class_constant,
    **each(
        only("object", "scope"),
        "member_access_expression nullsafe_member_access_expression scoped_property_access_expression",
    ),
    "object_creation_expression": use_creation,
    "array_creation_expression": use_array,
    "attribute": use_attribute,
    "argument": all_but("name"),
    **each(
        decision,
        "if_statement else_if_clause for_statement while_statement do_statement case_statement "
        "match_conditional_expression conditional_expression",
    ),
    "binary_expression": deciding_operators(frozenset({"&&", "||", "and", "or", "??"})),
}

READER = Reader(
    grammar="tree_sitter_php:language_php",
    handlers=_HANDLERS,
    finish=_belong,
    links=Links(
        modules=package_modules,
        submodule=subpackage,
        neighbours=package_neighbours,
        linked=linked,
        self_names=frozenset({"this", "self", "static"}),
        super_names=frozenset({"parent"}),
        global_names=True,
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"string", "heredoc", "nowdoc", "text"}),
    forms={"heredoc": dedented, "nowdoc": dedented},
    shown=frozenset({"php_end_tag"}),
)
