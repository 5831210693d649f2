"""What C and C++ share: functions, types, macros, variables, and what they use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.c_links import INCLUDE
from ragforge_memory.code.c_text import SPECIFIERS, declared_name, dotted, operator_text, qualified, type_text, value_of
from ragforge_memory.code.clauses import (
    bind_declared,
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
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.syntax import unread_bytes

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_KINDS: dict[str, ScopeType] = {
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "class_specifier": "class",
    "enum_specifier": "enum",
}
_WORDS = ("storage_class_specifier", "virtual", "explicit_function_specifier", "virtual_specifier")
_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_NAMED = re.compile(rb"\b([A-Za-z_]\w*)\b")
_WORDS_OF_C = """
if for while switch return sizeof do else case defined typeof alignof decltype noexcept static_cast const_cast
reinterpret_cast dynamic_cast __attribute__ __typeof__ assert void int char unsigned signed long short float double
const struct union enum static inline extern volatile auto bool true false
"""
_KEYWORDS = frozenset(_WORDS_OF_C.split())


def whole_of(node: Node) -> Node:
    """The definition with its ``template <…>`` before it, or the ``typedef`` or declaration around it."""
    while node.parent is not None and node.parent.type in ("template_declaration", "friend_declaration"):
        node = node.parent
    return node


# functions


def function(draft: Draft, node: Node) -> Visit:
    """A function with a body (or ``= default``), inside or outside its class."""
    name_node, _, declarator = declared_name(node.child_by_field_name("declarator"))
    if name_node is None or declarator is None:
        return comment_free(node.named_children)
    body = node.child_by_field_name("body")
    return open_function(draft, node, name_node, declarator, body)


def open_function(draft: Draft, node: Node, name_node: Node, declarator: Node, body: Node | None) -> Visit:
    """Open a function or method whatever its declarator looks like."""
    owner, name = split_name(draft, name_node)
    current, whole = draft.current, whole_of(node)
    friend = whole.type == "friend_declaration"
    in_type = current is not None and current.is_type and not friend
    kind: ScopeType = "method" if in_type or owner else "function"
    words = _modifiers(draft, node, declarator)
    holder = owner.rpartition(".")[2] if owner else current.name if in_type and current is not None else ""
    if kind == "method" and name == holder:
        words.append("constructor")
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
    templates = child_of_type(whole, "template_parameter_list")
    bind_templates(draft, templates)
    bind_parameters(draft, parameters)
    return closing([templates, returns, parameters, inside, body])


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


def qualified_name(draft: Draft, owner: str | None, name: str) -> str:
    """Classes around and in front of the name; namespaces that the file declares are left out."""
    current = draft.current
    outer = current.qualified_name if current is not None else None
    parts = owner.split(".") if owner else []
    spaces = {part for package in draft.package.split() for part in package.split(".")}
    while len(parts) > 1 and parts[0] in spaces:
        parts.pop(0)
    return ".".join([*([outer] if outer else []), *parts, name])


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


def bind_templates(draft: Draft, templates: Node | None) -> None:
    """Template parameters hide types of the same name."""
    for parameter in comment_free(templates.named_children) if templates is not None else ():
        name = child_of_type(parameter, "type_identifier") or parameter.child_by_field_name("name")
        if name is None:
            name, _, _ = declared_name(parameter.child_by_field_name("declarator"))
        if name is not None:
            draft.bind(draft.text(name), "unknown", None, draft.line(name))


# types


def specifier(draft: Draft, node: Node) -> Visit:
    """``struct x { … }`` and the like; without a body it only names the type."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        if name is not None:
            text = type_text(draft, name) or draft.text(name)
            receiver, _, last = text.rpartition(".")
            draft.use(last, receiver or None, "type", draft.line(name))
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
        owner, _, label = qualified(draft, name).rpartition(".")
    elif name is not None and name.type == "template_type":
        label = type_text(draft, name) or label
    draft.open(
        node,
        label,
        kind,
        name_node=name,
        whole=whole,
        qualified_name=qualified_name(draft, owner, label),
        signature=header(draft, node, body),
        docstring=doc_before(draft, whole),
        owner=owner,
        bases=[found for base in bases if (found := type_text(draft, base))],
    )
    for base in bases:
        if found := type_text(draft, base):
            receiver, _, last = found.rpartition(".")
            draft.use(last, receiver or None, "inherit", draft.line(base))
    templates = child_of_type(whole, "template_parameter_list")
    bind_templates(draft, templates)
    arguments = [list_ for base in bases for list_ in _template_arguments(base)]
    return closing([templates, *arguments, body])


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
    aliases = [name for name in names if draft.text(name) != known]
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
            signature=shortened(draft, node) if body is None else f"typedef {target} {draft.text(name)}",
            docstring=doc_before(draft, node),
            returns=target if target != draft.text(name) else None,
        )
        if body is not None or place < len(aliases) - 1:
            draft.close()
    if body is not None:
        return open_type(draft, declared, tag, body, known)
    return closing([declared, *parameters]) if aliases else [declared]


