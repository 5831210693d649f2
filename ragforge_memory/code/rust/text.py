"""Rust expressions, types and paths as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, comment_free, first_named

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft
    from ragforge_memory.code.open_scope import OpenScope
    from ragforge_memory.code.parsed import BindingKind

_POINTERS = frozenset({"Option", "Box", "Rc", "Arc", "Result", "RefCell", "Cell", "Mutex", "RwLock", "Cow", "Pin",
                       "OnceCell", "OnceLock", "LazyLock", "Ref", "RefMut", "MutexGuard", "NonNull"})  # fmt: skip
"""Types that are taken for what they hold: their own methods are not the project's."""

_COLLECTIONS = frozenset({"Vec", "VecDeque", "HashSet", "BTreeSet", "BinaryHeap", "SmallVec"})
_THROUGH = frozenset({"unwrap", "expect", "clone", "as_ref", "as_mut", "as_deref", "as_deref_mut", "to_owned", "borrow",
                      "borrow_mut", "unwrap_or_default", "lock", "unwrap_or_else", "cloned", "take"})  # fmt: skip
_ITERATED = frozenset({"iter", "iter_mut", "into_iter", "drain"})
_WRAPPED = frozenset({"reference_expression", "unary_expression", "parenthesized_expression", "try_expression",
                      "await_expression", "mut_pattern", "type_cast_expression"})  # fmt: skip
OWN_FILE = "self_module"
"""Stands for ``self`` in a path, where it is a module and not a value."""


def path_text(draft: Draft, node: Node | None) -> str:
    """A path as dotted text."""
    text = dotted(draft, node)
    return rooted(draft, text) if node is not None and node.type in ("self", "super") else text


def rooted(draft: Draft, path: str) -> str:
    """A path that begins with ``self`` or ``super``, through the modules inside of this file that it stands in.

    ``super`` is left where it leads out of the file.
    """
    first, dot, rest = path.partition(".")
    if first == "self" and rest.partition(".")[0] == "super":
        first, dot, rest = rest.partition(".")
    if first not in ("self", "super"):
        return path
    around = [scope.name for scope in _open_scopes(draft) if scope.type == "namespace"]  # the innermost first
    while first == "super" and around:
        around.pop(0)
        first, dot, rest = rest.partition(".")
    if first == "super":
        return f"{first}{dot}{rest}"
    behind = rest if first == "self" else f"{first}{dot}{rest}"
    return ".".join(part for part in (OWN_FILE, *reversed(around), behind) if part)


def _open_scopes(draft: Draft) -> list[OpenScope]:
    found, scope = [], draft.current
    while scope is not None:
        found.append(scope)
        scope = scope.parent
    return found


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression or path as dotted text. What unwraps, borrows or clones a value is left out."""
    kind = node.type
    if kind in ("identifier", "type_identifier", "self", "super", "crate", "metavariable"):
        return draft.text(node)
    if kind == "field_expression":
        tail.append(f".{draft.text(field)}" if (field := node.child_by_field_name("field")) else ".?")
        return node.child_by_field_name("value")
    elif kind in ("scoped_identifier", "scoped_type_identifier"):
        name, path = node.child_by_field_name("name"), node.child_by_field_name("path")
        if path is None:
            return name
        tail.append(f".{draft.text(name)}" if name else ".?")
        if path.type in ("self", "super"):
            text = rooted(draft, draft.text(path) + "".join(reversed(tail)))
            tail.clear()
            return text
        return path
    elif kind == "call_expression":
        function = node.child_by_field_name("function")
        if (inner := _through(draft, function)) is not None:
            return inner
        tail.append("()")
        return function
    elif kind == "index_expression":
        tail.append("[]")
        return first_named(node)
    elif kind == "type_cast_expression":
        found = type_text(draft, node.child_by_field_name("type"))
        return f"{found}()" if found else "?"
    elif kind in _WRAPPED:
        return first_named(node)
    elif kind in ("generic_type", "generic_type_with_turbofish", "bracketed_type", "generic_function"):
        return node.child_by_field_name("type") or node.child_by_field_name("function") or first_named(node)
    elif kind == "qualified_type":
        return node.child_by_field_name("type")
    elif kind == "struct_expression":
        tail.append("()")
        return node.child_by_field_name("name")
    elif kind.endswith("literal") or kind in ("closure_expression", "array_expression", "tuple_expression"):
        return "!"
    return None


def _through(draft: Draft, function: Node | None) -> Node | None:
    """The value itself, where a called method only unwraps, borrows or clones it."""
    if function is None or function.type != "field_expression":
        return None
    field = function.child_by_field_name("field")
    if field is None or draft.text(field) not in _THROUGH:
        return None
    return function.child_by_field_name("value")


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The type that counts: behind references and pointers, of ``Option`` and the like what they hold.

    Of collections it is the element's with ``[]``, of ``impl`` and ``dyn`` the trait.
    """
    while node is not None:
        kind = node.type
        if kind in ("type_identifier", "identifier"):
            return draft.text(node)
        if kind == "scoped_type_identifier":
            return dotted(draft, node)
        if kind in ("reference_type", "pointer_type"):
            node = node.child_by_field_name("type")
        elif kind in ("abstract_type", "dynamic_type"):
            node = node.child_by_field_name("trait")
        elif kind == "bounded_type":
            node = first_named(node)
        elif kind == "array_type":
            found = type_text(draft, node.child_by_field_name("element"))
            return f"{found}[]" if found else None
        elif kind == "generic_type":
            outer, arguments = node.child_by_field_name("type"), node.child_by_field_name("type_arguments")
            name = draft.text(outer).rpartition("::")[2] if outer else ""
            inner = [a for a in comment_free(arguments.named_children) if a.type != "lifetime"] if arguments else []
            if name in _POINTERS and inner:
                node = inner[0]
            elif name in _COLLECTIONS and inner:
                found = type_text(draft, inner[0])
                return f"{found}[]" if found else None
            else:
                node = outer
        else:
            return None
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind == "call_expression":
            function = node.child_by_field_name("function")
            if (inner := _through(draft, function)) is not None:
                node = inner
                continue
            return "call", dotted(draft, function)
        if kind == "struct_expression":
            return "type", type_text(draft, node.child_by_field_name("name"))
        if kind == "type_cast_expression":
            return "type", type_text(draft, node.child_by_field_name("type"))
        if kind in ("identifier", "field_expression", "scoped_identifier", "index_expression", "self"):
            return "alias", dotted(draft, node)
        if kind not in _WRAPPED:
            break
        node = first_named(node)
    return "unknown", None


def iterated(draft: Draft, node: Node | None) -> str | None:
    """The dotted text of an element of what a ``for`` loop goes over."""
    while node is not None and node.type in _WRAPPED:
        node = first_named(node)
    if node is None:
        return None
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        field = function.child_by_field_name("field") if function is not None else None
        if function is None or field is None or draft.text(field) not in _ITERATED:
            return None
        node = function.child_by_field_name("value")
    text = dotted(draft, node)
    return None if text[:1] in "?!" else f"{text}[]"
