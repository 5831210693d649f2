"""Rust: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from ragforge_memory.code.rust import macros
from tests.code.graphs import Sample, SampleTests

SCOPES = {
    "src/lib.rs": [
        "MAX_ITEMS constant 9-9",
        "GREETING constant 11-11",
        "plus_one macro 14-19 @15",
        "report function 22-27 @23",
        "fill function 29-34",
        "cost_of function 36-38",
        "tests namespace 40-48 @41",
        "reports function 44-47 @45",
        "audit function 52-53 @53",
    ],
    "src/store/item.rs": [
        "Money type 2-2",
        "Labeled trait 5-7",
        "Labeled.label method 6-6",
        "Priced trait 10-19",
        "Priced.FREE constant 11-11",
        "Priced.price method 14-14",
        "Priced.is_free method 16-18",
        "Kind enum 22-26 @23",
        "Kind.Book constant 24-24",
        "Kind.Pen constant 25-25",
        "Item struct 29-34 @30",
        "Item.new method 38-40",
        "Item.rounded method 42-47",
        "Item.label method 51-53",
        "Item.price method 57-59",
        "Bits struct 63-66",
    ],
}

EDGES = {
    "macros/src/lib.rs": [],
    "src/lib.rs": [
        "report CONSUMES src/store/item.rs:Item 23,24",
        "report CONSUMES src/store/item.rs:Item.new 24()",
        "report CONSUMES plus_one 25()",
        "report CONSUMES src/store/item.rs:Item.price 25()",
        "report CONSUMES GREETING 26",
        "fill CONSUMES src/store/shelf.rs:Shelf 30",
        "fill CONSUMES src/store/item.rs:Item 31",
        "fill CONSUMES src/store/item.rs:Item.new 31()",
        "fill CONSUMES src/store/shelf.rs:Shelf.put 31() ?",
        "fill CONSUMES src/store/shelf.rs:count 33()",
        "cost_of CONSUMES src/store/item.rs:Priced 36",
        "cost_of CONSUMES src/store/item.rs:Priced.price 37()",
        "reports CONSUMES report 46()",
        "reports CONSUMES src/store/item.rs:Item 46",
        "reports CONSUMES src/store/item.rs:Item.new 46()",
        "audit DECORATED_BY macros/src/lib.rs:logged 52",
    ],
    "src/store/item.rs": [
        "Priced INHERITS_FROM Labeled 10",
        "Priced.FREE CONSUMES Money 11",
        "Priced.price CONSUMES Money 14",
        "Priced.is_free CONSUMES Priced.FREE 17",
        "Priced.is_free CONSUMES Priced.price 17()",
        "Item CONSUMES Money 32",
        "Item CONSUMES Kind 33",
        "Item IMPLEMENTS Labeled 50",
        "Item IMPLEMENTS Priced 56",
        "Item.new CONSUMES Money 38",
        "Item.new CONSUMES Item 39()",
        "Item.new CONSUMES Kind 39",
        "Item.new CONSUMES Kind.Book 39",
        "Item.rounded CONSUMES Money 42,45",
        "Item.rounded CONSUMES Kind 44,45",
        "Item.rounded CONSUMES Kind.Book 44",
        "Item.rounded CONSUMES Kind.Pen 45",
        "Item.price CONSUMES Money 57",
        "Item.price CONSUMES Item.rounded 58()",
    ],
    "src/store/mod.rs": [],
    "src/store/shelf.rs": [
        "Shelf.put CONSUMES Shelf.len 17()",
        "Shelf.put CONSUMES Shelf.put.room 17()",
        "Shelf.put.room CONSUMES src/lib.rs:MAX_ITEMS 15",
        "count CONSUMES src/store/item.rs:Priced 27",
        "count CONSUMES Shelf 27",
        "count CONSUMES Shelf.len 28()",
    ],
}

SAMPLE = Sample("rust", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    new = scope("src/store/item.rs", "Item.new")
    assert new.signature == "pub fn new(label: &str, cost: Money) -> Self"
    assert new.docstring == "Makes an item."
    assert (new.owner, new.returns, new.modifiers) == ("Item", "Self", ("pub",))
    kind = scope("src/store/item.rs", "Kind")
    assert (kind.decorators, kind.docstring) == (("derive",), "Sorts of items.")
    assert (kind.start_line, kind.definition_line) == (22, 23)
    assert scope("src/store/item.rs", "Item.rounded").complexity == 3
    assert scope("src/store/item.rs", "Priced").bases == ("Labeled",)
    assert scope("src/store/item.rs", "Item").interfaces == ("Labeled", "Priced")


def test_methods_belong_to_the_type_of_their_impl() -> None:
    parents = {(e.source_key, e.target_key) for e in RESOLUTION.edges if e.kind == "HAS_PARENT"}
    assert ("Item.label", "Item") in parents
    assert ("Priced.is_free", "Priced") in parents
    assert ("Shelf.put.room", "Shelf.put") in parents
    assert ("reports", "tests") in parents


def test_tests_beside_the_code_are_told_from_it() -> None:
    source = (
        b'fn run() {}\n#[cfg(not(test))]\nfn live() {}\n#[cfg(feature = "test")]\nfn extra() {}\n'
        b"#[cfg(all(unix, test))]\nmod tests {\n  fn help() {}\n  struct S;\n  impl S { fn go(&self) {} }\n"
        b'  #[test]\n  fn runs() {}\n  #[tokio::test(flavor = "x")]\n  async fn waits() {}\n}\n'
    )
    of_tests = {
        each.name: [word for word in each.modifiers if word.startswith("test")] for each in parse("a.rs", source).scopes
    }
    assert of_tests == {
        **{name: [] for name in ("run", "live", "extra")},
        **{name: ["test_only"] for name in ("tests", "help", "S", "go")},
        **{name: ["test"] for name in ("runs", "waits")},
    }


def test_calls_inside_of_macros_are_calls() -> None:
    source = (
        b'fn a() -> u8 { 1 }\nstruct S;\nimpl S { fn b(&self) {} fn c(&self) { println!("{}", a(), self.b()); } }\n'
    )
    found = {(e.source_key, e.target_key) for e in resolve([parse("a.rs", source)]).edges if e.kind == "CONSUMES"}
    assert {("S.c", "a"), ("S.c", "S.b")} <= found


def test_the_macro_that_rust_2018_made_a_keyword_of() -> None:
    file = parse("a.rs", b"fn a() -> io::Result<()> {\n    try!(b()); try! { c() }; r#try!(d());\n    Ok(())\n}\n")
    assert file.error is None
    assert {"b", "c", "d", "Ok"} <= {use.name for use in file.scopes[0].uses if use.kind == "call"}


def test_items_in_macros_around_them_are_listed() -> None:
    file = parse(
        "a.rs",
        b"cfg_rt! {\n    /// Spawns.\n    pub fn spawn(x: u8) -> u8 { go(x) }\n"
        b"    cfg_io! { struct Inner; impl Inner { fn f(&self) { k(); } } }\n}\n"
        b"mod m { cfg_x! { fn g() {} } }\nlazy_static! { static ref X: u8 = 1; }\n"
        b'fn z() { cfg_z! { fn hidden() {} } println!("{}", b()); }\nfoo! { a, b }\ncfg_e! {}\n',
    )
    assert file.error is None
    assert [(scope.qualified_name, scope.type, scope.start_line) for scope in file.scopes] == [
        ("spawn", "function", 3),
        ("Inner", "struct", 4),
        ("Inner.f", "method", 4),
        ("m", "namespace", 6),
        ("g", "function", 6),
        ("X", "constant", 7),
        ("z", "function", 8),
    ]
    assert file.scopes[0].docstring == "Spawns."
    assert "k" in [use.name for use in file.scopes[2].uses]


def test_many_macros_with_try_and_deep_ones_take_no_longer_than_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    class Counting:
        def __init__(self, pattern: re.Pattern[bytes]) -> None:
            self._pattern = pattern

        def sub(self, new: bytes, data: bytes) -> bytes:
            nonlocal looked
            looked += len(data)
            return self._pattern.sub(new, data)

    monkeypatch.setattr(macros, "_TRY", Counting(macros._TRY))
    source = b"".join(b"m! { fn f%d() { try!(x()); } }\n" % number for number in range(500))
    assert len(parse("a.rs", source).scopes) == 500
    assert looked <= 2 * len(source)

    parses = 0
    real = macros.tree_of

    def counted(*given: Any) -> Any:
        nonlocal parses
        parses += 1
        return real(*given)

    monkeypatch.setattr(macros, "tree_of", counted)
    for unit in (b"m! { ", b"m! { struct A; "):
        assert parse("a.rs", unit * 3_000 + b"fn f() {}" + b" }" * 3_000).error is None
    assert parses == 0


def test_items_in_macros_in_an_impl_or_a_trait_are_its_members() -> None:
    source = b"""struct Net;
