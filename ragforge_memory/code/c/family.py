"""What C and C++ share: functions, types, macros, variables, and what they use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.c.links import INCLUDE
from ragforge_memory.code.c.text import declared_name, is_name, operator_text, qualified, type_text, value_of
from ragforge_memory.code.c.types import (
    bind_templates,
    enumerator,
    owning_type,
    qualified_name,
    specifier,
    type_definition,
    whole_of,
)
from ragforge_memory.code.c.uses import (
    block,
    macro_uses,
    made_statement,
    name_alone,
    names_given,
    open_made,
    use_call,
    use_case,
)
from ragforge_memory.code.clauses import (
    all_but,
    bind_declared,
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
    naming,
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.syntax import unread_bytes

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_WORDS = ("storage_class_specifier", "virtual", "explicit_function_specifier", "virtual_specifier")


# functions


def function(draft: Draft, node: Node) -> Visit:
    """A function with a body (or ``= default``), inside or outside its class."""
    name_node, _, declarator = declared_name(node.child_by_field_name("declarator"))
    body, alone = node.child_by_field_name("body"), name_alone(draft, node)
    if alone is not None:
        return open_made(draft, node, node, body, *alone)
    if name_node is None or declarator is None:
        return comment_free(node.named_children)
    return open_function(draft, node, name_node, declarator, body)


def open_function(draft: Draft, node: Node, name_node: Node, declarator: Node, body: Node | None) -> Visit:
    """Open a function or method whatever its declarator looks like."""
    owner, name = split_name(draft, name_node)
    owner = owning_type(draft, node, owner)
    made = names_given(draft, node, name_node)
    if made is not None:
        owner, name, name_node = made
    elif not (is_name(name) and is_name(owner or name)):
        return comment_free(node.named_children)
    current, whole = draft.current, whole_of(node)
    friend = whole.type == "friend_declaration"
    in_type = current is not None and current.is_type and not friend
    kind: ScopeType = "method" if in_type or owner else "function"
    words = _modifiers(draft, node, declarator)
    holder = owner.rpartition(".")[2] if owner else current.name if in_type and current is not None else ""
    if kind == "method" and name == holder:
        words.append("constructor")
    templates = child_of_type(whole, "template_parameter_list")
    if _in_specialization(name_node) and (templates is None or not templates.named_children):
        words.append("specialization")
    parameters = declarator.child_by_field_name("parameters")
    trailing = first_named(child_of_type(declarator, "trailing_return_type"))
    returns = trailing or node.child_by_field_name("type")
    inside = child_of_type(node, "field_initializer_list")
    scope = draft.open(
        node,
        name,
        kind,
        name_node=name_node,
        whole=whole,
        qualified_name=qualified_name(draft, owner, name),
        signature=header(draft, whole, inside or body, parameters),
        docstring=doc_before(draft, whole),
        owner=owner,
        return_type=draft.text(returns) if returns else None,
        returns=type_text(draft, returns),
        parameters=_parameter_texts(draft, parameters),
        modifiers=words,
    )
    if name_node.type == "qualified_identifier":
        last = name_node
        while last.type == "qualified_identifier" and (inner := last.child_by_field_name("name")) is not None:
            last = inner
        scope.name_byte, scope.definition_line = last.start_byte, draft.line(last)
    bind_templates(draft, templates)
    bind_parameters(draft, parameters)
    return closing([templates, returns, parameters, inside, body])


def _in_specialization(name_node: Node) -> bool:
    """Whether a name is written with template arguments for its type (``Shelf<int>::put``)."""
    scope: Node | None = None
    inner: Node | None = name_node
    while inner is not None and inner.type == "qualified_identifier":
        scope, inner = inner.child_by_field_name("scope"), inner.child_by_field_name("name")
    return scope is not None and scope.type == "template_type"


def split_name(draft: Draft, node: Node) -> tuple[str | None, str]:
    """The owner and the bare name that a declarator's name says."""
    if node.type == "qualified_identifier":
        owner, _, name = qualified(draft, node).rpartition(".")
        return owner or None, name
    if node.type == "template_function":
        inner = node.child_by_field_name("name")
        return None, draft.text(inner) if inner is not None else "?"
    if node.type == "operator_cast":
        kind = node.child_by_field_name("type")
        return None, f"operator {draft.text(kind) if kind is not None else ''}".strip()
    if node.type == "operator_name":
        return None, operator_text(draft, node)
    return None, re.sub(r"\s+", "", draft.text(node))


