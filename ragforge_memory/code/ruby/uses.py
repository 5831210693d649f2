"""What Ruby code uses and binds, and the types that ``Struct.new`` makes; its expressions as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, closing, comment_free, doc_before, first_named, present, signature_line
from ragforge_memory.code.draft import Draft

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft, Visit
    from ragforge_memory.code.parsed import BindingKind


VARIABLES = frozenset({"instance_variable", "class_variable", "global_variable"})
_LITERAL_TYPES = """
string integer float array hash regex simple_symbol delimited_symbol true false nil lambda string_array symbol_array
range chained_string heredoc_beginning rational complex character subshell binary unary
"""
_LITERALS = frozenset(_LITERAL_TYPES.split())
_SAME = frozenset({"class", "itself", "dup", "freeze", "tap", "clone", "then"})
"""Methods whose value is taken for the receiver: its class, or the same object."""


def is_local(draft: Draft, name: str) -> bool:
    """Whether a bare name is a variable here and not a call."""
    scope = draft.current
    while scope is not None and not scope.is_type:
        if scope.bound(name):
            return True
        scope = scope.parent if scope.type == "constant" else None
    return False


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; a bare name that is not a variable is a call, ``X.new`` is a call of X."""
    kind = node.type
    if kind == "identifier":
        text = draft.text(node)
        return text if is_local(draft, text) else f"{text}()"
    if kind in ("constant", "self", "super") or kind in VARIABLES:
        return draft.text(node)
    if kind == "scope_resolution":
        name, scope = node.child_by_field_name("name"), node.child_by_field_name("scope")
        text = draft.text(name) if name is not None else "?"
        if scope is None:
            return text
        tail.append(f".{text}")
        return scope
    elif kind == "call":
        receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        name_text = draft.text(method) if method is not None else "?"
        if receiver is None:
            return "self()" if name_text == "new" else f"{name_text}()"
        if name_text == "new":
            tail.append("()")
        elif name_text not in _SAME:
            tail.append(f".{name_text}()")
        return receiver
    elif kind == "element_reference":
        tail.append("[]")
        return node.child_by_field_name("object") or first_named(node)
    elif kind in ("parenthesized_statements", "assignment", "operator_assignment"):
        return node.child_by_field_name("right") or first_named(node)
    elif kind in _LITERALS:
        return "!"
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None and node.type in ("parenthesized_statements", "binary", "assignment", "conditional"):
        if node.type == "binary":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type not in ("||", "or"):
                return "unknown", None
        node = node.child_by_field_name("consequence") or node.child_by_field_name("right") or first_named(node)
    if node is None:
        return "unknown", None
    if node.type == "call":
        text = dotted(draft, node)
        return ("call", text.removesuffix("()")) if text.endswith("()") else ("alias", text)
    if node.type == "identifier":
        text = draft.text(node)
        return ("alias", text) if is_local(draft, text) else ("call", text)
    if node.type in ("constant", "scope_resolution", "self") or node.type in VARIABLES:
        return "alias", dotted(draft, node)
    return "unknown", None


def symbol_name(draft: Draft, node: Node) -> str | None:
    """The name that a symbol or a string says: ``:price``."""
    if node.type == "simple_symbol":
        return draft.text(node).lstrip(":")
    if node.type == "string":
        inner = comment_free(node.named_children)
        return draft.text(inner[0]) if len(inner) == 1 and inner[0].type == "string_content" else None
    return None


VISIBILITIES = frozenset({"private", "protected", "public", "module_function", "private_class_method"})


def _last(body: Node | None) -> Node | None:
    found = comment_free(body.named_children) if body is not None else []
    return found[-1] if found else None


def use_identifier(draft: Draft, node: Node) -> Visit:
    text = draft.text(node)
    if not is_local(draft, text) and text not in VISIBILITIES:
        draft.use(text, None, "call", draft.line(node))
    return ()


def use_scope_resolution(draft: Draft, node: Node) -> Visit:
    name, scope = node.child_by_field_name("name"), node.child_by_field_name("scope")
    if name is not None:
        draft.use(draft.text(name), dotted(draft, scope) if scope is not None else None, "reference", draft.line(name))
    return present(scope)


