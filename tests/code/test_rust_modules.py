"""Rust: what names mean in modules, of files and inside of them, and what `use` brings in."""

from __future__ import annotations

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import parsed

GEOMETRY = """pub fn free() {}
pub(crate) mod util {
    pub fn clamp() { self::scale(); deep::dig(); free() }
    pub fn scale() {}
    pub const LIMIT: u8 = 1;
    pub struct Unit;
    impl Unit { pub fn make() -> Unit { Unit } }
    fn free() {}
    pub mod deep {
        use super::scale as rescaled;
        use super::super::free as outermost;
        pub fn dig() { super::clamp(); rescaled(); outermost(); self::dug(); super::super::free(); }
        fn dug() {}
        pub fn free() {}
    }
}
"""


def called(source: str, path: str = "src/lib.rs", **more: str) -> list[str]:
    """What ``a`` of a file uses for certain, next to a module ``geometry`` with modules inside."""
    sources = {"src/lib.rs": "mod geometry;\n", "src/geometry.rs": GEOMETRY, path: source, **more}
    return uses(sources, path, "a")


def uses(sources: dict[str, str], path: str, key: str) -> list[str]:
    found = [e for e in resolve(parsed(sources)).edges if e.source_path == path and e.source_key == key]
    return sorted(f"{e.target_path}:{e.target_key}" for e in found if e.certain and e.kind == "CONSUMES")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("use crate::geometry::util::{self, clamp};\nfn a() { clamp() }", "clamp"),
        ("use crate::geometry::util::{self, clamp};\nfn a() { util::scale() }", "scale"),
        ("use crate::geometry::util::clamp as other;\nfn a() { other() }", "clamp"),
        ("use crate::geometry::util as u;\nfn a() { u::clamp() }", "clamp"),
        ("use crate::geometry::util::*;\nfn a() { clamp() }", "clamp"),
        ("use crate::geometry::util::deep;\nfn a() { deep::dig() }", "dig"),
        ("use crate::geometry::util::LIMIT;\nfn a() -> u8 { LIMIT }", "LIMIT"),
        ("use crate::geometry::util::Unit;\nfn a() { Unit::make(); }", "Unit.make"),
        ("mod geometry;\nuse geometry::util::clamp;\nfn a() { clamp() }", "clamp"),
        ("fn a() { use crate::geometry::util::clamp; clamp() }", "clamp"),
        ("fn a() { crate::geometry::util::deep::dig() }", "dig"),
    ],
)
def test_what_is_in_a_module_inside_of_a_file_is_imported(source: str, target: str) -> None:
    assert f"src/geometry.rs:{target}" in called(source)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("mod m { pub fn f() {} }\nuse m::f;\nfn a() { f() }", "f"),
        ("mod m { pub fn f() {} }\nuse self::m::f as g;\nfn a() { g() }", "f"),
        ("mod m { pub use self::n::f; pub mod n { pub fn f() {} } }\nuse m::f;\nfn a() { f() }", "f"),
        ("mod m { pub use n::*; pub mod n { pub fn f() {} } }\nuse crate::m::f;\nfn a() { f() }", "f"),
        ("enum K { One }\nuse K::One;\nfn a() -> K { One }", "K.One"),
        ("mod m { pub enum K { One } }\nuse m::K;\nfn a() -> K { use K::*; One }", "K.One"),
        ("mod m { use super::b; pub fn a() { b() } }\nfn b() {}", "b"),
        ("mod m { pub fn a() { n::f() } mod n { pub fn f() {} } }", "f"),
        ("mod m { pub fn a() { f() } use n::f; mod n { pub fn f() {} } }", "f"),
        ("mod m { pub fn a() { vec![super::f()]; } }\nfn f() {}", "f"),
    ],
)
def test_modules_of_the_same_file(source: str, target: str) -> None:
    assert f"src/lib.rs:{target}" in called(source)


