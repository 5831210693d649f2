"""JavaScript and TypeScript: functions and methods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import before, doc_before, each, returning
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.javascript.text import bind_pattern, property_name, type_text, value
from ragforge_memory.code.open_scope import OpenScope
from ragforge_memory.code.parsed import LONGEST_TEXT, ScopeType

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "function"})
_WRITTEN_OUT = FUNCTIONS - {"arrow_function"}
_DESCRIBED = frozenset({"value", "get", "set"})
_MODIFIERS = frozenset(
    {"async", "static", "abstract", "readonly", "get", "set", "declare", "override", "const", "accessibility_modifier",
     "override_modifier"}
)  # fmt: skip


def around(node: Node) -> Node:
    """The definition with ``export``, ``declare`` and the statement it fills alone."""
    whole = node
    parent = node.parent
    if parent is not None and parent.type in ("lexical_declaration", "variable_declaration", "expression_statement"):
        # One after the other: two are enough, of as many as a declaration may have.
        named = (parent.named_child(place) for place in range(parent.named_child_count))
        if len(list(islice((child for child in named if child and child.type != "comment"), 2))) > 1:
            return node
        whole, parent = parent, parent.parent
    if parent is not None and parent.type == "ambient_declaration":
        whole, parent = parent, parent.parent
    if parent is not None and parent.type == "export_statement":
        whole = parent
    return whole


def given(node: Node) -> Node:
    """What an assignment gives in the end: of ``a = b = x`` it is ``x``."""
    for _ in range(LONGEST_TEXT):
        right = node.child_by_field_name("right") if node.type == "assignment_expression" else None
        if right is None:
            break
        node = right
    return node


def _pair(draft: Draft, node: Node) -> Visit:
    """``name: function () {}`` in an object that has no name is what ``name() {}`` is there; an arrow belongs to what
    is around, and a function with a name of its own goes by that."""
    name_node, content = node.child_by_field_name("key"), node.child_by_field_name("value")
    name = property_name(draft, name_node)
    if name in _DESCRIBED and (defined := _defined_property(draft, node)) is not None:
        name_node, name = defined, property_name(draft, defined)
    if name is None or content is None or content.type not in _WRITTEN_OUT or content.child_by_field_name("name"):
        return node.named_children
    return open_function(draft, node, name, name_node=name_node, whole=node, function=content, type="method")


def _defined_property(draft: Draft, node: Node) -> Node | None:
    """The name that ``Object.defineProperty(a, "name", {value: function () {}})`` gives to what is in it."""
    written = node.parent
    arguments = written.parent if written is not None and written.type == "object" else None
    call = arguments.parent if arguments is not None else None
    function = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if arguments is None or function is None or not draft.text(function).endswith(".defineProperty"):
        return None
    passed = [each for each in arguments.named_children if each.type != "comment"]
    return passed[1] if len(passed) > 1 and passed[1].type == "string" else None


def open_other_name(
    draft: Draft,
    node: Node,
    name: str,
    name_node: Node | None,
    *,
    type: ScopeType = "function",
    qualified_name: str | None = None,
    owner: str | None = None,
    modifiers: Sequence[str] = (),
) -> None:
    """Opens the scope of a function's other name (``a = b = function``): all of it, and what is in it is the last's."""
    whole = around(node)
    draft.open(
        node, name, type, name_node=name_node, whole=whole, qualified_name=qualified_name, owner=owner,
        modifiers=modifiers, signature=signature_line(draft, node), docstring=doc_before(draft, whole),
    )  # fmt: skip


def modifiers_of(draft: Draft, node: Node, whole: Node | None = None) -> list[str]:
    """The words before a definition (`async`, `static`, …), `export` first where ``whole`` exports it."""
    found = [draft.text(child) for child in node.children if child.type in _MODIFIERS]
    if whole is not None and whole.type == "export_statement":
        found.insert(0, "export")
    return found


def open_function(
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
    modifiers = [*modifiers, *(m for m in modifiers_of(draft, function) if m not in modifiers)]
    scope = draft.open(
        node,
        name,
        type,
        name_node=name_node,
        whole=whole,
        end=end or (whole if whole.end_byte >= node.end_byte else node),
        qualified_name=qualified_name,
        signature=signature(draft, node, body),
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
    inside = bind_parameters(draft, parameters, scope)
    if single is not None:
        draft.bind_unknown(single)
    if body is not None and function.type == "arrow_function" and body.type != "statement_block":
        kind, result = value(draft, body)
        if result is not None and scope.returns is None:
            draft.bind("return", kind, result, draft.line(body))
    generics = function.child_by_field_name("type_parameters")
    parts = [*decorators, generics, *inside, returns, body]
    return [*(part for part in parts if part), CLOSE]


def signature(draft: Draft, node: Node, body: Node | None) -> str:
    """The definition on one line, without decorators and body."""
    start = next((c.start_byte for c in node.children if c.type != "decorator"), node.start_byte)
    if node.type == "variable_declarator" and node.parent is not None and node.prev_named_sibling is None:
        start = node.parent.start_byte
    text = draft.compact(start, body.start_byte if body else node.end_byte)
    return text.removesuffix("=>").rstrip(" ;{=")


def bind_parameters(draft: Draft, parameters: Node | None, scope: OpenScope | None) -> list[Node]:
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
    whole = around(node)
    default = whole.type == "export_statement" and any(c.type == "default" for c in whole.children)
    if name_node is None and not default:
        return anonymous(draft, node)
    name = draft.text(name_node) if name_node else "default"
    if whole.type == "export_statement":
        draft.export("default" if default else name, name, draft.line(node))
    modifiers = modifiers_of(draft, node, whole)
    if node.type == "function_signature" and (node.parent is None or node.parent.type != "ambient_declaration"):
        modifiers.append("overload")
    return open_function(draft, node, name, name_node=name_node, whole=whole, modifiers=modifiers)


def anonymous(draft: Draft, node: Node) -> Visit:
    """A function without a name belongs to what surrounds it; a named function expression is a scope."""
    name_node = node.child_by_field_name("name")
    parent = node.parent
    if name_node is not None and node.type != "arrow_function":
        return open_function(draft, node, draft.text(name_node), name_node=name_node, whole=node)
    if parent is not None and parent.type == "export_statement":
        draft.export("default", "default", draft.line(node))
        return open_function(draft, node, "default", name_node=None, whole=parent, modifiers=["export"])
    inside = bind_parameters(draft, node.child_by_field_name("parameters"), None)
    single = node.child_by_field_name("parameter")
    if single is not None:
        draft.bind_unknown(single)
    body = node.child_by_field_name("body")
    returns = node.child_by_field_name("return_type")
    return [*inside, *(part for part in (returns, body) if part)]


def decorators_of(node: Node) -> list[Node]:
    """A member's decorators: inside it in JavaScript's grammar, before it in TypeScript's."""
    outside = []
    for sibling in before(node):
        if sibling.type == "decorator":
            outside.append(sibling)
        elif sibling.is_named and sibling.type != "comment":
            break
    return [*outside[::-1], *(child for child in node.children if child.type == "decorator")]


def _method(draft: Draft, node: Node) -> Visit:
    name_node = node.child_by_field_name("name")
    decorators = decorators_of(node)
    name = property_name(draft, name_node)
    if name is None:  # computed
        inside = bind_parameters(draft, node.child_by_field_name("parameters"), None)
        parts = (name_node, node.child_by_field_name("return_type"), node.child_by_field_name("body"))
        return [*decorators, *inside, *(part for part in parts if part)]
    modifiers = modifiers_of(draft, node)
    if node.type == "method_signature" and node.parent is not None and node.parent.type == "class_body":
        modifiers.append("overload")
    return open_function(
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


def signature_line(draft: Draft, node: Node) -> str:
    """The text on one line, at most 120 characters."""
    text = draft.compact(node.start_byte, min(node.end_byte, node.start_byte + 400)).rstrip(";")
    return text if len(text) <= 120 else f"{text[:117]}..."


FUNCTION_HANDLERS: dict[str, Handler] = {
    **each(_function_declaration, "function_declaration generator_function_declaration function_signature"),
    **each(anonymous, "arrow_function function_expression generator_function"),
    **each(_method, "method_definition method_signature abstract_method_signature"),
    "pair": _pair,
    "return_statement": returning(value),
}
