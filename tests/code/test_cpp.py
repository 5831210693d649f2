"""C++: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

import time

import pytest

from ragforge_memory.code.draft import MAX_SPACES
from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests, parsed

SCOPES = {
    "store.cpp": [
        "helper function 7-7",
        "Item.Item method 10-10",
        "Item.~Item method 12-12",
        "Item.price method 15-18",
        "Item.operator== method 20-20",
        "Item.make method 22-22",
        "Item.Tag.id method 24-24",
        "total function 26-26",
    ],
    "store.hpp": [
        "Priced interface 9-13",
        "Priced.~Priced method 11-11",
        "Priced.price method 12-12",
        "Kind enum 15-15",
        "Kind.Book constant 15-15",
        "Kind.Pen constant 15-15",
        "Money type 17-17",
        "Count type 18-18",
        "kMaxItems constant 20-20",
        "Base struct 22-25",
        "Base.name method 24-24",
        "Item class 30-50",
        "Item.Tag class 41-44",
        "Item.rounded method 47-47",
        "Shelf class 53-61 @54",
        "Shelf.size method 57-57",
        "Shelf.put method 63-68 @64",
    ],
}

EDGES = {
    "main.cpp": [
        "report CONSUMES store.hpp:Item 7",
        "report CONSUMES TWICE 9()",
        "report CONSUMES store.cpp:Item.price 9()",
        "main CONSUMES store.cpp:Item.make 13()",
        "main CONSUMES store.hpp:Item 13,14(),15",
        "main CONSUMES store.hpp:Shelf 15",
        "main CONSUMES store.hpp:Shelf.put 16()",
        "main CONSUMES report 18()",
        "main CONSUMES store.cpp:total 18()",
        "main CONSUMES store.hpp:Base.name 18()",
    ],
    "store.cpp": [
        "Item.Item CONSUMES store.hpp:Money 10",
        "Item.price CONSUMES store.hpp:Kind 16",
        "Item.price CONSUMES store.hpp:Kind.Pen 16",
        "Item.price CONSUMES helper 17()",
        "Item.price CONSUMES store.hpp:Item.rounded 17()",
        "Item.operator== CONSUMES store.hpp:Item 20",
        "Item.make CONSUMES store.hpp:Item 22()",
        "total CONSUMES Item.price 26()",
        "total CONSUMES store.hpp:Item 26",
    ],
    "store.hpp": [
        "<top> CONSUMES Item 70",
        "Item IMPLEMENTS Priced 30",
        "Item INHERITS_FROM Base 30",
        "Item CONSUMES Money 32,48",
        "Item CONSUMES Kind 49",
        "Item CONSUMES Kind.Book 49",
        "Shelf.put CONSUMES Shelf.size 65()",
        "Shelf.put CONSUMES kMaxItems 65",
    ],
}

SAMPLE = Sample("cpp", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    price = scope("store.cpp", "Item.price")
    assert price.signature == "int Item::price() const"
    assert (price.owner, price.docstring, price.complexity) == ("Item", "Never negative.", 3)
    assert scope("store.cpp", "Item.Tag.id").owner == "Item.Tag"
    assert scope("store.hpp", "Shelf.put").signature == "template <typename T> bool Shelf<T>::put(T thing)"
    item = scope("store.hpp", "Item")
    assert (item.bases, item.docstring) == (("Base", "Priced"), "One thing on the shelf.")
    assert "abstract" in scope("store.hpp", "Priced.price").modifiers
    assert "constructor" in scope("store.cpp", "Item.Item").modifiers


def test_members_outside_of_the_class_belong_to_it() -> None:
    parents = {(e.source_key, e.target_path, e.target_key) for e in RESOLUTION.edges if e.kind == "HAS_PARENT"}
    assert ("Item.price", "store.hpp", "Item") in parents
    assert ("Item.Tag.id", "store.hpp", "Item.Tag") in parents
    assert ("Shelf.put", "store.hpp", "Shelf") in parents


def test_headers_are_told_by_what_they_hold() -> None:
    assert parse("a.h", b"class A { public: void f(); };\n").language == "cpp"
    assert parse("a.h", b"struct a { int b; };\n").language == "c"


def test_macros_in_declarations_are_read_over() -> None:
    source = b"""class MY_EXPORT A : public B {
 public:
  int f() const MY_NOEXCEPT { return x_; }
  int x_ GUARDED_BY(mu_);
};
"""
    parsed = parse("a.cc", source)
    assert [found.key for found in parsed.scopes] == ["A", "A.f"]
    assert parsed.scopes[0].signature == "class MY_EXPORT A : public B"


def test_namespaces_in_one_another_cost_their_number_and_not_its_powers() -> None:
    def nested(depth: int) -> tuple[float, str]:
        opened = "".join(f"namespace n{level} {{ void T{level}::f() {{}}\n" for level in range(depth))
        source = (opened + "}" * depth).encode()
        took = []
        for _ in range(3):
            begun = time.thread_time()
            parsed = parse("a.cc", source)
            took.append(time.thread_time() - begun)
        return min(took), parsed.package

    few, _ = nested(60)
    many, package = nested(240)
    # What is squared takes sixteen times as long. A few milliseconds are uneven where the machine is busy.
    assert many <= max(14 * few, 0.05)
    told = package.split()
    assert told[:2] == ["n0", "n0.n1"]
    assert len(told) == MAX_SPACES


def test_a_namespace_ends_where_it_ends() -> None:
    source = """namespace a { namespace b { int x; } void b::f() {} }
