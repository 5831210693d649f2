"""C#: its scopes, what they use, and how namespaces reach other files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.c_prepare import one_branch
from ragforge_memory.code.clauses import (
    bind_declared,
    child_of_type,
    children_of_type,
    closing,
    comment_free,
    decision,
    first_named,
    header,
    nothing,
    present,
    shortened,
)
from ragforge_memory.code.comments import doc_before, without_xml
from ragforge_memory.code.csharp_names import COMMON_MEMBERS
from ragforge_memory.code.csharp_text import dotted, simple_name, type_text, value_of
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.packages import package_modules, root_package, subpackage
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.syntax import first_error, unread_bytes

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import ParsedFile, ParsedScope

_KINDS: dict[str, ScopeType] = {
    "class_declaration": "class",
    "record_declaration": "class",
    "record_struct_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
}
_INTERFACE = re.compile(r"(?:.*\.)?I[A-Z]\w*$")


def _grammar(path: str) -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a file's tree."""
    draft.walk(root, _HANDLERS)


# definitions


def _modifiers(draft: Draft, node: Node) -> list[str]:
    return [draft.text(child) for child in children_of_type(node, "modifier")]


def _attributes(draft: Draft, node: Node) -> tuple[list[Node], list[str]]:
    lists = children_of_type(node, "attribute_list")
    names = [name for part in lists for a in part.named_children if (name := a.child_by_field_name("name"))]
    return lists, [draft.text(name) for name in names]


def _parameter_texts(draft: Draft, parameters: Node | None) -> list[str]:
    """Each parameter as written; ``params T[] rest`` is no node of its own in the grammar."""
    if parameters is None:
        return []
    found = [draft.text(p) for p in children_of_type(parameters, "parameter")]
    kind, name = parameters.child_by_field_name("type"), parameters.child_by_field_name("name")
    if kind is not None and name is not None:
        found.append(f"params {draft.text(kind)} {draft.text(name)}")
    return [" ".join(text.split()) for text in found]


def _bind_parameters(draft: Draft, parameters: Node | None) -> None:
    for parameter in [*children_of_type(parameters, "parameter"), *present(parameters)]:
        name, declared = parameter.child_by_field_name("name"), parameter.child_by_field_name("type")
        if name is not None:
            bind_declared(draft, name, type_text(draft, declared))


def _bind_generics(draft: Draft, node: Node) -> None:
    """Type parameters with the first named type of their constraints."""
    bounds: dict[str, str] = {}
    for clause in children_of_type(node, "type_parameter_constraints_clause"):
        name = first_named(clause)
        for constraint in children_of_type(clause, "type_parameter_constraint"):
            found = type_text(draft, constraint.child_by_field_name("type"))
            if found and name is not None:
                bounds.setdefault(draft.text(name), found)
    for generics in children_of_type(node, "type_parameter_list"):
        for parameter in children_of_type(generics, "type_parameter"):
            if (name := parameter.child_by_field_name("name")) is not None:
                draft.bind(draft.text(name), "alias", bounds.get(draft.text(name)), draft.line(name))


def _types(draft: Draft, node: Node | None) -> None:
    """Say every type that a type expression names."""
    stack = [node] if node is not None else []
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.use(draft.text(part), None, "type", draft.line(part))
        elif part.type == "qualified_name":
            text = type_text(draft, part) or ""
            receiver, _, name = text.removesuffix("[]").rpartition(".")
            draft.use(name, receiver or None, "type", draft.line(part))
            last = part.child_by_field_name("name")
            stack += children_of_type(last, "type_argument_list")
        elif part.type == "tuple_element":
            stack += present(part.child_by_field_name("type"))
        else:
            stack += reversed(part.named_children)


