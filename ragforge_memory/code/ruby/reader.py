"""Ruby: its scopes, what they use, and how constants reach other files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import (
    all_but_types,
    closing,
    comment_free,
    deciding_operators,
    decision,
    each,
    first_named,
    named,
    naming,
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import CLOSE, Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.ruby.known import known
from ragforge_memory.code.ruby.links import BARE_WORDS, COMMON_MEMBERS, linked, modules, parts
from ragforge_memory.code.ruby.uses import (
    METHOD_OBJECTS,
    VISIBILITIES,
    bind_assignment,
    bind_block,
    bind_parameters,
    doc,
    dotted,
    qualified,
    split,
    symbol_name,
    use_body,
    use_for,
    use_identifier,
    use_in_clause,
    use_method_object,
    use_rescue,
    use_return,
    use_scope_resolution,
    use_super,
    use_words,
    visit_parameters,
)
from ragforge_memory.code.written import heredoc_body

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_ACCESSORS = frozenset({"attr_reader", "attr_accessor", "attr_writer", "attr"})
_MIXINS = frozenset({"include", "extend", "prepend"})


# definitions


@named
def _type(draft: Draft, node: Node, name: Node) -> Visit:
    superclass = first_named(node.child_by_field_name("superclass"))
    owner, last = split(draft, name)
    base = dotted(draft, superclass) if superclass is not None else None
    draft.open(
        node,
        last,
        "class" if node.type == "class" else "trait",
        name_node=name if owner is None else name.child_by_field_name("name"),
        qualified_name=qualified(draft, owner, last),
        signature=draft.compact(node.start_byte, (superclass or name).end_byte),
        docstring=doc(draft, node),
        owner=owner,
        bases=[base] if base else [],
    )
    rest: list[Node] = []
    if base is not None and superclass is not None:
        if superclass.type in ("constant", "scope_resolution"):
            draft.use_text(base, "inherit", draft.line(superclass))
        else:
            rest.append(superclass)
    return closing([*rest, node.child_by_field_name("body")])


@named
def _method(draft: Draft, node: Node, name: Node) -> Visit:
    parameters = node.child_by_field_name("parameters")
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
        qualified_name=qualified(draft, owner, text),
        signature=draft.compact(node.start_byte, last.end_byte),
        docstring=doc(draft, node),
        owner=owner,
        parameters=[draft.text(p) for p in comment_free(parameters.named_children)] if parameters is not None else (),
        modifiers=[*(["static"] if singleton else []), *_visibility(draft, node)],
    )
    bind_parameters(draft, parameters)
    body = node.child_by_field_name("body")
    return closing([parameters, body])


def _in_singleton(node: Node) -> bool:
    body = node.parent
    return body is not None and body.parent is not None and body.parent.type == "singleton_class"


def _visibility(draft: Draft, node: Node) -> list[str]:
    """``private`` before the method, on its line or as the last such word above it."""
    parent = node.parent
    if parent is not None and parent.type == "argument_list" and parent.parent is not None:
        method = parent.parent.child_by_field_name("method")
        word = draft.text(method) if method is not None else ""
        return [word] if word in VISIBILITIES else []
    return []


def _call(draft: Draft, node: Node) -> Visit:
    receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    arguments, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
    if method is None:
        return present(receiver, arguments, block)
    name = draft.text(method)
    if method.type == "super":
        use_super(draft, method)
        return present(arguments, block)
    if name in METHOD_OBJECTS and use_method_object(draft, receiver, arguments):
        return present(receiver)
    if receiver is None:
        special = _declaration(draft, node, name, arguments, block)
        if special is not None:
            return special
        if name not in VISIBILITIES:
            use_words(draft, arguments)
        draft.use("new" if name == "new" else name, None, "call", draft.line(method))
        return present(arguments, block)
    text = dotted(draft, receiver)
    if name == "new" and receiver.type in ("constant", "scope_resolution"):
        draft.use_text(text, "call", draft.line(receiver))
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
                scope.implement(dotted(draft, mixin), draft.line(mixin))
        return [mixin for mixin in listed if mixin.type not in ("constant", "scope_resolution")]
    names = [(part, said) for part in listed if (said := symbol_name(draft, part)) is not None]
    if name in _ACCESSORS:
        for part, accessed in names:
            _accessors(draft, node, part, name, accessed)
        return ()
    if name == "alias_method" and len(names) == 2:
        _alias_scope(draft, node, names[0][0], names[0][1], names[1][1])
        return [CLOSE]
    if name in ("define_method", "define_singleton_method") and names:
        place, defined = names[0]
        signature = signature_line(draft, node.children[0], arguments)
        draft.open(node, defined, "method", name_node=place, signature=signature, docstring=doc(draft, node))
        return closing([*listed[1:], block])
    return None


def _accessors(draft: Draft, node: Node, part: Node, kind: str, text: str) -> None:
    """The reader, the writer or both; the reader returns the variable."""
    made = {"attr_writer": [f"{text}="], "attr_accessor": [text, f"{text}="]}.get(kind, [text])
    for name in made:
        draft.open(part, name, "method", whole=node, signature=f"{kind} :{text}", docstring=doc(draft, node),
                   modifiers=["property"])  # fmt: skip
        if name == text:
            draft.bind("return", "alias", f"@{text}", draft.line(part))
        draft.close()


def _alias_scope(draft: Draft, node: Node, place: Node, new: str, old: str) -> None:
    draft.open(node, new, "method", name_node=place, signature=signature_line(draft, node), docstring=doc(draft, node))
    draft.use(old, "self", "call", draft.line(place))


def _alias(draft: Draft, node: Node) -> Visit:
    new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    scope = draft.current
    if new is None or old is None or scope is None or not scope.is_type:
        return ()
    _alias_scope(draft, node, new, draft.text(new).lstrip(":"), draft.text(old).lstrip(":"))
    return [CLOSE]


_HANDLERS: dict[str, Handler] = {
    **each(_type, "class module"),
    **each(_method, "method singleton_method"),
    "singleton_class": only("body"),
    **each(bind_assignment, "assignment operator_assignment"),
    "call": _call,
    "alias": _alias,
    "identifier": use_identifier,
    "constant": naming("reference"),
    "scope_resolution": use_scope_resolution,
    "super": use_super,
    **each(visit_parameters, "method_parameters block_parameters lambda_parameters"),
    **each(bind_block, "block do_block lambda"),
    "body_statement": use_body,
    "return": use_return,
    "rescue": use_rescue,
    "for": use_for,
    "in_clause": use_in_clause,
    "pair": all_but_types("hash_key_symbol", "simple_symbol"),
    **each(
        decision,
        "if elsif unless if_modifier unless_modifier while until while_modifier until_modifier when conditional "
        "rescue_modifier",
    ),
    "binary": deciding_operators(frozenset({"&&", "||", "and", "or"})),
    **each(nothing, "undef comment simple_symbol heredoc_end string_content"),
}

READER = Reader(
    grammar="tree_sitter_ruby",
    handlers=_HANDLERS,
    links=Links(
        mixes_in=True,
        modules=modules,
        linked=linked,
        parts=parts,
        self_names=frozenset({"self"}),
        super_names=frozenset({"super"}),
        bare_members=True,
        global_names=True,
        common_members=COMMON_MEMBERS,
        bare_words=BARE_WORDS,
    ),
    atoms=frozenset({"regex", "simple_symbol", "heredoc_body"}),
    forms={"heredoc_body": heredoc_body},
    bare=frozenset({"argument_list"}),
    transparent=frozenset({"program", "body_statement", "then", "else", "do", "block_body", "begin", "ensure"}),
    statements=frozenset({"parenthesized_statements", "interpolation", "begin_block", "end_block"}),
    simplify=(known,),
)
