"""Rust: its scopes and what they use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Unpack

from ragforge_memory.code.asides import TEST_MODIFIERS
from ragforge_memory.code.clauses import (
    before,
    bind_declared,
    child_of_type,
    children_of_type,
    closing,
    comment_free,
    deciding_operators,
    decision,
    doc_before,
    each,
    first_named,
    header,
    named,
    naming,
    nothing,
    only,
    present,
    signature_line,
)
from ragforge_memory.code.draft import Draft, Handler
from ragforge_memory.code.languages import Reader
from ragforge_memory.code.links import Links
from ragforge_memory.code.open_scope import Said
from ragforge_memory.code.parsed import ScopeType
from ragforge_memory.code.rust.links import COMMON_MEMBERS, linked, modules, submodule
from ragforge_memory.code.rust.macros import prepared, token_tree
from ragforge_memory.code.rust.statements import (
    bind_arm,
    bind_closure,
    bind_for,
    bind_let,
    bind_let_condition,
    bind_pattern,
)
from ragforge_memory.code.rust.text import OWN_FILE, dotted, type_text
from ragforge_memory.code.rust.uses import (
    use_call,
    use_declaration,
    use_invocation,
    use_scoped,
    use_struct,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Visit

_KINDS: dict[str, ScopeType] = {
    "struct_item": "struct",
    "union_item": "struct",
    "enum_item": "enum",
    "trait_item": "trait",
    "type_item": "type",
    "associated_type": "type",
    "macro_definition": "macro",
    "const_item": "constant",
    "static_item": "constant",
}
_ATTRIBUTES = frozenset({"attribute_item"})
# `test`, `tokio::test(…)`.
_TEST = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*test\s*[](]")
# `cfg(test)`, `cfg(all(unix, test))`; what tests leave out, `cfg(not(test))`, is none.
_TEST_ONLY = re.compile(r"#\s*\[\s*cfg\s*\(\s*(?:all\s*\((?:[^()]*,)?\s*)?test\s*[,)]")
_BEHIND = frozenset({"reference_type", "pointer_type", "array_type"})
_VISIBILITY = ("visibility_modifier", "function_modifiers", "mutable_specifier")


def _implement(root: Node, draft: Draft) -> None:
    """``impl Trait for Type``: the type of this file implements the trait."""
    for owner, interface, line in draft.implemented:
        types = (each for each in draft.scopes if each.name == owner and each.is_type and each.type != "trait")
        if (scope := next(types, None)) is not None:
            scope.implement(interface, line)


def _impl(draft: Draft, node: Node) -> Visit:
    trait, kind = node.child_by_field_name("trait"), node.child_by_field_name("type")
    owner, interface = type_text(draft, kind), type_text(draft, trait)
    if owner and interface and trait is not None:
        draft.implemented.append((owner, interface, draft.line(trait)))
    return present(node.child_by_field_name("body"))


# definitions


def _attributes(node: Node) -> list[Node]:
    """The ``#[…]`` before an item, in source order."""
    found = []
    for sibling in before(node):
        if sibling.type in _ATTRIBUTES:
            found.append(sibling)
        elif not sibling.type.endswith("comment"):
            break
    return found[::-1]


def _decorate(draft: Draft, attributes: list[Node]) -> tuple[list[str], list[tuple[str, int]]]:
    """The attributes' names, and what is used by them: of ``derive`` the traits."""
    names, uses = [], []
    for attribute in attributes:
        inner = first_named(attribute)
        path = first_named(inner)
        if inner is None or path is None:
            continue
        name = dotted(draft, path)
        names.append(name)
        arguments = inner.child_by_field_name("arguments")
        if name == "derive" and arguments is not None:
            uses += [(draft.text(c), draft.line(c)) for c in arguments.named_children if c.type == "identifier"]
        else:
            uses.append((name, draft.line(path)))
    return names, uses


def _of_tests(draft: Draft, attributes: list[Node]) -> list[str]:
    """Whether an item is a test, or is compiled for tests alone, as what it stands in may be."""
    texts = [draft.text(attribute) for attribute in attributes]
    if any(map(_TEST.match, texts)):
        return ["test"]
    around = draft.current.modifiers if draft.current is not None else ()
    return ["test_only"] if not TEST_MODIFIERS.isdisjoint(around) or any(map(_TEST_ONLY.match, texts)) else []


