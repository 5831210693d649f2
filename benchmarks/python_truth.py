"""What is true of a Python repository, by the standard library's `ast` alone: definitions and call sites.

Independent of the product's parser on purpose. Files with a syntax error are left out of the truth.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from python_bindings import UNBOUND, Bindings, Origin, root_of

IGNORED_FOLDERS = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", "build", "dist", ".tox"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class. ``line`` is that of ``def`` or ``class``, ``start`` its first decorator's."""

    name: str
    qualified_name: str
    kind: str
    file: str
    line: int
    start: int
    end: int
    docstring: str

    @property
    def is_local(self) -> bool:
        """Whether it is inside a function."""
        return self.kind.startswith("local ")


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call by name: ``called`` is the last name. ``caller`` is the innermost function, ``''`` for none.

    ``bare``: nothing stands before the name. ``root`` is the first name of what is called: ``a`` of ``a.b.c()``.
    ``origin``: what the file says of that first name, see python_bindings.py.
    """

    called: str
    file: str
    line: int
    caller: str
    may_be_caller: frozenset[str] = frozenset()
    bare: bool = False
    root: str = ""
    origin: Origin = UNBOUND


@dataclass
class Truth:
    """All definitions and call sites of a repository."""

    root: Path
    definitions: list[Definition] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    aliased: set[str] = field(default_factory=set)
    starred: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for path in python_files(self.root):
            self._read(path)

    @cached_property
    def by_name(self) -> dict[str, list[Definition]]:
        """Definitions by bare name."""
        found: dict[str, list[Definition]] = defaultdict(list)
        for each in self.definitions:
            found[each.name].append(each)
        return found

    @cached_property
    def by_qualified_name(self) -> dict[str, list[Definition]]:
        """Definitions by qualified name."""
        found: dict[str, list[Definition]] = defaultdict(list)
        for each in self.definitions:
            found[each.qualified_name].append(each)
        return found

    @cached_property
    def calls_of(self) -> dict[str, list[CallSite]]:
        """Call sites by the name that is called."""
        found: dict[str, list[CallSite]] = defaultdict(list)
        for each in self.calls:
            found[each.called].append(each)
        return found

    def calls_to(self, definition: Definition) -> list[CallSite]:
        """The calls of its name that may reach it.

        Not those whose file says otherwise: a bare name reaches no method, and means what its import, parameter or
        local variable says (``from itertools import chain``, ``def f(run): run()``), or a built-in where the file
        binds it nowhere. What is reached through another package (``subprocess.run()``), or through something that
        one of its classes made (``t = otherlib.Thing()``), is not a definition of this repository.
        """
        return [each for each in self.calls_of[definition.name] if self._may_reach(each, definition)]

    def _may_reach(self, call: CallSite, definition: Definition) -> bool:
        origin = call.origin
        if origin.kind == "import" and not self._is_own(origin.module):
            return False
        if not call.bare:
            return not (origin.kind == "made" and not self._is_own(origin.module))
        if definition.kind == "method" or origin.kind in ("variable", "made"):
            return False
        if origin.kind == "unbound":
            return call.file in self.starred
        return origin.kind != "import" or origin.name in ("", definition.name)

    def _is_own(self, module: str) -> bool:
        """Whether an import (``.mod`` is relative) means a module of this repository."""
        first = module.partition(".")[0]
        return not first or first in self._own_modules

    @cached_property
    def _own_modules(self) -> frozenset[str]:
        """What an absolute import of this repository may begin with: what lies in a folder that is not a package. What
        the standard library has is its own, unless the repository is that package."""
        packages = {str(Path(file).parent) for file in self.sources if file.endswith("__init__.py")}
        found: dict[str, None] = {}
        for file in self.sources:
            parts = Path(file).parts
            for number, part in enumerate(parts):
                if str(Path(*parts[:number])) not in packages:
                    found[part.removesuffix(".py")] = None
        return frozenset(name for name in found if name not in sys.stdlib_module_names)

    def _read(self, path: Path) -> None:
        file = path.relative_to(self.root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except (SyntaxError, UnicodeDecodeError, ValueError):
            return
        self.sources[file] = text.split("\n")
        reader = _Reader(file, tree)
        reader.visit(tree)
        self.definitions.extend(reader.definitions)
        self.calls.extend(reader.calls)
        self.constants.update(reader.constants)
        self.aliased.update(reader.aliased)
        if reader.bindings.starred:
            self.starred.add(file)
        self.words.update(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        self.words.update(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        self.words.update(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))


def python_files(root: Path) -> Iterator[Path]:
    """The Python files below a folder, sorted; dependencies and builds left out."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in IGNORED_FOLDERS)
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(".py") and not path.is_symlink():
                yield path


