"""JavaScript and TypeScript: what a file imports and exports, and what object literals hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import doc_before, first_named
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.javascript.functions import (
    FUNCTIONS,
    around,
    given,
    modifiers_of,
    open_function,
    open_other_name,
    signature_line,
)
from ragforge_memory.code.javascript.text import (
    dotted,
    property_name,
    required_module,
    string_value,
    value,
)
from ragforge_memory.code.javascript.types import CLASSES, open_class
from ragforge_memory.code.open_scope import OpenScope
from ragforge_memory.code.parsed import UNNAMED, ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


def members(draft: Draft, node: Node, prefix: str = "", owner: str | None = None) -> None:
    """The properties of an object that has a name: functions in it are its methods.

    What else it holds by name is bound to the object's scope with a dot before (names.py looks there).
    """
    scope = draft.current
    base = scope.qualified_name if scope is not None else ""
    stack: list[tuple[Node, str]] = [(child, prefix) for child in reversed(node.named_children)]
    while stack:
        child, path = stack.pop()
        if child.type == "pair":
            name_node, content = child.child_by_field_name("key"), child.child_by_field_name("value")
            name = property_name(draft, name_node)
            if name is not None and content is not None and content.type == "object":
                stack += [(inner, f"{path}{name}.") for inner in reversed(content.named_children)]
                continue
            if name is not None and content is not None and content.type in FUNCTIONS:
                qualified = ".".join(part for part in (base, f"{path}{name}") if part)
                kind: ScopeType = "method" if base or path or owner else "function"
                # said now and not in a handler: the name depends on where the object stands
                inside = open_function(
                    draft, child, name, name_node=name_node, whole=child, function=content,
                    type=kind, qualified_name=qualified, owner=owner,
                )  # fmt: skip
                draft.walk_inside(inside)
                continue
        elif child.type == "method_definition":
            name_node = child.child_by_field_name("name")
            name = property_name(draft, name_node)
            if name is not None:
                qualified = ".".join(part for part in (base, f"{path}{name}") if part)
                kind = "method" if base or path or owner else "function"
                inside = open_function(
                    draft, child, name, name_node=name_node, whole=child, type=kind,
                    qualified_name=qualified, owner=owner, modifiers=modifiers_of(draft, child),
                )  # fmt: skip
                draft.walk_inside(inside)
                continue
        if scope is not None and not path:
            _bind_property(draft, scope, child)
        draft.walk_inside([child])


def _bind_property(draft: Draft, scope: OpenScope, node: Node) -> None:
    if node.type == "shorthand_property_identifier":
        draft.bind(f".{draft.text(node)}", "alias", draft.text(node), draft.line(node), scope)
    elif node.type == "pair":
        name = property_name(draft, node.child_by_field_name("key"))
        kind, known = value(draft, node.child_by_field_name("value"))
        if name is not None and known is not None:
            draft.bind(f".{name}", kind, known, draft.line(node), scope)


def this_member(draft: Draft, node: Node, name: str, name_node: Node | None, right: Node, line: int) -> Visit | None:
    """``this.name = …`` in a class or a constructor function."""
    owner, function = draft.enclosing_type, draft.enclosing_function
    if given(right).type in FUNCTIONS and function is not None:
        holder = owner.qualified_name if owner is not None else function.qualified_name
        if right.type not in FUNCTIONS:
            open_other_name(
                draft, node, name, name_node, type="method", qualified_name=f"{holder}.{name}", owner=holder
            )
            return [CLOSE, right]
        return open_function(
            draft, node, name, name_node=name_node, whole=around(node), function=right, type="method",
            qualified_name=f"{holder}.{name}", owner=holder,
        )  # fmt: skip
    if owner is None and function is None:
        return None
    kind, known = value(draft, right)
    if owner is None:
        draft.bind(f".{name}", kind, known, line, function)
        return None
    if kind == "alias" and known is not None and function is not None:
        local = draft.known(known)
        if local is not None:
            kind, known = local.kind, local.value
        elif function.bound(known):
            kind, known = "unknown", None
    draft.bind(name, kind, known, line, owner)
    return None


def bind_required(draft: Draft, pattern: Node, module: str, name: str | None) -> None:
    """Binds what ``const PATTERN = require(…)`` names: a name, or the parts of an object pattern."""
    line = draft.line(pattern)
    if pattern.type == "identifier":
        draft.add_import(draft.text(pattern), module, name, line)
        return
    for part in pattern.named_children:
        if part.type == "shorthand_property_identifier_pattern":
            draft.add_import(draft.text(part), module, draft.text(part), draft.line(part))
        elif part.type == "pair_pattern":
            key, local = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and local is not None and local.type == "identifier":
                draft.add_import(draft.text(local), module, draft.text(key), draft.line(part))


def sets_exports(draft: Draft, node: Node | None) -> bool:
    """``exports = module.exports = …``"""
    while node is not None and node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        if left is not None and draft.text(left) == "module.exports":
            return True
        node = node.child_by_field_name("right")
    return False


def is_exported(node: Node) -> bool:
    """Whether a declarator's declaration stands in an export statement."""
    declaration = node.parent
    statement = declaration.parent if declaration is not None else None
    return statement is not None and statement.type == "export_statement"