def test_self_and_super_mean_the_modules_around() -> None:
    sources = {"src/lib.rs": "mod geometry;\n", "src/geometry.rs": GEOMETRY}
    clamp = uses(sources, "src/geometry.rs", "clamp")
    assert clamp == [f"src/geometry.rs:{key}" for key in ("deep", "dig", "free#2", "scale")]
    dig = uses(sources, "src/geometry.rs", "dig")
    assert dig == [f"src/geometry.rs:{key}" for key in ("clamp", "dug", "free", "scale")]


def test_super_leads_out_of_modules_inside_of_a_file_and_then_of_files() -> None:
    sources = {
        "src/lib.rs": "mod a;\npub fn f() {}\n",
        "src/a.rs": "pub mod b;\npub fn f() {}\n",
        "src/a/b.rs": "use super::super::f as top;\n"
        "fn f() {}\nmod m { fn x() { super::super::f(); super::super::super::f(); super::f() } }\nfn y() { top() }\n",
    }
    assert uses(sources, "src/a/b.rs", "x") == ["src/a.rs:f", "src/a/b.rs:f", "src/lib.rs:f"]
    assert uses(sources, "src/a/b.rs", "y") == ["src/lib.rs:f"]


def test_super_inside_of_a_macro_is_that_of_the_module_around() -> None:
    sources = {
        "src/lib.rs": "mod a;\npub fn f() -> u8 { 1 }\n",
        "src/a.rs": "pub fn f() -> u8 { 2 }\nmod tests { fn t() { assert_eq!(super::f(), 2); } }\n",
    }
    assert uses(sources, "src/a.rs", "t") == ["src/a.rs:f"]


@pytest.mark.parametrize(
    "source",
    [
        "use crate::geometry::util::missing;\nfn a() { missing() }",
        "use crate::geometry::dig;\nfn a() { dig() }",
        "use util::clamp;\nfn a() { clamp() }",
        "mod m { use n::*; use n::f; }\nmod n { use m::*; use m::f; }\nuse m::*;\nuse n::*;\nfn a() { f() }",
        "mod m { use std::mem::swap; pub fn x() {} }\nuse m::swap;\nfn a() { swap() }",
        "use foreign::util::clamp;\nfn a() { clamp() }",
    ],
)
def test_what_a_module_does_not_have_is_not_found_elsewhere(source: str) -> None:
    assert called(source) == []


def test_a_call_of_what_a_module_of_the_project_does_not_have_is_counted() -> None:
    files = [
        parse("src/geometry.rs", GEOMETRY.encode()),
        parse("src/lib.rs", b"use crate::geometry::util::missing;\nuse std::mem::swap;\nfn a() { missing(); swap() }"),
        parse("src/other.rs", b"use crate::made::f;\nfn a() { f() }"),
    ]
    found = resolve(files).files
    assert (found["src/lib.rs"].unresolved, found["src/other.rs"].unresolved) == (1, 1)


def test_a_wildcard_over_the_module_around_is_not_that_of_other_files() -> None:
    sources = {
        "src/lib.rs": "pub mod mpsc;\n",
        "src/mpsc.rs": "pub fn channel() {}\n",
        "tests/tracker.rs": "use crate_here::mpsc;\nmod m { use super::*; fn a() { mpsc::channel(); } }\n",
        "tests/mpsc.rs": "pub fn channel() {}\n",
    }
    sources = {f"crate_here/{path}": text for path, text in sources.items()}
    assert uses(sources, "crate_here/tests/tracker.rs", "a") == ["crate_here/src/mpsc.rs:channel"]


def test_a_foreign_crate_that_has_the_name_of_a_folder_is_foreign() -> None:
    sources = {
        "crates/pcre/src/lib.rs": "mod matcher;\n",
        "crates/pcre/src/matcher.rs": "use pcre::bytes::Builder;\nstruct Own { builder: Builder }\n"
        "impl Own { fn jit(&mut self) { self.builder.jit(); } }\n",
    }
    assert resolve(parsed(sources)).unresolved == 0
    assert uses(sources, "crates/pcre/src/matcher.rs", "Own.jit") == []
