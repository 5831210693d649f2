"""Ruby: its scopes, what they use, and how constants reach other files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    closing,
    comment_free,
    deciding_operators,
    decision,
    first_named,
    nothing,
    present,
    shortened,
)
from ragforge_memory.code.comments import doc_before
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.parsed import TYPE_TYPES, Use
from ragforge_memory.code.ruby_names import COMMON_MEMBERS
from ragforge_memory.code.ruby_text import VARIABLES, dotted, is_local, symbol_name, value_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import Import, ParsedFile, ParsedScope

_ACCESSORS = frozenset({"attr_reader", "attr_accessor", "attr_writer", "attr"})
_MIXINS = frozenset({"include", "extend", "prepend"})
_MAKERS = {
    ("Struct", "new"): "class",
    ("Class", "new"): "class",
    ("Data", "define"): "class",
    ("Module", "new"): "trait",
}
_VISIBILITIES = frozenset({"private", "protected", "public", "module_function", "private_class_method"})


def _grammar(path: str) -> object:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


def extract(root: Node, draft: Draft) -> None:
    """Fill the draft from a file's tree."""
    draft.walk(root, _HANDLERS)


# definitions


def _doc(draft: Draft, node: Node) -> str | None:
    """The grammar puts the comment before the first statement of a body outside the body."""
    found = doc_before(draft, node)
    parent = node.parent
    if found is None and parent is not None and parent.type == "argument_list" and parent.parent is not None:
        return _doc(draft, parent.parent)  # ``private def …``
    if found is None and parent is not None and parent.type == "body_statement" and node.prev_named_sibling is None:
        return doc_before(draft, parent)
    return found


def _split(draft: Draft, name: Node) -> tuple[str | None, str]:
    owner, _, last = dotted(draft, name).rpartition(".")
    return owner or None, last


def _qualified(draft: Draft, owner: str | None, name: str) -> str:
    current = draft.current
    outer = current.qualified_name if current is not None else None
    return ".".join(part for part in (outer, owner, name) if part)


def _type(draft: Draft, node: Node) -> Visit:
    name = node.child_by_field_name("name")
    if name is None:
        return node.named_children
    superclass = first_named(node.child_by_field_name("superclass"))
    owner, last = _split(draft, name)
    base = dotted(draft, superclass) if superclass is not None else None
    draft.open(
        node,
        last,
        "class" if node.type == "class" else "trait",
        name_node=name if owner is None else name.child_by_field_name("name"),
        qualified_name=_qualified(draft, owner, last),
        signature=draft.compact(node.start_byte, (superclass or name).end_byte),
        docstring=_doc(draft, node),
        owner=owner,
        bases=[base] if base else [],
    )
    rest: list[Node] = []
    if base is not None and superclass is not None:
        if superclass.type in ("constant", "scope_resolution"):
            receiver, _, base_name = base.rpartition(".")
            draft.use(base_name, receiver or None, "inherit", draft.line(superclass))
        else:
            rest.append(superclass)
    return closing([*rest, node.child_by_field_name("body")])


def _method(draft: Draft, node: Node) -> Visit:
    name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
    if name is None:
        return node.named_children
    target = node.child_by_field_name("object")
    current = draft.current
    in_type = current is not None and current.is_type
    singleton = target is not None or _in_singleton(node)
    owner = draft.text(target) if target is not None and target.type == "constant" else None
    if owner is not None and current is not None and current.name == owner:
        owner = None
    last = parameters or name
    text = draft.text(name)
    draft.open(
        node,
        text,
        "method" if in_type or owner else "function",
        name_node=name,
        qualified_name=_qualified(draft, owner, text),
        signature=draft.compact(node.start_byte, last.end_byte),
        docstring=_doc(draft, node),
        owner=owner,
        parameters=[draft.text(p) for p in comment_free(parameters.named_children)] if parameters is not None else (),
        modifiers=[*(["static"] if singleton else []), *_visibility(draft, node)],
    )
    _bind_parameters(draft, parameters)
    body = node.child_by_field_name("body")
    return closing([parameters, body])


