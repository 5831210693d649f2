"""C#: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests, edges

SCOPES = {
    "Main.cs": [
        "Order class 6-10",
        "Order.Name method 8-8",
        "Order.Price method 9-9",
        "Program class 12-32 @13",
        "Program.Report method 15-15",
        "Program.Main method 17-26",
        "Program.Helpers class 28-31",
        "Program.Helpers.Log method 30-30",
    ],
    "Store.cs": [
        "IPriced interface 6-10",
        "IPriced.Price method 8-8",
        "IPriced.Name method 9-9",
        "Kind enum 12-12",
        "Kind.Book constant 12-12",
        "Kind.Pen constant 12-12",
        "Pricer type 14-14",
        "AuditedAttribute class 16-19 @17",
        "Base class 21-26",
        "Base.Base method 24-24",
        "Base.Rounded method 25-25",
        "Item class 31-64",
        "Item.MaxItems constant 33-33",
        "Item.Item method 37-40",
        "Item.Name method 43-43",
        "Item.Cost method 45-48",
        "Item.Price method 52-59 @53",
        "Item.Price.Twice function 58-58",
        "Item.operator + method 61-61",
        "Item.this[] method 63-63",
        "Place struct 66-70",
        "Place.Index method 69-69",
    ],
}

EDGES = {
    "Item.Partial.cs": [
        "Item.Describe CONSUMES Store.cs:Item.Name 5",
        "Item.Describe CONSUMES Store.cs:Item.Price 5()",
    ],
    "Main.cs": [
        "Order CONSUMES Store.cs:Item 6",
        "Order IMPLEMENTS Store.cs:IPriced 6",
        "Order.Name CONSUMES Store.cs:Item.Name 8",
        "Order.Price CONSUMES Store.cs:Item.Price 9()",
        "Program DECORATED_BY Store.cs:AuditedAttribute 12",
        "Program.Report CONSUMES Store.cs:IPriced 15",
        "Program.Report CONSUMES Store.cs:IPriced.Price 15()",
        "Program.Main CONSUMES Store.cs:Item 19(),20,21",
        "Program.Main CONSUMES Program.Report 22()",
        "Program.Main CONSUMES Item.Partial.cs:Item.Describe 23()",
        "Program.Main CONSUMES Program.Helpers 25",
        "Program.Main CONSUMES Program.Helpers.Log 25()",
        "Program.Main CONSUMES Store.cs:Item.Price 25()",
    ],
    "Store.cs": [
        "Pricer CONSUMES Item 14",
        "Item IMPLEMENTS IPriced 31",
        "Item INHERITS_FROM Base 31",
        "Item CONSUMES Kind 35",
        "Item CONSUMES Kind.Book 35",
        "Item.Price DECORATED_BY AuditedAttribute 52",
        "Item.Price CONSUMES Kind 55",
        "Item.Price CONSUMES Kind.Pen 55",
        "Item.Price CONSUMES Base.Rounded 56()",
        "Item.Price CONSUMES Item.MaxItems 56",
        "Item.Price CONSUMES Item.Price.Twice 56()",
        "Item.operator + CONSUMES Item 61()",
        "Item.operator + CONSUMES Item.Name 61",
        "Place.Index CONSUMES Item 69",
        "Place.Index CONSUMES Item.MaxItems 69",
    ],
}

SAMPLE = Sample("csharp", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    price = scope("Store.cs", "Item.Price")
    assert price.signature == "public int Price()"
    assert (price.decorators, price.complexity, price.definition_line) == (("Audited",), 3, 53)
    item = scope("Store.cs", "Item")
    assert item.docstring == "One thing on the shelf."
    assert (item.bases, item.interfaces) == (("Base",), ("IPriced",))
    assert "property" in scope("Store.cs", "Item.Name").modifiers
    assert scope("Main.cs", "Order").parameters == ("Item First", "int Count")
    assert FILES["Main.cs"].package == "Shop"


def test_a_property_may_bear_its_types_name() -> None:
    source = b"enum Kind { A } class C { public Kind Kind { get; } bool F() => Kind == Kind.A; Kind G() => Kind; }"
    found = {(e.source_key, e.target_key) for e in resolve([parse("a.cs", source)]).edges if e.kind == "CONSUMES"}
    assert {("C.Kind", "Kind"), ("C.F", "Kind.A"), ("C.G", "Kind")} <= found


def test_a_type_is_made_beside_a_property_of_its_name() -> None:
    source = b"class Kind {} class C { object a = new Kind(); public Kind Kind { get; } void F() { new Kind(); } }"
    found = {(e.source_key, e.target_key) for e in resolve([parse("a.cs", source)]).edges if e.call_lines}
    assert found == {("C", "Kind"), ("C.F", "Kind")}


def test_an_extension_is_called_as_a_member_of_what_it_extends() -> None:
    files = [
        parse("a.cs", b"public interface IPlan {} public class Plan : IPlan {} public class Other {}"),
        parse("b.cs", b"""static class More {
  public static Plan Ready<T>(this IPlan plan) { return null; }
  public static void Run(this int number, Other other) {}
  public static void Run(this Plan plan) {}
}"""),
        parse("c.cs", b"class C { IPlan plan; void F() { plan.Ready<C>().Run(); } void G(Other o) { o.Run(); } }"),
    ]  # fmt: skip
    assert [each for each in edges(resolve(files), "c.cs") if "b.cs" in each and "?" not in each] == [
        "C.F CONSUMES b.cs:More.Ready 1()",
        "C.F CONSUMES b.cs:More.Run#2 1()",
    ]
    foreign = [
        *files[:2],
        parse("d.cs", b"class D { void F(Far.Plan far) { far.Ready(); far.Stop(); Far.Ready(far); } }"),
    ]
    assert edges(resolve(foreign), "d.cs") == ["D.F CONSUMES b.cs:More.Ready 1() ?"]


def test_the_own_namespace_comes_before_imported_ones() -> None:
    files = [
        parse("a.cs", b"namespace A { public class X { public static void F() {} } }"),
        parse("b.cs", b"namespace B { public class X { public static void F() {} } }"),
        parse("c.cs", b"using A; namespace B { class Y { void G() { X.F(); } } }"),
    ]
    assert {e.target_path for e in resolve(files).edges if e.kind == "CONSUMES"} == {"b.cs"}


def test_a_using_is_seen_from_the_namespaces_around_it() -> None:
    files = [
        parse("a.cs", b"namespace A.Checks { public class Check {} }"),
        parse("b.cs", b"namespace B.Checks { public class Check {} }"),
        parse("c.cs", b"namespace A.Tests { using Checks; class Outer { class Own : Check {} } }"),
        parse("d.cs", b"namespace A.Tests; using B.Checks; class Other : Check {}"),
    ]
    resolution = resolve(files)
    assert edges(resolution, "c.cs") == ["Outer.Own INHERITS_FROM a.cs:Check 1"]
    assert edges(resolution, "d.cs") == ["Other INHERITS_FROM b.cs:Check 1"]


def test_what_a_base_holds_is_no_base() -> None:
    source = b"""interface IRule {} class Own<T> {} namespace N { class Other<T> {} }
class Rules : Own<IRule>, IEnumerable<IRule>, List<Rules>, N.Other<IRule> {}
"""
    assert edges(resolve([parse("a.cs", source)]), "a.cs") == [
        "Rules CONSUMES IRule 2",
        "Rules INHERITS_FROM Other 2",
        "Rules INHERITS_FROM Own 2",
    ]


def test_an_event_with_code_of_its_own_is_listed() -> None:
    source = b"""class A {
    public event Handler Changed { add { hook(value); } remove { } }
    event Handler I.Gone { add => hook(value); remove { } }
    public event Handler Plain;
    void hook(Handler value) { }
}
"""
    parsed = parse("a.cs", source)
    assert [(found.key, found.modifiers) for found in parsed.scopes[1:]] == [
        ("A.Changed", ("public", "property")),
        ("A.Gone", ("property",)),
        ("A.hook", ()),
    ]
    assert [use.name for use in parsed.scopes[1].uses if use.kind == "call"] == ["hook"]
