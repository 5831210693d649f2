"""Java: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests

SCOPES = {
    "shop/Audited.java": [
        "Audited interface 4-6",
        "Audited.value method 5-5",
    ],
    "shop/Main.java": [
        "Main class 8-30 @9",
        "Main.report method 13-16 @14",
        "Main.run method 18-29",
        "Main.run.run method 22-25 @23",
    ],
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


def test_a_file_with_a_syntax_error_is_broken() -> None:
    parsed = parse("A.java", b"class A {\n  void f( {{{\n")
    assert parsed.error is not None
    assert "line" in parsed.error


@pytest.mark.parametrize("source", [b"", b"\n\n", b"\xef\xbb\xbf", b"// nothing\n"])
def test_a_file_without_definitions_is_no_error(source: bytes) -> None:
    parsed = parse("A.java", source)
    assert (parsed.error, parsed.scopes) == (None, ())


def test_line_ends_and_letters_of_other_systems_change_nothing() -> None:
    source = "/** Größe */\nclass A {}\n"
    plain = parse("A.java", source.encode())
    assert [found.key for found in plain.scopes] == ["A"]
    assert parse("A.java", source.replace("\n", "\r\n").encode()).scopes == plain.scopes
    latin = parse("A.java", source.encode("latin-1"))
    assert [found.docstring for found in latin.scopes] == [found.docstring for found in plain.scopes]


def test_deep_nesting_does_not_break_the_walk() -> None:
    source = "class A { int f() { return " + "(" * 3000 + "1" + ")" * 3000 + "; } }\n"
    assert parse("A.java", source.encode()).scopes[0].name == "A"