def _holder(node: Node) -> Node | None:
    """The ``impl`` or ``trait`` whose body an item stands in."""
    body = node.parent
    holder = body.parent if body is not None and body.type == "declaration_list" else None
    return holder if holder is not None and holder.type in ("impl_item", "trait_item") else None


def _owner(draft: Draft, holder: Node) -> str | None:
    """The type that an ``impl`` is for: behind references, of ``Box<Item>`` and the like the item, but of ``Box<T>``,
    where ``T`` is any type, the box."""
    kind = holder.child_by_field_name("type")
    while kind is not None and kind.type in _BEHIND:
        kind = kind.child_by_field_name("type") or kind.child_by_field_name("element")
    if kind is not None and kind.type == "primitive_type":
        return draft.text(kind)
    owner = (type_text(draft, kind) or "").removesuffix("[]")
    outer = kind.child_by_field_name("type") if kind is not None and kind.type == "generic_type" else None
    parameters = children_of_type(holder.child_by_field_name("type_parameters"), "type_parameter")
    names = [draft.text(name) for each in parameters if (name := each.child_by_field_name("name")) is not None]
    return draft.text(outer).rpartition("::")[2] if outer is not None and owner in names else owner or None


def _opened(draft: Draft, node: Node, kind: ScopeType, **more: Unpack[Said]) -> None:
    name_node = node.child_by_field_name("name")
    assert name_node is not None
    attributes, name = _attributes(node), draft.text(name_node)
    holder = _holder(node)
    owner = _owner(draft, holder) if holder is not None and holder.type == "impl_item" else None
    current = draft.current
    outer = current.qualified_name if current is not None and current.type != "namespace" else None
    names, used = _decorate(draft, attributes)
    modifiers = [word for part in children_of_type(node, *_VISIBILITY) for word in draft.text(part).split()]
    modifiers += _of_tests(draft, attributes)
    more["docstring"] = doc_before(draft, node, skipping=_ATTRIBUTES)
    more["owner"], more["modifiers"], more["decorators"] = owner, modifiers, names
    draft.open(
        node,
        name,
        kind,
        name_node=name_node,
        whole=attributes[0] if attributes else None,
        end=node,
        qualified_name=".".join(part for part in (outer, owner, name) if part),
        **more,
    )
    for text, line in used:
        draft.use_text(text, "decorate", line)


def _function(draft: Draft, node: Node) -> Visit:
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if node.child_by_field_name("name") is None or parameters is None:
        return node.named_children
    returns, holder = node.child_by_field_name("return_type"), _holder(node)
    _opened(
        draft,
        node,
        "method" if holder is not None else "function",
        signature=header(draft, node, body, parameters),
        return_type=draft.text(returns) if returns else None,
        returns=type_text(draft, returns),
        parameters=[draft.text(p) for p in comment_free(parameters.named_children) if p.type != "attribute_item"],
    )
    if holder is not None:
        _bind_generics(draft, holder)
    _bind_generics(draft, node)
    for parameter in children_of_type(parameters, "parameter"):
        bind_pattern(draft, parameter.child_by_field_name("pattern"), parameter.child_by_field_name("type"))
    generics, where = node.child_by_field_name("type_parameters"), child_of_type(node, "where_clause")
    return closing([generics, parameters, returns, where, body])


def _bind_generics(draft: Draft, node: Node) -> None:
    """Type parameters with the first of their bounds."""
    for parameter in children_of_type(node.child_by_field_name("type_parameters"), "type_parameter"):
        name, bounds = parameter.child_by_field_name("name"), parameter.child_by_field_name("bounds")
        if name is not None:
            draft.bind(draft.text(name), "alias", _first_bound(draft, bounds), draft.line(name))
    for predicate in children_of_type(child_of_type(node, "where_clause"), "where_predicate"):
        left = predicate.child_by_field_name("left")
        if left is not None and left.type == "type_identifier":
            bound = _first_bound(draft, predicate.child_by_field_name("bounds"))
            draft.bind(draft.text(left), "alias", bound, draft.line(left))


def _first_bound(draft: Draft, bounds: Node | None) -> str | None:
    for bound in comment_free(bounds.named_children) if bounds else ():
        if bound.type != "lifetime" and (text := type_text(draft, bound)):
            return text
    return None