def _import(draft: Draft, node: Node) -> Visit:
    module = string_value(draft, node.child_by_field_name("source"))
    if module is not None and not any(child.type == "import_clause" for child in node.named_children):
        draft.add_import(UNNAMED, module, None, draft.line(node))
    for clause in node.named_children:
        if clause.type == "import_require_clause":  # import x = require("m")
            local, source = first_named(clause), string_value(draft, clause.child_by_field_name("source"))
            if local is not None and source is not None:
                draft.add_import(draft.text(local), source, None, draft.line(clause))
        if clause.type != "import_clause" or module is None:
            continue
        for part in clause.named_children:
            line = draft.line(part)
            if part.type == "identifier":
                draft.add_import(draft.text(part), module, "default", line)
            elif part.type == "namespace_import":
                local = first_named(part)
                if local is not None:
                    draft.add_import(draft.text(local), module, None, line)
            elif part.type == "named_imports":
                for name, alias in _specifiers(draft, part):
                    draft.add_import(alias, module, name, line)
    return ()


def _specifiers(draft: Draft, node: Node) -> list[tuple[str, str]]:
    found = []
    for part in node.named_children:
        name, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
        if name is not None:
            found.append((draft.text(name), draft.text(alias or name)))
    return found


def _export(draft: Draft, node: Node) -> Visit:
    module = string_value(draft, node.child_by_field_name("source"))
    line = draft.line(node)
    kinds = {child.type for child in node.children}
    if module is not None:
        if "*" in kinds:
            draft.add_import("*", module, "*", line, exported=True)
        for part in node.named_children:
            if part.type == "namespace_export":
                local = first_named(part)
                if local is not None:
                    draft.add_import(draft.text(local), module, None, line, exported=True)
            elif part.type == "export_clause":
                for name, alias in _specifiers(draft, part):
                    draft.add_import(alias, module, name, line, exported=True)
        return ()
    for part in node.named_children:
        if part.type == "export_clause":
            for name, alias in _specifiers(draft, part):
                draft.export(alias, name, line)
            return ()
    content = node.child_by_field_name("value")
    if content is None and "=" in kinds:
        content = first_named(node)
        if content is not None:
            draft.export("=", dotted(draft, content), line)
        return [content] if content else ()
    if content is not None and content.type == "object":
        draft.export("default", "default", line)
        draft.open(node, "default", "constant", signature="export default", docstring=doc_before(draft, node))
        members(draft, content)
        return [CLOSE]
    if content is not None and content.type in ("identifier", "member_expression"):
        draft.export("default", dotted(draft, content), line)
        return [content]
    return [child for child in node.named_children if child.type != "decorator" or content is not None]


def export_whole(draft: Draft, node: Node, right: Node, line: int) -> Visit:
    """``module.exports = …``"""
    right = given(right)  # module.exports = exports = x
    name_node = right.child_by_field_name("name") if right.type in FUNCTIONS | CLASSES else None
    if right.type in FUNCTIONS or right.type in CLASSES:
        name = draft.text(name_node) if name_node else "exports"
        draft.export("=", name, line)
        if right.type in CLASSES:
            return open_class(draft, right, name, name_node, around(node))
        return open_function(draft, node, name, name_node=name_node, whole=around(node), function=right)
    required = required_module(draft, right)
    if required is not None:
        draft.add_import("*", required[0], "*", line, exported=True)
        return []
    if right.type == "object":
        for child in right.named_children:
            if child.type == "shorthand_property_identifier":
                draft.export(draft.text(child), draft.text(child), draft.line(child))
            elif child.type in ("pair", "method_definition"):
                key = child.child_by_field_name("key") or child.child_by_field_name("name")
                content = child.child_by_field_name("value")
                name_text = property_name(draft, key)
                if name_text is None:
                    continue
                inner = required_module(draft, content)
                if inner is not None:
                    draft.add_import(name_text, inner[0], inner[1], draft.line(child), exported=True)
                elif content is None or content.type in FUNCTIONS:
                    draft.export(name_text, name_text, draft.line(child))
                elif content.type in ("identifier", "member_expression"):
                    draft.export(name_text, dotted(draft, content), draft.line(child))
        members(draft, right)
        return []
    text = dotted(draft, right)
    if "?" not in text and "!" not in text:
        draft.export("=", text, line)
    return [right]


def export_member(draft: Draft, node: Node, name: str, name_node: Node | None, right: Node, line: int) -> Visit | None:
    """``exports.name = …``"""
    required = required_module(draft, right)
    if required is not None:
        draft.add_import(name, required[0], required[1], line, exported=True)
        return []
    if right.type in FUNCTIONS:
        draft.export(name, name, line)
        return open_function(draft, node, name, name_node=name_node, whole=around(node), function=right)
    if right.type in CLASSES:
        draft.export(name, name, line)
        return open_class(draft, right, name, name_node, around(node))
    if right.type in ("identifier", "member_expression"):
        draft.export(name, dotted(draft, right), line)
        return [right]
    if draft.current is not None:
        return None
    if right.type == "assignment_expression":
        if given(right).type not in FUNCTIONS:
            return None
        draft.export(name, name, line)
        open_other_name(draft, node, name, name_node)
        return [CLOSE, right]
    draft.export(name, name, line)
    draft.open(node, name, "constant", name_node=name_node, whole=around(node), signature=signature_line(draft, node))
    if right.type == "object":
        members(draft, right)
        return [CLOSE]
    return [right, CLOSE]


MODULE_HANDLERS: dict[str, Handler] = {
    "import_statement": _import,
    "export_statement": _export,
}
