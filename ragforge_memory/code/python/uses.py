"""What Python code uses and binds: calls, references, annotations, patterns, imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import all_but_types, decision, each, first_named, nothing, only
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.parsed import UseKind
from ragforge_memory.code.python.text import dotted, expression_in, names_in, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit


# what is bound


def targets(node: Node) -> list[Node]:
    """The expressions inside an assignment's left side that are read: ``a[i]``, and ``a`` of ``a.b``."""
    if node.type == "attribute":
        receiver = node.child_by_field_name("object")
        return [receiver] if receiver else []
    if node.type in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"):
        return [inner for child in node.named_children for inner in targets(child)]
    return [] if node.type == "identifier" else [node]


def bind_names(draft: Draft, node: Node | None) -> None:
    """Every name in a pattern gets an unknown value."""
    stack = [node] if node else []
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.bind_unknown(part)
        elif part.type not in ("attribute", "subscript", "call"):
            stack.extend(reversed(part.named_children))


def _named_expression(draft: Draft, node: Node) -> Visit:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None:
        draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))
    return [value] if value else []


def _for(draft: Draft, node: Node) -> Visit:
    draft.decide()
    left = node.child_by_field_name("left")
    bind_names(draft, left)
    rest = [child for child in node.named_children if child != left]
    return [*(targets(left) if left else []), *rest]


def _as_pattern(draft: Draft, node: Node) -> Visit:
    """``with open(x) as f``, ``except E as error``, ``case C() as c``."""
    children = [child for child in node.named_children if child.type != "comment"]
    alias = node.child_by_field_name("alias")
    if alias is None and len(children) == 2:
        alias = children[1]
    if alias is not None and children:
        target = first_named(alias) if alias.type == "as_pattern_target" else alias
        if target is not None and target.type == "identifier":
            kind, value = value_of(draft, children[0])
            in_except = node.parent is not None and node.parent.type in ("except_clause", "except_group_clause")
            draft.bind(draft.text(target), "type" if in_except and kind == "alias" else kind, value, draft.line(target))
        else:
            bind_names(draft, target)
            return [*children[:1], *(targets(target) if target else [])]
    return children[:1]


# uses


def use_dotted(draft: Draft, text: str, kind: UseKind, line: int) -> None:
    """Notes the use of a dotted name, and of its receiver where that is one name."""
    receiver, _, name = text.rpartition(".")
    if name.isidentifier():
        draft.use(name, receiver or None, kind, line)
        if receiver.isidentifier():
            draft.use(receiver, None, "reference", line)


def _identifier(draft: Draft, node: Node) -> Visit:
    draft.use(draft.text(node), None, _reference_kind(node), node.start_point[0] + 1)
    return ()


