"""JavaScript, TypeScript and TSX: scopes and what they use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.comments import doc_before
from ragforge_memory.code.draft import CLOSE, Draft, Handler, OpenScope
from ragforge_memory.code.javascript_links import LINKS
from ragforge_memory.code.javascript_text import (
    bind_pattern,
    dotted,
    first_named,
    property_name,
    string_value,
    type_text,
    value,
)
from ragforge_memory.code.javascript_uses import USE_HANDLERS, use_dotted
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.parsed import ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_CLASSES = frozenset({"class", "class_declaration", "abstract_class_declaration"})
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*$")
_GLOBALS = frozenset({"window", "global", "globalThis", "self"})
_MODIFIERS = frozenset(
    {"async", "static", "abstract", "readonly", "get", "set", "declare", "override", "const", "accessibility_modifier",
     "override_modifier"}
)  # fmt: skip


def _grammar(path: str) -> object:
    if path.endswith((".ts", ".mts", ".cts")):
        import tree_sitter_typescript

        return tree_sitter_typescript.language_typescript()
    if path.endswith(".tsx"):
        import tree_sitter_typescript

        return tree_sitter_typescript.language_tsx()
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a file's tree."""
    draft.walk(root, _HANDLERS)


# functions


def _around(node: Node) -> Node:
    """The definition with ``export``, ``declare`` and the statement it fills alone."""
    whole = node
    parent = node.parent
    if parent is not None and parent.type in ("lexical_declaration", "variable_declaration", "expression_statement"):
        if sum(child.is_named and child.type != "comment" for child in parent.children) > 1:
            return node
        whole, parent = parent, parent.parent
    if parent is not None and parent.type == "ambient_declaration":
        whole, parent = parent, parent.parent
    if parent is not None and parent.type == "export_statement":
        whole = parent
    return whole


def _modifiers(draft: Draft, node: Node, whole: Node | None = None) -> list[str]:
    found = [draft.text(child) for child in node.children if child.type in _MODIFIERS]
    if whole is not None and whole.type == "export_statement":
        found.insert(0, "export")
    return found


def _open_function(
    draft: Draft,
    node: Node,
    name: str,
    *,
    name_node: Node | None,
    whole: Node,
    function: Node | None = None,
    type: ScopeType = "function",
    end: Node | None = None,
    qualified_name: str | None = None,
    owner: str | None = None,
    modifiers: Sequence[str] = (),
    decorators: Sequence[Node] = (),
) -> Visit:
    """Open the scope of a function whose definition is ``node`` and whose parameters and body ``function`` has."""
    function = function or node
    body, returns = function.child_by_field_name("body"), function.child_by_field_name("return_type")
    parameters = function.child_by_field_name("parameters")
    single = function.child_by_field_name("parameter")  # x => …
    modifiers = [*modifiers, *(m for m in _modifiers(draft, function) if m not in modifiers)]
    scope = draft.open(
        node,
        name,
        type,
        name_node=name_node,
        whole=whole,
        end=end or (whole if whole.end_byte >= node.end_byte else node),
        qualified_name=qualified_name,
        signature=_signature(draft, node, body),
        docstring=doc_before(draft, whole),
        owner=owner,
        return_type=draft.text(returns).lstrip(": ") if returns else None,
        returns=type_text(draft, returns),
        parameters=[draft.text(p) for p in parameters.named_children if p.type != "comment"]
        if parameters
        else [draft.text(single)]
        if single
        else [],
        modifiers=modifiers,
        decorators=[draft.text(d).lstrip("@").partition("(")[0] for d in decorators],
    )
    inside = _bind_parameters(draft, parameters, scope)
    if single is not None:
        draft.bind(draft.text(single), "unknown", None, draft.line(single))
    if body is not None and function.type == "arrow_function" and body.type != "statement_block":
        kind, result = value(draft, body)
        if result is not None and scope.returns is None:
            draft.bind("return", kind, result, draft.line(body))
    generics = function.child_by_field_name("type_parameters")
    parts = [*decorators, generics, *inside, returns, body]
    return [*(part for part in parts if part), CLOSE]