def in_order(draft: Draft) -> None:
    """Scopes in the order of their start: a ``typedef``'s name was met before the struct that it names."""
    draft.scopes.sort(key=lambda scope: (scope.start_byte, -scope.end_byte))


def enumerator(draft: Draft, node: Node) -> Visit:
    """A constant; of a plain ``enum`` its name is seen around the enum too."""
    name = node.child_by_field_name("name")
    if name is None:
        return node.named_children
    enum = draft.current
    scoped = enum is not None and enum.type == "enum" and bool(re.match(r"enum\s+(class|struct)\b", enum.signature))
    draft.open(
        node,
        draft.text(name),
        "constant",
        name_node=name,
        signature=shortened(draft, node),
        docstring=doc_before(draft, node),
        returns=enum.name if enum is not None and enum.type == "enum" else None,
        modifiers=() if scoped else ("outward",),
    )
    return closing([node.child_by_field_name("value")])


# variables


def declaration(draft: Draft, node: Node) -> Visit:
    """Variables; prototypes are no definitions and only name types."""
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
        if current is None and "extern" not in words and not opened and not _astray(node):
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
    whole = whole_of(node)
    draft.open(
        node,
        text,
        "constant",
        name_node=name,
        whole=whole,
        qualified_name=qualified_name(draft, owner, text),
        signature=shortened(draft, node),
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
        draft.text(name),
        "macro" if parameters is not None else "constant",
        name_node=name,
        signature=shortened(draft, node, parameters if parameters is not None else node),
        docstring=doc_before(draft, node),
        parameters=_parameter_texts(draft, parameters),
    )
    if scope.end_line > scope.start_line and value is not None:
        scope.end_line = value.end_point[0] + (1 if value.end_point[1] else 0)
    if value is not None:
        _macro_uses(draft, value, {draft.text(p) for p in parameters.named_children} if parameters else set())
    return [CLOSE]


def _macro_uses(draft: Draft, value: Node, own: set[str]) -> None:
    text = re.sub(
        rb'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/',
        lambda m: b" " * len(m[0]),
        draft.data[value.start_byte : value.end_byte],
    )
    called = {found.start(1) for found in _CALLED.finditer(text)}
    for found in _NAMED.finditer(text):
        name = found[1].decode()
        before = text[: found.start()].rstrip()
        if name in own or name in _KEYWORDS or before.endswith((b".", b"->", b"#", b"::")):
            continue
        if found.start(1) in called or name.isupper():
            line = draft.line(value) + text.count(b"\n", 0, found.start())
            draft.use(name, None, "call" if found.start(1) in called else "reference", line)


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
        elif "static" in words and default is not None and ("constexpr" in words or "const" in words):
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


def identifier(draft: Draft, node: Node) -> Visit:
    """A bare name that is read."""
    draft.use(draft.text(node), None, "reference", draft.line(node))
    return ()


def type_name(draft: Draft, node: Node) -> Visit:
    """A type that is named."""
    draft.use(draft.text(node), None, "type", draft.line(node))
    return ()


def qualified_use(draft: Draft, node: Node) -> Visit:
    """``a::b`` that is not called."""
    _qualified(draft, node, "reference")
    return _arguments_inside(node)


