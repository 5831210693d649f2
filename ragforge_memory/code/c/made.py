"""C and C++ functions that a macro makes of the body behind it: ``TEST(Suite, Name) { … }``.

They bear the names that the macro is given, as test runners print them: ``Suite.Name``; of one name alone the macro's
stands before it, for it is no function of that name. Where it is given no name (``TEST_CASE("adds") { … }``) they are
called as the macro.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.c.text import is_name
from ragforge_memory.code.c.types import qualified_name
from ragforge_memory.code.clauses import closing, comment_free
from ragforge_memory.code.comments import doc_before
from ragforge_memory.code.draft import Draft

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

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
