"""Python: its scopes and what it assigns."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import each, first_named, header, returning
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.python.links import LINKS
from ragforge_memory.code.python.text import TREES, arguments_of, dotted, type_text, value_of
from ragforge_memory.code.python.uses import USE_HANDLERS, bind_names, targets, use_dotted
from ragforge_memory.collection import paused_collection

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
_ABSTRACT = frozenset({"ABC", "ABCMeta", "Protocol"})
_PASSED_ON = frozenset({"Iterator", "Generator", "AsyncIterator", "AsyncGenerator", "Iterable", "AsyncIterable"})
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager", "fixture"})
_CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*$")
_PREFIX = re.compile(r"^[A-Za-z]*('''|\"\"\"|'|\")")


# definitions


def _decorated(draft: Draft, node: Node) -> Visit:
    definition = node.child_by_field_name("definition")
    if definition is None:
        return node.named_children
    decorators = [child for child in node.named_children if child.type == "decorator"]
    if definition.type == "class_definition":
        return _class(draft, definition, node, decorators)
    return _function(draft, definition, node, decorators)


def _decorator_names(draft: Draft, decorators: Sequence[Node]) -> list[str]:
    names = []
    for decorator in decorators:
        expression = first_named(decorator)
        if expression is not None and expression.type == "call":
            expression = expression.child_by_field_name("function")
        if expression is not None:
            names.append(draft.text(expression))
    return names


def _function(draft: Draft, node: Node, whole: Node | None = None, decorators: Sequence[Node] = ()) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    parameters = node.child_by_field_name("parameters")
    if name_node is None or body is None or parameters is None:
        return node.named_children
    current = draft.current
    in_class = current is not None and current.is_type
    names = _decorator_names(draft, decorators)
    modifiers = ["async"] if node.children and node.children[0].type == "async" else []
    modifiers += [m for m in map(_modifier, names) if m]
    returns = node.child_by_field_name("return_type")
    scope = draft.open(
        node,
        name_node,
        "method" if in_class else "function",
        whole=whole,
        end=_last_statement(body),
        signature=header(draft, node, body, parameters),
        docstring=_docstring(draft, body),
        return_type=draft.text(returns) if returns else None,
        returns=_returns(draft, returns, names),
        parameters=[draft.text(p) for p in parameters.named_children if p.type != "comment"],
        modifiers=modifiers,
        decorators=names,
    )
    scope.definition_line = draft.line(node)  # the keyword's, also where the name is on the next
    _bind_parameters(draft, parameters, in_class and "staticmethod" not in modifiers)
    parts = [*decorators, node.child_by_field_name("type_parameters"), parameters, returns, body]
    return [*(part for part in parts if part), CLOSE]


def _modifier(decorator: str) -> str:
    last = decorator.rpartition(".")[2]
    if last in ("property", "cached_property", "abstractproperty"):
        return "property"
    if last in ("setter", "deleter", "getter") and "." in decorator:
        return last
    return last if last in ("staticmethod", "classmethod", "abstractmethod", "overload") else ""


def _returns(draft: Draft, node: Node | None, decorators: Sequence[str]) -> str | None:
    found = type_text(draft, node)
    managed = _is_managed(decorators)
    if managed and found and found.rpartition(".")[2] in _PASSED_ON and node is not None:
        generic = first_named(node)  # what ``with`` binds is what the generator yields
        inner = arguments_of(generic) if generic is not None else []
        return type_text(draft, inner[0]) if inner else None
    return found


def _is_managed(decorators: Iterable[str]) -> bool:
    """Whether what a function yields is what its user gets."""
    return any(name.rpartition(".")[2] in _MANAGERS for name in decorators)


def _bind_parameters(draft: Draft, parameters: Node, bound: bool) -> None:
    for node in parameters.named_children:
        kind = node.type
        line = draft.line(node)
        if kind == "identifier":
            draft.bind(draft.text(node), "self" if bound else "parameter", None, line)
        elif kind == "typed_parameter":
            inner = first_named(node)
            if inner is not None and inner.type == "identifier":
                annotation = type_text(draft, node.child_by_field_name("type"))
                draft.bind(draft.text(inner), "self" if bound else "parameter", None if bound else annotation, line)
            elif inner is not None:
                bind_names(draft, inner)
        elif kind in ("default_parameter", "typed_default_parameter"):
            name = node.child_by_field_name("name")
            if name is not None:
                annotation = type_text(draft, node.child_by_field_name("type"))
                draft.bind(draft.text(name), "type", annotation, line)
        elif kind in ("list_splat_pattern", "dictionary_splat_pattern"):
            bind_names(draft, node)
        else:
            continue
        bound = False


def _class(draft: Draft, node: Node, whole: Node | None = None, decorators: Sequence[Node] = ()) -> Visit:
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name_node is None or body is None:
        return node.named_children
    superclasses = node.child_by_field_name("superclasses")
    arguments = superclasses.named_children if superclasses else []
    bases: list[tuple[str, int]] = []
    last_names: set[str] = set()
    inside: list[Node] = []
    for argument in arguments:
        if argument.type == "keyword_argument":
            value = argument.child_by_field_name("value")
            last_names.add(dotted(draft, value).rpartition(".")[2])
            inside.append(argument)
        elif argument.type not in ("comment", "list_splat", "dictionary_splat"):
            base = argument.child_by_field_name("value") if argument.type == "subscript" else argument
            text = dotted(draft, base)
            if argument.type == "subscript":
                inside.extend(argument.children_by_field_name("subscript"))
            if argument.type == "call":
                inside.append(argument)
            bases.append((text, draft.line(argument)))
            last_names.add(text.rpartition(".")[2])
    type: ScopeType = "class"
    if last_names & _ENUMS:
        type = "enum"
    elif last_names & _ABSTRACT:
        type = "interface"
    scope = draft.open(
        node,
        name_node,
        type,
        whole=whole,
        end=_last_statement(body),
        signature=header(draft, node, body, superclasses),
        docstring=_docstring(draft, body),
        decorators=_decorator_names(draft, decorators),
        bases=[text for text, _ in bases],
    )
    scope.definition_line = draft.line(node)
    for text, line in bases:
        use_dotted(draft, text, "inherit", line)
    parameters = node.child_by_field_name("type_parameters")
    return [*decorators, *([parameters] if parameters else []), *inside, body, CLOSE]


def _last_statement(body: Node) -> Node:
    """The last statement's last inner one: comments behind it are not part of the definition."""
    while True:
        inner = [child for child in body.children if child.type != "comment"]
        if not inner or body.type not in _COMPOUND:
            return body
        if inner[-1].type not in _COMPOUND:
            return inner[-1] if body.type == "block" or inner[-1].is_named else body
        body = inner[-1]


