"""Python files as scopes, compared with Python's own parser."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path
from textwrap import dedent

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import Binding, Import, ParsedScope, Use

STDLIB = Path(sysconfig.get_paths()["stdlib"])
MODULES = ["dataclasses.py", "typing.py", "asyncio/base_events.py"]


def scope(text: str, key: str) -> ParsedScope:
    parsed = parse("a.py", dedent(text).encode())
    assert parsed.error is None
    return next(s for s in parsed.scopes if s.key == key)


def places(source: str) -> set[tuple[str, int, int, int]]:
    """(qualified name, first line with decorators, line of the keyword, last line) by Python's ast."""
    found = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                assert child.end_lineno is not None
                found.add((prefix + child.name, first, child.lineno, child.end_lineno))
                visit(child, f"{prefix}{child.name}.")
            else:
                visit(child, prefix)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        visit(ast.parse(source), "")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_functions_methods_and_classes_are_those_of_ast(module: str) -> None:
    source = (STDLIB / module).read_text(encoding="utf-8")
    parsed = parse(module, source.encode())
    found = {
        (s.qualified_name, s.start_line, s.definition_line, s.end_line)
        for s in parsed.scopes
        if s.type not in ("constant", "type")
    }
    assert found == places(source)
    lines = source.split("\n")
    seen: set[str | None] = {None}
    for s in parsed.scopes:
        assert s.key not in seen
        assert s.parent in seen
        assert s.source == "\n".join(lines[s.start_line - 1 : s.end_line])
        seen.add(s.key)


def test_a_function_tells_all_about_itself() -> None:
    found = scope(
        '''
        @first
        @second.third(1)
        async def fetch(url: str, *, tries: int = 3,  # a comment
                        **rest) -> "Answer | None":
            """Get it.

            Then:
                indented
            """
            for _ in range(tries):
                if url and rest or tries:
                    return [x for x in url if x]
            return None
        ''',
        "fetch",
    )
    assert found.signature == 'async def fetch(url: str, *, tries: int = 3, **rest) -> "Answer | None"'
    assert found.docstring == "Get it.\n\nThen:\n    indented"
    assert found.parameters == ("url: str", "*", "tries: int = 3", "**rest")
    assert found.return_type == '"Answer | None"'
    assert found.returns == "Answer"
    assert found.modifiers == ("async",)
    assert found.decorators == ("first", "second.third")
    assert found.complexity == 1 + 5 + 1  # for, if, and, or, comprehension's for and if
    assert (found.start_line, found.definition_line, found.end_line) == (2, 4, 14)


def test_property_pairs_and_overloads_share_a_name_and_have_keys_of_their_own() -> None:
    text = """
    class A:
        @property
        def x(self): return 1

        @x.setter
        def x(self, value): pass

    @overload
    def f(a: int): ...
    def f(a): ...
    """
    parsed = parse("a.py", dedent(text).encode())
    assert [(s.key, s.qualified_name, s.modifiers) for s in parsed.scopes] == [
        ("A", "A", ()),
        ("A.x", "A.x", ("property",)),
        ("A.x#2", "A.x", ("setter",)),
        ("f", "f", ("overload",)),
        ("f#2", "f", ()),
    ]


def test_which_assignments_are_scopes() -> None:
    text = """
    __all__ = ["A"]
    LIMIT = 3
    _SMALL = 1
    app = make()
    _hidden = 2
    a, b = 1, 2
    LIMIT = 4
    if True:
        LATE: Final = 5

    class A:
        MOST = 1
        field: int = 2
        fixed: Final[int] = 3

    def f():
        LOCAL = 1
    """
    parsed = parse("a.py", dedent(text).encode())
    constants = [s.key for s in parsed.scopes if s.type == "constant"]
    assert constants == ["LIMIT", "_SMALL", "app", "LATE", "A.MOST", "A.fixed"]