METHOD_OBJECTS = frozenset({"method", "public_method", "instance_method", "public_instance_method"})
"""Methods that give one as a value."""


def use_method_object(draft: Draft, receiver: Node | None, arguments: Node | None) -> bool:
    """``method(:price)``, ``shelf.method(:price)``: the method as a value; whether its name is said."""
    said = first_named(arguments)
    name = symbol_name(draft, said) if said is not None else None
    if said is None or name is None:
        return False
    draft.use(name, dotted(draft, receiver) if receiver is not None else None, "reference", draft.line(said))
    return True


def use_words(draft: Draft, arguments: Node | None) -> None:
    """``before_action :login``, ``rescue_from Late, with: :oops`` in a class: words that may be its methods' names."""
    scope = draft.current
    if scope is None or not scope.is_type:
        return
    for said in comment_free(arguments.named_children) if arguments is not None else ():
        word = said.child_by_field_name("value") if said.type == "pair" else said
        if word is not None and word.type == "simple_symbol":
            draft.use(draft.text(word).lstrip(":"), "self", "word", draft.line(word))


def use_super(draft: Draft, node: Node) -> Visit:
    method = draft.enclosing_function
    if method is not None and method.type == "method":
        draft.use(method.name, "super", "call", draft.line(node))
    return ()


def use_rescue(draft: Draft, node: Node) -> Visit:
    draft.decide()
    variable = first_named(node.child_by_field_name("variable"))
    exceptions = node.child_by_field_name("exceptions")
    if variable is not None and variable.type == "identifier":
        first = first_named(exceptions)
        known = dotted(draft, first) if first is not None and first.type in ("constant", "scope_resolution") else None
        draft.bind(draft.text(variable), "type" if known else "unknown", known, draft.line(variable))
    return present(exceptions, node.child_by_field_name("body"))


def use_for(draft: Draft, node: Node) -> Visit:
    draft.decide()
    pattern = node.child_by_field_name("pattern")
    if pattern is not None and pattern.type == "identifier":
        draft.bind_unknown(pattern)
    return present(node.child_by_field_name("value"), node.child_by_field_name("body"))


def use_in_clause(draft: Draft, node: Node) -> Visit:
    draft.decide()
    stack = present(node.child_by_field_name("pattern"))
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.bind_unknown(part)
        elif part.type == "keyword_pattern" and part.child_by_field_name("value") is None:
            key = part.child_by_field_name("key")
            if key is not None:
                draft.bind(draft.text(key).rstrip(":"), "unknown", None, draft.line(key))
        else:
            stack += part.named_children
    return node.named_children


def use_return(draft: Draft, node: Node) -> Visit:
    inner = first_named(first_named(node))
    kind, value = value_of(draft, inner)
    scope = draft.current
    if value is not None and scope is not None and scope.type in ("function", "method"):
        draft.bind("return", kind, value, draft.line(node))
    return node.named_children


_RETURNED = frozenset(
    {"call", "constant", "instance_variable", "identifier", "scope_resolution", "operator_assignment"}
)


def use_body(draft: Draft, node: Node) -> Visit:
    """A method returns its last expression."""
    scope, last, parent = draft.current, _last(node), node.parent
    in_method = scope is not None and parent is not None and parent.type in ("method", "singleton_method")
    if in_method and last is not None and last.type in _RETURNED:
        inner = last.child_by_field_name("right") if last.type == "operator_assignment" else last
        kind, value = value_of(draft, inner)
        if value is not None:
            draft.bind("return", kind, value, draft.line(last))
    return node.named_children


_MAKERS = {
    ("Struct", "new"): "class",
    ("Class", "new"): "class",
    ("Data", "define"): "class",
    ("Module", "new"): "trait",
}


def doc(draft: Draft, node: Node) -> str | None:
    """The grammar puts the comment before the first statement of a body outside the body."""
    found = doc_before(draft, node)
    parent = node.parent
    if found is None and parent is not None and parent.type == "argument_list" and parent.parent is not None:
        return doc(draft, parent.parent)  # ``private def …``
    if found is None and parent is not None and parent.type == "body_statement" and node.prev_named_sibling is None:
        return doc_before(draft, parent)
    return found


