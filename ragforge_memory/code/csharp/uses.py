"""What C# code uses: names, types, calls, attributes; its expressions and types as dotted text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, children_of_type, comment_free, first_named, present
from ragforge_memory.code.draft import Draft

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft, Visit
    from ragforge_memory.code.parsed import BindingKind


_HOLDERS = frozenset({"Task", "ValueTask", "Nullable", "Lazy", "WeakReference"})
_COLLECTIONS = frozenset(
    {"List", "IList", "IEnumerable", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "HashSet", "ISet", "Queue",
     "Stack", "Collection", "IAsyncEnumerable", "Span", "ReadOnlySpan", "LinkedList"}
)  # fmt: skip
_LITERALS = frozenset(
    {"interpolated_string_expression", "typeof_expression", "predefined_type", "lambda_expression", "sizeof_expression",
     "array_creation_expression", "implicit_array_creation_expression", "binary_expression"}
)  # fmt: skip


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; casts, ``as`` and ``new`` are calls of the type, ``?.`` and ``!`` are as ``.``."""
    kind = node.type
    if kind in ("identifier", "this", "base"):
        return draft.text(node)
    if kind in ("member_access_expression", "member_binding_expression"):
        name = node.child_by_field_name("name")
        tail.append(f".{simple_name(draft, name)}")
        if kind == "member_binding_expression":
            return ""
        return node.child_by_field_name("expression")
    elif kind == "conditional_access_expression":
        condition = node.child_by_field_name("condition")
        rest = [child for child in comment_free(node.named_children) if child != condition]
        inner = dotted(draft, rest[0]) if rest else ".?"
        tail.append(inner if inner.startswith((".", "[")) else ".?")
        return condition
    elif kind == "invocation_expression":
        tail.append("()")
        return node.child_by_field_name("function")
    elif kind in ("element_access_expression", "element_binding_expression"):
        tail.append("[]")
        if kind == "element_binding_expression":
            return ""
        return node.child_by_field_name("expression")
    elif kind in ("cast_expression", "object_creation_expression", "as_expression"):
        found = type_text(draft, node.child_by_field_name("right" if kind == "as_expression" else "type"))
        return f"{found}()" if found and not found.endswith("[]") else "?"
    elif kind in ("parenthesized_expression", "await_expression", "postfix_unary_expression", "checked_expression"):
        return first_named(node)
    elif kind in ("generic_name", "alias_qualified_name", "qualified_name"):
        return type_text(draft, node) or "?"
    elif kind in _LITERALS or kind.endswith("literal"):
        return "!"
    return None


