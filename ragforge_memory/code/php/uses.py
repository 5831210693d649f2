"""What PHP code uses: names, types, calls, constants of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.parsed import UseKind
from ragforge_memory.code.php.text import GLOBAL, created, dotted, plain, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_OWN = frozenset({"self", "static", "parent"})


def say(draft: Draft, text: str, kind: UseKind, line: int) -> None:
    """Notes the use of a dotted name, if it is not one of the language's own."""
    receiver, _, name = text.rpartition(".")
    if name not in _OWN:
        draft.use(name, receiver or None, kind, line)


def use_name(draft: Draft, node: Node) -> Visit:
    text = plain(draft.text(node))
    if text.removeprefix(f"{GLOBAL}.").lower() not in ("true", "false", "null", "self", "static", "parent"):
        say(draft, text, "reference", draft.line(node))
    return ()


def use_named_type(draft: Draft, node: Node) -> Visit:
    if (text := type_text(draft, node)) and text not in _OWN:
        say(draft, text, "type", draft.line(node))
    return ()


def use_method_call(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    arguments = node.child_by_field_name("arguments")
    if name is not None and name.type == "name" and receiver is not None:
        draft.use(draft.text(name), dotted(draft, receiver), "call", draft.line(name))
        return present(receiver, arguments)
    return present(receiver, name, arguments)


def use_scoped_call(draft: Draft, node: Node) -> Visit:
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    arguments = node.child_by_field_name("arguments")
    if scope is not None and name is not None and name.type == "name":
        draft.use(draft.text(name), dotted(draft, scope), "call", draft.line(name))
    return present(scope, arguments)


def use_class_constant(draft: Draft, node: Node) -> Visit:
    parts = comment_free(node.named_children)
    if len(parts) > 1 and draft.text(parts[-1]) != "class":
        draft.use(draft.text(parts[-1]), dotted(draft, parts[0]), "reference", draft.line(parts[-1]))
    return parts[:1]


def use_member_access(draft: Draft, node: Node) -> Visit:
    """A property is no scope."""
    return present(node.child_by_field_name("object") or node.child_by_field_name("scope"))


def use_creation(draft: Draft, node: Node) -> Visit:
    kind = created(node)
    if kind is not None and kind.type in ("name", "qualified_name"):
        say(draft, plain(draft.text(kind)), "call", draft.line(kind))
    return [child for child in node.named_children if child != kind]


def use_attribute(draft: Draft, node: Node) -> Visit:
    name = first_named(node)
    if name is not None:
        say(draft, plain(draft.text(name)), "decorate", draft.line(name))
    return [child for child in node.named_children if child != name]


def use_argument(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    return [child for child in node.named_children if child != name]
