"""What PHP code uses and binds: names, types, calls, constants of classes; its expressions as dotted text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragforge_memory.code.clauses import chain, comment_free, first_named, present
from ragforge_memory.code.draft import Draft
from ragforge_memory.code.open_scope import OpenScope
from ragforge_memory.code.parsed import UseKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft, Visit
    from ragforge_memory.code.parsed import BindingKind


_BUILT_IN = frozenset({"array", "string", "int", "float", "bool", "null", "callable", "iterable", "object", "mixed",
                       "resource", "true", "false", "void", "never", "integer", "boolean"})  # fmt: skip
_TAG = re.compile(r"@(?:phpstan-|psalm-)?(var|return)\s+([^\s*]+)")
_PARAMETER = re.compile(r"@param\s+([^\s*]+)\s+(?:\.\.\.)?\$(\w+)")

GLOBAL = "\\"
"""The package of files without a namespace, and what stands before a name that is looked up in no other."""


def plain(text: str) -> str:
    r"""``\A\B`` as ``A.B``, but ``\A`` with its backslash: the one without a namespace."""
    text = text.strip()
    if text.startswith(GLOBAL) and GLOBAL not in text[1:]:
        return f"{GLOBAL}.{text[1:]}"
    return text.lstrip(GLOBAL).replace(GLOBAL, ".").removeprefix("namespace.")


@chain
def dotted(draft: Draft, node: Node, tail: list[str]) -> Node | str | None:
    """An expression as dotted text; variables keep their ``$``, but ``$this`` is ``this``."""
    kind = node.type
    if kind == "variable_name":
        text = draft.text(node)
        return "this" if text == "$this" else text
    if kind in ("name", "qualified_name", "relative_scope", "namespace_name"):
        return plain(draft.text(node))
    if kind in ("member_access_expression", "nullsafe_member_access_expression"):
        tail.append(f".{_member(draft, node)}")
        return node.child_by_field_name("object")
    elif kind in ("member_call_expression", "nullsafe_member_call_expression"):
        tail.append(f".{_member(draft, node)}()")
        return node.child_by_field_name("object")
    elif kind == "scoped_call_expression":
        tail.append(f".{_member(draft, node)}()")
        return node.child_by_field_name("scope")
    elif kind == "scoped_property_access_expression":
        tail.append(f".{_member(draft, node).lstrip('$')}")
        return node.child_by_field_name("scope")
    elif kind == "class_constant_access_expression":
        parts = comment_free(node.named_children)
        tail.append(f".{draft.text(parts[-1])}" if len(parts) > 1 else ".?")
        return parts[0] if parts else None
    elif kind == "function_call_expression":
        function = node.child_by_field_name("function")
        is_name = function is not None and function.type in ("name", "qualified_name")
        tail.append("()" if is_name else ".__invoke()")
        return function
    elif kind == "object_creation_expression":
        tail.append("()")
        return created(node)
    elif kind == "subscript_expression":
        tail.append("[]")
        return first_named(node)
    elif kind in ("parenthesized_expression", "clone_expression"):
        return first_named(node)
    elif kind == "assignment_expression":
        return node.child_by_field_name("left")
    elif kind in ("string", "encapsed_string", "integer", "float", "boolean", "null", "array_creation_expression",
                  "heredoc", "nowdoc", "anonymous_function", "arrow_function"):  # fmt: skip
        return "!"
    return None


def _member(draft: Draft, node: Node) -> str:
    name = node.child_by_field_name("name")
    return draft.text(name) if name is not None and name.type in ("name", "variable_name") else "?"


def created(node: Node) -> Node | None:
    """The class of ``new X``; None for an anonymous one."""
    found = first_named(node)
    return (
        found
        if found is not None and found.type in ("name", "qualified_name", "relative_scope", "variable_name")
        else None
    )


def type_text(draft: Draft, node: Node | None) -> str | None:
    """The class that a type means: of an optional the inner, of a union the first; None for built-in ones."""
    while node is not None:
        kind = node.type
        if kind in ("name", "qualified_name", "relative_scope"):
            return plain(draft.text(node))
        if kind in ("named_type", "optional_type"):
            node = first_named(node)
        elif kind in ("union_type", "intersection_type", "disjunctive_normal_form_type", "type_list"):
            parts = [part for part in comment_free(node.named_children) if type_text(draft, part)]
            node = parts[0] if parts else None
        else:
            return None
    return None


def tagged(doc: str | None, tag: str) -> str | None:
    """The class that a documentation's ``@var`` or ``@return`` names."""
    for found in _TAG.finditer(doc or ""):
        if found[1] == tag:
            return _named(found[2])
    return None


def tagged_parameters(doc: str | None) -> dict[str, str]:
    """The classes that ``@param`` tags name, by the parameters' names."""
    return {found[2]: known for found in _PARAMETER.finditer(doc or "") if (known := _named(found[1]))}


