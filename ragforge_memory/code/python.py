"""Python: its scopes, what they use, and how its imports reach other files."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.draft import CLOSE, Draft, Handler, OpenScope
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links, Place
from ragforge_memory.code.parsed import BindingKind, Import, ParsedFile, ParsedScope, ScopeType, UseKind
from ragforge_memory.code.python_names import COMMON_MEMBERS

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import _Close
    from ragforge_memory.code.index import ProjectIndex

    Visit = Iterable[Node | _Close]

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
_ABSTRACT = frozenset({"ABC", "ABCMeta", "Protocol"})
_LITERALS = frozenset(
    {"string", "concatenated_string", "integer", "float", "list", "tuple", "dictionary", "set", "lambda", "true",
     "false", "none", "list_comprehension", "dictionary_comprehension", "set_comprehension", "generator_expression",
     "ellipsis", "binary_operator", "comparison_operator", "not_operator", "unary_operator"}
)  # fmt: skip
_WRAPPERS = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Type"})
_PASSED_ON = frozenset({"Iterator", "Generator", "AsyncIterator", "AsyncGenerator", "Iterable", "AsyncIterable"})
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager", "fixture"})
_CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*$")
_FORWARD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PREFIX = re.compile(r"^[A-Za-z]*('''|\"\"\"|'|\")")


def _grammar(path: str) -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a module's tree."""
    draft.walk(root, _HANDLERS)


# expressions as dotted text


def dotted(draft: Draft, node: Node | None) -> str:
    """An expression as dotted text; see parsed.py."""
    tail: list[str] = []
    while node is not None:
        kind = node.type
        if kind == "identifier":
            tail.append(draft.text(node))
            return _joined(tail)
        if kind == "attribute":
            name = node.child_by_field_name("attribute")
            tail.append(f".{draft.text(name)}" if name else ".?")
            node = node.child_by_field_name("object")
        elif kind == "call":
            tail.append("()")
            node = node.child_by_field_name("function")
        elif kind == "subscript":
            tail.append("[]")
            node = node.child_by_field_name("value")
        elif kind in ("parenthesized_expression", "await", "named_expression", "type"):
            node = node.child_by_field_name("value") or _first_named(node)
        elif kind in _LITERALS:
            tail.append("!")
            return _joined(tail)
        else:
            break
    tail.append("?")
    return _joined(tail)


def _joined(tail: list[str]) -> str:
    return "".join(reversed(tail))


