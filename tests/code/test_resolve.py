"""What a use means: imports, receivers, scopes, and what is left open."""

from __future__ import annotations

import pytest

from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.names import Names
from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import edge, edges, parsed, read, shown

TARGET = "def f(): pass\nclass A:\n    def m(self): pass\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import p.mod\np.mod.f()\n", "p/mod.py:f 2()"),
        ("import p.mod as q\nq.f()\n", "p/mod.py:f 2()"),
        ("from p import mod\nmod.f()\n", "p/mod.py:f 2()"),
        ("from p.mod import f as g\ng()\n", "p/mod.py:f 2()"),
        ("from p.mod import *\nf()\n", "p/mod.py:f 2()"),
        ("from p import f\nf()\n", "p/mod.py:f 2()"),
        ("from p.deep.low import f\nf()\n", "p/mod.py:f 2()"),
        ("try:\n    from p.mod import f\nexcept ImportError:\n    f = None\nf()\n", "p/mod.py:f 5()"),
    ],
)
def test_imports_reach_their_definitions(text: str, expected: str) -> None:
    sources = {
        "src/p/__init__.py": "from . import mod\nfrom .mod import f\n",
        "src/p/mod.py": TARGET,
        "src/p/deep/low.py": "from ..mod import f\n",
        "src/main.py": text,
    }
    assert f"<top> CONSUMES src/{expected}" in shown(sources, "src/main.py")


IMPORTED = "import typing as t\nimport p.mod\nfrom p.mod import Parser\n"
PARSER = "class Parser:\n    def stop(self): pass\n"


@pytest.mark.parametrize(
    "text",
    [
        "def use(x: 'Parser'):\n    x.stop()\n",
        "def use(x: t.Optional['Parser']):\n    x.stop()\n",
        "def use(x: 'Parser | None'):\n    x.stop()\n",
        "def use(x: \"t.Union[None, 'Parser']\"):\n    x.stop()\n",
        "def use(x: t.Optional['p.mod.Parser']):\n    x.stop()\n",
        "def make() -> 'Parser': ...\ndef use():\n    make().stop()\n",
        "class B:\n    x: 'Parser'\n    def use(self):\n        self.x.stop()\n",
        "class B:\n    def __init__(self, x: 'Parser'): self.x = x\n    def use(self):\n        self.x.stop()\n",
        "class B:\n    @property\n    def x(self) -> 'Parser': ...\n    def use(self):\n        self.x.stop()\n",
    ],
)
def test_a_type_in_quotes_is_the_type(text: str) -> None:
    sources = {"p/__init__.py": "", "p/mod.py": PARSER, "main.py": f"{IMPORTED}{text}"}
    line = sources["main.py"][: sources["main.py"].index(".stop")].count("\n") + 1
    source = "B.use" if "class B" in text else "use"
    found = shown(sources, "main.py")
    assert f"{source} CONSUMES p/mod.py:Parser.stop {line}()" in found
    assert any("CONSUMES p/mod.py:Parser " in each for each in found)


@pytest.mark.parametrize(
    "quoted", ["'the parser to use'", "b'Parser'", "f'{Parser}'", "'Parser['", "''", "'1 is 2'", "'\\d'"]
)
def test_a_text_in_the_place_of_a_type_that_is_no_type_says_nothing(quoted: str) -> None:
    sources = {"main.py": f"class Parser:\n    def halt(self): pass\ndef p(x: {quoted}):\n    x.halt()\n"}
    assert "p CONSUMES Parser.halt 4() ?" in shown(sources, "main.py")


def test_what_a_literal_lists_in_quotes_is_no_type() -> None:
    text = "import typing as t\nclass A: pass\nclass B: pass\ndef f(x: 't.Union[t.Literal[A], B]'): pass\n"
    assert shown({"main.py": text}, "main.py") == ["f CONSUMES B 4"]


def test_a_package_that_imports_its_module_from_itself() -> None:
    sources = {"p/__init__.py": "from p import mod\n", "p/mod.py": TARGET, "main.py": "from p import mod\nmod.f()\n"}
    assert shown(sources, "main.py") == ["<top> CONSUMES p/mod.py:f 2()"]


def test_a_base_that_is_a_module_is_what_the_module_gives() -> None:
    """CommonJS: what is put on the class of a module is exported beside it."""
    sources = {
        "r.js": "class R { run() {} }\nmodule.exports = R;\nmodule.exports.x = 1;\n",
        "other.js": "exports.y = 1;\n",
        "p.js": 'const R = require("./r");\nclass P extends R { go() { this.run(); } }\n'
        'const N = require("./other");\nclass Q extends N { go() { this.fly(); } }\n',
    }
    assert shown(sources, "p.js") == ["P INHERITS_FROM r.js:R 2", "P.go CONSUMES r.js:R.run 2()"]


def test_a_use_that_cannot_be_looked_up_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def odd(self: Names, entity: object, name: str) -> object:
        if name == "odd":
            raise KeyError(name)
        return member(self, entity, name)  # type: ignore[arg-type]

    member = Names.member
    monkeypatch.setattr(Names, "member", odd)
    sources = {"a.py": TARGET, "b.py": "import a\na.odd()\na.f()\n"}
    found = resolve(parsed(sources))
    assert edges(found, "b.py") == ["<top> CONSUMES a.py:f 3()"]
    assert found.unresolved == 1
    [told] = caplog.records
    assert told.getMessage() == "b.py:2: what odd means is not told"
    caplog.clear()


