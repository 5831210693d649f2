"""PHP: its scopes, what they use, and how namespaces reach other files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    child_of_type,
    children_of_type,
    closing,
    comment_free,
    deciding_operators,
    decision,
    first_named,
    header,
    nothing,
    present,
    shortened,
)
from ragforge_memory.code.comments import doc_before
from ragforge_memory.code.draft import CLOSE, Draft, Handler, OpenScope
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.packages import package_modules, package_neighbours, root_package, subpackage
from ragforge_memory.code.parsed import ScopeType, UseKind
from ragforge_memory.code.php_names import COMMON_MEMBERS
from ragforge_memory.code.php_text import (
    GLOBAL,
    created,
    dotted,
    plain,
    tagged,
    tagged_parameters,
    type_text,
    value_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import ParsedFile

_KINDS: dict[str, ScopeType] = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
}
_MODIFIERS = ("visibility_modifier", "static_modifier", "abstract_modifier", "final_modifier", "readonly_modifier")
_OWN = frozenset({"self", "static", "parent"})


def _grammar(path: str) -> object:
    import tree_sitter_php

    return tree_sitter_php.language_php()


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a file's tree."""
    draft.walk(root, _HANDLERS)
    draft.package = draft.package or GLOBAL


def _attributes(draft: Draft, node: Node) -> tuple[list[Node], list[str]]:
    found = node.child_by_field_name("attributes")
    groups = comment_free(found.named_children) if found is not None else []
    names = [name for group in groups for part in group.named_children if (name := first_named(part)) is not None]
    return present(found), [plain(draft.text(name)) for name in names]


def _modifiers(draft: Draft, node: Node) -> list[str]:
    return [draft.text(child) for child in children_of_type(node, *_MODIFIERS)]


def _say(draft: Draft, text: str, kind: UseKind, line: int) -> None:
    receiver, _, name = text.rpartition(".")
    if name not in _OWN:
        draft.use(name, receiver or None, kind, line)


# definitions