namespace c { inline namespace v1 { } } void b::g() {}
namespace { namespace d { } }
"""
    parsed = parse("a.cc", source.encode())
    assert parsed.package == "a a.b c c.v1 d"
    assert [(found.qualified_name, found.owner) for found in parsed.scopes if found.type != "constant"] == [
        ("f", None),
        ("b.g", "b"),
    ]


def used(sources: dict[str, str]) -> set[tuple[str, str, str]]:
    return {(e.source_key, e.target_path, e.target_key) for e in resolve(parsed(sources)).edges if e.kind == "CONSUMES"}


def test_what_is_written_with_std_is_not_the_projects() -> None:
    source = """namespace shop { struct Item {}; struct limit {}; }
namespace std {
template <> struct numeric_limits<shop::Item> { static int max() { return 1; } };
}
using namespace shop;
int f() { return std::numeric_limits<int>::max(); }
std::limit g(other::limit a) { return {}; }
int h(shop::limit a) { return 1; }
"""
    assert used({"a.cc": source}) == {("numeric_limits", "a.cc", "Item"), ("h", "a.cc", "limit")}


def test_a_templates_name_means_the_template_and_not_its_specializations() -> None:
    sources = {
        "a.h": "namespace shop { template <typename T> struct view { int show() { return 1; } }; }\n",
        "b.cc": """#include "a.h"
namespace shop { template <> struct view<int> { int size(); }; }
int shop::view<int>::size() { return 2; }
int f() { shop::view<long> a; a.size(); return a.show(); }
""",
    }
    assert used(sources) == {("f", "a.h", "view"), ("f", "a.h", "view.show")}
    edges = resolve(parsed(sources)).edges
    assert ("b.cc", "view") in {(e.target_path, e.target_key) for e in edges if e.source_key == "view.size"}


def test_a_macro_before_a_template_or_class_is_read_over() -> None:
    source = b"""MY_EXPORT template <typename T> class A { void f() {} };