def _modifiers(draft: Draft, node: Node, declarator: Node | None) -> list[str]:
    """``static``, ``virtual``, ``inline``, ``constexpr``, ``override`` … in source order."""
    words = [draft.text(child) for child in children_of_type(node, *_WORDS)]
    words += [text for child in children_of_type(node, "type_qualifier") if (text := draft.text(child)) == "constexpr"]
    words += [draft.text(child) for child in children_of_type(declarator, "virtual_specifier")]
    return words


def _parameter_texts(draft: Draft, parameters: Node | None) -> list[str]:
    found = comment_free(parameters.named_children) if parameters is not None else []
    return [text for parameter in found if (text := " ".join(draft.text(parameter).split())) != "void"]


def bind_parameters(draft: Draft, parameters: Node | None) -> None:
    """Parameters with their types."""
    for parameter in comment_free(parameters.named_children) if parameters is not None else ():
        name, is_array, _ = declared_name(parameter.child_by_field_name("declarator"))
        if name is not None and name.type == "identifier":
            declared = type_text(draft, parameter.child_by_field_name("type"))
            bind_declared(draft, name, f"{declared}[]" if declared and is_array else declared or None)


# variables


def declaration(draft: Draft, node: Node) -> Visit:
    """Variables; prototypes are not definitions and only name types."""
    declared, current = node.child_by_field_name("type"), draft.current
    kind = type_text(draft, declared)
    words = _modifiers(draft, node, None)
    parts = present(declared)
    opened = False
    for declarator in node.children_by_field_name("declarator"):
        name, is_array, inner = declared_name(declarator)
        value = declarator.child_by_field_name("value")
        if name is None or inner is not None:
            if inner is not None and draft.enclosing_function is None:
                parts += present(inner.child_by_field_name("parameters"))
            continue
        if name.type == "identifier":
            known = f"{kind}[]" if kind and is_array else kind
            if declared is not None and declared.type == "placeholder_type_specifier":
                draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))
            else:
                bind_declared(draft, name, known or None)
        wanted = current is None and "extern" not in words and not opened and not _astray(node)
        if wanted and is_name(".".join(filter(None, split_name(draft, name)))):
            _open_variable(draft, node, name, declared, kind, words)
            opened = True
        parts += present(value)
    return closing(parts) if opened else parts


def _astray(node: Node) -> bool:
    """Whether an indented declaration stands in what the grammar could not read: a local whose function was lost."""
    if node.start_point[1] == 0:
        return False
    outer = node.parent
    while outer is not None and outer.type not in ("namespace_definition", "linkage_specification"):
        if outer.is_error:
            return True
        outer = outer.parent
    return False


def _open_variable(
    draft: Draft, node: Node, name: Node, declared: Node | None, kind: str | None, words: Sequence[str]
) -> None:
    owner, text = split_name(draft, name)
    owner = owning_type(draft, node, owner)
    whole = whole_of(node)
    draft.open(
        node,
        text,
        "constant",
        name_node=name,
        whole=whole,
        qualified_name=qualified_name(draft, owner, text),
        signature=signature_line(draft, node),
        docstring=doc_before(draft, whole),
        owner=owner,
        return_type=draft.text(declared) if declared else None,
        returns=kind.removesuffix("[]") if kind and not kind.endswith("[]") else None,
        modifiers=words,
    )


