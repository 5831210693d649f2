"""Whatever a file holds, parsing it ends with scopes or with one line that says why not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory.code.languages import LANGUAGES, language_of, reader_of
from ragforge_memory.code.parse import DEEP, parse, parse_partly

EXTENSIONS = [language.extensions[0] for language in LANGUAGES.values() if language.extensions]


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("data", [b"", b"\n", b"   \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_no_error(extension: str, data: bytes) -> None:
    parsed = parse(f"a{extension}", data)
    assert (parsed.error, parsed.scopes, parsed.uses) == (None, (), ())


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfdef f():\n    return 'x'\n",
        b"def f():\r\n    return 'x'\r\n",
        b"def f():\r    return 'x'\r",
        "def f():\n    return 'x'\n".encode("utf-16"),
    ],
    ids=["mark", "crlf", "cr", "utf-16"],
)
def test_byte_order_marks_and_line_breaks_change_nothing(data: bytes) -> None:
    plain = parse("a.py", b"def f():\n    return 'x'\n")
    assert parse("a.py", data) == plain
    assert plain.scopes[0].end_line == 2


def test_texts_that_are_not_utf8() -> None:
    declared = "# coding: cp1252\nNAME = '\u20ac'\n".encode("cp1252")
    assert "\u20ac" in parse("a.py", declared).scopes[0].source
    latin = parse("a.py", b"NAME = '\xe4'\n")
    assert latin.error is None
    assert latin.scopes[0].source == "NAME = '\u00e4'"
    assert parse("a.py", b"# coding: nonsense\nNAME = '\xe4'\n").error is None


def test_what_is_no_text_is_refused() -> None:
    assert parse("a.py", b"x = 1\x00\x01").error == "not text: it holds null bytes"
    assert parse("a.unknown", b"").error == "not a file of a language that is read"


@pytest.mark.parametrize(
    ("path", "data", "line"),
    [
        ("a.py", b"x = 1\n\ndef broken(:\n    pass\n", 3),
        ("a.py", b"print 'two'\n", None),
        ("a.ts", b"class A {\n  x: = 3;\n}\n", 2),
        ("a.go", b"package a\n\nfunc f( {\n", 3),
        ("a.rb", b"def f(\n", 1),
        ("a.rs", b"fn f( {\n", 1),
    ],
)
def test_a_broken_file_says_where(path: str, data: bytes, line: int | None) -> None:
    error = parse(path, data).error
    if line is None:
        assert error is None  # Python 2's print is read like any statement
    else:
        assert error is not None
        assert f"line {line}" in error


def test_deep_nesting_and_long_chains_are_read() -> None:
    deep = "x = " + "(" * 300 + "f()" + ")" * 300 + "\n"
    chain = "y = a" + ".b()" * 2000 + "\n"
    added = "z = " + " + ".join(["q(1)"] * 5000) + "\n"
    parsed = parse("a.py", (deep + chain + added).encode())
    assert {"x", "y", "z"} <= {s.key for s in parsed.scopes}
    nested = "".join("    " * level + f"def f{level}():\n" for level in range(90)) + "    " * 90 + "pass\n"
    assert len(parse("a.py", nested.encode()).scopes) == 90
    arrows = "const a = " + "x => " * 3000 + "g();"
    assert parse("a.js", arrows.encode()).error is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.c", "int f() {{ return {}; }}\n"),
        ("a.cpp", "int f() {{ return {}; }}\n"),
        ("A.cs", "class A {{ int F() {{ return {}; }} }}\n"),
        ("a.go", "package a\n\nfunc f() int {{ return {} }}\n"),
        ("A.java", "class A {{ int f() {{ return {}; }} }}\n"),
        ("a.php", "<?php\nfunction f() {{ return {}; }}\n"),
        ("a.rb", "def f\n  {}\nend\n"),
        ("a.rs", "fn f() -> i32 {{ {} }}\n"),
    ],
)
def test_deep_nesting_does_not_break_the_walk(path: str, text: str) -> None:
    source = text.format("(" * 3000 + "1" + ")" * 3000)
    assert parse(path, source.encode()).scopes


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.py", "x = a" + ".b" * 12_000),
        ("a.js", "x = " + "(() =>\n" * 6_000 + "1" + ")" * 6_000),
        ("a.js", "class A { m() {\n" * 200 + "}}" * 200),
        ("a.py", "".join(" " * level + f"class A{level}:\n" for level in range(200)) + " " * 200 + "pass\n"),
        ("a.cs", "class A {\n" * 60 + "// a comment\n" * 30_000 + "}" * 60),
    ],
    ids=["attributes", "arrows", "js", "python", "text"],
)
def test_what_is_nested_too_deeply_is_not_read(path: str, data: str) -> None:
    parsed, rest = parse_partly(path, data.encode())
    assert (parsed.error, parsed.scopes) == (DEEP, ())
    assert rest is not None
    assert rest.words


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.js", "var a = 1" + "".join(f",\nb{n} = f" for n in range(30_000)) + ";"),
        ("a.ts", "class A {\n" + "/**/\n" * 60_000 + "m() {} }"),
        ("a.py", "class A:\n def f(self):\n" + "".join(f"  a{n} = b\n  self.x{n} = q{n}\n" for n in range(13_000))),
    ],
    ids=["variables", "comments", "assignments"],
)
def test_many_things_beside_one_another_take_no_longer_each(path: str, data: str) -> None:
    began = time.process_time()
    assert parse(path, data.encode()).error is None
    # They take less than a second; with a time that grows with the square of their number more than ten.
    assert time.process_time() - began < 5


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=400), extension=st.sampled_from(EXTENSIONS))
def test_no_bytes_raise(data: bytes, extension: str) -> None:
    parsed = parse(f"a{extension}", data)
    keys = [s.key for s in parsed.scopes]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("path", "first", "language"),
    [
        ("a/b.py", b"", "python"),
        ("b.PYI", b"", "python"),
        ("tool", b"#!/usr/bin/env python3\n", "python"),
        ("tool", b"#!/bin/sh\n", None),
        ("a.b/tool", b"", None),
        ("x.tsx", b"", "typescript"),
        ("x.mjs", b"", "javascript"),
    ],
)
def test_the_language_of_a_path(path: str, first: bytes, language: str | None) -> None:
    found = language_of(path, first)
    assert (found.name if found else None) == language


def test_a_script_without_an_extension_has_the_grammar_of_its_language() -> None:
    parsed = parse("tool", b"#!/usr/bin/env -S npx tsx\nfunction run(a: number): string { return `${a}` }\n")
    assert (parsed.error, [scope.signature for scope in parsed.scopes]) == (None, ["function run(a: number): string"])


def test_every_language_has_a_reader() -> None:
    for name in LANGUAGES:
        assert reader_of(name).handlers or not LANGUAGES[name].has_code


def test_a_text_that_the_parser_finds_no_end_of_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"fn f() -> u8 {\n    1\n}\n" * 400
    with monkeypatch.context() as patched:
        patched.setattr("ragforge_memory.code.syntax._MOST_LOOKS", 3)
        patched.setattr("ragforge_memory.code.syntax._BYTES_A_LOOK", 10**9)
        given_up, rest = parse_partly("slow.rs", text)
        assert "takes too long" in (given_up.error or "")
        assert given_up.scopes == ()
        assert rest is not None
        assert rest.may_hold("f")
    # The next text is read from its beginning.
    assert len(parse("slow.rs", text).scopes) == 400
