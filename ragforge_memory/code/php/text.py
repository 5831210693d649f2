"""PHP expressions and types as dotted text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free, first_named
from ragforge_memory.code.parsed import LONGEST_TEXT

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft
    from ragforge_memory.code.parsed import BindingKind

_BUILT_IN = frozenset({"array", "string", "int", "float", "bool", "null", "callable", "iterable", "object", "mixed",
                       "resource", "true", "false", "void", "never", "integer", "boolean"})  # fmt: skip
_TAG = re.compile(r"@(?:phpstan-|psalm-)?(var|return)\s+([^\s*]+)")
_PARAMETER = re.compile(r"@param\s+([^\s*]+)\s+(?:\.\.\.)?\$(\w+)")

GLOBAL = "\\"
"""The package of files without a namespace, and what stands before a name that is looked up in no other."""


def plain(text: str) -> str:
    r"""``\A\B`` as ``A.B``, but ``\A`` with its backslash: the one without a namespace."""
    text = text.strip()
    if text.startswith(GLOBAL) and GLOBAL not in text[1:]:
        return f"{GLOBAL}.{text[1:]}"
    return text.lstrip(GLOBAL).replace(GLOBAL, ".").removeprefix("namespace.")


def dotted(draft: Draft, node: Node | None) -> str:
    """An expression as dotted text; variables keep their ``$``, but ``$this`` is ``this``."""
    tail: list[str] = []
    while node is not None and len(tail) < LONGEST_TEXT:
        kind = node.type
        if kind == "variable_name":
            text = draft.text(node)
            return "".join(["this" if text == "$this" else text, *reversed(tail)])
        if kind in ("name", "qualified_name", "relative_scope", "namespace_name"):
            return "".join([plain(draft.text(node)), *reversed(tail)])
        if kind in ("member_access_expression", "nullsafe_member_access_expression"):
            tail.append(f".{_member(draft, node)}")
            node = node.child_by_field_name("object")
        elif kind in ("member_call_expression", "nullsafe_member_call_expression"):
            tail.append(f".{_member(draft, node)}()")
            node = node.child_by_field_name("object")
        elif kind == "scoped_call_expression":
            tail.append(f".{_member(draft, node)}()")
            node = node.child_by_field_name("scope")
        elif kind == "scoped_property_access_expression":
            tail.append(f".{_member(draft, node).lstrip('$')}")
            node = node.child_by_field_name("scope")
        elif kind == "class_constant_access_expression":
            parts = comment_free(node.named_children)
            tail.append(f".{draft.text(parts[-1])}" if len(parts) > 1 else ".?")
            node = parts[0] if parts else None
        elif kind == "function_call_expression":
            node = node.child_by_field_name("function")
            is_name = node is not None and node.type in ("name", "qualified_name")
            tail.append("()" if is_name else ".__invoke()")
        elif kind == "object_creation_expression":
            tail.append("()")
            node = created(node)
        elif kind == "subscript_expression":
            tail.append("[]")
            node = first_named(node)
        elif kind in ("parenthesized_expression", "clone_expression"):
            node = first_named(node)
        elif kind == "assignment_expression":
            node = node.child_by_field_name("left")
        elif kind in ("string", "encapsed_string", "integer", "float", "boolean", "null", "array_creation_expression",
                      "heredoc", "nowdoc", "anonymous_function", "arrow_function"):  # fmt: skip
            return "".join(["!", *reversed(tail)])
        else:
            break
    return "".join(["?", *reversed(tail)])


def _member(draft: Draft, node: Node) -> str:
    name = node.child_by_field_name("name")
    return draft.text(name) if name is not None and name.type in ("name", "variable_name") else "?"


def created(node: Node) -> Node | None:
    """The class of ``new X``; None for an anonymous one."""
    found = first_named(node)
    return (
        found
        if found is not None and found.type in ("name", "qualified_name", "relative_scope", "variable_name")
        else None
    )


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The class that a type means: of an optional the inner, of a union the first; None for built-in ones."""
    while node is not None:
        kind = node.type
        if kind in ("name", "qualified_name", "relative_scope"):
            return plain(draft.text(node))
        if kind in ("named_type", "optional_type"):
            node = first_named(node)
        elif kind in ("union_type", "intersection_type", "disjunctive_normal_form_type", "type_list"):
            parts = [part for part in comment_free(node.named_children) if type_text(draft, part)]
            node = parts[0] if parts else None
        else:
            return None
    return None


def tagged(doc: str | None, tag: str) -> str | None:
    """The class that a documentation's ``@var`` or ``@return`` names."""
    for found in _TAG.finditer(doc or ""):
        if found[1] == tag:
            return _named(found[2])
    return None


def tagged_parameters(doc: str | None) -> dict[str, str]:
    """The classes that ``@param`` tags name, by the parameters' names."""
    return {found[2]: known for found in _PARAMETER.finditer(doc or "") if (known := _named(found[1]))}


def _named(text: str) -> str | None:
    for part in text.split("|"):
        name = part.lstrip("?").partition("<")[0]
        element = name.endswith("[]")
        name = plain(name.removesuffix("[]")).removeprefix(f"{GLOBAL}.")
        if name and name.lower() not in _BUILT_IN and re.fullmatch(r"[A-Za-z_][\w.]*", name):
            name = {"$this": "static"}.get(name, name)
            return f"{name}[]" if element else name
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind in ("parenthesized_expression", "clone_expression"):
            node = first_named(node)
        elif kind == "assignment_expression":
            node = node.child_by_field_name("right")
        elif kind == "conditional_expression":
            node = node.child_by_field_name("body") or node.child_by_field_name("alternative")
        elif kind == "binary_expression":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type != "??":
                return "unknown", None
            node = node.child_by_field_name("left")
        else:
            break
    if node is None:
        return "unknown", None
    if node.type in ("object_creation_expression", "function_call_expression", "member_call_expression",
                     "nullsafe_member_call_expression", "scoped_call_expression"):  # fmt: skip
        return "call", dotted(draft, node).removesuffix("()")
    if node.type in ("variable_name", "member_access_expression", "class_constant_access_expression",
                     "scoped_property_access_expression", "subscript_expression"):  # fmt: skip
        return "alias", dotted(draft, node)
    return "unknown", None