_COMPOUND = frozenset(
    {"block", "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement",
     "except_clause", "except_group_clause", "finally_clause", "with_statement", "match_statement", "case_clause",
     "function_definition", "class_definition", "decorated_definition"}
)  # fmt: skip


def _docstring(draft: Draft, body: Node) -> str | None:
    first = first_named(body)
    if first is None or first.type != "expression_statement":
        return None
    string = first_named(first)
    if string is None or string.type != "string" or string.child_count == 0:
        return None
    text = draft.text(string)
    quote = _PREFIX.match(text)
    if quote is None or "f" in quote[0].lower().rstrip("'\""):
        return None
    return inspect.cleandoc(text[quote.end() : -len(quote[1])]) or None


# assignments


def _assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    annotation = node.child_by_field_name("type")
    if left is None:
        return node.named_children
    parts: list[Node] = [part for part in (annotation, right) if part]
    if left.type == "identifier":
        name = draft.text(left)
        if annotation is not None and (declared := type_text(draft, annotation)) is not None:
            draft.bind(name, "type", declared, draft.line(left))
        else:
            draft.bind(name, *value_of(draft, right), draft.line(left))
        if _worth_naming(draft, node, name, annotation):
            value = draft.compact(node.start_byte, node.end_byte)
            draft.open(
                node,
                name,
                "constant",
                name_node=left,
                signature=value if len(value) <= 120 else f"{value[:117]}...",
                return_type=draft.text(annotation) if annotation else None,
                returns=type_text(draft, annotation),
            )
            return [*parts, CLOSE]
        return parts
    if left.type == "attribute":
        return [*_bind_field(draft, left, right, annotation), *parts]
    bind_names(draft, left)
    return [*targets(left), *parts]