def _type(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return node.named_children
    attributes, decorators = _attributes(draft, node)
    extended = comment_free(clause.named_children) if (clause := child_of_type(node, "base_clause")) else []
    implemented = (
        comment_free(clause.named_children) if (clause := child_of_type(node, "class_interface_clause")) else []
    )
    draft.open(
        node,
        draft.text(name),
        _KINDS[node.type],
        name_node=name,
        signature=header(draft, node, body, None, attributes),
        docstring=doc_before(draft, node),
        modifiers=_modifiers(draft, node),
        decorators=decorators,
        bases=[plain(draft.text(base)) for base in extended],
        interfaces=[plain(draft.text(base)) for base in implemented],
    )
    for base in extended:
        _say(draft, plain(draft.text(base)), "inherit", draft.line(base))
    for base in implemented:
        _say(draft, plain(draft.text(base)), "implement", draft.line(base))
    return closing([*attributes, body])


def _use_traits(draft: Draft, node: Node) -> Visit:
    """``use Trait;`` in a class: its methods become the class's."""
    scope = draft.current
    for name in children_of_type(node, "name", "qualified_name"):
        text = plain(draft.text(name))
        if scope is not None:
            scope.interfaces = (*scope.interfaces, text)
        _say(draft, text, "implement", draft.line(name))
    return ()


def _function(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    parameters, returns = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    if name is None:
        return node.named_children
    attributes, decorators = _attributes(draft, node)
    doc = doc_before(draft, node)
    draft.open(
        node,
        draft.text(name),
        "method" if node.type == "method_declaration" else "function",
        name_node=name,
        signature=header(draft, node, body, parameters, attributes),
        docstring=doc,
        return_type=draft.text(returns) if returns else None,
        returns=type_text(draft, returns) or tagged(doc, "return"),
        parameters=[draft.text(p) for p in comment_free(parameters.named_children)] if parameters else (),
        modifiers=_modifiers(draft, node),
        decorators=decorators,
    )
    _bind_parameters(draft, parameters, tagged_parameters(doc))
    return closing([*attributes, parameters, returns, body])


def _bind(draft: Draft, text: str, declared: str | None, line: int, scope: OpenScope | None = None) -> None:
    if declared is not None and declared.endswith("[]"):
        draft.bind(f"{text}[]", "type", declared.removesuffix("[]"), line, scope)
        declared = None
    draft.bind(text, "type", declared, line, scope)


def _bind_parameters(draft: Draft, parameters: Node | None, tags: dict[str, str] | None = None) -> None:
    for parameter in comment_free(parameters.named_children) if parameters is not None else ():
        name = parameter.child_by_field_name("name")
        if name is None:
            continue
        text = draft.text(name).lstrip("&")
        declared = type_text(draft, parameter.child_by_field_name("type")) or (tags or {}).get(text.lstrip("$"))
        _bind(draft, text, declared, draft.line(name))
        if parameter.type == "property_promotion_parameter":
            _bind(draft, text.lstrip("$"), declared, draft.line(name), draft.enclosing_type)


def _closure(draft: Draft, node: Node) -> Visit:
    _bind_parameters(draft, node.child_by_field_name("parameters"))
    return node.named_children


def _parameter(draft: Draft, node: Node) -> Visit:
    return present(
        node.child_by_field_name("attributes"),
        node.child_by_field_name("type"),
        node.child_by_field_name("default_value"),
    )


def _constants(draft: Draft, node: Node) -> Visit:
    attributes, decorators = _attributes(draft, node)
    elements = children_of_type(node, "const_element")
    values: list[Node] = []
    for place, element in enumerate(elements):
        name, *rest = comment_free(element.named_children)
        draft.bind(draft.text(name), *value_of(draft, rest[0] if rest else None), draft.line(name))
        draft.open(
            node,
            draft.text(name),
            "constant",
            name_node=name,
            signature=shortened(draft, node),
            docstring=doc_before(draft, node),
            modifiers=_modifiers(draft, node),
            decorators=decorators,
        )
        if place < len(elements) - 1:
            draft.close()
        values += rest
    return closing([*attributes, *values])


def _case(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is None:
        return node.named_children
    attributes, decorators = _attributes(draft, node)
    draft.open(
        node,
        draft.text(name),
        "constant",
        name_node=name,
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
            _bind(draft, draft.text(name).lstrip("$"), known, draft.line(name))
            values += [child for child in comment_free(element.named_children) if child != name]
    return [*present(node.child_by_field_name("attributes"), declared), *values]


# statements that bind


def _assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return node.named_children
    if left.type == "variable_name":
        draft.bind(draft.text(left), *value_of(draft, right), draft.line(left))
        return present(right)
    if left.type == "member_access_expression" and dotted(draft, left.child_by_field_name("object")) == "this":
        owner, name = draft.enclosing_type, left.child_by_field_name("name")
        if (
            owner is not None
            and name is not None
            and not any(b.name == draft.text(name) and b.value for b in owner.bindings)
        ):
            kind, value = value_of(draft, right)
            known = draft.known(value) if kind == "alias" and value is not None else None
            if known is not None:
                kind, value = known.kind, known.value
            elif kind == "alias" and value is not None and value.startswith("$"):
                kind, value = "unknown", None
            draft.bind(draft.text(name), kind, value, draft.line(left), owner)
        return present(right)
    if left.type in ("list_literal", "array_creation_expression"):
        _bind_unknown(draft, left)
        return present(right)
    return present(left, right)


def _bind_unknown(draft: Draft, node: Node) -> None:
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type == "variable_name":
            draft.bind(draft.text(part), "unknown", None, draft.line(part))
        elif part.type not in ("member_access_expression", "subscript_expression"):
            stack += part.named_children


def _foreach(draft: Draft, node: Node) -> Visit:
    draft.decide()
    body = node.child_by_field_name("body")
    parts = [child for child in comment_free(node.named_children) if child != body]
    over = parts[0] if parts else None
    for target in parts[1:]:
        value = target.named_children[-1] if target.type == "pair" else target
        if target.type == "pair":
            _bind_unknown(draft, target.named_children[0])
        while value.type in ("by_ref", "reference_modifier") and value.named_children:
            value = value.named_children[0]
        text = dotted(draft, over)
        if value.type == "variable_name" and text[:1] not in "?!":
            draft.bind(draft.text(value), "alias", f"{text}[]", draft.line(value))
        else:
            _bind_unknown(draft, value)
    return present(over, body)


def _catch(draft: Draft, node: Node) -> Visit:
    draft.decide()
    declared, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if name is not None:
        draft.bind(draft.text(name), "type", type_text(draft, declared), draft.line(name))
    return present(declared, node.child_by_field_name("body"))


def _declared_variables(draft: Draft, node: Node) -> Visit:
    """``global $x`` and ``static $x = 1``."""
    _bind_unknown(draft, node)
    return [child for child in node.named_children if child.type != "variable_name"]


# uses


def _name(draft: Draft, node: Node) -> Visit:
    text = plain(draft.text(node))
    if text.removeprefix(f"{GLOBAL}.").lower() not in ("true", "false", "null", "self", "static", "parent"):
        _say(draft, text, "reference", draft.line(node))
    return ()


def _named_type(draft: Draft, node: Node) -> Visit:
    if (text := type_text(draft, node)) and text not in _OWN:
        _say(draft, text, "type", draft.line(node))
    return ()


def _call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is not None and function.type in ("name", "qualified_name"):
        text = plain(draft.text(function))
        if text in ("define", f"{GLOBAL}.define") and draft.enclosing_function is None:
            return _define(draft, node, arguments)
        _say(draft, text, "call", draft.line(function))
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
    draft.open(node, draft.text(content), "constant", name_node=content, signature=shortened(draft, node),
               docstring=doc_before(draft, node.parent or node))  # fmt: skip
    return [*parts[1:], CLOSE]


def _method_call(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    arguments = node.child_by_field_name("arguments")
    if name is not None and name.type == "name" and receiver is not None:
        draft.use(draft.text(name), dotted(draft, receiver), "call", draft.line(name))
        return present(receiver, arguments)
    return present(receiver, name, arguments)


def _scoped_call(draft: Draft, node: Node) -> Visit:
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    arguments = node.child_by_field_name("arguments")
    if scope is not None and name is not None and name.type == "name":
        draft.use(draft.text(name), dotted(draft, scope), "call", draft.line(name))
    return present(scope, arguments)


def _class_constant(draft: Draft, node: Node) -> Visit:
    parts = comment_free(node.named_children)
    if len(parts) > 1 and draft.text(parts[-1]) != "class":
        draft.use(draft.text(parts[-1]), dotted(draft, parts[0]), "reference", draft.line(parts[-1]))
    return parts[:1]


def _member_access(draft: Draft, node: Node) -> Visit:
    """A property is no scope."""
    return present(node.child_by_field_name("object") or node.child_by_field_name("scope"))


def _creation(draft: Draft, node: Node) -> Visit:
    kind = created(node)
    if kind is not None and kind.type in ("name", "qualified_name"):
        _say(draft, plain(draft.text(kind)), "call", draft.line(kind))
    return [child for child in node.named_children if child != kind]


def _attribute(draft: Draft, node: Node) -> Visit:
    name = first_named(node)
    if name is not None:
        _say(draft, plain(draft.text(name)), "decorate", draft.line(name))
    return [child for child in node.named_children if child != name]


def _argument(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    return [child for child in node.named_children if child != name]


# namespaces


def _namespace(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    text = plain(draft.text(name)) if name is not None else ""
    if text and text not in draft.package.split():
        draft.package = f"{draft.package} {text}".strip()
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


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """What files without a namespace define is seen everywhere (functions and constants), else a root namespace."""
    if name == GLOBAL:
        return f"php:{GLOBAL}/", ""
    memo = ("php", "global", name)
    if memo not in index.memo:
        places = [
            (path, scope.key)
            for path, scope in index.by_name.get(("php", name), ())
            if scope.parent is None and index.files[path].file.package == GLOBAL
        ]
        index.memo[memo] = places[0] if len(places) == 1 else None
    found: Place | None = index.memo[memo]
    return found or root_package(index, file, name)


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same namespaces."""
    return package_neighbours(index, file)


_HANDLERS: dict[str, Handler] = {
    "namespace_definition": _namespace,
    "namespace_use_declaration": _use,
    **dict.fromkeys(_KINDS, _type),
    "use_declaration": _use_traits,
    "function_definition": _function,
    "method_declaration": _function,
    "const_declaration": _constants,
    "enum_case": _case,
    "property_declaration": _properties,
    "anonymous_function": _closure,
    "arrow_function": _closure,
    "simple_parameter": _parameter,
    "variadic_parameter": _parameter,
    "property_promotion_parameter": _parameter,
    "assignment_expression": _assignment,
    "foreach_statement": _foreach,
    "catch_clause": _catch,
    "global_declaration": _declared_variables,
    "static_variable_declaration": _declared_variables,
    "name": _name,
    "qualified_name": _name,
    "named_type": _named_type,
    "variable_name": nothing,
    "relative_scope": nothing,
    "function_call_expression": _call,
    "member_call_expression": _method_call,
    "nullsafe_member_call_expression": _method_call,
    "scoped_call_expression": _scoped_call,
    "class_constant_access_expression": _class_constant,
    "member_access_expression": _member_access,
    "nullsafe_member_access_expression": _member_access,
    "scoped_property_access_expression": _member_access,
    "object_creation_expression": _creation,
    "attribute": _attribute,
    "argument": _argument,
    "goto_statement": nothing,
    "named_label_statement": nothing,
    "if_statement": decision,
    "else_if_clause": decision,
    "for_statement": decision,
    "while_statement": decision,
    "do_statement": decision,
    "case_statement": decision,
    "match_conditional_expression": decision,
    "conditional_expression": decision,
    "binary_expression": deciding_operators(frozenset({"&&", "||", "and", "or", "??"})),
    "comment": nothing,
    "string": nothing,
    "nowdoc": nothing,
    "text": nothing,
    "text_interpolation": nothing,
}

READER = Reader(
    grammar=_grammar,
    extract=extract,
    links=Links(
        modules=package_modules,
        submodule=subpackage,
        neighbours=neighbours,
        linked=linked,
        self_names=frozenset({"this", "self", "static"}),
        super_names=frozenset({"parent"}),
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"string", "nowdoc", "text"}),
)