def _named(text: str) -> str | None:
    for part in text.split("|"):
        name = part.lstrip("?").partition("<")[0]
        element = name.endswith("[]")
        name = plain(name.removesuffix("[]")).removeprefix(f"{GLOBAL}.")
        if name and name.lower() not in _BUILT_IN and re.fullmatch(r"[A-Za-z_][\w.]*", name):
            name = {"$this": "static"}.get(name, name)
            return f"{name}[]" if element else name
    return None


def value_of(draft: Draft, node: Node | None) -> tuple[BindingKind, str | None]:
    """What an assigned expression says of the name's value."""
    while node is not None:
        kind = node.type
        if kind in ("parenthesized_expression", "clone_expression"):
            node = first_named(node)
        elif kind == "assignment_expression":
            node = node.child_by_field_name("right")
        elif kind == "conditional_expression":
            node = node.child_by_field_name("body") or node.child_by_field_name("alternative")
        elif kind == "binary_expression":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type != "??":
                return "unknown", None
            node = node.child_by_field_name("left")
        else:
            break
    if node is None:
        return "unknown", None
    if node.type in ("object_creation_expression", "function_call_expression", "member_call_expression",
                     "nullsafe_member_call_expression", "scoped_call_expression"):  # fmt: skip
        return "call", dotted(draft, node).removesuffix("()")
    if node.type in ("variable_name", "member_access_expression", "class_constant_access_expression",
                     "scoped_property_access_expression", "subscript_expression"):  # fmt: skip
        return "alias", dotted(draft, node)
    return "unknown", None


_OWN = frozenset({"self", "static", "parent"})


def say(draft: Draft, text: str, kind: UseKind, line: int) -> None:
    """Notes the use of a dotted name, if it is not one of the language's own."""
    receiver, _, name = text.rpartition(".")
    if name not in _OWN:
        draft.use(name, receiver or None, kind, line)


def use_name(draft: Draft, node: Node) -> Visit:
    text = plain(draft.text(node))
    if text.removeprefix(f"{GLOBAL}.").lower() not in ("true", "false", "null", "self", "static", "parent"):
        say(draft, text, "reference", draft.line(node))
    return ()


def use_named_type(draft: Draft, node: Node) -> Visit:
    if (text := type_text(draft, node)) and text not in _OWN:
        say(draft, text, "type", draft.line(node))
    return ()


def use_method_call(draft: Draft, node: Node) -> Visit:
    receiver, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    arguments = node.child_by_field_name("arguments")
    if name is not None and name.type == "name" and receiver is not None:
        draft.use(draft.text(name), dotted(draft, receiver), "call", draft.line(name))
        return present(receiver, arguments)
    return present(receiver, name, arguments)


def use_scoped_call(draft: Draft, node: Node) -> Visit:
    scope, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    arguments = node.child_by_field_name("arguments")
    if scope is not None and name is not None and name.type == "name":
        draft.use(draft.text(name), dotted(draft, scope), "call", draft.line(name))
    return present(scope, arguments)


def use_class_constant(draft: Draft, node: Node) -> Visit:
    parts = comment_free(node.named_children)
    if len(parts) > 1 and draft.text(parts[-1]) != "class":
        draft.use(draft.text(parts[-1]), dotted(draft, parts[0]), "reference", draft.line(parts[-1]))
    return parts[:1]


def use_creation(draft: Draft, node: Node) -> Visit:
    kind = created(node)
    if kind is not None and kind.type in ("name", "qualified_name"):
        say(draft, plain(draft.text(kind)), "call", draft.line(kind))
    return [child for child in node.named_children if child != kind]


_CALLABLE_AT = {
    **dict.fromkeys(("array_filter", "array_reduce", "array_walk", "iterator_apply", "preg_replace_callback", "uasort",
                     "uksort", "usort"), 1),
    **dict.fromkeys(("array_map", "call_user_func", "call_user_func_array", "forward_static_call",
                     "register_shutdown_function", "set_error_handler", "set_exception_handler",
                     "spl_autoload_register"), 0),
}  # fmt: skip
"""PHP's own functions that call what their argument names, and which argument it is."""
_FUNCTION = re.compile(r"\\?[A-Za-z_][\w\\]*(?:::\w+)?")


def use_callable(draft: Draft, function: str, arguments: Node | None) -> None:
    """``array_map('name', …)``, ``call_user_func('A::name')``: the function that a text names, from the root."""
    place = _CALLABLE_AT.get(function.removeprefix(f"{GLOBAL}."))
    listed = comment_free(arguments.named_children) if arguments is not None and place is not None else []
    said = first_named(listed[place]) if place is not None and place < len(listed) else None
    text = _string(draft, said)
    if said is not None and _FUNCTION.fullmatch(text):
        name, _, member = text.lstrip(GLOBAL).partition("::")
        say(draft, f"{name}.{member}".replace(GLOBAL, ".") if member else plain(GLOBAL + name), "reference",
            draft.line(said))  # fmt: skip