def _signature(draft: Draft, node: Node, body: Node | None) -> str:
    start = next((c.start_byte for c in node.children if c.type != "decorator"), node.start_byte)
    if node.type == "variable_declarator" and node.parent is not None and node.prev_named_sibling is None:
        start = node.parent.start_byte
    text = draft.compact(start, body.start_byte if body else node.end_byte)
    return text.removesuffix("=>").rstrip(" ;{=")


def _bind_parameters(draft: Draft, parameters: Node | None, scope: OpenScope | None) -> list[Node]:
    """Bind what the parameters name; gives their types and defaults."""
    inside: list[Node] = []
    for node in parameters.named_children if parameters else ():
        if node.type in ("required_parameter", "optional_parameter"):
            pattern, declared = node.child_by_field_name("pattern"), node.child_by_field_name("type")
            default = node.child_by_field_name("value")
            if pattern is not None and pattern.type == "identifier":
                name, annotation = draft.text(pattern), type_text(draft, declared)
                draft.bind(name, "type", annotation, draft.line(pattern), scope)
                owner = draft.enclosing_type
                field = any(c.type in ("accessibility_modifier", "readonly") for c in node.children)
                if field and owner is not None:  # constructor(private dep: Dep)
                    draft.bind(name, "type", annotation, draft.line(pattern), owner)
            elif pattern is not None:
                inside += bind_pattern(draft, pattern, scope)
            inside += [part for part in (*node.children_by_field_name("decorator"), declared, default) if part]
        else:
            inside += bind_pattern(draft, node, scope)
    return inside


def _function_declaration(draft: Draft, node: Node) -> Visit:
    name_node = node.child_by_field_name("name")
    whole = _around(node)
    default = whole.type == "export_statement" and any(c.type == "default" for c in whole.children)
    if name_node is None and not default:
        return _anonymous(draft, node)
    name = draft.text(name_node) if name_node else "default"
    if whole.type == "export_statement":
        draft.export("default" if default else name, name, draft.line(node))
    modifiers = _modifiers(draft, node, whole)
    return _open_function(draft, node, name, name_node=name_node, whole=whole, modifiers=modifiers)


def _anonymous(draft: Draft, node: Node) -> Visit:
    """A function without a name belongs to what surrounds it; a named function expression is a scope."""
    name_node = node.child_by_field_name("name")
    parent = node.parent
    if name_node is not None and node.type != "arrow_function":
        return _open_function(draft, node, draft.text(name_node), name_node=name_node, whole=node)
    if parent is not None and parent.type == "export_statement":
        draft.export("default", "default", draft.line(node))
        return _open_function(draft, node, "default", name_node=None, whole=parent, modifiers=["export"])
    inside = _bind_parameters(draft, node.child_by_field_name("parameters"), None)
    single = node.child_by_field_name("parameter")
    if single is not None:
        draft.bind(draft.text(single), "unknown", None, draft.line(single))
    body = node.child_by_field_name("body")
    returns = node.child_by_field_name("return_type")
    return [*inside, *(part for part in (returns, body) if part)]


# classes


def _class(draft: Draft, node: Node) -> Visit:
    name_node = node.child_by_field_name("name")
    whole = _around(node)
    default = whole.type == "export_statement" and any(c.type == "default" for c in whole.children)
    exported_value = node.parent is not None and node.parent.type == "export_statement"
    name = draft.text(name_node) if name_node else "default" if exported_value else ""
    if not name:
        return node.named_children
    if whole.type == "export_statement":
        draft.export("default" if default else name, name, draft.line(node))
    return _open_class(draft, node, name, name_node, whole)