def split(draft: Draft, name: Node) -> tuple[str | None, str]:
    """A constant's path as what it stands in, if anything, and its last name."""
    owner, _, last = dotted(draft, name).rpartition(".")
    return owner or None, last


def qualified(draft: Draft, owner: str | None, name: str) -> str:
    """A name with all that it stands in."""
    current = draft.current
    outer = current.qualified_name if current is not None else None
    return ".".join(part for part in (outer, owner, name) if part)


def bind_parameters(draft: Draft, parameters: Node | None) -> None:
    """Parameters, those inside of patterns too."""
    stack = comment_free(parameters.named_children) if parameters is not None else []
    for parameter in stack:
        if parameter.type == "identifier":
            draft.bind_unknown(parameter)
        elif parameter.type == "destructured_parameter":
            bind_parameters(draft, parameter)
        elif (name := parameter.child_by_field_name("name")) is not None:
            value = parameter.child_by_field_name("value")
            draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))


def visit_parameters(draft: Draft, node: Node) -> Visit:
    return [value for child in node.named_children if (value := child.child_by_field_name("value"))]


def bind_block(draft: Draft, node: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    bind_parameters(draft, parameters)
    return node.named_children


def _made_type(draft: Draft, right: Node | None) -> str | None:
    """The kind of type that ``Struct.new``, ``Class.new`` and the like make."""
    if right is None or right.type != "call":
        return None
    receiver, method = right.child_by_field_name("receiver"), right.child_by_field_name("method")
    if receiver is None or method is None:
        return None
    return _MAKERS.get((draft.text(receiver).removeprefix("::"), draft.text(method)))


def bind_assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return node.named_children
    if left.type in ("constant", "scope_resolution"):
        return _constant(draft, node, left, right)
    if left.type == "identifier":
        draft.bind(draft.text(left), *value_of(draft, right), draft.line(left))
        return present(right)
    if left.type in VARIABLES:
        _bind_variable(draft, left, right)
        return present(right)
    if left.type == "left_assignment_list":
        for part in _flat(left):
            if part.type == "constant":
                return _constant(draft, node, part, right)
            if part.type == "identifier":
                draft.bind_unknown(part)
        return present(right)
    if left.type == "call":
        receiver, method = left.child_by_field_name("receiver"), left.child_by_field_name("method")
        if receiver is not None and method is not None:
            draft.use(f"{draft.text(method)}=", dotted(draft, receiver), "call", draft.line(method))
        return present(receiver, right)
    return present(left, right)


def _flat(node: Node) -> list[Node]:
    found: list[Node] = []
    for child in node.named_children:
        nested = child.type in ("destructured_left_assignment", "rest_assignment", "left_assignment_list")
        found += _flat(child) if nested else [child]
    return found


def _bind_variable(draft: Draft, left: Node, right: Node | None) -> None:
    kind, value = value_of(draft, right)
    if kind == "alias" and value is not None and is_local(draft, value):
        known = draft.known(value)
        kind, value = (known.kind, known.value) if known is not None else ("unknown", None)
    owner = draft.enclosing_type if left.type != "global_variable" else None
    draft.bind(draft.text(left), kind, value, draft.line(left), owner)


def _constant(draft: Draft, node: Node, left: Node, right: Node | None) -> Visit:
    if draft.enclosing_function is not None:
        return present(right)
    owner, name = split(draft, left)
    made = _made_type(draft, right)
    if made is None:
        draft.bind(name, *value_of(draft, right), draft.line(left))
    draft.open(
        node,
        name,
        "constant" if made is None else "trait" if made == "trait" else "class",
        name_node=left if owner is None else left.child_by_field_name("name"),
        qualified_name=qualified(draft, owner, name),
        signature=signature_line(draft, node, right.child_by_field_name("arguments") if made and right else None),
        docstring=doc(draft, node),
        owner=owner,
    )
    if made is None or right is None:
        return closing([right])
    arguments = right.child_by_field_name("arguments")
    first = first_named(arguments)
    scope = draft.current
    if first is not None and first.type in ("constant", "scope_resolution") and scope is not None:
        base = dotted(draft, first)
        receiver, _, last = base.rpartition(".")
        scope.bases = (base,)
        draft.use(last, receiver or None, "inherit", draft.line(first))
    block = right.child_by_field_name("block")
    return closing([block])
