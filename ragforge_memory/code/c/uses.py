"""What C and C++ code uses: names, types, calls, and what macros speak of and make."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.c.text import dotted, is_name, qualified
from ragforge_memory.code.c.types import qualified_name
from ragforge_memory.code.clauses import children_of_type, closing, comment_free, doc_before, present
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


def use_case(draft: Draft, node: Node) -> Visit:
    """``case`` decides, ``default`` does not."""
    if node.child_by_field_name("value") is not None:
        draft.decide()
    return node.named_children


_ONE_WORD = (["type_identifier"], ["primitive_type"])


def names_given(draft: Draft, node: Node, name_node: Node) -> tuple[str, str, Node] | None:
    """Of a definition without a type that reads ``MACRO(Suite, Name)``: owner, name, and the name's node."""
    declarator = name_node.parent
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    if node.child_by_field_name("type") is not None or name_node.type != "identifier" or parameters is None:
        return None
    words: list[Node] = []
    for each in comment_free(parameters.named_children):
        if each.type != "parameter_declaration" or [part.type for part in each.children] not in _ONE_WORD:
            break
        words.append(each.children[0])
    current = draft.current
    if current is not None and current.name == draft.text(name_node):
        return None  # a constructor of nameless parameters
    return _named(draft, name_node, words)


def name_alone(draft: Draft, node: Node) -> tuple[str, str, Node] | None:
    """The same of what C's grammar reads as a variable: ``MACRO(name) { … }`` is a ``(name)`` of type ``MACRO``."""
    macro, declarator = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    name = declarator.named_children[0] if declarator is not None and declarator.named_children else None
    if macro is None or declarator is None or declarator.type != "parenthesized_declarator":
        return None
    return _named(draft, macro, [name]) if name is not None and name.type == "identifier" else None


def made_statement(draft: Draft, node: Node) -> Visit:
    """A call without a semicolon before a block, outside of functions: what the grammar makes of such a definition."""
    call, body = (None, None) if draft.enclosing_function is not None else _parts(node)
    if call is None or body is None:
        return node.named_children
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    assert function is not None
    words: list[Node] = []
    given = comment_free(arguments.named_children) if arguments is not None else []
    for each in given:
        if each.type != "identifier":
            break
        words.append(each)
    if arguments is not None and arguments.has_error:
        del words[1:]  # `SYSCALL(open, const char *, name)`: types are read as no names of its
    owner, name, name_node = _named(draft, function, words) or (None, draft.text(function), function)
    if not is_name(name):
        return node.named_children
    return open_made(draft, node, call, body, owner, name, name_node)


def open_made(
    draft: Draft, node: Node, call: Node, body: Node | None, owner: str | None, name: str, name_node: Node
) -> Visit:
    """Opens the scope of a definition that begins with ``node`` and ends with ``body``; ``call`` is the macro's."""
    draft.open(
        node,
        name,
        "method" if owner else "function",
        name_node=name_node,
        whole=node,
        end=body,
        qualified_name=qualified_name(draft, owner, name),
        signature=draft.compact(call.start_byte, body.start_byte if body is not None else call.end_byte),
        docstring=doc_before(draft, node),
        owner=owner,
    )
    return closing(body.named_children if body is not None else [])


def block(draft: Draft, node: Node) -> Visit:
    """A block; that of such a definition was seen with it."""
    before = node.prev_sibling if draft.enclosing_function is None else None
    if before is not None and before.type == "expression_statement" and _parts(before)[1] == node:
        return ()
    return node.named_children


def _parts(node: Node) -> tuple[Node | None, Node | None]:
    """The call that is all of a statement, without a semicolon, and the block that follows."""
    children = node.children
    if len(children) != 2 or children[0].type != "call_expression" or not children[1].is_missing:
        return None, None
    function, body = children[0].child_by_field_name("function"), node.next_sibling
    if function is None or function.type != "identifier" or body is None or body.type != "compound_statement":
        return None, None
    return children[0], body


def _named(draft: Draft, macro: Node, words: list[Node]) -> tuple[str, str, Node] | None:
    text = draft.text(macro)
    if not words or not text.isupper():
        return None
    *outer, name = [draft.text(word) for word in words]
    return ".".join(outer) or text, name, words[-1]