def _open_class(
    draft: Draft, node: Node, name: str, name_node: Node | None, whole: Node, owner: str | None = None
) -> Visit:
    bases: list[tuple[str, int]] = []
    interfaces: list[tuple[str, int]] = []
    inside: list[Node] = [child for child in whole.children if child.type == "decorator" and whole is not node]
    inside += [child for child in node.children if child.type == "decorator"]
    decorators = list(inside)
    for heritage in (child for child in node.children if child.type == "class_heritage"):
        clauses = [c for c in heritage.named_children if c.type in ("extends_clause", "implements_clause")]
        for clause in clauses or [heritage]:
            for part in clause.named_children:
                if part.type in ("type_arguments", "arguments"):
                    inside.append(part)
                    continue
                if part.type == "comment":
                    continue
                generic = part.child_by_field_name("type_arguments") if part.type == "generic_type" else None
                if generic is not None:
                    inside.append(generic)
                target = interfaces if clause.type == "implements_clause" else bases
                shown = type_text(draft, part) if part.type == "generic_type" else dotted(draft, part)
                target.append((shown or "?", draft.line(part)))
                if part.type == "call_expression":  # mixins
                    inside.append(part)
    generics, body = node.child_by_field_name("type_parameters"), node.child_by_field_name("body")
    draft.open(
        node,
        name,
        "class",
        name_node=name_node,
        whole=whole,
        end=whole,
        signature=_signature(draft, node, body),
        docstring=doc_before(draft, whole),
        owner=owner,
        modifiers=_modifiers(draft, node, whole),
        decorators=[draft.text(d).lstrip("@").partition("(")[0] for d in decorators],
        bases=[text for text, _ in bases],
        interfaces=[text for text, _ in interfaces],
    )
    for text, line in bases:
        use_dotted(draft, text, "inherit", line)
    for text, line in interfaces:
        use_dotted(draft, text, "implement", line)
    return [*inside, *([generics] if generics else []), *([body] if body else []), CLOSE]


def _decorators_of(node: Node) -> list[Node]:
    """A member's decorators: inside it in JavaScript's grammar, before it in TypeScript's."""
    found = [child for child in node.children if child.type == "decorator"]
    sibling = node.prev_named_sibling
    while sibling is not None and sibling.type in ("decorator", "comment"):
        if sibling.type == "decorator":
            found.insert(0, sibling)
        sibling = sibling.prev_named_sibling
    return found


def _class_body(draft: Draft, node: Node) -> Visit:
    """Decorators are visited with the member they decorate."""
    return [child for child in node.named_children if child.type not in ("decorator", "comment")]


def _method(draft: Draft, node: Node) -> Visit:
    name_node = node.child_by_field_name("name")
    decorators = _decorators_of(node)
    name = property_name(draft, name_node)
    if name is None:  # computed
        inside = _bind_parameters(draft, node.child_by_field_name("parameters"), None)
        parts = (name_node, node.child_by_field_name("return_type"), node.child_by_field_name("body"))
        return [*decorators, *inside, *(part for part in parts if part)]
    modifiers = _modifiers(draft, node)
    return _open_function(
        draft,
        node,
        name,
        name_node=name_node,
        whole=decorators[0] if decorators and decorators[0].start_byte < node.start_byte else node,
        end=node,
        type="method",
        modifiers=modifiers,
        decorators=decorators,
    )


def _field(draft: Draft, node: Node) -> Visit:
    """A field: with a function it is a method, else a binding of its class (and a constant if static)."""
    name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
    declared, content = node.child_by_field_name("type"), node.child_by_field_name("value")
    name = property_name(draft, name_node)
    scope = draft.current
    decorators = _decorators_of(node)
    if name is None or scope is None or not scope.is_type:
        return node.named_children
    if content is not None and content.type in _FUNCTIONS:
        return _open_function(
            draft, node, name, name_node=name_node, whole=node, function=content, type="method",
            modifiers=_modifiers(draft, node), decorators=decorators,
        )  # fmt: skip
    annotation = type_text(draft, declared)
    kind, known = ("type", annotation) if annotation else value(draft, content)
    draft.bind(name, kind, known, draft.line(node), scope)
    parts = [part for part in (*decorators, declared, content) if part]
    if _CONSTANT.match(name) and any(child.type == "static" for child in node.children):
        draft.open(node, name, "constant", name_node=name_node, signature=_shortened(draft, node))
        return [*parts, CLOSE]
    return parts


def _shortened(draft: Draft, node: Node) -> str:
    text = draft.compact(node.start_byte, min(node.end_byte, node.start_byte + 400)).rstrip(";")
    return text if len(text) <= 120 else f"{text[:117]}..."