impl Net {
    cfg_net! {
        /// Opens it.
        pub fn open(&self) -> u8 { self.close() }
        cfg_unix! { fn close(&self) -> u8 { try!(1) } }
    }
    pub fn plain(&self) {}
    delegate! { to self.inner { pub fn len(&self) -> usize; } }
}
trait Open { cfg_net! { type Item; fn opened(&self) {} } }
fn main() { cfg_net! { fn local() {} } }
"""
    parsed = parse("a.rs", source)
    assert parsed.error is None
    assert [f"{found.key} {found.type} {found.start_line}" for found in parsed.scopes] == [
        "Net struct 1",
        "Net.open method 5",
        "Net.close method 6",
        "Net.plain method 8",
        "Open trait 11",
        "Open.Item type 11",
        "Open.opened method 11",
        "main function 12",
    ]
    assert parsed.scopes[1].docstring == "Opens it."


def test_the_owner_of_an_impl_is_the_type_that_a_reader_sees() -> None:
    kinds = ("u8", "&str", "[u16]", "[u32; 3]", "Box<T>", "Vec<Item>", "&'a T", "(u8, u8)", "dyn Any", "&Box<T>")
    text = "\n".join(f"impl<'a, T> Size for {kind} {{ fn size(&self) {{}} }}" for kind in kinds)
    assert [found.qualified_name for found in parse("a.rs", text.encode()).scopes] == [
        "u8.size",
        "str.size",
        "u16.size",
        "u32.size",
        "Box.size",
        "Item.size",
        "T.size",
        "size",
        "Any.size",
        "Box.size",
    ]