class _Reader(ast.NodeVisitor):
    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file = file
        self.definitions: list[Definition] = []
        self.calls: list[CallSite] = []
        self.constants: set[str] = set()
        # What has another name too, and may be called by that one; also pytest's fixtures, by a parameter.
        self.aliased: set[str] = set()
        self.bindings = Bindings(tree)
        self._stack: list[tuple[str, str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._define(node, "function")

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._define(node, "function")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._define(node, "class")

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(kind != "class" for _, kind in self._stack):
            self.constants.update(
                each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)
            )
        if isinstance(node.value, ast.Name | ast.Attribute):
            self.aliased.add(node.value.id if isinstance(node.value, ast.Name) else node.value.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        if name:
            line = getattr(called, "end_lineno", None) or node.lineno
            root = root_of(called)
            self.calls.append(
                CallSite(
                    name,
                    self.file,
                    line,
                    self._caller(),
                    self._also(),
                    bare=isinstance(called, ast.Name),
                    root=root.id if isinstance(root, ast.Name) else "",
                    origin=self.bindings.origin(called),
                )
            )
        self.generic_visit(node)

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, kind: str) -> None:
        if kind == "function" and self._stack and self._stack[-1][1] == "class":
            kind = "method"
        local = any(each == "function" or each == "method" for _, each in self._stack)
        qualified = ".".join([*(name for name, _ in self._stack), node.name])
        start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        self.definitions.append(
            Definition(
                node.name,
                qualified,
                f"local {kind}" if local else kind,
                self.file,
                node.lineno,
                start,
                node.end_lineno or node.lineno,
                ast.get_docstring(node) or "",
            )
        )
        if any("fixture" in ast.unparse(each) for each in node.decorator_list):
            self.aliased.add(node.name)
        # Decorators and defaults run outside of the body; either reading of whose calls they are is right.
        outside = [*node.decorator_list]
        if not isinstance(node, ast.ClassDef):
            outside += [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
        before, self._stack = self._stack, [*self._stack, (node.name, kind)]
        either = frozenset({qualified, self._name(before)})
        for each in outside:
            self._visit_either(each, either)
        for each in ast.iter_child_nodes(node):
            if each not in outside and not isinstance(each, ast.arguments):
                self.bindings.enter(node)
                self.visit(each)
                self.bindings.leave()
            elif isinstance(each, ast.arguments):
                for argument in (*each.posonlyargs, *each.args, *each.kwonlyargs):
                    if argument.annotation is not None:
                        self._visit_either(argument.annotation, either)
        self._stack = before

    def _visit_either(self, node: ast.AST, either: frozenset[str]) -> None:
        for each in ast.walk(node):
            if isinstance(each, ast.Call):
                func = each.func
                name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
                if name:
                    origin = self.bindings.origin(func)
                    bare = isinstance(func, ast.Name)
                    self.calls.append(CallSite(name, self.file, each.lineno, "", either, bare, origin=origin))

    def _caller(self) -> str:
        """The innermost function around the place, ``''`` at class and top level."""
        return self._name(self._stack) if self._stack and self._stack[-1][1] != "class" else ""

    def _also(self) -> frozenset[str]:
        """A class body that calls is not a function, but to name it as the caller is not wrong."""
        return frozenset({self._name(self._stack)}) if self._stack and self._stack[-1][1] == "class" else frozenset()

    @staticmethod
    def _name(stack: list[tuple[str, str]]) -> str:
        return ".".join(name for name, _ in stack)