# variables and objects


def _declarator(draft: Draft, node: Node) -> Visit:
    name_node, content = node.child_by_field_name("name"), node.child_by_field_name("value")
    declared = node.child_by_field_name("type")
    if name_node is None:
        return node.named_children
    required = _required(draft, content)
    if required is not None:
        _bind_required(draft, name_node, *required)
        return []
    if name_node.type != "identifier":
        inside = bind_pattern(draft, name_node)
        return [*inside, *(part for part in (declared, content) if part)]
    name, whole = draft.text(name_node), _around(node)
    exported = _is_exported(node)
    if exported:
        draft.export(name, name, draft.line(node))
    modifiers = ["export"] if exported else []
    if content is not None and content.type in _FUNCTIONS:
        return _open_function(
            draft, node, name, name_node=name_node, whole=whole, function=content, modifiers=modifiers
        )
    if content is not None and content.type in _CLASSES:
        return _open_class(draft, content, name, name_node, whole)
    annotation = type_text(draft, declared)
    if annotation is not None:
        draft.bind(name, "type", annotation, draft.line(name_node))
    else:
        draft.bind(name, *value(draft, content), draft.line(name_node))
    parts = [part for part in (declared, content) if part]
    if content is not None and content.type == "assignment_expression" and _sets_exports(draft, content):
        draft.export("=", name, draft.line(node))
    if not _worth_naming(draft, node, exported):
        return parts
    draft.open(
        node, name, "constant", name_node=name_node, whole=whole, signature=_shortened(draft, node),
        docstring=doc_before(draft, whole), modifiers=modifiers,
        return_type=draft.text(declared).lstrip(": ") if declared else None, returns=annotation,
    )  # fmt: skip
    if content is not None and content.type == "object":
        _members(draft, content)
        return [*([declared] if declared else []), CLOSE]
    return [*parts, CLOSE]


def _sets_exports(draft: Draft, node: Node | None) -> bool:
    """``exports = module.exports = …``"""
    while node is not None and node.type == "assignment_expression":
        left = node.child_by_field_name("left")
        if left is not None and draft.text(left) == "module.exports":
            return True
        node = node.child_by_field_name("right")
    return False


def _is_exported(node: Node) -> bool:
    declaration = node.parent
    statement = declaration.parent if declaration is not None else None
    return statement is not None and statement.type == "export_statement"


def _worth_naming(draft: Draft, node: Node, exported: bool) -> bool:
    declaration = node.parent
    constant = declaration is not None and any(child.type == "const" for child in declaration.children)
    statement = declaration.parent if declaration is not None else None
    ambient = statement is not None and statement.type == "ambient_declaration"
    top = statement is not None and statement.type in ("program", "export_statement")
    content = node.child_by_field_name("value")
    while content is not None and content.type == "assignment_expression":
        content = content.child_by_field_name("right")
    constant = constant or (content is not None and content.type == "object")
    scope = draft.current
    if scope is not None and scope.type != "namespace":
        return False
    return exported or ambient or (top and constant)


def _members(draft: Draft, node: Node, prefix: str = "", owner: str | None = None) -> None:
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
            if name is not None and content is not None and content.type in _FUNCTIONS:
                qualified = ".".join(part for part in (base, f"{path}{name}") if part)
                kind: ScopeType = "method" if base or path or owner else "function"
                # said now and not in a handler: the name depends on where the object stands
                inside = _open_function(
                    draft, child, name, name_node=name_node, whole=child, function=content,
                    type=kind, qualified_name=qualified, owner=owner,
                )  # fmt: skip
                draft.walk_inside(inside, _HANDLERS)
                continue
        elif child.type == "method_definition":
            name_node = child.child_by_field_name("name")
            name = property_name(draft, name_node)
            if name is not None:
                qualified = ".".join(part for part in (base, f"{path}{name}") if part)
                kind = "method" if base or path or owner else "function"
                inside = _open_function(
                    draft, child, name, name_node=name_node, whole=child, type=kind,
                    qualified_name=qualified, owner=owner, modifiers=_modifiers(draft, child),
                )  # fmt: skip
                draft.walk_inside(inside, _HANDLERS)
                continue
        if scope is not None and not path:
            _bind_property(draft, scope, child)
        draft.walk_inside([child], _HANDLERS)