def _worth_naming(draft: Draft, node: Node, name: str, annotation: Node | None) -> bool:
    scope = draft.current
    if (name.startswith("__") and name.endswith("__")) or draft.defines(name):
        return False
    if scope is None:
        return not name.startswith("_") or _CONSTANT.match(name) is not None
    if not scope.is_type or node.child_by_field_name("right") is None:
        return False
    final = annotation is not None and "Final" in draft.text(annotation)
    return scope.type == "enum" or final or _CONSTANT.match(name) is not None


def _bind_field(draft: Draft, left: Node, right: Node | None, annotation: Node | None) -> list[Node]:
    """``self.x = …`` binds a field of the class; what else is assigned to is an expression to visit."""
    receiver, name_node = left.child_by_field_name("object"), left.child_by_field_name("attribute")
    function, owner = draft.enclosing_function, draft.enclosing_type
    if receiver is None or name_node is None:
        return []
    if receiver.type == "identifier" and function is not None and owner is not None:
        me = draft.text(receiver)
        if any(b.kind == "self" for b in function.bound(me)):
            kind, value = ("type", declared) if (declared := type_text(draft, annotation)) else value_of(draft, right)
            known = draft.known(value) if kind == "alias" and value else None
            if known is not None:
                kind, value = known.kind, known.value
            elif value is not None and value.partition(".")[0] == me:
                value = "self" + value[len(me) :]
            elif kind == "alias" and value is not None and function.bound(value):
                kind, value = "unknown", None
            draft.bind(draft.text(name_node), kind, value, draft.line(left), owner)
            return []
    return [receiver]


def _block(draft: Draft, node: Node) -> Visit:
    """The grammar takes a block without statements for empty where Python misses its indentation."""
    if first_named(node) is None:
        draft.doubtful = True
    return node.named_children


def _global(draft: Draft, node: Node) -> Visit:
    scope = draft.enclosing_function
    if scope is not None:
        scope.outside.update(draft.text(child) for child in node.named_children)
    return ()


def _yield(draft: Draft, node: Node) -> Visit:
    scope = draft.current
    if scope is not None and scope.returns is None and _is_managed(scope.decorators):
        kind, value = value_of(draft, first_named(node))
        if value is not None:
            draft.bind("return", kind, value, draft.line(node))
    return node.named_children


def _type_alias(draft: Draft, node: Node) -> Visit:
    """``type Name = …``"""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return node.named_children
    name = draft.text(left).partition("[")[0]
    signature = draft.compact(node.start_byte, node.end_byte)
    draft.open(node, name, "type", name_node=left, signature=signature, returns=type_text(draft, right))
    return [right, CLOSE]


def refusal(root: Node, data: bytes) -> str | None:
    """The grammar stumbles over some good code, so Python itself has the last word on a file with errors."""
    import ast

    with TREES, warnings.catch_warnings(), paused_collection():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except SyntaxError as error:
            return f"syntax error in line {error.lineno}: {error.msg}"
        except (ValueError, MemoryError, RecursionError) as error:
            return f"Python cannot read it: {error}"
    return None


_HANDLERS: dict[str, Handler] = {
    **USE_HANDLERS,
    "block": _block,
    **each(_global, "global_statement nonlocal_statement"),
    "decorated_definition": _decorated,
    "function_definition": _function,
    "class_definition": _class,
    "type_alias_statement": _type_alias,
    "assignment": _assignment,
    "return_statement": returning(value_of),
    "yield": _yield,
}

READER = Reader(
    grammar="tree_sitter_python",
    handlers=_HANDLERS,
    links=LINKS,
    atoms=frozenset({"string"}),
    blocks=frozenset({"block"}),
    transparent=frozenset({"module"}),
    refusal=refusal,
    normal_form="NFKC",
)
