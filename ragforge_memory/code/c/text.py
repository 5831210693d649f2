"""C and C++ expressions, types and declarators as dotted text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, child_of_type, first_named

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft
    from ragforge_memory.code.parsed import BindingKind

NAMES = frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier", "this"})
SPECIFIERS = frozenset({"struct_specifier", "union_specifier", "class_specifier", "enum_specifier"})
_WRAPPED = frozenset({"parenthesized_expression", "pointer_expression", "unary_expression"})
_POINTERS = frozenset({"unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper", "atomic", "scoped_ptr"})
_COLLECTIONS = frozenset({"vector", "list", "deque", "array", "span", "set", "unordered_set", "initializer_list"})
_CASTS = frozenset({"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "down_cast"})
_MAKERS = frozenset({"make_unique", "make_shared"})

_NAME = re.compile(r"~?[^\W\d][\w$]*|operator\b.+", re.DOTALL)
_RESERVED_WORDS = """
alignas alignof asm auto bool break case catch char class const const_cast constexpr continue decltype default delete do
double dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable namespace noexcept
nullptr private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast
struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())


def is_name(text: str) -> bool:
    """Whether every part of a dotted text can be a definition's name: a tree with errors says keywords and more."""
    if text.startswith("operator"):
        return _NAME.fullmatch(text) is not None
    return all(_NAME.fullmatch(part) is not None and part not in _RESERVED for part in text.split("."))


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression or a qualified name as dotted text; casts and constructions are calls of the type."""
    kind = node.type
    if kind in NAMES:
        return draft.text(node)
    if kind == "field_expression":
        tail.append(f".{draft.text(field)}" if (field := node.child_by_field_name("field")) else ".?")
        return node.child_by_field_name("argument")
    elif kind == "qualified_identifier":
        return qualified(draft, node)
    elif kind in ("template_type", "template_function", "dependent_name"):
        return node.child_by_field_name("name") or first_named(node)
    elif kind == "call_expression":
        made = _made(draft, node.child_by_field_name("function"))
        if made is not None:
            return f"{made}()"
        tail.append("()")
        return node.child_by_field_name("function")
    elif kind == "subscript_expression":
        tail.append("[]")
        return node.child_by_field_name("argument")
    elif kind in _WRAPPED:
        return node.child_by_field_name("argument") or first_named(node)
    elif kind in ("cast_expression", "compound_literal_expression", "new_expression"):
        found = type_text(draft, node.child_by_field_name("type"))
        return f"{found}()" if found and not found.endswith("[]") else "?"
    elif kind.endswith("literal") or kind in ("true", "false", "null", "nullptr", "lambda_expression"):
        return "!"
    return None


def qualified(draft: Draft, node: Node) -> str:
    """``a::b<T>::c`` as ``a.b.c``."""
    parts = []
    inner: Node | None = node
    while inner is not None and inner.type == "qualified_identifier":
        scope = inner.child_by_field_name("scope")
        if scope is not None:
            parts.append(_plain(draft, scope))
        inner = inner.child_by_field_name("name")
    if inner is not None:
        parts.append(_plain(draft, inner))
    return ".".join(part for part in parts if part)


def _plain(draft: Draft, node: Node) -> str:
    if node.type in ("template_type", "template_function"):
        name = node.child_by_field_name("name")
        return draft.text(name) if name is not None else "?"
    if node.type == "dependent_name":
        inner = first_named(node)
        return _plain(draft, inner) if inner is not None else "?"
    return re.sub(r"\s+", "", draft.text(node)) if node.type != "operator_name" else operator_text(draft, node)


def operator_text(draft: Draft, node: Node) -> str:
    """``operator==``, with a space only before words."""
    text = " ".join(draft.text(node).split())
    return re.sub(r"operator\s+(?=\W)", "operator", text)


def _made(draft: Draft, function: Node | None) -> str | None:
    """The type that a cast or ``make_unique<T>`` gives."""
    inner = function.child_by_field_name("name") if function is not None else None
    template = inner if function is not None and function.type == "qualified_identifier" else function
    if template is None or template.type != "template_function":
        return None
    name, arguments = template.child_by_field_name("name"), template.child_by_field_name("arguments")
    if name is None or draft.text(name) not in _CASTS | _MAKERS:
        return None
    return type_text(draft, first_named(arguments))


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The type as dotted text: of smart pointers what they hold, of containers the element with ``[]``."""
    while node is not None:
        kind = node.type
        if kind in ("type_identifier", "namespace_identifier"):
            return draft.text(node)
        if kind in ("type_descriptor", "dependent_type"):
            node = node.child_by_field_name("type") or first_named(node)
        elif kind in SPECIFIERS:
            node = node.child_by_field_name("name")
        elif kind == "qualified_identifier":
            last: Node | None = node
            while last is not None and last.type == "qualified_identifier":
                last = last.child_by_field_name("name")
            held = _held(draft, last)
            return held if held is not None else qualified(draft, node)
        elif kind == "template_type":
            held = _held(draft, node)
            if held is not None:
                return held
            node = node.child_by_field_name("name")
        else:
            return None
    return None


def _held(draft: Draft, node: Node | None) -> str | None:
    """What a smart pointer or container of the standard library holds; None for other types."""
    if node is None or node.type != "template_type":
        return None
    name, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    text = draft.text(name) if name is not None else ""
    if text in _POINTERS:
        return type_text(draft, first_named(arguments)) or ""
    if text in _COLLECTIONS:
        inner = type_text(draft, first_named(arguments))
        return f"{inner}[]" if inner else ""
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an initializer says of the name's value."""
    while node is not None and node.type in _WRAPPED:
        node = node.child_by_field_name("argument") or first_named(node)
    if node is None:
        return "unknown", None
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        made = _made(draft, function)
        return ("type", made) if made else ("call", dotted(draft, function))
    if node.type in ("new_expression", "cast_expression", "compound_literal_expression"):
        return "type", type_text(draft, node.child_by_field_name("type"))
    if node.type in ("identifier", "field_expression", "qualified_identifier", "subscript_expression", "this"):
        return "alias", dotted(draft, node)
    return "unknown", None


def declared_name(node: Node | None) -> tuple[Node | None, bool, Node | None]:
    """What a declarator declares: the name's node, whether it is an array, the function declarator if it is one.

    A pointer to a function counts as a variable.
    """
    is_array, function = False, None
    while node is not None:
        kind = node.type
        if kind == "array_declarator":
            is_array = True
        elif kind == "function_declarator":
            function = node
        elif kind == "parenthesized_declarator" and function is not None:
            inner = first_named(node)
            if inner is not None and inner.type == "pointer_declarator":
                function = None
        elif kind == "operator_cast":
            return node, is_array, child_of_type(node, "abstract_function_declarator") or node
        if kind in ("identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name",
                    "operator_name", "template_function", "primitive_type"):  # fmt: skip
            return node, is_array, function
        node = node.child_by_field_name("declarator") or first_named(node)
    return None, is_array, function