def _type(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return node.named_children
    lists, decorators = _attributes(draft, node)
    parameters = child_of_type(node, "parameter_list")
    listed = [base for base in _listed(node) if type_text(draft, base)]
    texts = [text for base in listed if (text := type_text(draft, base))]
    kind = _KINDS[node.type]
    end = body if body is not None else child_of_type(node, ";")
    interfaces = [text for text in texts if _INTERFACE.match(text)] if kind != "interface" else []
    draft.open(
        node,
        draft.text(name),
        kind,
        name_node=name,
        signature=header(draft, node, end, parameters, lists),
        docstring=without_xml(doc_before(draft, node)),
        parameters=_parameter_texts(draft, parameters),
        modifiers=[*_modifiers(draft, node), *(["generic"] if children_of_type(node, "type_parameter_list") else [])],
        decorators=decorators,
        bases=[text for text in texts if text not in interfaces],
        interfaces=interfaces,
    )
    for base, text in zip(listed, texts, strict=True):
        receiver, _, last = text.removesuffix("[]").rpartition(".")
        draft.use(last, receiver or None, "implement" if text in interfaces else "inherit", draft.line(base))
        for arguments in children_of_type(base, "type_argument_list"):
            _types(draft, arguments)
    _bind_generics(draft, node)
    _bind_parameters(draft, parameters)
    clauses = children_of_type(node, "type_parameter_constraints_clause")
    base_arguments = children_of_type(child_of_type(node, "base_list"), "argument_list")
    return closing([*lists, *clauses, parameters, *base_arguments, body])


def _listed(node: Node) -> list[Node]:
    """The types behind the colon."""
    found = []
    for base in comment_free(base_list.named_children) if (base_list := child_of_type(node, "base_list")) else ():
        if base.type == "primary_constructor_base_type":
            found += present(base.child_by_field_name("type") or first_named(base))
        elif base.type not in ("argument_list", "predefined_type"):
            found.append(base)
    return found


def _method(draft: Draft, node: Node) -> Visit:
    """Methods, constructors, local functions, operators, indexers and properties."""
    body = (
        node.child_by_field_name("body") or node.child_by_field_name("accessors") or node.child_by_field_name("value")
    )
    name_node, text = _name(draft, node)
    lists, decorators = _attributes(draft, node)
    words = _modifiers(draft, node)
    if node.type == "constructor_declaration":
        words.append("constructor")
    elif node.type in ("property_declaration", "indexer_declaration"):
        words.append("property")
    returns = node.child_by_field_name("returns") or node.child_by_field_name("type")
    parameters = node.child_by_field_name("parameters")
    kind: ScopeType = (
        "function" if node.type == "local_function_statement" and draft.enclosing_type is None else "method"
    )
    kind = "function" if node.type == "local_function_statement" else kind
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
        parameters=_parameter_texts(draft, parameters),
        modifiers=words,
        decorators=decorators,
    )
    _bind_generics(draft, node)
    _bind_parameters(draft, parameters)
    _types(draft, returns)
    clauses = children_of_type(node, "type_parameter_constraints_clause")
    bodies = [node.child_by_field_name(field) for field in ("accessors", "value", "body")]
    return closing([*lists, *clauses, parameters, initializer, *bodies])


def _name(draft: Draft, node: Node) -> tuple[Node | None, str]:
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


def _field(draft: Draft, node: Node) -> Visit:
    """``const`` and ``static readonly`` are constants; all fields have a type."""
    declaration = child_of_type(node, "variable_declaration")
    if declaration is None:
        return node.named_children
    words, declared = _modifiers(draft, node), declaration.child_by_field_name("type")
    lists, decorators = _attributes(draft, node)
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
                draft.text(name),
                "constant",
                name_node=name,
                signature=shortened(draft, declaration),
                docstring=without_xml(doc_before(draft, node)),
                return_type=draft.text(declared) if declared else None,
                returns=known if known and not known.endswith("[]") else None,
                modifiers=words,
                decorators=decorators,
            )
            if place < len(declarators) - 1:
                draft.close()
    _types(draft, declared)
    values = [c for d in declarators for c in comment_free(d.named_children) if c != d.child_by_field_name("name")]
    return closing([*lists, *values]) if constant else [*lists, *values]


