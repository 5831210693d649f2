"""What C and C++ code uses: names, types, calls, and what macros speak of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.c.text import dotted, qualified
from ragforge_memory.code.clauses import children_of_type, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import UseKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_CALLED = re.compile(r"\b([^\W\d]\w*)\s*\(")

_NAMED = re.compile(r"\b([^\W\d]\w*)\b")

_WORDS_OF_C = """
if for while switch return sizeof do else case defined typeof alignof decltype noexcept static_cast const_cast
reinterpret_cast dynamic_cast __attribute__ __typeof__ assert void int char unsigned signed long short float double
const struct union enum static inline extern volatile auto bool true false
"""

_KEYWORDS = frozenset(_WORDS_OF_C.split())


def macro_uses(draft: Draft, value: Node, own: set[str]) -> None:
    """The names in a macro's text, which the grammar leaves as text; ``own`` are its parameters."""
    text = re.sub(
        r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/',
        lambda m: " " * len(m[0]),
        draft.text(value),
    )
    called = {found.start(1) for found in _CALLED.finditer(text)}
    for found in _NAMED.finditer(text):
        name = found[1]
        before = text[: found.start()].rstrip()
        if name in own or name in _KEYWORDS or before.endswith((".", "->", "#", "::")):
            continue
        if found.start(1) in called or name.isupper():
            line = draft.line(value) + text.count("\n", 0, found.start())
            draft.use(name, None, "call" if found.start(1) in called else "reference", line)


def use_qualified(draft: Draft, node: Node) -> Visit:
    """``a::b`` that is not called."""
    _qualified(draft, node, "reference")
    return _arguments_inside(node)


def _qualified(draft: Draft, node: Node, kind: UseKind) -> None:
    text = qualified(draft, node)
    draft.use_text(text, kind, draft.line(node))
    if receiver := text.rpartition(".")[0]:
        draft.use_text(receiver, "type", draft.line(node))


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


def use_call(draft: Draft, node: Node) -> Visit:
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


def use_member(draft: Draft, node: Node) -> Visit:
    """A field is no scope."""
    return present(node.child_by_field_name("argument"))


def use_parameter(draft: Draft, node: Node) -> Visit:
    """Names of parameters are no uses; their types and defaults are."""
    return present(node.child_by_field_name("type"), node.child_by_field_name("default_value"))


def use_case(draft: Draft, node: Node) -> Visit:
    """``case`` decides, ``default`` does not."""
    if node.child_by_field_name("value") is not None:
        draft.decide()
    return node.named_children
