"""JavaScript, TypeScript and TSX as scopes."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import Export, Import, ParsedFile, ParsedScope


def read(text: str, path: str = "a.ts") -> ParsedFile:
    parsed = parse(path, dedent(text).encode())
    assert parsed.error is None
    return parsed


def scope(text: str, key: str, path: str = "a.ts") -> ParsedScope:
    return next(s for s in read(text, path).scopes if s.key == key)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function f() {}", ["f function"]),
        ("const f = (x) => x;", ["f function"]),
        ("export default function () {}", ["default function"]),
        ("export default { a: { b() {} } };", ["default constant", "default.a.b method"]),
        (
            "const o = { a() {}, b: () => 1, get c() { return 1 }, d: 2 };",
            ["o constant", "o.a method", "o.b method", "o.c method"],
        ),
        (
            "class A { f() {} g = () => 1; static H = 2; #p() {} x = 1 }",
            ["A class", "A.f method", "A.g method", "A.H constant", "A.#p method"],
        ),
        ("const A = class B extends C {};", ["A class"]),
        ("A.prototype.f = function () {};", ["A.f method"]),
        ("exports.f = () => {}; module.exports.g = class {};", ["f function", "g class"]),
        ("module.exports = function () {};", ["exports function"]),
        ("module.exports = { f() {}, g: function () {}, h };", ["f function", "g function"]),
        (
            "function f() { const g = () => 1; function h() {} let i = 3; }",
            ["f function", "f.g function", "f.h function"],
        ),
        ("run(function named() {}); run(() => { const x = 1; });", ["named function"]),
        ("(function () { function inner() {} })();", ["inner function"]),
        (
            "const LIMIT = 3; let free = 4; export let shown = 5; const { a, b } = c;",
            ["LIMIT constant", "shown constant"],
        ),
        ("function F() { this.go = function () {}; }", ["F function", "F.go method"]),
        ("function f(r) { r.onload = function handle() {}; }", ["f function", "f.handle function"]),
        ("function f(r) { r.onload = function () {}; }", ["f function", "f.onload function"]),
    ],
)
def test_what_is_a_scope_in_javascript(text: str, expected: list[str]) -> None:
    assert [f"{s.qualified_name} {s.type}" for s in read(text, "a.js").scopes] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interface A extends B { f(): void; x: C }", ["A interface", "A.f method"]),
        ("type A = { x: B };", ["A type"]),
        ("enum A { X, Y = 2 } declare const enum B {}", ["A enum", "A.X constant", "A.Y constant", "B enum"]),
        (
            "namespace A.B { export class C { d() {} } }",
            ["A namespace", "A.B namespace", "A.B.C class", "A.B.C.d method"],
        ),
        ("declare module 'm' { function f(): void }", ["f function"]),
        ("declare global { interface W {} }", ["W interface"]),
        ("abstract class A { abstract f(): void; private g?(): void }", ["A class", "A.f method", "A.g method"]),
        ("declare function f(x: string): y;", ["f function"]),
        ("function f(a: string): void; function f(a: any) {}", ["f function", "f function"]),
    ],
)
def test_what_is_a_scope_in_typescript(text: str, expected: list[str]) -> None:
    assert [f"{s.qualified_name} {s.type}" for s in read(text).scopes] == expected


def test_a_component_in_tsx() -> None:
    found = scope("export const V = ({ a }: P) => <Box.Row x={a}><Item/>don't</Box.Row>;", "V", "a.tsx")
    assert {(u.name, u.receiver) for u in found.uses if u.kind == "call"} == {("Row", "Box"), ("Item", None)}


def test_a_method_tells_all_about_itself() -> None:
    found = scope(
        """
        class A {
          /**
           * Reads it.
           * @param n how much
           */
          @cached
          @timed.by(1)
          public static async read<T>(n: number, ...rest: string[]): Promise<Box<T>> {
            for (const x of rest) if (x && n || T) while (n--) n ? 1 : 2;
            try { } catch (e) { }
            return box;
          }
        }
        """,
        "A.read",
    )
    assert found.signature == "public static async read<T>(n: number, ...rest: string[]): Promise<Box<T>>"
    assert found.docstring == "Reads it.\n@param n how much"
    assert found.parameters == ("n: number", "...rest: string[]")
    assert (found.return_type, found.returns) == ("Promise<Box<T>>", "Box")
    assert found.modifiers == ("public", "static", "async")
    assert found.decorators == ("cached", "timed.by")
    assert found.complexity == 1 + 7  # for, if, and, or, while, conditional, catch
    assert (found.start_line, found.definition_line, found.end_line) == (7, 9, 13)


def test_export_and_decorators_are_inside_the_scope() -> None:
    found = read(
        "@first\nexport class A {}\nexport const f = () => 1,\n  g = 2;\nexport default\nfunction h() {}\n"
    ).scopes
    assert [(s.key, s.start_line, s.definition_line, s.end_line) for s in found] == [
        ("A", 1, 2, 2),
        ("f", 3, 3, 3),
        ("g", 4, 4, 4),
        ("h", 5, 6, 6),
    ]
    assert found[0].modifiers == ("export",)


def test_imports_and_exports() -> None:
    parsed = read(
        """
        import A, { b as c, type D } from './x';
        import * as ns from '../y';
        import q = require('z');
        export * from './w';
        export { m as n } from './v';
        export * as u from './u';
        export { A as default, c };
        const { e, f: g } = require('./r'), h = require('./s').t;
        """
    )
    assert parsed.imports == (
        Import("A", "./x", "default", 2),
        Import("c", "./x", "b", 2),
        Import("D", "./x", "D", 2),
        Import("ns", "../y", None, 3),
        Import("q", "z", None, 4),
        Import("*", "./w", "*", 5, exported=True),
        Import("n", "./v", "m", 6, exported=True),
        Import("u", "./u", None, 7, exported=True),
        Import("e", "./r", "e", 9),
        Import("g", "./r", "f", 9),
        Import("h", "./s", "t", 9),
    )
    assert parsed.exports == (Export("default", "A", 8), Export("c", "c", 8))


def test_fields_are_bindings_of_their_class() -> None:
    found = scope(
        "class A { a: B | null = null; c = new D(); constructor(private e: E, f: F) { this.g = f; this.h = i(); } }",
        "A",
    )
    assert [(b.name, b.kind, b.value) for b in found.bindings] == [
        ("a", "type", "B"),
        ("c", "call", "D"),
        ("e", "type", "E"),
        ("g", "type", "F"),
        ("h", "call", "i"),
    ]


def test_bases_and_interfaces() -> None:
    found = scope("class A<T> extends b.C<T> implements D, E<F> {}", "A")
    assert (found.bases, found.interfaces) == (("b.C",), ("D", "E"))
    assert [(u.name, u.kind) for u in found.uses] == [
        ("C", "inherit"),
        ("D", "implement"),
        ("E", "implement"),
        ("T", "type"),
        ("F", "type"),
    ]


def test_a_function_of_several_names_has_each() -> None:
    """``A.x = A.y = function``: what is in it is the last one's, the others are where it is found."""
    file = parse(
        "a.js",
        b"/** Runs it. */\nQuery.prototype.run =\nQuery.prototype.exec = function (a) { return go(a); };\n"
        b"req.one = req.two = function () {};\nexports.three = exports.four = function named() {};\n"
        b"A.self = A.fn = A.other;\nfunction f() { A.n = A.m = function () {}; }\n",
    )
    assert [(scope.qualified_name, scope.type, scope.start_line, scope.end_line) for scope in file.scopes] == [
        ("Query.run", "method", 2, 3),
        ("Query.exec", "method", 3, 3),
        ("req.one", "method", 4, 4),
        ("req.two", "method", 4, 4),
        ("three", "function", 5, 5),
        ("four", "function", 5, 5),
        ("f", "function", 7, 7),
        ("f.m", "function", 7, 7),
    ]
    assert [[use.name for use in scope.uses] for scope in file.scopes[:2]] == [[], ["go", "a"]]
    assert file.scopes[0].docstring == "Runs it."
    assert [export.name for export in file.exports] == ["three", "four"]


