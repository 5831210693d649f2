"""Java: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests

SCOPES = {
    "shop/store/Item.java": [
        "Item class 10-70",
        "Item.MAX_ITEMS constant 12-12",
        "Item.Item method 21-25",
        "Item.price method 27-33 @28",
        "Item.rounded method 35-37",
        "Item.name method 39-42 @40",
        "Item.register method 44-45",
        "Item.Kind enum 48-54",
        "Item.Kind.BOOK constant 49-49",
        "Item.Kind.PEN constant 49-49",
        "Item.Kind.code method 51-53",
        "Item.Coded interface 56-58",
        "Item.Coded.code method 57-57",
        "Item.Place class 61-69",
        "Item.Place.Place method 62-64",
        "Item.Place.index method 66-68",
        "Base class 72-82",
        "Base.Base method 75-77",
        "Base.label method 79-81",
    ],
    "shop/store/Priced.java": [
        "Priced interface 4-13",
        "Priced.FREE constant 5-5",
        "Priced.price method 8-8",
        "Priced.isFree method 10-12",
        "Named interface 15-17",
        "Named.name method 16-16",
    ],
}

EDGES = {
    "shop/Audited.java": [],
    "shop/Main.java": [
        "Main DECORATED_BY shop/Audited.java:Audited 8",
        "Main CONSUMES shop/store/Item.java:Item 10()",
        "Main CONSUMES shop/store/Item.java:Item.MAX_ITEMS 10",
        "Main.report DECORATED_BY shop/Audited.java:Audited 13",
        "Main.report CONSUMES shop/store/Priced.java:Priced 14",
        "Main.report CONSUMES shop/store/Priced.java:Priced.price 15()",
        "Main.run CONSUMES shop/store/Item.java:Item 18,19",
        "Main.run CONSUMES shop/store/Item.java:Item.price 28()",
        "Main.run.run CONSUMES Main.report 24()",
    ],
    "shop/store/Item.java": [
        "Item IMPLEMENTS shop/store/Priced.java:Priced 10",
        "Item INHERITS_FROM Base 10",
        "Item CONSUMES Item.Kind 13",
        "Item CONSUMES Item.register 17()",
        "Item.Item CONSUMES Base.Base 22()",
        "Item.Item CONSUMES Item.Kind 24",
        "Item.Item CONSUMES Item.Kind.BOOK 24",
        "Item.price CONSUMES Item.MAX_ITEMS 32",
        "Item.price CONSUMES Item.rounded 32()",
        "Item.name CONSUMES Base.label 41()",
        "Item.Kind IMPLEMENTS Item.Coded 48",
        "Item.Place.index CONSUMES Item.MAX_ITEMS 67",
    ],
    "shop/store/Priced.java": [
        "Priced INHERITS_FROM Named 4",
        "Priced.isFree CONSUMES Priced.FREE 11",
        "Priced.isFree CONSUMES Priced.price 11()",
    ],
}

SAMPLE = Sample("java", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    price = scope("shop/store/Item.java", "Item.price")
    assert price.signature == "public int price()"
    assert (price.decorators, price.modifiers, price.complexity) == (("Override",), ("public",), 3)
    assert (price.start_line, price.definition_line) == (27, 28)
    item = scope("shop/store/Item.java", "Item")
    assert item.docstring == "One thing on the shelf.\n\n@author nobody"
    assert (item.bases, item.interfaces) == (("Base",), ("Priced",))
    made = scope("shop/store/Item.java", "Item.Item")
    assert made.parameters == ("String label", "int cost")
    assert "constructor" in made.modifiers
    assert FILES["shop/store/Item.java"].package == "shop.store"


def test_a_field_is_no_method_of_its_name() -> None:
    source = b"class A { int n; int n() { return 1; } int f() { return n; } int g() { return n(); } }"
    found = [(e.source_key, e.target_key) for e in resolve([parse("A.java", source)]).edges if e.kind == "CONSUMES"]
    assert found == [("A.g", "A.n")]


def test_the_own_package_comes_before_imported_ones() -> None:
    files = [
        parse("a/X.java", b"package a; public class X { public static void f() {} }"),
        parse("b/X.java", b"package b; public class X { public static void f() {} }"),
        parse("b/Y.java", b"package b; import a.*; class Y { void g() { X.f(); } }"),
    ]
    found = {e.target_path for e in resolve(files).edges if e.kind == "CONSUMES"}
    assert found == {"b/X.java"}


def consumed(**sources: str) -> list[str]:
    """What calls what, as ``A.f 1 > B.g 2`` with the lines where the definitions stand."""
    files = [parse(f"{name}.java", text.encode()) for name, text in sources.items()]
    lines = {
        (file.path, scope.key): f"{scope.qualified_name} {scope.start_line}" for file in files for scope in file.scopes
    }
    return [
        f"{lines[e.source_path, e.source_key]} > {lines[e.target_path, e.target_key]}"
        for e in resolve(files).edges
        if e.kind == "CONSUMES" and e.call_lines
    ]


A = 'class A {\n  A(String n) {}\n  String speak() { return "x"; }\n}\n'


def test_a_call_goes_to_the_overload_that_takes_so_many_arguments() -> None:
    text = (
        "class A {\n void f() {}\n void f(int a) {}\n"
        " void g() { f(1); this.f(/* none */); }\n void h(A a) { a.f(2); }\n}"
    )
    assert consumed(A=text) == ["A.g 4 > A.f 2", "A.g 4 > A.f 3", "A.h 5 > A.f 3"]


def test_a_call_that_the_own_overloads_do_not_fit_goes_to_a_bases() -> None:
    b = "class B extends A {\n  String speak(int n) { return speak(); }\n  void rest() { speak(); }\n}\n"
    c = "class C {\n  void f(B b) { b.speak(); b.speak(1); }\n  void none(B b) { b.speak(1, 2); }\n}\n"
    assert consumed(A=A, B=b, C=c) == [
        "B.speak 2 > A.speak 3",
        "B.rest 3 > A.speak 3",
        "C.f 2 > A.speak 3",
        "C.f 2 > B.speak 2",
    ]


def test_files_of_no_package_see_those_of_their_directory_that_have_none_either() -> None:
    files = [
        parse("a/X.java", b"class X { static void f() {} }"),
        parse("b/X.java", b"class X { static void f() {} }"),
        parse("b/Z.java", b"package b; class Z { static void f() {} }"),
        parse("b/Y.java", b"class Y { void g() { X.f(); Z.f(); } }"),
    ]
    assert {(e.target_path, e.target_key) for e in resolve(files).edges if e.call_lines} == {("b/X.java", "X.f")}


def test_the_rest_of_the_arguments_may_be_none() -> None:
    text = (
        "class A {\n void f(String s, int... more) {}\n void f(int a, int b) {}\n"
        " void g() { f(); }\n void h() { f(a); f(a, 1, 2); }\n void i() { f(1, 2); }\n}"
    )
    assert consumed(A=text) == ["A.h 5 > A.f 2", "A.i 6 > A.f 3"]


def test_an_unknown_receivers_only_method_of_a_name_must_take_so_many_arguments() -> None:
    text = (
        "class A {\n void frob(int a) {}\n void frob() {}\n}\n"
        "class B {\n void f(Object o) { o.frob(); }\n void g(Object o) { o.frob(1, 2); }\n}"
    )
    assert consumed(A=text) == ["B.f 6 > A.frob 3"]


def test_a_statically_imported_overload_is_told_by_its_arguments() -> None:
    a = parse(
        "p/A.java", b"package p;\npublic class A {\n public static void go() {}\n public static void go(int a) {}\n}"
    )
    b = parse("q/B.java", b"package q;\nimport static p.A.*;\nclass B { void f() { go(1); } }")
    assert [e.target_key for e in resolve([a, b]).edges if e.call_lines] == ["A.go#2"]


def test_a_constructor_calls_its_parents_and_its_other_ones() -> None:
    b = 'class B extends A {\n  B() { super("n"); }\n  B(int a) { this(); }\n  B(int... a) { this(1); }\n}\n'
    assert consumed(A=A, B=b) == ["B.B 2 > A.A 2", "B.B 3 > B.B 2", "B.B 4 > B.B 3"]


def test_a_constructor_that_nobody_wrote_is_the_type() -> None:
    text = (
        "class A {}\nclass B extends A {\n B() { super(); }\n}\n"
        "record P(int a, int b) {\n P(int a) { this(a, 1); }\n}\n"
        "class C extends Far {\n C() { super(); }\n}\nclass D {\n D() { super(); }\n}\n"
    )
    assert consumed(A=text) == ["B.B 3 > A 1", "P.P 6 > P 5"]


def test_what_overloads_of_different_results_give_is_not_guessed() -> None:
    text = (
        "class A {\n B get(int i) { return b; }\n A get() { return this; }\n A same(int i) { return this; }\n"
        " A same() { return this; }\n void go() {}\n void f() { get().go(); }\n void g() { same(1).go(); }\n}\n"
        "class B {\n void go() {}\n}\n"
        "class C extends A {\n B same(int a, int b) { return b; }\n C get() { return this; }\n"
        " void h() { same().go(); }\n void i() { super.same().go(); }\n}\n"
    )
    assert consumed(A=text) == [
        "A.f 7 > A.get 3",
        "A.g 8 > A.go 6",
        "A.g 8 > A.same 4",
        "C.h 16 > A.same 5",
        "C.i 17 > A.go 6",
        "C.i 17 > A.same 5",
    ]