def _first_named(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type != "comment"), None)


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The class that an annotation means, as dotted text: of an optional the inner, of a union the first."""
    while node is not None:
        kind = node.type
        if kind in ("identifier", "attribute"):
            return dotted(draft, node)
        if kind == "string":
            found = _FORWARD.search(draft.text(node).strip("rRbBuU'\""))
            return found[0] if found else None
        if kind == "type":
            node = _first_named(node)
        elif kind in ("binary_operator", "union_type"):
            parts = [part for part in node.named_children if draft.text(part) != "None"]
            node = parts[0] if parts else None
        elif kind in ("subscript", "generic_type"):
            outer = node.named_children[0] if node.named_children else None
            name = dotted(draft, outer).rpartition(".")[2] if outer else ""
            if name in _WRAPPERS or name == "Union":
                inner = [part for part in _arguments(node) if draft.text(part) != "None"]
                node = inner[0] if inner else None
            else:
                node = outer
        else:
            return None
    return None


def _arguments(node: Node) -> list[Node]:
    """What stands between the brackets of a subscript or generic type."""
    inner = node.named_children[1:]
    if len(inner) == 1 and inner[0].type == "type_parameter":
        inner = inner[0].named_children
    return inner


def _value(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind == "call":
            return "call", dotted(draft, node.child_by_field_name("function"))
        if kind in ("identifier", "attribute", "subscript"):
            return "alias", dotted(draft, node)
        if kind in ("await", "parenthesized_expression", "named_expression"):
            node = node.child_by_field_name("value") or _first_named(node)
        elif kind == "boolean_operator":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            node = right if right is not None and right.type == "call" else left
        elif kind == "conditional_expression":
            parts = [part for part in node.named_children if part.type != "comment"]
            node = parts[2] if len(parts) == 3 and parts[0].type in _LITERALS else _first_named(node)
        else:
            break
    return "unknown", None


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
        expression = _first_named(decorator)
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
        draft.text(name_node),
        "method" if in_class else "function",
        name_node=name_node,
        whole=whole,
        end=_last_statement(body),
        signature=_signature(draft, node, body, parameters),
        docstring=_docstring(draft, body),
        return_type=draft.text(returns) if returns else None,
        returns=_returns(draft, returns, names),
        parameters=[draft.text(p) for p in parameters.named_children if p.type != "comment"],
        modifiers=modifiers,
        decorators=names,
    )
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
        generic = _first_named(node)  # what ``with`` binds is what the generator yields
        inner = _arguments(generic) if generic is not None else []
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
            inner = _first_named(node)
            if inner is not None and inner.type == "identifier":
                annotation = type_text(draft, node.child_by_field_name("type"))
                draft.bind(draft.text(inner), "self" if bound else "parameter", None if bound else annotation, line)
            elif inner is not None:
                _bind_names(draft, inner)
        elif kind in ("default_parameter", "typed_default_parameter"):
            name = node.child_by_field_name("name")
            if name is not None:
                annotation = type_text(draft, node.child_by_field_name("type"))
                draft.bind(draft.text(name), "type", annotation, line)
        elif kind in ("list_splat_pattern", "dictionary_splat_pattern"):
            _bind_names(draft, node)
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
    draft.open(
        node,
        draft.text(name_node),
        type,
        name_node=name_node,
        whole=whole,
        end=_last_statement(body),
        signature=_signature(draft, node, body, superclasses),
        docstring=_docstring(draft, body),
        decorators=_decorator_names(draft, decorators),
        bases=[text for text, _ in bases],
    )
    for text, line in bases:
        _use_dotted(draft, text, "inherit", line)
    parameters = node.child_by_field_name("type_parameters")
    return [*decorators, *([parameters] if parameters else []), *inside, body, CLOSE]


def _signature(draft: Draft, node: Node, body: Node, parameters: Node | None) -> str:
    comments = [c for c in (*node.children, *(parameters.children if parameters else ())) if c.type == "comment"]
    comments.sort(key=lambda comment: comment.start_byte)
    return draft.compact(node.start_byte, body.start_byte, comments).rstrip(": ")


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
    first = _first_named(body)
    if first is None or first.type != "expression_statement":
        return None
    string = _first_named(first)
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
            draft.bind(name, *_value(draft, right), draft.line(left))
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
    _bind_names(draft, left)
    return [*_targets(left), *parts]


def _worth_naming(draft: Draft, node: Node, name: str, annotation: Node | None) -> bool:
    scope = draft.current
    if name.startswith("__") and name.endswith("__"):
        return False
    if scope is None:
        if any(known.qualified_name == name for known in draft.scopes if known.parent is None):
            return False
        return not name.startswith("_") or _CONSTANT.match(name) is not None
    if not scope.is_type or node.child_by_field_name("right") is None:
        return False
    if any(known.parent is scope and known.name == name for known in reversed(draft.scopes)):
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
        if any(b.name == me and b.kind == "self" for b in function.bindings):
            kind, value = ("type", declared) if (declared := type_text(draft, annotation)) else _value(draft, right)
            known = draft.known(value) if kind == "alias" and value else None
            if known is not None:
                kind, value = known.kind, known.value
            elif value is not None and value.partition(".")[0] == me:
                value = "self" + value[len(me) :]
            elif kind == "alias" and value is not None and any(b.name == value for b in function.bindings):
                kind, value = "unknown", None
            draft.bind(draft.text(name_node), kind, value, draft.line(left), owner)
            return []
    return [receiver]


def _targets(node: Node) -> list[Node]:
    """The expressions inside an assignment's left side that are read: ``a[i]``, and ``a`` of ``a.b``."""
    if node.type == "attribute":
        receiver = node.child_by_field_name("object")
        return [receiver] if receiver else []
    if node.type in ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"):
        return [inner for child in node.named_children for inner in _targets(child)]
    return [] if node.type == "identifier" else [node]