def _qualified(draft: Draft, node: Node, kind: str) -> None:
    text = qualified(draft, node)
    receiver, _, name = text.rpartition(".")
    draft.use(name, receiver or None, "call" if kind == "call" else "reference", draft.line(node))
    if receiver:
        before, _, last = receiver.rpartition(".")
        draft.use(last, before or None, "type", draft.line(node))


def _arguments_inside(node: Node) -> list[Node]:
    found: list[Node] = []
    inner: Node | None = node
    while inner is not None:
        if inner.type == "qualified_identifier":
            found += children_of_type(inner.child_by_field_name("scope"), "template_argument_list")
            inner = inner.child_by_field_name("name")
        else:
            found += children_of_type(inner, "template_argument_list")
            break
    return found


def call(draft: Draft, node: Node) -> Visit:
    """A call, of a method through what stands before it."""
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is None:
        return present(arguments)
    if called.type == "identifier":
        draft.use(draft.text(called), None, "call", draft.line(called))
        return present(arguments)
    if called.type == "field_expression":
        receiver, name = called.child_by_field_name("argument"), called.child_by_field_name("field")
        if receiver is not None and name is not None:
            text = dotted(draft, name) if name.type not in ("field_identifier",) else draft.text(name)
            draft.use(text, dotted(draft, receiver), "call", draft.line(name))
            return present(receiver, *_arguments_inside(name), arguments)
    if called.type == "qualified_identifier":
        _qualified(draft, called, "call")
        return [*_arguments_inside(called), *present(arguments)]
    if called.type == "template_function":
        name = called.child_by_field_name("name")
        if name is not None:
            draft.use(draft.text(name), None, "call", draft.line(name))
        return [*_arguments_inside(called), *present(arguments)]
    return present(called, arguments)


def member(draft: Draft, node: Node) -> Visit:
    """A field is no scope."""
    return present(node.child_by_field_name("argument"))


def parameter(draft: Draft, node: Node) -> Visit:
    """Names of parameters are no uses; their types and defaults are."""
    return present(node.child_by_field_name("type"), node.child_by_field_name("default_value"))


def include(draft: Draft, node: Node) -> Visit:
    """Everything in the header is visible."""
    path = node.child_by_field_name("path")
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        module = draft.text(path).strip('"<>')
        draft.add_import("*", f"{INCLUDE}{module}", "*", draft.line(node))
    return ()


def case(draft: Draft, node: Node) -> Visit:
    """``case`` decides, ``default`` does not."""
    if node.child_by_field_name("value") is not None:
        draft.decide()
    return node.named_children


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
    "preproc_include": include,
    "preproc_def": macro,
    "preproc_function_def": macro,
    "preproc_call": nothing,
    "preproc_defined": nothing,
    "preproc_ifdef": lambda draft, node: [
        child for child in node.named_children if child != node.child_by_field_name("name")
    ],
    "preproc_if": lambda draft, node: [
        child for child in node.named_children if child != node.child_by_field_name("condition")
    ],
    "preproc_elif": lambda draft, node: [
        child for child in node.named_children if child != node.child_by_field_name("condition")
    ],
    "function_definition": function,
    "struct_specifier": specifier,
    "union_specifier": specifier,
    "enum_specifier": specifier,
    "type_definition": type_definition,
    "enumerator": enumerator,
    "declaration": declaration,
    "field_declaration": field,
    "parameter_declaration": parameter,
    "optional_parameter_declaration": parameter,
    "variadic_parameter_declaration": parameter,
    "identifier": identifier,
    "type_identifier": type_name,
    "call_expression": call,
    "field_expression": member,
    "if_statement": decision,
    "for_statement": decision,
    "while_statement": decision,
    "do_statement": decision,
    "case_statement": case,
    "conditional_expression": decision,
    "binary_expression": deciding_operators(frozenset({"&&", "||", "and", "or"})),
    "comment": nothing,
    "string_literal": nothing,
    "system_lib_string": nothing,
    "attribute_specifier": nothing,
    "attribute_declaration": nothing,
}