def use_array(draft: Draft, node: Node) -> Visit:
    """``[$this, 'name']``, ``[Place::class, 'name']``: a method, if there is one of that name."""
    parts = [first_named(part) for part in comment_free(node.named_children) if part.named_child_count == 1]
    if len(parts) == 2 and node.named_child_count == 2 and (name := _string(draft, parts[1])).isidentifier():
        holder, said = dotted(draft, parts[0]), parts[1]
        if said is not None and (holder == "this" or holder.endswith(".class")):
            draft.use(name, holder.removesuffix(".class"), "word", draft.line(said))
    return node.named_children


def _string(draft: Draft, node: Node | None) -> str:
    """What a text says; '' of everything else."""
    if node is None or node.type not in ("string", "encapsed_string"):
        return ""
    return draft.text(node)[1:-1].replace(GLOBAL * 2, GLOBAL)


def use_attribute(draft: Draft, node: Node) -> Visit:
    name = first_named(node)
    if name is not None:
        say(draft, plain(draft.text(name)), "decorate", draft.line(name))
    return [child for child in node.named_children if child != name]


def bind(draft: Draft, text: str, declared: str | None, line: int, scope: OpenScope | None = None) -> None:
    """Binds a name to its type; of ``T[]`` its elements."""
    if declared is not None and declared.endswith("[]"):
        draft.bind(f"{text}[]", "type", declared.removesuffix("[]"), line, scope)
        declared = None
    draft.bind(text, "type", declared, line, scope)


def bind_parameters(draft: Draft, parameters: Node | None, tags: dict[str, str] | None = None) -> None:
    """Parameters with their types; ``tags`` are those of the comment, by name."""
    for parameter in comment_free(parameters.named_children) if parameters is not None else ():
        name = parameter.child_by_field_name("name")
        if name is None:
            continue
        text = draft.text(name).lstrip("&")
        declared = type_text(draft, parameter.child_by_field_name("type")) or (tags or {}).get(text.lstrip("$"))
        bind(draft, text, declared, draft.line(name))
        if parameter.type == "property_promotion_parameter":
            bind(draft, text.lstrip("$"), declared, draft.line(name), draft.enclosing_type)


def bind_closure(draft: Draft, node: Node) -> Visit:
    bind_parameters(draft, node.child_by_field_name("parameters"))
    return node.named_children


def bind_assignment(draft: Draft, node: Node) -> Visit:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return node.named_children
    if left.type == "variable_name":
        draft.bind(draft.text(left), *value_of(draft, right), draft.line(left))
        return present(right)
    if left.type == "member_access_expression" and dotted(draft, left.child_by_field_name("object")) == "this":
        owner, name = draft.enclosing_type, left.child_by_field_name("name")
        if owner is not None and name is not None and not any(b.value for b in owner.bound(draft.text(name))):
            kind, value = value_of(draft, right)
            known = draft.known(value) if kind == "alias" and value is not None else None
            if known is not None:
                kind, value = known.kind, known.value
            elif kind == "alias" and value is not None and value.startswith("$"):
                kind, value = "unknown", None
            draft.bind(draft.text(name), kind, value, draft.line(left), owner)
        return present(right)
    if left.type in ("list_literal", "array_creation_expression"):
        _bind_unknown(draft, left)
        return present(right)
    return present(left, right)


def _bind_unknown(draft: Draft, node: Node) -> None:
    stack = [node]
    while stack:
        part = stack.pop()
        if part.type == "variable_name":
            draft.bind_unknown(part)
        elif part.type not in ("member_access_expression", "subscript_expression"):
            stack += part.named_children


def bind_foreach(draft: Draft, node: Node) -> Visit:
    draft.decide()
    body = node.child_by_field_name("body")
    parts = [child for child in comment_free(node.named_children) if child != body]
    over = parts[0] if parts else None
    for target in parts[1:]:
        value = target.named_children[-1] if target.type == "pair" else target
        if target.type == "pair":
            _bind_unknown(draft, target.named_children[0])
        while value.type in ("by_ref", "reference_modifier") and value.named_children:
            value = value.named_children[0]
        text = dotted(draft, over)
        if value.type == "variable_name" and text[:1] not in "?!":
            draft.bind(draft.text(value), "alias", f"{text}[]", draft.line(value))
        else:
            _bind_unknown(draft, value)
    return present(over, body)


def bind_catch(draft: Draft, node: Node) -> Visit:
    draft.decide()
    declared, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if name is not None:
        draft.bind(draft.text(name), "type", type_text(draft, declared), draft.line(name))
    return present(declared, node.child_by_field_name("body"))


def bind_declared_variables(draft: Draft, node: Node) -> Visit:
    """``global $x`` and ``static $x = 1``."""
    _bind_unknown(draft, node)
    return [child for child in node.named_children if child.type != "variable_name"]