def _last(body: Node | None) -> Node | None:
    found = comment_free(body.named_children) if body is not None else []
    return found[-1] if found else None


def _in_singleton(node: Node) -> bool:
    body = node.parent
    return body is not None and body.parent is not None and body.parent.type == "singleton_class"


def _visibility(draft: Draft, node: Node) -> list[str]:
    """``private`` before the method, on its line or as the last such word above it."""
    parent = node.parent
    if parent is not None and parent.type == "argument_list" and parent.parent is not None:
        method = parent.parent.child_by_field_name("method")
        word = draft.text(method) if method is not None else ""
        return [word] if word in _VISIBILITIES else []
    return []


def _bind_parameters(draft: Draft, parameters: Node | None) -> None:
    stack = comment_free(parameters.named_children) if parameters is not None else []
    for parameter in stack:
        if parameter.type == "identifier":
            draft.bind(draft.text(parameter), "unknown", None, draft.line(parameter))
        elif parameter.type == "destructured_parameter":
            _bind_parameters(draft, parameter)
        elif (name := parameter.child_by_field_name("name")) is not None:
            value = parameter.child_by_field_name("value")
            draft.bind(draft.text(name), *value_of(draft, value), draft.line(name))


def _parameters(draft: Draft, node: Node) -> Visit:
    return [value for child in node.named_children if (value := child.child_by_field_name("value"))]