@pytest.mark.parametrize(
    ("bases", "type"),
    [
        ("(Base)", "class"),
        ("(ABC)", "interface"),
        ("(Protocol[T])", "interface"),
        ("(str, enum.Enum)", "enum"),
    ],
)
def test_kinds_of_classes(bases: str, type: str) -> None:
    assert scope(f"class A{bases}: pass", "A").type == type


def test_imports() -> None:
    parsed = parse(
        "p/a.py",
        b"import a.b\nimport c.d as e\nfrom . import f\nfrom ..g import h as i, j\nfrom k import *\n"
        b"def m():\n import n\n",
    )
    assert parsed.imports == (
        Import("a", "a", None, 1),
        Import("e", "c.d", None, 2),
        Import("f", ".", "f", 3),
        Import("i", "..g", "h", 4),
        Import("j", "..g", "j", 4),
        Import("*", "k", "*", 5),
        Import("n", "n", None, 7, "m"),
    )


def test_uses_have_receivers_in_dotted_text() -> None:
    found = scope("def f(x):\n    get(x).config['a'].load(x)\n    'a'.join(y)\n    (x or y).go()\n", "f")
    calls = [u for u in found.uses if u.kind == "call"]
    assert calls == [
        Use("load", "get().config[]", "call", 2),
        Use("get", None, "call", 2),
        Use("join", "!", "call", 3),
        Use("go", "?", "call", 4),
    ]


def test_what_is_known_of_local_names() -> None:
    found = scope(
        """
        def f(a, b: Optional[B], c: "m.C | None" = None):
            d = D()
            e = await g.h(d)
            i = d
            for j, (k, *l) in i: pass
            with open(a) as n: pass
            if (o := P()): pass
            q: list[int] = []
            global r
            r = 1
            return d
        """,
        "f",
    )
    assert [(b.name, b.kind, b.value) for b in found.bindings] == [
        ("a", "parameter", None),
        ("b", "parameter", "B"),
        ("c", "type", "m.C"),
        ("d", "call", "D"),
        ("e", "call", "g.h"),
        ("i", "alias", "d"),
        ("j", "unknown", None),
        ("k", "unknown", None),
        ("l", "unknown", None),
        ("n", "call", "open"),
        ("o", "call", "P"),
        ("q", "type", "list"),
        ("return", "alias", "d"),
    ]


def test_fields_of_instances_belong_to_the_class() -> None:
    found = scope(
        """
        class A:
            size: Size
            def __init__(self, given: Given, other):
                self.a = B()
                self.b = given
                self.c = other
                self.d: D = other
                self.e = self.make()
        """,
        "A",
    )
    assert found.bindings == (
        Binding("size", "type", "Size", 3),
        Binding("a", "call", "B", 5),
        Binding("b", "parameter", "Given", 6),
        Binding("c", "unknown", None, 7),
        Binding("d", "type", "D", 8),
        Binding("e", "call", "self.make", 9),
    )


def test_a_match_binds_and_uses() -> None:
    found = scope("def f(x):\n    match x:\n        case Point(x=0, y=yy): pass\n        case m.E.F: pass\n", "f")
    assert {(u.name, u.receiver) for u in found.uses} >= {("Point", None), ("F", "m.E")}
    assert "yy" in {b.name for b in found.bindings}


def test_names_are_those_that_python_compares() -> None:
    source = "class ª(Base): pass\ndef \ufb01nd_it(x) -> ª: return x\nfind_it(a)\nimport m.\ufb01x as \ufb01y\n"
    parsed = parse("m.py", source.encode())
    assert [found.key for found in parsed.scopes] == ["a", "find_it"]
    assert parsed.scopes[1].returns == "a"
    assert "\ufb01nd_it" in parsed.scopes[1].signature
    assert {use.name for use in parsed.uses} >= {"find_it", "a"}
    assert [(found.local, found.module) for found in parsed.imports] == [("fiy", "m.fix")]