def test_functions_of_objects_without_a_name_are_listed() -> None:
    file = parse(
        "a.js",
        b"jQuery.fn.extend({\n  /** Adds. */\n  add: function (value) { go(value); },\n  remove() { go(); },\n"
        b"  arrow: (x) => x,\n  other: function own() {},\n  'a-b': function () {},\n});\n",
    )
    assert [(scope.qualified_name, scope.type, scope.docstring) for scope in file.scopes] == [
        ("add", "method", "Adds."),
        ("remove", "method", None),
        ("own", "function", None),
    ]


def test_members_whose_names_are_texts() -> None:
    file = parse(
        "a.js",
        b"exports['one'] = function () {};\nA['two'] = function () {};\nA[three] = function () {};\n"
        b"Object.defineProperty(exports, 'four', { value: function () { go(); }, enumerable: true });\n"
        b"send({ value: function () {} });\nA['a-b'] = function () {};\n",
    )
    assert [scope.qualified_name for scope in file.scopes] == ["one", "A.two", "four", "value"]
    assert [export.name for export in file.exports] == ["one"]


def test_a_function_that_is_assigned_only_where_none_is_yet_is_one() -> None:
    source = b"""exports.first ||= function (a) { return a; };
Timer.stop ??= function () { return 1; };
Timer.prototype.start = Timer.prototype.start || function () { return 2; };
exports.last = exports.last || function (a) { return a; };
Timer.count += other.count || 1;
Timer.size = other.size || function () {};
"""
    assert [f"{found.key} {found.type}" for found in parse("a.js", source).scopes] == [
        "first function",
        "Timer.stop method",
        "Timer.start method",
        "last function",
    ]


def test_a_constructor_may_give_a_function_several_names() -> None:
    source = b"""class A { constructor() { this.one = this.two = () => run(); this.size = this.count = 0; } }
function B() { this.four = this.five = function () {}; }
"""
    parsed = parse("a.js", source)
    assert [found.key for found in parsed.scopes] == [
        "A", "A.constructor", "A.one", "A.two", "B", "B.four", "B.five",
    ]  # fmt: skip
    assert [use.name for use in parsed.scopes[3].uses] == ["run"]