def _attribute(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if receiver is None or name is None:
        return node.named_children
    draft.use(draft.text(name), dotted(draft, receiver), _reference_kind(node), name.start_point[0] + 1)
    return [receiver]


def _reference_kind(node: Node) -> UseKind:
    parent = node.parent
    return "type" if parent is not None and parent.type in ("type", "generic_type", "union_type") else "reference"


def _call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    rest = [arguments] if arguments else []
    if function is None:
        return rest
    if function.type == "identifier":
        draft.use(draft.text(function), None, "call", function.start_point[0] + 1)
        return rest
    if function.type == "attribute":
        receiver, name = function.child_by_field_name("object"), function.child_by_field_name("attribute")
        if receiver is not None and name is not None:
            draft.use(draft.text(name), dotted(draft, receiver), "call", name.start_point[0] + 1)
            return [receiver, *rest]
    return [function, *rest]


def _decorator(draft: Draft, node: Node) -> Visit:
    expression = first_named(node)
    if expression is None:
        return ()
    rest: list[Node] = []
    called = expression.type == "call"
    if called:
        arguments = expression.child_by_field_name("arguments")
        rest = [arguments] if arguments else []
        expression = expression.child_by_field_name("function")
    if expression is None or expression.type not in ("identifier", "attribute"):
        return [*([expression] if expression else []), *rest]
    text = dotted(draft, expression)
    use_dotted(draft, text, "decorate", draft.line(expression))
    if called:  # a decorator with arguments is also a call of what makes it
        draft.use_text(text, "call", draft.line(expression))
    if expression.type == "attribute":
        receiver = expression.child_by_field_name("object")
        if receiver is not None and receiver.type != "identifier":
            rest.insert(0, receiver)
    return rest


def _type(draft: Draft, node: Node) -> Visit:
    """An annotation; strings in it are forward references."""
    stack = [node]
    rest: list[Node] = []
    while stack:
        part = stack.pop()
        if part.type == "string":
            if part.parent is not None and part.parent.type == "subscript" and "Literal" in draft.text(part.parent):
                continue
            for found in names_in(expression_in(draft.text(part))):
                use_dotted(draft, found, "type", draft.line(part))
        elif part.type == "identifier":
            draft.use(draft.text(part), None, "type", draft.line(part))
        elif part.type == "attribute":
            use_dotted(draft, dotted(draft, part), "type", draft.line(part))
        elif part.type == "call":
            rest.append(part)
        elif part.type == "generic_type" and draft.text(part).partition("[")[0].endswith("Literal"):
            continue
        else:
            stack.extend(reversed(part.named_children))
    return rest


def _lambda(draft: Draft, node: Node) -> Visit:
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    for parameter in parameters.named_children if parameters else ():
        name = parameter.child_by_field_name("name") or parameter
        bind_names(draft, name)
    return [part for part in (parameters, body) if part]


def _comprehension(draft: Draft, node: Node) -> Visit:
    """Clauses first: they bind what the body reads."""
    body = node.child_by_field_name("body")
    clauses = [child for child in node.named_children if child != body]
    return [*clauses, *([body] if body else [])]


def _case_pattern(draft: Draft, node: Node) -> Visit:
    """``case Point(x=0)`` uses the class, ``case [first, *rest]`` binds names."""
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type == "class_pattern":
            name = part.named_children[0]
            use_dotted(draft, draft.text(name), "reference", draft.line(name))
            stack.extend(reversed(part.named_children[1:]))
        elif part.type == "dotted_name":
            text = draft.text(part)
            if "." in text:
                use_dotted(draft, text, "reference", draft.line(part))
            else:
                draft.bind(text, "unknown", None, draft.line(part))
        elif part.type == "identifier":
            draft.bind_unknown(part)
        elif part.type == "keyword_pattern":
            stack.extend(reversed(part.named_children[1:]))
        else:
            stack.extend(reversed(part.named_children))
    return ()


# imports


def _aliased(node: Node) -> tuple[Node, Node | None]:
    """What is imported, and the other name that it gets."""
    is_alias = node.type == "aliased_import"
    return (is_alias and node.child_by_field_name("name")) or node, node.child_by_field_name("alias")


def _import(draft: Draft, node: Node) -> Visit:
    for child in node.children_by_field_name("name"):
        name, alias = _aliased(child)
        module = draft.text(name)
        if alias is not None:
            draft.add_import(draft.text(alias), module, None, draft.line(child))
        else:
            first = module.partition(".")[0]  # ``import a.b`` binds ``a``; ``b`` is reached through it
            draft.add_import(first, first, None, draft.line(child))
    return ()


def _import_from(draft: Draft, node: Node) -> Visit:
    module_node = node.child_by_field_name("module_name")
    module = "".join(draft.text(module_node).split()) if module_node else ""
    if any(child.type == "wildcard_import" for child in node.children):
        draft.add_import("*", module, "*", draft.line(node))
    for child in node.children_by_field_name("name"):
        name, alias = _aliased(child)
        draft.add_import(draft.text(alias or name), module, draft.text(name), draft.line(child))
    return ()


USE_HANDLERS: dict[str, Handler] = {
    "named_expression": _named_expression,
    **each(_for, "for_statement for_in_clause"),
    "as_pattern": _as_pattern,
    "identifier": _identifier,
    "attribute": _attribute,
    "call": _call,
    "decorator": _decorator,
    "keyword_argument": only("value"),
    **each(all_but_types("identifier", "comment"), "parameters lambda_parameters"),
    **each(only("type", "value"), "default_parameter typed_parameter typed_default_parameter"),
    **each(
        nothing,
        "list_splat_pattern dictionary_splat_pattern future_import_statement comment string_start string_content "
        "string_end",
    ),
    "type": _type,
    "lambda": _lambda,
    **each(_comprehension, "list_comprehension set_comprehension dictionary_comprehension generator_expression"),
    **each(
        decision,
        "if_statement elif_clause while_statement except_clause except_group_clause conditional_expression "
        "boolean_operator if_clause",
    ),
    "case_clause": decision,
    "case_pattern": _case_pattern,
    "import_statement": _import,
    "import_from_statement": _import_from,
}