def test_imports_in_a_circle_end() -> None:
    sources = {
        "a.py": "from b import x\nx()\n",
        "b.py": "from a import x\nfrom c import *\n",
        "c.py": "from b import *\n",
    }
    assert resolve(parsed(sources)).edges == ()


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("a = A()\na.m()", "A.m"),
        ("a = make()\na.m()", "A.m"),
        ("make().m()", "A.m"),
        ("with A() as a:\n    a.m()", "A.m"),
        ("(await later()).m()", "A.m"),
        ("A.m(x)", "A.m"),
        ("B().m()", "A.m"),
        ("B().part.m()", "A.m"),
        ("B().prop.m()", "A.m"),
        ("alias = A\nalias().m()", "A.m"),
        ("kept.m()", "A.m"),
        ("if (a := A()):\n    a.m()", "A.m"),
    ],
)
def test_receivers(body: str, target: str) -> None:
    text = (
        "class A:\n    def m(self): pass\n\n"
        "class B(A):\n    def __init__(self): self.part = A()\n    def same(self): return self\n"
        "    @property\n    def prop(self) -> 'A': ...\n\n"
        "def make():\n    return A()\n\nasync def later() -> A: ...\n\nkept = A()\n\n"
        "async def user(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    )
    found = [line for line in shown({"a.py": text}, "a.py") if line.startswith("user ")]
    assert any(line.startswith(f"user CONSUMES {target} ") and "()" in line and "?" not in line for line in found)


@pytest.mark.parametrize(
    "body",
    [
        "def user(f): f()",  # a parameter
        "def user():\n    f = other\n    f()",  # a variable
        "def user():\n    for f in x: f()",
        "def user(): 'text'.m()",
        "def user(x: str): x.m()",
        "def user(): json.m()",
        "def user(): json.loads(x).strip()",
        "def user(): len.m()",
        "class user(json.JSONEncoder):\n    def g(self): self.m()",  # what a foreign base may have
        "class user(A):\n    def __init__(self, m): self.k = m\n    def g(self): self.k()",
    ],
)
def test_what_is_not_the_projects_is_not_an_edge(body: str) -> None:
    sources = {"a.py": f"import json\n{TARGET}\n\n{body}\n"}
    calls = [e for e in resolve(parsed(sources)).edges if e.call_lines]
    assert calls == []


def test_a_name_alone_speaks_for_a_method_that_only_one_type_has() -> None:
    sources = {
        "a.py": "class A:\n    def frobnicate(self): pass\n    def append(self, x): pass\n",
        "b.py": "def user(x):\n    x.frobnicate()\n    x.append(1)\n",
    }
    resolution = resolve(parsed(sources))
    assert edges(resolution, "b.py") == ["user CONSUMES a.py:A.frobnicate 2() ?"]
    assert resolution.unresolved == 1
    sources["c.py"] = "class C:\n    def frobnicate(self): pass\n"
    assert shown(sources, "b.py") == []


def test_a_method_inside_a_function_is_reached_by_no_other() -> None:
    sources = {
        "a.py": "def f():\n    class A:\n        def frobnicate(self): pass\n\ndef user(x):\n    x.frobnicate()\n"
    }
    assert not any(line.startswith("user ") for line in shown(sources, "a.py"))


def test_super_means_the_bases_and_never_the_class_itself() -> None:
    text = "class A:\n    def m(self): pass\nclass B(A):\n    def m(self): super().m()\n    def n(self): super().n()\n"
    found = [line for line in shown({"a.py": text}, "a.py") if "CONSUMES" in line]
    assert found == ["B.m CONSUMES A.m 4()"]


def test_bases_in_a_circle_end() -> None:
    text = "class A(B): pass\nclass B(A): pass\nA().nothing()\n"
    assert "A INHERITS_FROM B 1" in shown({"a.py": text}, "a.py")


def test_an_overloaded_name_means_its_implementation() -> None:
    text = "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): ...\nf(1)\n"
    assert "<top> CONSUMES f#3 6()" in shown({"a.py": text}, "a.py")


def test_fixtures_reach_the_tests_that_name_them() -> None:
    sources = {
        "tests/conftest.py": "import pytest\nfrom a import A\n@pytest.fixture\ndef thing():\n    yield A()\n",
        "tests/sub/test_x.py": "def test_x(thing):\n    thing.m()\ndef plain(thing):\n    thing.go()\n",
        "a.py": TARGET,
    }
    assert shown(sources, "tests/sub/test_x.py") == [
        "test_x CONSUMES tests/conftest.py:thing 1",
        "test_x CONSUMES a.py:A.m 2()",
    ]


def test_only_some_files_can_be_resolved() -> None:
    index = ProjectIndex(read("python").values())
    whole = resolve(index)
    for path in index.files:
        some = resolve(index, only=[path, "gone.py"])
        assert [edge(e) for e in some.edges] == [edge(e) for e in whole.edges if e.source_path == path]


def test_broken_files_take_no_part() -> None:
    files = [parse("a.py", TARGET.encode()), parse("b.py", b"from a import f\nf()\ndef (:\n")]
    assert all(e.source_path == "a.py" for e in resolve(files).edges)


def test_edges_name_scopes_that_are_there_once_each() -> None:
    for sample in ("python", "typescript", "javascript"):
        files = read(sample)
        keys = {(path, scope.key) for path, file in files.items() for scope in file.scopes} | {(p, "") for p in files}
        found = resolve(files.values()).edges
        assert all({(e.source_path, e.source_key), (e.target_path, e.target_key)} <= keys for e in found)
        assert all(e.lines == tuple(sorted(set(e.lines))) and set(e.call_lines) <= set(e.lines) for e in found)
        ends = [(e.source_path, e.source_key, e.kind, e.target_path, e.target_key) for e in found]
        assert len(ends) == len(set(ends))