def _type(draft: Draft, node: Node) -> Visit:
    if node.child_by_field_name("name") is None:
        return node.named_children
    body, kind = node.child_by_field_name("body"), _KINDS[node.type]
    bounds, aliased = node.child_by_field_name("bounds"), node.child_by_field_name("type")
    bases = [bound for bound in comment_free(bounds.named_children) if bound.type != "lifetime"] if bounds else []
    if node.type == "associated_type":
        bases = []
    _opened(
        draft,
        node,
        kind,
        signature=header(draft, node, body) if body is not None else signature_line(draft, node),
        bases=[text for base in bases if (text := type_text(draft, base))],
        returns=type_text(draft, aliased) if kind == "type" else None,
    )
    for base in bases:
        if text := type_text(draft, base):
            draft.use_text(text, "inherit", draft.line(base))
    _bind_generics(draft, node)
    inner = [argument for base in bases for argument in children_of_type(base, "type_arguments")]
    if body is not None and body.type == "ordered_field_declaration_list":
        for place, field in enumerate(body.children_by_field_name("type")):
            if text := type_text(draft, field):
                draft.bind(str(place), "type", text.removesuffix("[]"), draft.line(field))
    return closing([node.child_by_field_name("type_parameters"), *inner, aliased, body])


def _field(draft: Draft, node: Node) -> Visit:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    scope = draft.current
    if name is not None and scope is not None and scope.is_type and scope.type != "enum":
        bind_declared(draft, name, type_text(draft, kind))
    return present(kind)


@named
def _variant(draft: Draft, node: Node, name: Node) -> Visit:
    enum = draft.current
    _opened(draft, node, "constant", signature=signature_line(draft, node), returns=enum.name if enum else None)
    return closing([node.child_by_field_name("body"), node.child_by_field_name("value")])


def _constant(draft: Draft, node: Node) -> Visit:
    name, kind, value = (node.child_by_field_name(field) for field in ("name", "type", "value"))
    if name is None:
        return node.named_children
    if draft.enclosing_function is not None and _holder(node) is None:
        bind_declared(draft, name, type_text(draft, kind))
        return present(kind, value)
    _opened(
        draft,
        node,
        "constant",
        signature=signature_line(draft, node),
        return_type=draft.text(kind) if kind else None,
        returns=type_text(draft, kind),
    )
    return closing([kind, value])


def _macro(draft: Draft, node: Node) -> Visit:
    if node.child_by_field_name("name") is None:
        return ()
    rule = child_of_type(node, "macro_rule")
    _opened(draft, node, "macro", signature=header(draft, node, rule).rstrip("( "))
    return closing([])


def _module(draft: Draft, node: Node) -> Visit:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return ()
    if body is None:
        draft.add_import(draft.text(name), f"self.{draft.text(name)}", None, draft.line(node), exported=True)
        return ()
    _opened(draft, node, "namespace", signature=header(draft, node, body))
    return closing([body])


_HANDLERS: dict[str, Handler] = {
    **each(
        nothing,
        "attribute_item inner_attribute_item self_parameter lifetime label visibility_modifier "
        "extern_crate_declaration line_comment block_comment string_literal",
    ),
    **each(_function, "function_item function_signature_item"),
    **each(_type, "struct_item union_item enum_item trait_item type_item associated_type"),
    **each(_constant, "const_item static_item"),
    "macro_definition": _macro,
    "mod_item": _module,
    "impl_item": _impl,
    "field_declaration": _field,
    "enum_variant": _variant,
    "let_declaration": bind_let,
    "let_condition": bind_let_condition,
    "for_expression": bind_for,
    "match_arm": bind_arm,
    "closure_expression": bind_closure,
    "parameter": only("type"),
    "identifier": naming("reference"),
    "type_identifier": naming("type", but=("Self",)),
    **each(use_scoped, "scoped_identifier scoped_type_identifier"),
    "call_expression": use_call,
    "field_expression": only("value"),
    "struct_expression": use_struct,
    "field_initializer": only("value"),
    "macro_invocation": use_invocation,
    "token_tree": token_tree,
    "use_declaration": use_declaration,
    "type_parameter": only("bounds"),
    **each(decision, "if_expression while_expression loop_expression"),
    "binary_expression": deciding_operators(frozenset({"&&", "||"})),
}

READER = Reader(
    grammar="tree_sitter_rust",
    prepare=prepared,
    handlers=_HANDLERS,
    finish=_implement,
    links=Links(
        modules=modules,
        submodule=submodule,
        linked=linked,
        self_names=frozenset({"self", "Self"}),
        inner_modules=frozenset({"crate", "super", OWN_FILE}),
        by_path=True,
        named_owners=True,
        common_members=COMMON_MEMBERS,
    ),
    atoms=frozenset({"string_literal", "raw_string_literal", "char_literal"}),
)