def _bind_names(draft: Draft, node: Node | None) -> None:
    """Every name in a pattern gets an unknown value."""
    stack = [node] if node else []
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.bind(draft.text(part), "unknown", None, draft.line(part))
        elif part.type not in ("attribute", "subscript", "call"):
            stack.extend(part.named_children)


def _augmented(draft: Draft, node: Node) -> Visit:
    return node.named_children


def _named_expression(draft: Draft, node: Node) -> Visit:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None:
        draft.bind(draft.text(name), *_value(draft, value), draft.line(name))
    return [value] if value else []


def _for(draft: Draft, node: Node) -> Visit:
    draft.decide()
    left = node.child_by_field_name("left")
    _bind_names(draft, left)
    rest = [child for child in node.named_children if child != left]
    return [*(_targets(left) if left else []), *rest]


def _as_pattern(draft: Draft, node: Node) -> Visit:
    """``with open(x) as f``, ``except E as error``, ``case C() as c``."""
    children = [child for child in node.named_children if child.type != "comment"]
    alias = node.child_by_field_name("alias")
    if alias is None and len(children) == 2:
        alias = children[1]
    if alias is not None and children:
        target = _first_named(alias) if alias.type == "as_pattern_target" else alias
        if target is not None and target.type == "identifier":
            kind, value = _value(draft, children[0])
            in_except = node.parent is not None and node.parent.type in ("except_clause", "except_group_clause")
            draft.bind(draft.text(target), "type" if in_except and kind == "alias" else kind, value, draft.line(target))
        else:
            _bind_names(draft, target)
            return [*children[:1], *(_targets(target) if target else [])]
    return children[:1]


def _global(draft: Draft, node: Node) -> Visit:
    scope = draft.enclosing_function
    if scope is not None:
        scope.outside.update(draft.text(child) for child in node.named_children)
    return ()


def _return(draft: Draft, node: Node) -> Visit:
    scope = draft.current
    if scope is not None and scope.returns is None and scope.type in ("function", "method"):
        kind, value = _value(draft, _first_named(node))
        if value is not None:
            draft.bind("return", kind, value, draft.line(node))
    return node.named_children


def _yield(draft: Draft, node: Node) -> Visit:
    scope = draft.current
    if scope is not None and scope.returns is None and _is_managed(scope.decorators):
        kind, value = _value(draft, _first_named(node))
        if value is not None:
            draft.bind("return", kind, value, draft.line(node))
    return node.named_children


# uses


def _use_dotted(draft: Draft, text: str, kind: UseKind, line: int) -> None:
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
    expression = _first_named(node)
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
    _use_dotted(draft, text, "decorate", draft.line(expression))
    if called:  # a decorator with arguments is also a call of what makes it
        receiver_text, _, name = text.rpartition(".")
        draft.use(name, receiver_text or None, "call", draft.line(expression))
    if expression.type == "attribute":
        receiver = expression.child_by_field_name("object")
        if receiver is not None and receiver.type != "identifier":
            rest.insert(0, receiver)
    return rest


def _keyword_argument(draft: Draft, node: Node) -> Visit:
    value = node.child_by_field_name("value")
    return [value] if value else []


def _parameter(draft: Draft, node: Node) -> Visit:
    """Names of parameters are not uses; their types and defaults are."""
    parts = (node.child_by_field_name("type"), node.child_by_field_name("value"))
    return [part for part in parts if part]


def _parameters(draft: Draft, node: Node) -> Visit:
    return [child for child in node.named_children if child.type not in ("identifier", "comment")]


def _type(draft: Draft, node: Node) -> Visit:
    """An annotation; strings in it are forward references."""
    stack = [node]
    rest: list[Node] = []
    while stack:
        part = stack.pop()
        if part.type == "string":
            if part.parent is not None and part.parent.type == "subscript" and "Literal" in draft.text(part.parent):
                continue
            for found in _FORWARD.findall(draft.text(part).strip("rRuU'\"")):
                _use_dotted(draft, found, "type", draft.line(part))
        elif part.type == "identifier":
            draft.use(draft.text(part), None, "type", draft.line(part))
        elif part.type == "attribute":
            _use_dotted(draft, dotted(draft, part), "type", draft.line(part))
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
        _bind_names(draft, name)
    return [part for part in (parameters, body) if part]