def _enum_member(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is None:
        return node.named_children
    lists, decorators = _attributes(draft, node)
    draft.open(
        node,
        draft.text(name),
        "constant",
        name_node=name,
        signature=header(draft, node, None, None, lists),
        docstring=without_xml(doc_before(draft, node)),
        returns=draft.current.name if draft.current else None,
        decorators=decorators,
    )
    return closing([*lists, node.child_by_field_name("value")])


def _delegate(draft: Draft, node: Node) -> Visit:
    name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if name is None:
        return node.named_children
    lists, decorators = _attributes(draft, node)
    draft.open(
        node,
        draft.text(name),
        "type",
        name_node=name,
        signature=header(draft, node, None, parameters, lists),
        docstring=without_xml(doc_before(draft, node)),
        parameters=_parameter_texts(draft, parameters),
        modifiers=_modifiers(draft, node),
        decorators=decorators,
    )
    _bind_generics(draft, node)
    _types(draft, node.child_by_field_name("type"))
    return closing([*lists, parameters])


# statements that bind


def _variables(draft: Draft, node: Node) -> Visit:
    """Local variables."""
    declared = node.child_by_field_name("type")
    known = type_text(draft, declared) if declared is not None and declared.type != "implicit_type" else None
    values: list[Node] = []
    for declarator in children_of_type(node, "variable_declarator"):
        name = declarator.child_by_field_name("name")
        parts = [child for child in comment_free(declarator.named_children) if child != name]
        if name is not None and known is not None:
            bind_declared(draft, name, known)
        elif name is not None:
            draft.bind(draft.text(name), *value_of(draft, parts[0] if parts else None), draft.line(name))
        for part in parts:
            if part.type == "tuple_pattern":
                _unknown(draft, part)
            else:
                values.append(part)
    if declared is not None and declared.type != "implicit_type":
        _types(draft, declared)
    return values


def _unknown(draft: Draft, node: Node) -> None:
    for name in node.named_children:
        if name.type == "identifier":
            draft.bind(draft.text(name), "unknown", None, draft.line(name))


def _foreach(draft: Draft, node: Node) -> Visit:
    draft.decide()
    declared, left, right = (node.child_by_field_name(field) for field in ("type", "left", "right"))
    if left is not None and left.type == "identifier":
        if declared is not None and declared.type != "implicit_type":
            bind_declared(draft, left, type_text(draft, declared))
            _types(draft, declared)
        else:
            over = dotted(draft, right)
            known = over[:1] not in "?!"
            draft.bind(
                draft.text(left), "alias" if known else "unknown", f"{over}[]" if known else None, draft.line(left)
            )
    elif left is not None:
        _unknown(draft, left)
    return present(right, node.child_by_field_name("body"))


def _declared(draft: Draft, node: Node) -> Visit:
    """``is T name``, ``case T name``, ``out T name``, ``catch (T name)``."""
    name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
    if declared is not None and declared.type != "implicit_type":
        _types(draft, declared)
    if name is not None:
        known = type_text(draft, declared) if declared is not None else None
        bind_declared(draft, name, known)
    skipped = (name, declared)
    return [child for child in node.named_children if child not in skipped]


def _lambda(draft: Draft, node: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    if parameters is not None and parameters.type == "implicit_parameter":
        draft.bind(draft.text(parameters), "unknown", None, draft.line(parameters))
        return [child for child in node.named_children if child != parameters]
    _bind_parameters(draft, parameters)
    return node.named_children


def _parameter(draft: Draft, node: Node) -> Visit:
    name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
    _types(draft, declared)
    return [child for child in node.named_children if child not in (name, declared)]


def _parameter_list(draft: Draft, node: Node) -> Visit:
    declared = node.child_by_field_name("type")
    _types(draft, declared)
    skipped = (declared, node.child_by_field_name("name"))
    return [child for child in node.named_children if child not in skipped]


def _from(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is not None:
        draft.bind(draft.text(name), "unknown", None, draft.line(name))
    return [child for child in node.named_children if child != name]


# uses


def _identifier(draft: Draft, node: Node) -> Visit:
    if (text := draft.text(node)) not in ("var", "nameof", "_", "global", "value"):
        draft.use(text, None, "reference", draft.line(node))
    return ()


def _access(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
    if receiver is None or name is None:
        return node.named_children
    draft.use(simple_name(draft, name), dotted(draft, receiver), "reference", draft.line(name))
    return [receiver, *children_of_type(name, "type_argument_list")]


def _conditional(draft: Draft, node: Node) -> Visit:
    """``a?.b`` that is not called."""
    condition = node.child_by_field_name("condition")
    for child in node.named_children:
        if child.type == "member_binding_expression" and (name := child.child_by_field_name("name")) is not None:
            draft.use(simple_name(draft, name), dotted(draft, condition), "reference", draft.line(name))
    return [child for child in node.named_children if child.type != "member_binding_expression"]


def _call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return present(arguments)
    if function.type in ("identifier", "generic_name"):
        if (name := simple_name(draft, function)) != "nameof":
            draft.use(name, None, "call", draft.line(function))
        return [*children_of_type(function, "type_argument_list"), *present(arguments)]
    if function.type == "member_access_expression":
        receiver, member = function.child_by_field_name("expression"), function.child_by_field_name("name")
        if receiver is not None and member is not None:
            draft.use(simple_name(draft, member), dotted(draft, receiver), "call", draft.line(member))
            return [receiver, *children_of_type(member, "type_argument_list"), *present(arguments)]
    if function.type == "conditional_access_expression":
        condition = function.child_by_field_name("condition")
        rest = [child for child in comment_free(function.named_children) if child != condition]
        binding = rest[0] if rest else None
        if binding is not None and binding.type == "member_binding_expression":
            name_node = binding.child_by_field_name("name")
            draft.use(simple_name(draft, name_node), dotted(draft, condition), "call", draft.line(binding))
            return present(condition, arguments)
    return present(function, arguments)


def _creation(draft: Draft, node: Node) -> Visit:
    kind = node.child_by_field_name("type")
    last = kind
    while last is not None and last.type == "qualified_name":
        last = last.child_by_field_name("name")
    if kind is not None and last is not None:
        qualifier = kind.child_by_field_name("qualifier") if kind.type == "qualified_name" else None
        if kind.type != "predefined_type":
            outer = type_text(draft, qualifier) if qualifier is not None else None
            draft.use(simple_name(draft, last), outer, "call", draft.line(kind))
        for arguments in children_of_type(last, "type_argument_list"):
            _types(draft, arguments)
    return [child for child in node.named_children if child != kind]


def _initializer(draft: Draft, node: Node) -> Visit:
    """``{ Name = value }`` of a new object: the names are its properties."""
    inside = []
    for child in node.named_children:
        left = child.child_by_field_name("left") if child.type == "assignment_expression" else None
        if left is not None and left.type == "identifier":
            inside += present(child.child_by_field_name("right"))
        else:
            inside.append(child)
    return inside


def _attribute(draft: Draft, node: Node) -> Visit:
    """``[Audited]`` may mean ``AuditedAttribute``; the draft keeps both spellings and one of them is found."""
    name = node.child_by_field_name("name")
    if name is not None:
        receiver, _, last = (type_text(draft, name) or draft.text(name)).rpartition(".")
        draft.use(last, receiver or None, "decorate", draft.line(name))
        if not last.endswith("Attribute"):
            draft.use(f"{last}Attribute", receiver or None, "decorate", draft.line(name))
    return [child for child in node.named_children if child != name]


def _typed(draft: Draft, node: Node) -> Visit:
    """Casts and ``typeof``: their type is one for sure."""
    declared = node.child_by_field_name("type")
    _types(draft, declared)
    return [child for child in node.named_children if child != declared]


def _type_arguments(draft: Draft, node: Node) -> Visit:
    _types(draft, node)
    return ()


def _constraints(draft: Draft, node: Node) -> Visit:
    for constraint in children_of_type(node, "type_parameter_constraint"):
        _types(draft, constraint.child_by_field_name("type"))
    return ()


def _argument(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    return [child for child in node.named_children if child != name]


def _binary(draft: Draft, node: Node) -> Visit:
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in ("&&", "||", "??"):
        draft.decide()
    return node.named_children


def _section(draft: Draft, node: Node) -> Visit:
    if node.child_count and node.children[0].type == "case":
        draft.decide()
    return node.named_children


def _labeled(draft: Draft, node: Node) -> Visit:
    return node.named_children[1:]


# namespaces


def _namespace(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    text = "".join(draft.text(name).split()) if name is not None else ""
    outer = node.parent
    while outer is not None:
        if outer.type == "namespace_declaration" and (around := outer.child_by_field_name("name")) is not None:
            text = f"{draft.text(around)}.{text}"
        outer = outer.parent
    if text and text not in draft.package.split():
        draft.package = f"{draft.package} {text}".strip()
    body = node.child_by_field_name("body")
    return [body] if body is not None else [child for child in node.named_children if child != name]


def _using(draft: Draft, node: Node) -> Visit:
    alias = node.child_by_field_name("name")
    target = next((child for child in comment_free(node.named_children) if child != alias), None)
    path = "".join(draft.text(target).split()).removeprefix("global::") if target is not None else ""
    path = path.partition("<")[0]
    if alias is not None:
        draft.add_import(draft.text(alias), path, path.rpartition(".")[2], draft.line(node))
    elif any(child.type == "static" for child in node.children):
        draft.add_import("*", path, f"{path.rpartition('.')[2]}.*", draft.line(node))
    elif path:
        draft.add_import("*", path, "*", draft.line(node))
    return ()


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same namespaces, and of those around them."""
    found: dict[str, None] = {}
    for package in file.package.split():
        while package:
            found.update(dict.fromkeys(index.packages.get(f"csharp:{package}/", ())))
            package = package.rpartition(".")[0]
    for path in _without_namespace(index):
        found[path] = None
    return list(found)


def _without_namespace(index: ProjectIndex) -> Sequence[str]:
    memo = ("csharp", "global")
    if memo not in index.memo:
        files = (file.file for file in index.files.values())
        index.memo[memo] = [file.path for file in files if file.language == "csharp" and not file.package]
    found: Sequence[str] = index.memo[memo]
    return found


def parts(index: ProjectIndex, path: str, scope: ParsedScope) -> Sequence[Place]:
    """The other ``partial`` declarations of a type."""
    if "partial" not in scope.modifiers:
        return ()
    here = index.files[path].file.package
    return [
        (other, found.key)
        for other, found in index.by_name.get(("csharp", scope.name), ())
        if found.qualified_name == scope.qualified_name
        and "partial" in found.modifiers
        and index.files[other].file.package == here
        and (other, found.key) != (path, scope.key)
    ]


def refusal(root: Node, data: bytes) -> str | None:
    """The grammar stumbles over ``#if`` inside of expressions: only where much of the file is lost is it broken."""
    return first_error(root) if unread_bytes(root) * 10 > len(data) or root.type == "ERROR" else None


_METHODS = ("method_declaration", "constructor_declaration", "destructor_declaration", "local_function_statement",
            "operator_declaration", "conversion_operator_declaration", "indexer_declaration",
            "property_declaration")  # fmt: skip

_HANDLERS: dict[str, Handler] = {
    "using_directive": _using,
    "namespace_declaration": _namespace,
    "file_scoped_namespace_declaration": _namespace,
    **dict.fromkeys(_KINDS, _type),
    **dict.fromkeys(_METHODS, _method),
    "field_declaration": _field,
    "event_field_declaration": _field,
    "enum_member_declaration": _enum_member,
    "delegate_declaration": _delegate,
    "variable_declaration": _variables,
    "foreach_statement": _foreach,
    "declaration_pattern": _declared,
    "declaration_expression": _declared,
    "recursive_pattern": _declared,
    "catch_declaration": _declared,
    "lambda_expression": _lambda,
    "anonymous_method_expression": _lambda,
    "parameter": _parameter,
    "parameter_list": _parameter_list,
    "from_clause": _from,
    "join_clause": _from,
    "let_clause": _from,
    "identifier": _identifier,
    "member_access_expression": _access,
    "conditional_access_expression": _conditional,
    "invocation_expression": _call,
    "object_creation_expression": _creation,
    "initializer_expression": _initializer,
    "attribute": _attribute,
    "attribute_argument": _argument,
    "argument": _argument,
    "cast_expression": _typed,
    "typeof_expression": _typed,
    "default_expression": _typed,
    "array_creation_expression": _typed,
    "type_argument_list": _type_arguments,
    "type_parameter_list": nothing,
    "type_parameter_constraints_clause": _constraints,
    "alias_qualified_name": lambda draft, node: present(node.child_by_field_name("name")),
    "labeled_statement": _labeled,
    "goto_statement": nothing,
    "if_statement": decision,
    "for_statement": decision,
    "while_statement": decision,
    "do_statement": decision,
    "catch_clause": decision,
    "conditional_expression": decision,
    "switch_expression_arm": decision,
    "switch_section": _section,
    "binary_expression": _binary,
    "comment": nothing,
    "string_literal": nothing,
    "verbatim_string_literal": nothing,
    "preproc_region": nothing,
    "preproc_endregion": nothing,
    "preproc_pragma": nothing,
    "preproc_if": lambda draft, node: [
        child for child in node.named_children if child != node.child_by_field_name("condition")
    ],
    "preproc_elif": lambda draft, node: [
        child for child in node.named_children if child != node.child_by_field_name("condition")
    ],
}

READER = Reader(
    grammar=_grammar,
    extract=extract,
    links=Links(
        modules=package_modules,
        submodule=subpackage,
        neighbours=neighbours,
        linked=root_package,
        parts=parts,
        self_names=frozenset({"this"}),
        super_names=frozenset({"base"}),
        bare_members=True,
        common_members=COMMON_MEMBERS,
    ),
    refusal=refusal,
    simplify=one_branch,
    atoms=frozenset({"string_literal", "verbatim_string_literal", "raw_string_literal", "character_literal"}),
)