def _bind_property(draft: Draft, scope: OpenScope, node: Node) -> None:
    if node.type == "shorthand_property_identifier":
        draft.bind(f".{draft.text(node)}", "alias", draft.text(node), draft.line(node), scope)
    elif node.type == "pair":
        name = property_name(draft, node.child_by_field_name("key"))
        kind, known = value(draft, node.child_by_field_name("value"))
        if name is not None and known is not None:
            draft.bind(f".{name}", kind, known, draft.line(node), scope)


def _required(draft: Draft, node: Node | None) -> tuple[str, str | None] | None:
    """``require("m")`` and ``require("m").name``: the module, and the name."""
    name = None
    if node is not None and node.type == "member_expression":
        name_node = node.child_by_field_name("property")
        name = draft.text(name_node) if name_node else None
        node = node.child_by_field_name("object")
    if node is None or node.type != "call_expression":
        return None
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or draft.text(function) != "require":
        return None
    module = string_value(draft, first_named(arguments))
    return (module, name) if module is not None else None


def _bind_required(draft: Draft, pattern: Node, module: str, name: str | None) -> None:
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


# assignments that define: exports, prototypes, properties of objects


def _assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return node.named_children
    if left.type == "member_expression":
        defined = _define_member(draft, node, left, right)
        if defined is not None:
            return defined
        receiver = left.child_by_field_name("object")
        return [*([receiver] if receiver and receiver.type != "this" else []), right]
    if left.type == "identifier":
        kind, known = value(draft, right)
        if known is not None and kind != "alias":
            draft.bind(draft.text(left), kind, known, draft.line(left))
        return [right]
    if left.type == "subscript_expression":
        return [left, right]
    return [*bind_pattern(draft, left), right]


def _define_member(draft: Draft, node: Node, left: Node, right: Node) -> Visit | None:
    target, line = dotted(draft, left), draft.line(left)
    name_node = left.child_by_field_name("property")
    receiver, _, name = target.rpartition(".")
    if target == "module.exports" or (target == "exports" and left.type == "identifier"):
        return _export_whole(draft, node, right, line)
    if receiver in ("module.exports", "exports"):
        return _export_member(draft, node, name, name_node, right, line)
    if name == "prototype" and right.type == "object" and receiver.isidentifier():
        _members(draft, right, f"{receiver}.", owner=receiver)
        return []
    if receiver == "this":
        return _this_member(draft, node, name, name_node, right, line)
    owner = receiver.removesuffix(".prototype")
    if right.type not in _FUNCTIONS or not owner.replace(".", "").isidentifier():
        return None
    if draft.enclosing_function is not None or owner in _GLOBALS:
        return _open_function(draft, node, name, name_node=name_node, whole=_around(node), function=right)
    modifiers = [] if receiver.endswith(".prototype") else ["static"]
    return _open_function(
        draft, node, name, name_node=name_node, whole=_around(node), function=right, type="method",
        qualified_name=f"{owner}.{name}", owner=owner, modifiers=modifiers,
    )  # fmt: skip


def _export_whole(draft: Draft, node: Node, right: Node, line: int) -> Visit:
    """``module.exports = …``"""
    while right.type == "assignment_expression":  # module.exports = exports = x
        following = right.child_by_field_name("right")
        if following is None:
            break
        right = following
    name_node = right.child_by_field_name("name") if right.type in _FUNCTIONS | _CLASSES else None
    if right.type in _FUNCTIONS or right.type in _CLASSES:
        name = draft.text(name_node) if name_node else "exports"
        draft.export("=", name, line)
        if right.type in _CLASSES:
            return _open_class(draft, right, name, name_node, _around(node))
        return _open_function(draft, node, name, name_node=name_node, whole=_around(node), function=right)
    required = _required(draft, right)
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
                inner = _required(draft, content)
                if inner is not None:
                    draft.add_import(name_text, inner[0], inner[1], draft.line(child), exported=True)
                elif content is None or content.type in _FUNCTIONS:
                    draft.export(name_text, name_text, draft.line(child))
                elif content.type in ("identifier", "member_expression"):
                    draft.export(name_text, dotted(draft, content), draft.line(child))
        _members(draft, right)
        return []
    text = dotted(draft, right)
    if "?" not in text and "!" not in text:
        draft.export("=", text, line)
    return [right]


