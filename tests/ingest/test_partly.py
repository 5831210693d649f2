"""Files with syntax errors: what is whole is read, what the errors touch stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory.code.facts import encode
from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.parse import ENDLESS, parse, parse_partly, unread
from ragforge_memory.code.partly import completed
from ragforge_memory.code.resolve import resolve
from ragforge_memory.ingest.rows import scope_properties
from tests.ingest.conftest import Cypher, Ingest, Snapshot, Tree
from tests.ingest.test_ingest import code

pytestmark = pytest.mark.anyio

Uuids = Callable[[], dict[tuple[str, str], str]]


def whole(path: str, text: str) -> list[str]:
    parsed, rest = parse_partly(path, text.encode())
    assert (parsed.error is None) == (rest is None)
    return [scope.key for scope in parsed.scopes]


@pytest.mark.parametrize(
    "text",
    [
        'return <a href="x?a=1&b=2">time & money &amp; more</a>',
        "type T<A> = import('./a.js').B<A> & C\n  return f<import('./a.js').b.C<number>>()",
        "const a = await f.load<typeof import('./a.js')>('./a.js', b)\n  return a",
        "const one = using(() => a & b)\n  return using",
        "type T = {\n  <A, B extends [X, C<D>][] = []>(\n  a: A): B<A>\n  <E>(): <A>(a: A) => B\n  (a: A): B\n  }",
        "interface T {\n  m(): A // why\n  <E>(): E[]\n  /** how */\n  <F extends A<B<C>>>(): F\n  }",
        "type T = {\n  (a: A): B<A>\n  // why\n  <\n  P extends { k: (a: A<B<C<D>>>) => 'x>' }, // b\n  >(): P\n  }",
        "const g = <A>() =>\n  <B>(b: B) => b\n  type O = {\n  a(): A\n  <B>(): B\n  }",
        "type T = {\n  a?: A\n  in2: A\n  in?: A\n  in(a: A): B\n  instanceof: A\n  }",
        "const g = sql<{ readonly id: A[] }>`select ${sql<{ a: A<B> }>`a`}>`",
        "const r = sql<\n  | A\n  | { a: B }\n  >`a`.then((a) => a)",
        "type T<in out A extends B, out C = D, in E> = A\n  type O = `a \\`b\\` ${T<in2, B>}()`",
        "g<['a'?, B?]>()\n  type T = import('./a.js').B[]",
        "let as = a ? as : [as]\n  for (const b of as) as.push(b)\n  return as",
    ],
)
def test_what_the_grammar_of_typescript_does_not_know_is_read(text: str) -> None:
    tokens = set()
    for each in (text, text.replace("\n  ", "\n\n\t")):
        parsed = parse("a.tsx", f"export function f() {{\n  {each}\n}}\nexport class C {{}}\n".encode())
        assert parsed.error is None
        assert [scope.qualified_name for scope in parsed.scopes if scope.depth == 0] == ["f", "C"]
        assert each in parsed.scopes[0].source
        tokens.add(parsed.scopes[0].body_hash)

    assert len(tokens) == 1


@pytest.mark.parametrize(
    ("path", "text", "keys"),
    [
        ("a.py", "def f(x):\n    return x\n\n\nclass ((\n", ["f"]),
        ("a.py", "class A:\n    def f(self):\n        return (1\n\n    def h(self): ...\ndef g(): ...\n", ["A", "g"]),
        ("a.py", "def f():\nreturn 1\ndef g(): ...\n", ["g"]),
        ("a.ts", "function f() {}\nfunction g((;\nfunction h() {}\n", ["f"]),
        ("a.py", "class A(((:\n    def f(self): ...\n", ["A", "A.f"]),
        ("a.ts", "class C { m() { return ( }\n n() { return 1 } }\nfunction b() {}\n", ["C", "C.n", "b"]),
        ("a.ts", "function a() { if (x) {\n}\nfunction b() {}\n", []),
        ("a.go", "package a\nfunc f() { x := (\n}\nfunc g() {}\n", ["g"]),
        ("a.java", "class C { void m() { return ( ; }\n int n() { return 1; } }\nclass D {}\n", ["C", "C.n", "D"]),
    ],
)
def test_what_no_error_touches_is_whole(path: str, text: str, keys: list[str]) -> None:
    assert whole(path, text) == keys


def test_a_type_with_an_error_in_it_is_not_the_same_as_without() -> None:
    text = "class C {{ m() {{ return {} }}\n n() {{ return 1 }} }}\n"
    bad = text.format("(").encode()
    good = {scope.key: scope for scope in parse("a.ts", text.format("1").encode()).scopes}
    broken = {scope.key: scope for scope in parse_partly("a.ts", bad)[0].scopes}
    assert broken["C"].body_hash not in {good["C"].body_hash, parse("a.ts", bad).scopes[0].body_hash}
    assert broken["C.n"].body_hash == good["C.n"].body_hash


WORDS = ["def f(x):\n", "class A(B):\n", "    return g()\n", "@", "(", ")", "{", "}", "class A {", "function f() {",
         "'",
         "import y\n", "export ", "    def m(self): f()\n", "m() { return f() }", "=", "\n", "a", "/*"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    first=st.lists(st.sampled_from(WORDS), max_size=30),
    second=st.lists(st.sampled_from(WORDS), max_size=30),
    extension=st.sampled_from([".py", ".ts", ".tsx", ".js", ".java"]),
)
def test_no_mixture_of_syntax_breaks_what_is_put_together(first: list[str], second: list[str], extension: str) -> None:
    path = f"a{extension}"
    before, _ = parse_partly(path, "".join(first).encode())
    stored = [
        {
            **scope_properties(scope, before, project="p", token="t", parent=None, parent_uuid=scope.parent),
            "uuid": scope.key,
        }
        for scope in before.scopes
    ]
    now, rest = parse_partly(path, "".join(second).encode())
    for scope in now.scopes:
        assert 1 <= scope.start_line <= scope.definition_line <= scope.end_line <= max(now.line_count, 1)
    if rest is None:
        return
    made = completed(now, rest, stored, before)
    keys = [scope.key for scope in made.scopes]
    assert len(keys) == len(set(keys))
    assert {scope.parent for scope in made.scopes} <= {None, *keys}
    made = replace(made, error=None)
    encode(made)
    resolve(ProjectIndex([made]))


async def test_a_new_broken_file_is_read_as_far_as_it_is_whole(run: Ingest, tree: Tree, uuids: Uuids) -> None:
    tree.write(
        "shop/half.py", "from shop.prices import vat\n\n\ndef good():\n    return vat(1)\n\n\ndef bad(:\n    pass\n"
    )
    tree.write("shop/never.py", "def (:\n")
    report = await run()
    assert {item.file: item.reason for item in report.skipped} == {
        "shop/half.py": "syntax error in line 8: invalid syntax; what is whole was read",
        "shop/never.py": "syntax error in line 1: invalid syntax",
    }
    assert ("shop/half.py", "good") in uuids()
    assert ("shop/half.py", "bad") not in uuids()
    assert report.files == 4
    again = await run()
    assert (again.files, again.files_changed, again.skipped) == (4, 0, report.skipped)


async def test_a_broken_edit_reads_the_whole_and_keeps_the_rest(
    run: Ingest, tree: Tree, snapshot: Snapshot, uuids: Uuids, edges: Callable[[], Any], cypher: Cypher, project: str
) -> None:
    await run()
    before, known, led = code(snapshot()), uuids(), edges()
    good = (tree.root / "shop/prices.py").read_text()
    broken = good.replace("amount // 5", "amount // 4").replace("def total(prices):", "def total(prices:")
    tree.write("shop/prices.py", broken)
    report = await run()
    assert (report.files_changed, report.removed) == (1, 0)
    assert uuids() == known
    rows = cypher("MATCH (s:Scope {project: $p, file: 'shop/prices.py'}) RETURN s.key AS k, s.source AS s", p=project)
    sources = {row["k"]: row["s"] for row in rows}
    assert "amount // 4" in sources["vat"]
    assert "def total(prices):" in sources["total"]
    assert {edge[:3] for edge in edges()} == {edge[:3] for edge in led}

    assert (await run()).files_changed == 0
    assert (await run(full=True)).removed == 0
    assert uuids() == known

    tree.write("shop/prices.py", good)
    assert (await run()).skipped == ()
    assert code(snapshot()) == before


async def test_what_the_broken_text_has_no_name_of_is_gone(run: Ingest, tree: Tree, uuids: Uuids) -> None:
    await run()
    text = (tree.root / "shop/prices.py").read_text()
    tree.write("shop/prices.py", text[: text.index("def total")] + "class ((\n")
    assert (await run()).removed == 1
    assert ("shop/prices.py", "total") not in uuids()
    assert ("shop/prices.py", "vat") in uuids()


async def test_what_went_into_a_function_that_is_whole_is_not_kept_where_it_was(
    run: Ingest, tree: Tree, cypher: Cypher, project: str
) -> None:
    inner = "  const set = (part) => {\n    state = part\n  }\n  return { set }\n}\n"
    tree.write("web/store.ts", f"export function create(init) {{\n{inner}")
    await run()
    moved = inner.replace("= part", "= state + part")
    tree.write(
        "web/store.ts", f"interface S {{\n  set: ( }}\n\nconst made = (init) => {{\n{moved}\nconst create = made\n"
    )
    await run()
    rows = cypher(
        "MATCH (s:Scope {project: $p, file: 'web/store.ts'}) RETURN s.qualified_name AS name, s.startLine AS line, "
        "s.source AS source ORDER BY line",
        p=project,
    )
    assert [(row["name"], row["line"]) for row in rows] == [("S", 1), ("made", 4), ("made.set", 5), ("create", 11)]
    assert "state + part" in rows[2]["source"]


async def test_what_is_kept_is_where_its_definition_begins_now(
    run: Ingest, tree: Tree, cypher: Cypher, project: str
) -> None:
    tree.write("ledger.py", "def add(a):\n    return a\n\n\n@once\ndef drop(a):\n    return add(a)\n")
    await run()
    tree.write("ledger.py", "# drop is deprecated\n\n\n@once\n# add\ndef drop(a:\n    return add(a)\n")
    await run()
    rows = cypher(
        "MATCH (s:Scope {project: $p, file: 'ledger.py'}) OPTIONAL MATCH (s)-[used:CONSUMES]->() "
        "RETURN s.qualified_name AS name, s.startLine AS first, s.definition_line AS line, s.endLine AS last, "
        "s.modifiers AS modifiers",
        p=project,
    )
    assert [dict(row) for row in rows] == [{"name": "drop", "first": 5, "line": 6, "last": 7, "modifiers": "hidden"}]


async def test_what_an_open_bracket_swallows_stays_in_its_place(run: Ingest, tree: Tree, uuids: Uuids) -> None:
    tree.write("web/a.ts", "class A {\n  m() { return 1 }\n}\nfunction b() { return 2 }\nfunction c() { return 3 }\n")
    tree.write("web/B.java", "class B {\n  int m() { return 1; }\n}\nclass D {\n  int k() { return 1; }\n}\n")
    await run()
    known = uuids()
    tree.edit("web/a.ts", "function b() { return 2 }", "function b() { if (x) { return 2 }")
    tree.edit("web/B.java", "return 1; }\n}\nclass", "return 1;\n}\nclass")
    assert [item.file for item in (await run()).skipped] == ["web/B.java", "web/a.ts"]
    assert uuids() == known


@pytest.mark.parametrize("raised", [RecursionError("too deep"), None])
async def test_a_file_that_the_grammar_makes_nothing_of_keeps_what_was_known_of_it(
    run: Ingest, tree: Tree, uuids: Uuids, monkeypatch: pytest.MonkeyPatch, raised: Exception | None
) -> None:
    tree.write("ledger.py", "def add(amount):\n    return amount\n\n\ndef drop(amount):\n    return None\n")
    await run()
    before = uuids()

    def chokes(path: str, data: bytes) -> Any:
        if raised is not None:
            raise raised
        return unread(path, data, ENDLESS)

    monkeypatch.setattr("ragforge_memory.code.readers.parse_partly", chokes)
    tree.write("ledger.py", "def add(amount):\n    return amount + 1\n")
    report = await run()

    assert [each.file for each in report.skipped] == ["ledger.py"]
    assert {each: uuid for each, uuid in before.items() if each != ("ledger.py", "drop")} == uuids()