def _comprehension(draft: Draft, node: Node) -> Visit:
    """Clauses first: they bind what the body reads."""
    body = node.child_by_field_name("body")
    clauses = [child for child in node.named_children if child != body]
    return [*clauses, *([body] if body else [])]


def _decision(draft: Draft, node: Node) -> Visit:
    draft.decide()
    return node.named_children


def _case(draft: Draft, node: Node) -> Visit:
    draft.decide()
    return node.named_children


def _case_pattern(draft: Draft, node: Node) -> Visit:
    """``case Point(x=0)`` uses the class, ``case [first, *rest]`` binds names."""
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type == "class_pattern":
            name = part.named_children[0]
            _use_dotted(draft, draft.text(name), "reference", draft.line(name))
            stack.extend(reversed(part.named_children[1:]))
        elif part.type == "dotted_name":
            text = draft.text(part)
            if "." in text:
                _use_dotted(draft, text, "reference", draft.line(part))
            else:
                draft.bind(text, "unknown", None, draft.line(part))
        elif part.type == "identifier":
            draft.bind(draft.text(part), "unknown", None, draft.line(part))
        elif part.type == "keyword_pattern":
            stack.extend(reversed(part.named_children[1:]))
        else:
            stack.extend(reversed(part.named_children))
    return ()


def _nothing(draft: Draft, node: Node) -> Visit:
    return ()


def _type_alias(draft: Draft, node: Node) -> Visit:
    """``type Name = …``"""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return node.named_children
    name = draft.text(left).partition("[")[0]
    signature = draft.compact(node.start_byte, node.end_byte)
    draft.open(node, name, "type", name_node=left, signature=signature, returns=type_text(draft, right))
    return [right, CLOSE]


# imports


def _import(draft: Draft, node: Node) -> Visit:
    for child in node.children_by_field_name("name"):
        name, alias = child, None
        if child.type == "aliased_import":
            inner = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias")
            name = inner or child
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
        name, alias = child, None
        if child.type == "aliased_import":
            inner = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias")
            name = inner or child
        draft.add_import(draft.text(alias or name), module, draft.text(name), draft.line(child))
    return ()


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """The module files (or namespace directories) that ``import`` means, nearest to the importing file first."""
    name = imported.module
    here = file.path[: file.path.rfind("/") + 1]
    dots = len(name) - len(name.lstrip("."))
    if dots:
        for _ in range(dots - 1):
            here = here[: here.rstrip("/").rfind("/") + 1]
        found = _module_at(index, here + name[dots:].replace(".", "/"))
        return [found] if found else []
    key = ("python", here, name)
    if key not in index.memo:
        index.memo[key] = _absolute(index, here, name)
    found_all: Sequence[str] = index.memo[key]
    return found_all


def _absolute(index: ProjectIndex, here: str, name: str) -> Sequence[str]:
    """Any directory above a top-level package may be on the path; one next to the importing file is likelier."""
    tail = name.replace(".", "/")
    found = []
    for root in _roots(index):
        module = _module_at(index, root + tail)
        if module and (root or module != "./"):
            found.append((not here.startswith(root), -_shared(root, here), len(root), module))
    return [module for *_, module in sorted(found)]


def _roots(index: ProjectIndex) -> list[str]:
    """Directories with Python files or packages that are not packages themselves."""
    key = ("python", "roots")
    if key not in index.memo:
        directories = {"", *index.all_directories}
        index.memo[key] = sorted(d for d in directories if f"{d}__init__.py" not in index.files)
    roots: list[str] = index.memo[key]
    return roots