def _export_member(draft: Draft, node: Node, name: str, name_node: Node | None, right: Node, line: int) -> Visit | None:
    """``exports.name = …``"""
    required = _required(draft, right)
    if required is not None:
        draft.add_import(name, required[0], required[1], line, exported=True)
        return []
    if right.type in _FUNCTIONS:
        draft.export(name, name, line)
        return _open_function(draft, node, name, name_node=name_node, whole=_around(node), function=right)
    if right.type in _CLASSES:
        draft.export(name, name, line)
        return _open_class(draft, right, name, name_node, _around(node))
    if right.type in ("identifier", "member_expression"):
        draft.export(name, dotted(draft, right), line)
        return [right]
    if right.type == "assignment_expression" or draft.current is not None:
        return None
    draft.export(name, name, line)
    draft.open(node, name, "constant", name_node=name_node, whole=_around(node), signature=_shortened(draft, node))
    if right.type == "object":
        _members(draft, right)
        return [CLOSE]
    return [right, CLOSE]


def _this_member(draft: Draft, node: Node, name: str, name_node: Node | None, right: Node, line: int) -> Visit | None:
    """``this.name = …`` in a class or a constructor function."""
    owner, function = draft.enclosing_type, draft.enclosing_function
    if right.type in _FUNCTIONS and function is not None:
        holder = owner.qualified_name if owner is not None else function.qualified_name
        return _open_function(
            draft, node, name, name_node=name_node, whole=_around(node), function=right, type="method",
            qualified_name=f"{holder}.{name}", owner=holder,
        )  # fmt: skip
    if owner is not None:
        kind, known = value(draft, right)
        if kind == "alias" and known is not None and function is not None:
            local = draft.known(known)
            if local is not None:
                kind, known = local.kind, local.value
            elif any(b.name == known for b in function.bindings):
                kind, known = "unknown", None
        draft.bind(name, kind, known, line, owner)
    return None


# types


def _interface(draft: Draft, node: Node) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None:
        return node.named_children
    whole = _around(node)
    name = draft.text(name_node)
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    bases: list[tuple[str, int]] = []
    inside: list[Node] = []
    for clause in (child for child in node.named_children if child.type == "extends_type_clause"):
        for part in clause.named_children:
            bases.append((type_text(draft, part) or "?", draft.line(part)))
            inside += [child for child in part.named_children if child.type == "type_arguments"]
    generics = node.child_by_field_name("type_parameters")
    draft.open(
        node, name, "interface", name_node=name_node, whole=whole, signature=_signature(draft, node, body),
        docstring=doc_before(draft, whole), modifiers=_modifiers(draft, node, whole),
        bases=[text for text, _ in bases],
    )  # fmt: skip
    for text, line in bases:
        use_dotted(draft, text, "inherit", line)
    return [*inside, *(part for part in (generics, body) if part), CLOSE]


def _property_signature(draft: Draft, node: Node) -> Visit:
    scope = draft.current
    name = property_name(draft, node.child_by_field_name("name"))
    declared = node.child_by_field_name("type")
    if name is not None and scope is not None and scope.is_type:
        draft.bind(name, "type", type_text(draft, declared), draft.line(node), scope)
    return [declared] if declared else []


def _type_alias(draft: Draft, node: Node) -> Visit:
    name_node, content = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name_node is None or content is None:
        return node.named_children
    whole, name = _around(node), draft.text(name_node)
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    generics = node.child_by_field_name("type_parameters")
    draft.open(
        node, name, "type", name_node=name_node, whole=whole, signature=_shortened(draft, node),
        docstring=doc_before(draft, whole), modifiers=_modifiers(draft, node, whole),
        returns=type_text(draft, content),
    )  # fmt: skip
    return [*([generics] if generics else []), content, CLOSE]