def simple_name(draft: Draft, node: Node | None) -> str:
    """A name without generic arguments."""
    if node is not None and node.type == "generic_name":
        node = first_named(node)
    return draft.text(node) if node is not None else "?"


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The type as dotted text: of ``Task<T>`` and ``T?`` it is T, of collections the element with ``[]``."""
    while node is not None:
        kind = node.type
        if kind == "identifier":
            return draft.text(node)
        if kind == "generic_name":
            name, arguments = first_named(node), node.named_children[-1]
            text = draft.text(name) if name is not None else ""
            if text in _HOLDERS:
                node = first_named(arguments)
                continue
            if text in _COLLECTIONS:
                inner = type_text(draft, first_named(arguments))
                return f"{inner}[]" if inner else None
            return text
        if kind == "qualified_name":
            qualifier, name = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
            last = type_text(draft, name)
            outer = type_text(draft, qualifier) if qualifier is not None else None
            if name is not None and name.type == "generic_name" and last != simple_name(draft, name):
                return last
            return f"{outer}.{last}" if outer and last else last
        if kind == "array_type":
            found = type_text(draft, node.child_by_field_name("type"))
            return f"{found}[]" if found else None
        if kind in ("nullable_type", "ref_type", "pointer_type", "scoped_type"):
            node = node.child_by_field_name("type") or first_named(node)
        elif kind == "alias_qualified_name":
            node = node.child_by_field_name("name")
        else:
            return None
    return None


def base_text(draft: Draft, node: Node) -> str | None:
    """A base as dotted text: what is in a collection, or in a ``Task``, is not a base of its subclass."""
    if node.type == "generic_name":
        return simple_name(draft, node)
    if node.type == "qualified_name" and (name := node.child_by_field_name("name")) is not None:
        outer = type_text(draft, node.child_by_field_name("qualifier"))
        return f"{outer}.{simple_name(draft, name)}" if outer else simple_name(draft, name)
    return type_text(draft, node)


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None and node.type in (
        "parenthesized_expression",
        "await_expression",
        "postfix_unary_expression",
        "conditional_expression",
    ):
        node = node.child_by_field_name("consequence") or first_named(node)
    if node is None:
        return "unknown", None
    if node.type == "object_creation_expression":
        return "call", type_text(draft, node.child_by_field_name("type"))
    if node.type == "invocation_expression":
        return "call", dotted(draft, node).removesuffix("()")
    if node.type in ("cast_expression", "as_expression"):
        right = node.child_by_field_name("right" if node.type == "as_expression" else "type")
        return "type", type_text(draft, right)
    if node.type == "binary_expression":  # a ?? b
        return value_of(draft, node.child_by_field_name("left")) if _coalesces(node) else ("unknown", None)
    if node.type in ("identifier", "member_access_expression", "element_access_expression", "this"):
        return "alias", dotted(draft, node)
    return "unknown", None


def _coalesces(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return operator is not None and operator.type == "??"


def use_types(draft: Draft, node: Node | None) -> None:
    """Say every type that a type expression names."""
    stack = [node] if node is not None else []
    while stack:
        part = stack.pop()
        if part.type == "identifier":
            draft.use(draft.text(part), None, "type", draft.line(part))
        elif part.type == "qualified_name":
            text = type_text(draft, part) or ""
            draft.use_text(text.removesuffix("[]"), "type", draft.line(part))
            last = part.child_by_field_name("name")
            stack += children_of_type(last, "type_argument_list")
        elif part.type == "tuple_element":
            stack += present(part.child_by_field_name("type"))
        else:
            stack += reversed(part.named_children)


def use_access(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
    if receiver is None or name is None:
        return node.named_children
    draft.use(simple_name(draft, name), dotted(draft, receiver), "reference", draft.line(name))
    return [receiver, *children_of_type(name, "type_argument_list")]


def use_conditional(draft: Draft, node: Node) -> Visit:
    """``a?.b`` that is not called."""
    condition = node.child_by_field_name("condition")
    for child in node.named_children:
        if child.type == "member_binding_expression" and (name := child.child_by_field_name("name")) is not None:
            draft.use(simple_name(draft, name), dotted(draft, condition), "reference", draft.line(name))
    return [child for child in node.named_children if child.type != "member_binding_expression"]


def use_call(draft: Draft, node: Node) -> Visit:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None:
        return present(arguments)
    if function.type in ("identifier", "generic_name"):
        if (name := simple_name(draft, function)) != "nameof":
            draft.use(name, None, "call", draft.line(function))
        return [*children_of_type(function, "type_argument_list"), *present(arguments)]
    if function.type == "member_access_expression":
        receiver, member = function.child_by_field_name("expression"), function.child_by_field_name("name")
        if receiver is not None and member is not None:
            draft.use(simple_name(draft, member), dotted(draft, receiver), "call", draft.line(member))
            return [receiver, *children_of_type(member, "type_argument_list"), *present(arguments)]
    if function.type == "conditional_access_expression":
        condition = function.child_by_field_name("condition")
        rest = [child for child in comment_free(function.named_children) if child != condition]
        binding = rest[0] if rest else None
        if binding is not None and binding.type == "member_binding_expression":
            name_node = binding.child_by_field_name("name")
            draft.use(simple_name(draft, name_node), dotted(draft, condition), "call", draft.line(binding))
            return present(condition, arguments)
    return present(function, arguments)


def use_creation(draft: Draft, node: Node) -> Visit:
    kind = node.child_by_field_name("type")
    last = kind
    while last is not None and last.type == "qualified_name":
        last = last.child_by_field_name("name")
    if kind is not None and last is not None:
        qualifier = kind.child_by_field_name("qualifier") if kind.type == "qualified_name" else None
        if kind.type != "predefined_type":
            outer = type_text(draft, qualifier) if qualifier is not None else None
            draft.use(simple_name(draft, last), outer, "call", draft.line(kind))
        for arguments in children_of_type(last, "type_argument_list"):
            use_types(draft, arguments)
    return [child for child in node.named_children if child != kind]


def use_initializer(draft: Draft, node: Node) -> Visit:
    """``{ Name = value }`` of a new object: the names are its properties."""
    inside = []
    for child in node.named_children:
        left = child.child_by_field_name("left") if child.type == "assignment_expression" else None
        if left is not None and left.type == "identifier":
            inside += present(child.child_by_field_name("right"))
        else:
            inside.append(child)
    return inside


def use_attribute(draft: Draft, node: Node) -> Visit:
    """``[Audited]`` may mean ``AuditedAttribute``; the draft keeps both spellings and one of them is found."""
    name = node.child_by_field_name("name")
    if name is not None:
        text = type_text(draft, name) or draft.text(name)
        draft.use_text(text, "decorate", draft.line(name))
        if not text.endswith("Attribute"):
            draft.use_text(f"{text}Attribute", "decorate", draft.line(name))
    return [child for child in node.named_children if child != name]


def use_typed(draft: Draft, node: Node) -> Visit:
    """Casts and ``typeof``: their type is one for sure."""
    declared = node.child_by_field_name("type")
    use_types(draft, declared)
    return [child for child in node.named_children if child != declared]


def use_type_arguments(draft: Draft, node: Node) -> Visit:
    use_types(draft, node)
    return ()


def use_constraints(draft: Draft, node: Node) -> Visit:
    for constraint in children_of_type(node, "type_parameter_constraint"):
        use_types(draft, constraint.child_by_field_name("type"))
    return ()


def use_labeled(draft: Draft, node: Node) -> Visit:
    return node.named_children[1:]
