"""What a Python file says of a name at a place: who binds it, as far as `ast` alone can know."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Origin:
    """Who binds a name.

    Args:
        kind: ``import``, of ``name`` (empty for the module itself) out of ``module``;
            ``made``: a variable that holds nothing but what a class of ``module`` made;
            ``definition``: a function or class of this file;
            ``variable``: anything else that is assigned, and parameters;
            ``unbound``: nobody in this file does.
        module: relative ones begin with a dot.
    """

    kind: Literal["import", "made", "definition", "variable", "unbound"]
    module: str = ""
    name: str = ""


UNBOUND = Origin("unbound")
_DEFINITION, _VARIABLE = Origin("definition"), Origin("variable")
_LITERALS = (
    ast.List | ast.Dict | ast.Set | ast.Tuple | ast.Constant | ast.JoinedStr | ast.ListComp | ast.DictComp | ast.SetComp
)
_Names = dict[str, list[Origin]]


class Bindings:
    """The names of a file; `enter` and `leave` say where one is.

    Args:
        tree: of the file.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.starred = any(
            isinstance(each, ast.ImportFrom) and any(name.name == "*" for name in each.names) for each in ast.walk(tree)
        )
        self._around: list[tuple[ast.AST, _Names]] = [(tree, {})]
        self._around[0][1].update(self._bound(tree))

    def enter(self, scope: _Scope) -> None:
        """Goes into a function or class."""
        names: _Names = {}
        self._around.append((scope, names))
        names.update(self._bound(scope))

    def leave(self) -> None:
        """Goes back out."""
        self._around.pop()

    def origin(self, called: ast.expr) -> Origin:
        """Of the first name of what is called; of a field of ``self`` what made it."""
        me, field = _field(called)
        if field and (found := self._field(me, field)) is not None:
            return found
        root = root_of(called)
        return self._name(root.id) if isinstance(root, ast.Name) else _VARIABLE

    def _name(self, name: str) -> Origin:
        for number, (scope, names) in enumerate(reversed(self._around)):
            if name in names and not (number and isinstance(scope, ast.ClassDef)):
                return _together(names[name])
        return UNBOUND

    def _field(self, me: str, field: str) -> Origin | None:
        """``self.field``: made by another package's class, where all assignments of the class around say so."""
        for number in range(len(self._around) - 1, 0, -1):
            scope, outer = self._around[number][0], self._around[number - 1][0]
            if isinstance(scope, _Function) and isinstance(outer, ast.ClassDef):
                if not scope.args.args or scope.args.args[0].arg != me:
                    return None
                values = [
                    each.value
                    for each in ast.walk(outer)
                    if isinstance(each, ast.Assign | ast.AnnAssign)
                    for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
                    if _field(target) == (me, field) and isinstance(target, ast.Attribute)
                ]
                found = [self._made(value) for value in values]
                return _together(found) if found and all(each.kind == "made" for each in found) else None
        return None

    def _made(self, value: ast.expr | None) -> Origin:
        """What an assigned value is: a literal, made by an imported class, whose name begins with a capital, or
        anything."""
        if isinstance(value, _LITERALS):
            return Origin("made", "builtins")
        if isinstance(value, ast.Call):
            func = value.func
            last = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
            plain = isinstance(func, ast.Name) or (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name))
            origin = self.origin(func) if plain and last[:1].isupper() else UNBOUND
            if origin.kind == "import":
                return Origin("made", origin.module)
        return _VARIABLE

    def _bound(self, scope: ast.AST) -> _Names:
        found: _Names = {}
        outside: set[str] = set()
        if isinstance(scope, _Function):
            for each in ast.walk(scope.args):
                if isinstance(each, ast.arg):
                    found.setdefault(each.arg, []).append(_VARIABLE)
        assigned: dict[str, list[ast.expr]] = {}
        for node in _own(scope):
            match node:
                case ast.Import():
                    for each in node.names:
                        first = each.name if each.asname else each.name.partition(".")[0]
                        found.setdefault(each.asname or first, []).append(Origin("import", first))
                case ast.ImportFrom():
                    module = "." * node.level + (node.module or "")
                    for each in node.names:
                        found.setdefault(each.asname or each.name, []).append(Origin("import", module, each.name))
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    found.setdefault(node.name, []).append(_DEFINITION)
                case ast.Global() | ast.Nonlocal():
                    outside.update(node.names)
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    assigned.setdefault(name, []).append(value)
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    found.setdefault(name, []).append(_VARIABLE)
                case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    found.setdefault(name, []).append(_VARIABLE)
        for name, values in assigned.items():
            stored = sum(1 for each in found.get(name, ()) if each == _VARIABLE)
            if stored == len(values):  # nothing but these assignments
                found[name] = [each for each in found[name] if each != _VARIABLE] + [self._made(v) for v in values]
        return {name: origins for name, origins in found.items() if name not in outside}


def _together(origins: list[Origin]) -> Origin:
    """Of several bindings of a name the one that leaves most open."""
    order = {"definition": 0, "import": 1, "variable": 2, "made": 3, "unbound": 4}
    # ``try: from a import x`` and ``except ImportError: from .b import x``: the repository's own may be meant.
    return min(origins, key=lambda each: (order[each.kind], not each.module.startswith(".")))


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What is in a scope, but not in the functions and classes inside it; of lambdas also the parameters."""
    inside = scope.body if isinstance(scope, ast.Module | _Function | ast.ClassDef) else []
    waiting: list[ast.AST] = list(inside)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _Scope):
            waiting.extend(node.decorator_list)
        elif isinstance(scope, _Function) or not isinstance(node, ast.Lambda | ast.comprehension):
            waiting.extend(ast.iter_child_nodes(node))


def root_of(called: ast.AST) -> ast.AST:
    """What stands first: ``a`` of ``a.b().c``."""
    while isinstance(called, ast.Attribute | ast.Call | ast.Subscript):
        called = called.func if isinstance(called, ast.Call) else called.value
    return called


def _field(expression: ast.AST) -> tuple[str, str]:
    """``("self", "x")`` of ``self.x``, ``self.x.y`` and ``self.x.y()``; empty where it is no such thing."""
    while isinstance(expression, ast.Attribute):
        if isinstance(expression.value, ast.Name):
            return expression.value.id, expression.attr
        expression = expression.value
    return "", ""