def _enum(draft: Draft, node: Node) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or body is None:
        return node.named_children
    whole, name = _around(node), draft.text(name_node)
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    draft.open(
        node, name, "enum", name_node=name_node, whole=whole, signature=_signature(draft, node, body),
        docstring=doc_before(draft, whole), modifiers=_modifiers(draft, node, whole),
    )  # fmt: skip
    for member in body.named_children:
        inner = member.child_by_field_name("name") if member.type == "enum_assignment" else member
        text = property_name(draft, inner)
        if text is not None and inner is not None:
            draft.open(member, text, "constant", name_node=inner, signature=_shortened(draft, member))
            content = member.child_by_field_name("value")
            draft.walk_inside([*([content] if content else []), CLOSE], _HANDLERS)
    return [CLOSE]


def _namespace(draft: Draft, node: Node) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or body is None or name_node.type == "string":
        return [body] if body else []
    whole, name = _around(node), draft.text(name_node)
    if whole.type == "expression_statement" and whole.parent is not None and whole.parent.type == "export_statement":
        whole = whole.parent
    if whole.type == "export_statement":
        draft.export(name, name, draft.line(node))
    draft.open(
        node, name, "namespace", name_node=name_node, whole=whole, signature=_signature(draft, node, body),
        docstring=doc_before(draft, whole), modifiers=_modifiers(draft, node, whole),
    )  # fmt: skip
    return [body, CLOSE]


# imports and exports


def _import(draft: Draft, node: Node) -> Visit:
    module = string_value(draft, node.child_by_field_name("source"))
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
        _members(draft, content)
        return [CLOSE]
    if content is not None and content.type in ("identifier", "member_expression"):
        draft.export("default", dotted(draft, content), line)
        return [content]
    return [child for child in node.named_children if child.type != "decorator" or content is not None]


def _return(draft: Draft, node: Node) -> Visit:
    scope = draft.current
    if scope is not None and scope.returns is None and scope.type in ("function", "method"):
        kind, known = value(draft, first_named(node))
        if known is not None:
            draft.bind("return", kind, known, draft.line(node))
    return node.named_children


def refusal(root: Node, data: bytes) -> str | None:
    """Two errors are the grammar's own (0.23): ``in`` and ``out`` before type parameters, ``f<typeof import(…)>()``."""
    stack = [root]
    while stack:
        node = stack.pop()
        parent = node.parent
        variance = parent is not None and parent.type in ("type_parameters", "type_parameter")
        if node.is_missing:
            return f"syntax error in line {node.start_point[0] + 1}: {node.type} is missing"
        if node.is_error and not variance and data[node.start_byte : node.end_byte] != b">()":
            return f"syntax error in line {node.start_point[0] + 1}"
        if not node.is_error:
            stack.extend(reversed([child for child in node.children if child.has_error or child.is_missing]))
    return None


_HANDLERS: dict[str, Handler] = {
    **USE_HANDLERS,
    "function_declaration": _function_declaration,
    "generator_function_declaration": _function_declaration,
    "function_signature": _function_declaration,
    "arrow_function": _anonymous,
    "function_expression": _anonymous,
    "generator_function": _anonymous,
    "class_declaration": _class,
    "abstract_class_declaration": _class,
    "class": _class,
    "class_body": _class_body,
    "method_definition": _method,
    "method_signature": _method,
    "abstract_method_signature": _method,
    "field_definition": _field,
    "public_field_definition": _field,
    "variable_declarator": _declarator,
    "assignment_expression": _assignment,
    "interface_declaration": _interface,
    "property_signature": _property_signature,
    "type_alias_declaration": _type_alias,
    "enum_declaration": _enum,
    "internal_module": _namespace,
    "module": _namespace,
    "import_statement": _import,
    "export_statement": _export,
    "return_statement": _return,
}

READER = Reader(
    grammar=_grammar,
    extract=extract,
    links=LINKS,
    atoms=frozenset({"string", "template_string", "regex", "jsx_text"}),
    refusal=refusal,
)