def macro(draft: Draft, node: Node) -> Visit:
    """A macro with a value: a constant, or with parameters a macro; its calls are told from its text."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    parameters = node.child_by_field_name("parameters")
    if name is None or (value is None and parameters is None):
        return ()
    scope = draft.open(
        node,
        name,
        "macro" if parameters is not None else "constant",
        signature=signature_line(draft, node, parameters if parameters is not None else node),
        docstring=doc_before(draft, node),
        parameters=_parameter_texts(draft, parameters),
    )
    if scope.end_line > scope.start_line and value is not None:
        scope.end_line = value.end_point[0] + (1 if value.end_point[1] else 0)
    if value is not None:
        macro_uses(draft, value, {draft.text(p) for p in parameters.named_children} if parameters else set())
    return [CLOSE]


def field(draft: Draft, node: Node) -> Visit:
    """Members of a struct or class: variables are bound, pure virtual methods are definitions of an interface."""
    declared, scope = node.child_by_field_name("type"), draft.enclosing_type
    default = node.child_by_field_name("default_value")
    kind = type_text(draft, declared)
    words = _modifiers(draft, node, None)
    words += [text for child in children_of_type(node, "type_qualifier") if (text := draft.text(child)) == "const"]
    parts = present(declared)
    for declarator in node.children_by_field_name("declarator"):
        name, is_array, inner = declared_name(declarator)
        if name is None:
            continue
        if inner is not None:
            if default is not None and draft.text(default) == "0":
                return open_abstract(draft, node, name, inner)
            parts += present(inner.child_by_field_name("parameters"))
        elif (
            "static" in words
            and default is not None
            and {"constexpr", "const"} & set(words)
            and is_name(draft.text(name))
        ):
            _open_variable(draft, node, name, declared, kind, words)
            return closing([declared, default])
        elif name.type == "field_identifier":
            bind_declared(draft, name, (f"{kind}[]" if is_array and kind else kind) or None, scope)
    return [*parts, *present(default)]


def open_abstract(draft: Draft, node: Node, name: Node, declarator: Node) -> Visit:
    """``virtual void f() = 0;``"""
    steps = open_function(draft, node, name, declarator, None)
    if draft.current is not None:
        draft.current.modifiers = (*draft.current.modifiers, "abstract")
    return steps


# uses


def include(draft: Draft, node: Node) -> Visit:
    """Everything in the header is visible."""
    path = node.child_by_field_name("path")
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        module = draft.text(path).strip('"<>')
        draft.add_import("*", f"{INCLUDE}{module}", "*", draft.line(node))
    return ()


def refusal(root: Node, data: bytes) -> str | None:
    """Macros make errors of good code, so only a file without a definition counts as broken."""
    if unread_bytes(root) * 2 < len(data):
        return None
    first = 0
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in _DEFINITIONS and not node.has_error:
            return None
        if not first and (node.is_error or node.is_missing):
            first = node.start_point[0] + 1
        stack.extend(reversed(node.children))
    return f"syntax error in line {first or 1}: nothing in the file can be read"


_DEFINITIONS = frozenset(
    {"function_definition", "struct_specifier", "class_specifier", "enum_specifier", "union_specifier",
     "type_definition", "alias_declaration", "declaration", "preproc_def", "preproc_function_def"}
)  # fmt: skip

HANDLERS: dict[str, Handler] = {
    "expression_statement": made_statement,
    "compound_statement": block,
    "preproc_include": include,
    **each(macro, "preproc_def preproc_function_def"),
    **each(
        nothing,
        "preproc_call preproc_defined comment string_literal system_lib_string attribute_specifier "
        "attribute_declaration",
    ),
    "preproc_ifdef": all_but("name"),
    **each(
        all_but("condition"),
        "preproc_if preproc_elif",
    ),
    "function_definition": function,
    **each(specifier, "struct_specifier union_specifier enum_specifier"),
    "type_definition": type_definition,
    "enumerator": enumerator,
    "declaration": declaration,
    "field_declaration": field,
    **each(
        only("type", "default_value"),
        "parameter_declaration optional_parameter_declaration variadic_parameter_declaration",
    ),
    "identifier": naming("reference"),
    "type_identifier": naming("type"),
    "call_expression": use_call,
    "field_expression": only("argument"),
    **each(decision, "if_statement for_statement while_statement do_statement conditional_expression"),
    "case_statement": use_case,
    "binary_expression": deciding_operators(frozenset({"&&", "||", "and", "or"})),
}