MY_EXPORT
template <typename T, MY_ENABLE_IF(!is_small<T>::value && sizeof(T) == 8)> void g(T a, int b = {}) {}
MYAPI struct B { int x; };
#define MY_EXPORT template
"""
    parsed = parse("a.h", source)
    assert [found.key for found in parsed.scopes] == ["A", "A.f", "g", "B", "MY_EXPORT"]


def called(*sources: str) -> tuple[list[str], list[str]]:
    """What files ``0.hpp``, ``1.cpp`` … define, and who calls what."""
    files = parsed({f"{number}.{'cpp' if number else 'hpp'}": text for number, text in enumerate(sources)})
    names = {(file.path, scope.key): scope.qualified_name for file in files for scope in file.scopes}
    edges = resolve(files).edges
    return (
        [f"{scope.qualified_name} {scope.type}" for file in files for scope in file.scopes],
        [f"{names[e.source_path, e.source_key]} > {names[e.target_path, e.target_key]}" for e in edges if e.call_lines],
    )


INLINE = """namespace geo {
namespace detail { struct Part { int n; }; double half(double x) { return x; } int count = 0; }
double quarter(double x) { return detail::half(x); }
}
double far(double x) { return geo::detail::half(x); }
"""


@pytest.mark.parametrize("outside", [False, True])
def test_what_an_inner_namespace_declares_may_be_defined_outside_of_it(outside: bool) -> None:
    prefix = "geo::detail" if outside else "detail"
    body = (
        f"struct {prefix}::Part {{ int n; }};\ndouble {prefix}::half(double x) {{ return x; }}\n"
        f"int {prefix}::count = 0;\n"
    )
    text = (
        "namespace geo {\nnamespace detail { struct Part; double half(double x); extern int count; }\n"
        f"{'}' if outside else ''}\n{body}{'namespace geo {' if outside else ''}\n"
        "double quarter(double x) { return detail::half(x); }\n}\n"
        "double far(double x) { return geo::detail::half(x); }\n"
    )
    plain = called(INLINE)
    assert plain[1] == ["quarter > half", "far > half"]
    assert called(text) == plain


def test_a_function_of_a_namespace_that_only_a_header_opens_has_its_callers() -> None:
    header = (
        "namespace geo {\nnamespace detail { double half(double x); }\ndouble whole(double x);\n"
        "class C { double f(); };\n}"
    )
    first = '#include "0.hpp"\nnamespace geo {\ndouble detail::half(double x) { return whole(x); }\n}\n'
    second = (
        '#include "0.hpp"\ndouble geo::whole(double x) { return x; }\n'
        "namespace geo {\ndouble C::f() { return detail::half(1); }\n}\n"
    )
    third = (
        '#include "0.hpp"\nnamespace geo { namespace detail { double inner() { return half(2); } } }\n'
        "double far() { return geo::detail::half(geo::whole(1)); }\n"
        "namespace d = geo::detail;\ndouble named() { return d::half(1); }\n"
        "double other() { using namespace geo::detail; return half(1); }\n"
    )
    assert called(header, first, second, third)[1] == [
        "detail.half > geo.whole",
        "C.f > detail.half",
        "inner > detail.half",
        "far > detail.half",
        "far > geo.whole",
        "named > detail.half",
        "other > detail.half",
    ]


def test_a_class_named_as_some_other_namespace_keeps_its_members() -> None:
    header = "namespace a { namespace part { double half(double x); } }\n"
    source = (
        "namespace a {}\nnamespace b {\nstruct part { static double half(); };\ndouble part::half() { return 1; }\n"
        "double g() { return part::half(); }\n}\n"
    )
    use = '#include "0.hpp"\ndouble f() { return a::part::half(2); }\n'
    assert called(header, source, use) == (
        ["part struct", "part.half method", "g function", "f function"],
        ["g > part.half"],
    )
    assert "part.half method" in called("", header + source)[0]


def test_macros_before_constructors_operators_and_names_are_read_over() -> None:
    source = b"""template <typename T> struct Part {
  MY_CONSTEXPR Part(int size, int left)
      : size_((left >> 24) + size), left_(0) {
    if (size > left) {
      left_ = size - left;
    }
  }
  MY_CONSTEXPR explicit Part(int size) : size_(size) {}
  MY_CONSTEXPR20 ~Part() { clear(); }
  MY_CONSTEXPR void operator>>=(int by) { size_ >>= by; }
  MY_CONSTEXPR explicit operator bool() const { return size_ != 0; }
  int size_, left_;
};
class MY_VISIBLE("default") Failure : public Error { void show() {} };
MY_REGISTER(Part)
int after() { return 1; }
"""
    assert [found.key for found in parse("a.h", source).scopes] == [
        "Part",
        "Part.Part",
        "Part.Part#2",
        "Part.~Part",
        "Part.operator>>=",
        "Part.operator bool",
        "Failure",
        "Failure.show",
        "after",
    ]


def test_what_a_macro_makes_bears_the_names_that_it_is_given() -> None:
    source = b"""// It adds.
TEST(Suite, Adds) { int x = run(); }
TEST_F(Fixture, Other) { helper(); }
BOOST_AUTO_TEST_CASE(alone) {}
TEST(printf_test, char) {}
BENCHMARK_DEFINE_F(Fix, Speed)(State& state) { run(); }
TEST_CASE("it subtracts", "[math]") { int y = run(); }
class Foo { Foo(Bar) {} };
class BAR { BAR(Foo) {} };
main() { return 0; }
"""
    parsed = parse("a.cc", source)
    assert [f"{found.key} {found.type} {found.start_line}-{found.end_line}" for found in parsed.scopes] == [
        "Suite.Adds method 2-2",
        "Fixture.Other method 3-3",
        "BOOST_AUTO_TEST_CASE.alone method 4-4",
        "printf_test.char method 5-5",
        "Fix.Speed method 6-6",
        "TEST_CASE function 7-7",
        "Foo class 8-8",
        "Foo.Foo method 8-8",
        "BAR class 9-9",
        "BAR.BAR method 9-9",
        "main function 10-10",
    ]
    assert parsed.scopes[0].docstring == "It adds."
    assert parsed.scopes[0].signature == "TEST(Suite, Adds)"
    assert [[use.name for use in parsed.scopes[number].uses if use.kind == "call"] for number in (0, 4)] == [
        ["run"]
    ] * 2