def _shared(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count


def _module_at(index: ProjectIndex, base: str) -> str | None:
    base = base.rstrip("/")
    prefix = f"{base}/" if base else ""
    for path in (f"{base}.py", f"{prefix}__init__.py", f"{base}.pyi", f"{prefix}__init__.pyi"):
        if path in index.files:
            return path
    return prefix if prefix in index.all_directories else None


def submodule(index: ProjectIndex, module: str, name: str) -> str | None:
    """``pkg/__init__.py`` and ``mod`` to ``pkg/mod.py``."""
    filename = module.rpartition("/")[2]
    if filename and not filename.startswith("__init__."):
        return None
    return _module_at(index, module[: module.rfind("/") + 1] + name)


def injected(index: ProjectIndex, path: str, scope: ParsedScope, name: str) -> Place | None:
    """The fixture that pytest passes for a parameter: of the class, the module, or a ``conftest.py`` above."""
    if not scope.name.startswith("test") and not _is_fixture(scope):
        return None
    file = index.files[path]
    parent = scope.parent
    while parent is not None:
        found = _fixture(file.children.get(parent, {}).get(name, ()), scope)
        if found is not None:
            return path, found.key
        parent = file.by_key[parent].parent
    directory = path[: path.rfind("/") + 1]
    places = [path]
    while True:
        places.append(f"{directory}conftest.py")
        if not directory:
            break
        directory = directory[: directory.rstrip("/").rfind("/") + 1]
    for place in places:
        if place in index.files:
            found = _fixture(index.files[place].top.get(name, ()), scope)
            if found is not None:
                return place, found.key
    return None


def _fixture(scopes: Sequence[ParsedScope], besides: ParsedScope) -> ParsedScope | None:
    return next((scope for scope in scopes if scope is not besides and _is_fixture(scope)), None)


def _is_fixture(scope: ParsedScope) -> bool:
    return any(name.rpartition(".")[2] == "fixture" for name in scope.decorators)


def refusal(root: Node, data: bytes) -> str | None:
    """The grammar stumbles over some good code, so Python itself has the last word on a file with errors."""
    import ast

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(data)
        except SyntaxError as error:
            return f"syntax error in line {error.lineno}: {error.msg}"
        except (ValueError, MemoryError, RecursionError) as error:
            return f"Python cannot read it: {error}"
    return None


_HANDLERS: dict[str, Handler] = {
    "decorated_definition": _decorated,
    "function_definition": _function,
    "class_definition": _class,
    "type_alias_statement": _type_alias,
    "assignment": _assignment,
    "augmented_assignment": _augmented,
    "named_expression": _named_expression,
    "for_statement": _for,
    "for_in_clause": _for,
    "as_pattern": _as_pattern,
    "global_statement": _global,
    "nonlocal_statement": _global,
    "return_statement": _return,
    "yield": _yield,
    "identifier": _identifier,
    "attribute": _attribute,
    "call": _call,
    "decorator": _decorator,
    "keyword_argument": _keyword_argument,
    "parameters": _parameters,
    "lambda_parameters": _parameters,
    "default_parameter": _parameter,
    "typed_parameter": _parameter,
    "typed_default_parameter": _parameter,
    "list_splat_pattern": _nothing,
    "dictionary_splat_pattern": _nothing,
    "type": _type,
    "lambda": _lambda,
    "list_comprehension": _comprehension,
    "set_comprehension": _comprehension,
    "dictionary_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "if_statement": _decision,
    "elif_clause": _decision,
    "while_statement": _decision,
    "except_clause": _decision,
    "except_group_clause": _decision,
    "conditional_expression": _decision,
    "boolean_operator": _decision,
    "if_clause": _decision,
    "case_clause": _case,
    "case_pattern": _case_pattern,
    "import_statement": _import,
    "import_from_statement": _import_from,
    "future_import_statement": _nothing,
    "comment": _nothing,
    "string_start": _nothing,
    "string_content": _nothing,
    "string_end": _nothing,
}

READER = Reader(
    grammar=_grammar,
    extract=extract,
    links=Links(
        modules=modules,
        submodule=submodule,
        injected=injected,
        self_names=frozenset({"self"}),
        super_names=frozenset({"super()"}),
        imports_visible=True,
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"string"}),
    blocks=frozenset({"block"}),
    transparent=frozenset({"module"}),
    refusal=refusal,
)