def _block(draft: Draft, node: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
    _bind_parameters(draft, parameters)
    return node.named_children


def _made_type(draft: Draft, right: Node | None) -> str | None:
    """The kind of type that ``Struct.new``, ``Class.new`` and the like make."""
    if right is None or right.type != "call":
        return None
    receiver, method = right.child_by_field_name("receiver"), right.child_by_field_name("method")
    if receiver is None or method is None:
        return None
    return _MAKERS.get((draft.text(receiver).removeprefix("::"), draft.text(method)))


def _assignment(draft: Draft, node: Node) -> Visit:
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
                draft.bind(draft.text(part), "unknown", None, draft.line(part))
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
    owner, name = _split(draft, left)
    made = _made_type(draft, right)
    if made is None:
        draft.bind(name, *value_of(draft, right), draft.line(left))
    draft.open(
        node,
        name,
        "constant" if made is None else "trait" if made == "trait" else "class",
        name_node=left if owner is None else left.child_by_field_name("name"),
        qualified_name=_qualified(draft, owner, name),
        signature=shortened(draft, node),
        docstring=_doc(draft, node),
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


def _call(draft: Draft, node: Node) -> Visit:
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    arguments, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
    if method is None:
        return present(receiver, arguments, block)
    name = draft.text(method)
    if method.type == "super":
        _super(draft, method)
        return present(arguments, block)
    if receiver is None:
        special = _declaration(draft, node, name, arguments, block)
        if special is not None:
            return special
        draft.use("new" if name == "new" else name, None, "call", draft.line(method))
        return present(arguments, block)
    text = dotted(draft, receiver)
    if name == "new" and receiver.type in ("constant", "scope_resolution"):
        outer, _, last = text.rpartition(".")
        draft.use(last, outer or None, "call", draft.line(receiver))
        scope = receiver.child_by_field_name("scope") if receiver.type == "scope_resolution" else None
        return present(scope, arguments, block)
    draft.use(name, text, "call", draft.line(method))
    return present(receiver, arguments, block)


def _declaration(draft: Draft, node: Node, name: str, arguments: Node | None, block: Node | None) -> Visit | None:
    """Calls that define: accessors, aliases, ``define_method``, ``include``."""
    scope, listed = draft.current, comment_free(arguments.named_children) if arguments is not None else []
    if scope is None or not scope.is_type or not listed:
        return None
    if name in _MIXINS:
        for mixin in listed:
            if mixin.type in ("constant", "scope_resolution"):
                text = dotted(draft, mixin)
                receiver, _, last = text.rpartition(".")
                scope.interfaces = (*scope.interfaces, text)
                scope.uses.append(Use(last, receiver or None, "implement", draft.line(mixin)))
        return [mixin for mixin in listed if mixin.type not in ("constant", "scope_resolution")]
    names = [(part, text) for part in listed if (text := symbol_name(draft, part)) is not None]
    if name in _ACCESSORS:
        for part, text in names:
            _accessors(draft, node, part, name, text)
        return ()
    if name == "alias_method" and len(names) == 2:
        _alias_scope(draft, node, names[0][0], names[0][1], names[1][1])
        return [CLOSE]
    if name in ("define_method", "define_singleton_method") and names:
        draft.open(node, names[0][1], "method", name_node=names[0][0], signature=shortened(draft, node.children[0], arguments),
                   docstring=_doc(draft, node))  # fmt: skip
        return closing([*listed[1:], block])
    return None


def _accessors(draft: Draft, node: Node, part: Node, kind: str, text: str) -> None:
    """The reader, the writer or both; the reader returns the variable."""
    made = {"attr_writer": [f"{text}="], "attr_accessor": [text, f"{text}="]}.get(kind, [text])
    for name in made:
        draft.open(part, name, "method", whole=node, signature=f"{kind} :{text}", docstring=_doc(draft, node),
                   modifiers=["property"])  # fmt: skip
        if name == text:
            draft.bind("return", "alias", f"@{text}", draft.line(part))
        draft.close()


def _alias_scope(draft: Draft, node: Node, place: Node, new: str, old: str) -> None:
    draft.open(node, new, "method", name_node=place, signature=shortened(draft, node), docstring=_doc(draft, node))
    draft.use(old, "self", "call", draft.line(place))


def _alias(draft: Draft, node: Node) -> Visit:
    new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    scope = draft.current
    if new is None or old is None or scope is None or not scope.is_type:
        return ()
    _alias_scope(draft, node, new, draft.text(new).lstrip(":"), draft.text(old).lstrip(":"))
    return [CLOSE]


# uses


def _identifier(draft: Draft, node: Node) -> Visit:
    text = draft.text(node)
    if not is_local(draft, text) and text not in _VISIBILITIES:
        draft.use(text, None, "call", draft.line(node))
    return ()


def _constant_use(draft: Draft, node: Node) -> Visit:
    draft.use(draft.text(node), None, "reference", draft.line(node))
    return ()


def _scope_resolution(draft: Draft, node: Node) -> Visit:
    name, scope = node.child_by_field_name("name"), node.child_by_field_name("scope")
    if name is not None:
        draft.use(draft.text(name), dotted(draft, scope) if scope is not None else None, "reference", draft.line(name))
    return present(scope)


def _super(draft: Draft, node: Node) -> Visit:
    method = draft.enclosing_function
    if method is not None and method.type == "method":
        draft.use(method.name, "super", "call", draft.line(node))
    return ()


def _rescue(draft: Draft, node: Node) -> Visit:
    draft.decide()
    variable = first_named(node.child_by_field_name("variable"))
    exceptions = node.child_by_field_name("exceptions")
    if variable is not None and variable.type == "identifier":
        first = first_named(exceptions)
        known = dotted(draft, first) if first is not None and first.type in ("constant", "scope_resolution") else None
        draft.bind(draft.text(variable), "type" if known else "unknown", known, draft.line(variable))
    return present(exceptions, node.child_by_field_name("body"))


def _for(draft: Draft, node: Node) -> Visit:
    draft.decide()
    pattern = node.child_by_field_name("pattern")
    if pattern is not None and pattern.type == "identifier":
        draft.bind(draft.text(pattern), "unknown", None, draft.line(pattern))
    return present(node.child_by_field_name("value"), node.child_by_field_name("body"))


def _in_clause(draft: Draft, node: Node) -> Visit:
    draft.decide()
    stack = present(node.child_by_field_name("pattern"))
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.bind(draft.text(part), "unknown", None, draft.line(part))
        elif part.type == "keyword_pattern" and part.child_by_field_name("value") is None:
            key = part.child_by_field_name("key")
            if key is not None:
                draft.bind(draft.text(key).rstrip(":"), "unknown", None, draft.line(key))
        else:
            stack += part.named_children
    return node.named_children


def _return(draft: Draft, node: Node) -> Visit:
    inner = first_named(first_named(node))
    kind, value = value_of(draft, inner)
    scope = draft.current
    if value is not None and scope is not None and scope.type in ("function", "method"):
        draft.bind("return", kind, value, draft.line(node))
    return node.named_children


def _body(draft: Draft, node: Node) -> Visit:
    """A method returns its last expression."""
    scope, last, parent = draft.current, _last(node), node.parent
    if scope is not None and parent is not None and parent.type in ("method", "singleton_method") and last is not None:
        if last.type in (
            "call",
            "constant",
            "instance_variable",
            "identifier",
            "scope_resolution",
            "operator_assignment",
        ):
            value_node = last.child_by_field_name("right") if last.type == "operator_assignment" else last
            kind, value = value_of(draft, value_node)
            if value is not None:
                draft.bind("return", kind, value, draft.line(last))
    return node.named_children


# constants of other files


def modules(index: ProjectIndex, file: ParsedFile, imported: Import) -> Sequence[str]:
    """Constants are global: what is required does not matter."""
    return ()


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """A constant or a method that some file defines at its top level."""
    memo = ("ruby", "top", name)
    if memo not in index.memo:
        places = [
            (path, scope)
            for path, scope in index.by_name.get(("ruby", name), ())
            if scope.parent is None and scope.owner is None
        ]
        if name[:1].isupper():
            kinds = sorted(
                places, key=lambda place: (place[1].type not in TYPE_TYPES, place[0].startswith(("test/", "spec/")))
            )
            index.memo[memo] = (kinds[0][0], kinds[0][1].key) if kinds else None
        else:
            index.memo[memo] = (places[0][0], places[0][1].key) if len(places) == 1 else None
    found: Place | None = index.memo[memo]
    return found


def parts(index: ProjectIndex, path: str, scope: ParsedScope) -> Sequence[Place]:
    """Where else a class or module is opened."""
    memo = ("ruby", "parts", scope.qualified_name)
    if memo not in index.memo:
        index.memo[memo] = [
            (other, found.key)
            for other, found in index.by_name.get(("ruby", scope.name), ())
            if found.type in TYPE_TYPES and found.qualified_name == scope.qualified_name
        ]
    places: list[Place] = index.memo[memo]
    return [place for place in places if place != (path, scope.key)]


_HANDLERS: dict[str, Handler] = {
    "class": _type,
    "module": _type,
    "method": _method,
    "singleton_method": _method,
    "singleton_class": lambda draft, node: present(node.child_by_field_name("body")),
    "assignment": _assignment,
    "operator_assignment": _assignment,
    "call": _call,
    "alias": _alias,
    "identifier": _identifier,
    "constant": _constant_use,
    "scope_resolution": _scope_resolution,
    "super": _super,
    "method_parameters": _parameters,
    "block_parameters": _parameters,
    "lambda_parameters": _parameters,
    "block": _block,
    "do_block": _block,
    "lambda": _block,
    "body_statement": _body,
    "return": _return,
    "rescue": _rescue,
    "for": _for,
    "in_clause": _in_clause,
    "pair": lambda draft, node: [
        child for child in node.named_children if child.type not in ("hash_key_symbol", "simple_symbol")
    ],
    "if": decision,
    "elsif": decision,
    "unless": decision,
    "if_modifier": decision,
    "unless_modifier": decision,
    "while": decision,
    "until": decision,
    "while_modifier": decision,
    "until_modifier": decision,
    "when": decision,
    "conditional": decision,
    "rescue_modifier": decision,
    "binary": deciding_operators(frozenset({"&&", "||", "and", "or"})),
    "undef": nothing,
    "comment": nothing,
    "simple_symbol": nothing,
    "heredoc_end": nothing,
    "string_content": nothing,
}

READER = Reader(
    grammar=_grammar,
    extract=extract,
    links=Links(
        modules=modules,
        linked=linked,
        parts=parts,
        self_names=frozenset({"self"}),
        super_names=frozenset({"super"}),
        bare_members=True,
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"regex", "simple_symbol"}),
    transparent=frozenset({"program", "body_statement", "then", "else", "do", "block_body", "begin", "ensure"}),
)
