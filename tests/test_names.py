"""Which names an asked name may mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.code.asides import is_test, stands_aside
from ragforge_memory.text.names import spelling, words
from ragforge_memory.tools.names import (
    distance,
    fits,
    is_part,
    is_typo,
    reference,
    same_file,
    stands_last,
)

IDENTIFIERS = st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8}){0,3}", fullmatch=True)
LETTERS = st.text("abcdef", max_size=9)


@pytest.mark.parametrize(
    ("text", "parts", "file"),
    [
        ("`Command.invoke()`", ("Command", "invoke"), ""),
        ("self.invoke(ctx, **kwargs)", ("invoke",), ""),
        ("$this->invoke", ("invoke",), ""),
        ("Self::invoke", ("invoke",), ""),
        ("std::vec::Vec", ("std", "vec", "Vec"), ""),
        ("App\\Http\\Kernel->handle", ("App", "Http", "Kernel", "handle"), ""),
        ("Foo#bar", ("Foo", "bar"), ""),
        ("src/click/core.py:Command.invoke", ("Command", "invoke"), "src/click/core.py"),
        ("core.py::Command", ("Command",), "core.py"),
        ("def make_context(", ("make_context",), ""),
        ("async def fetch", ("fetch",), ""),
        ("@pass_context", ("pass_context",), ""),
        ("", (), ""),
    ],
)
def test_a_name_as_written(text: str, parts: tuple[str, ...], file: str) -> None:
    read = reference(text)
    assert (read.parts, read.file) == (parts, file)


def test_words_and_spelling() -> None:
    assert words("getHTTPUrl_v2") == ("get", "http", "url", "v", "2")
    assert spelling("makeDefaultShortHelp") == spelling("make_default_short_help") == "makedefaultshorthelp"


def test_distance_counts_each_slip_once() -> None:
    assert distance("invoke", "invoek") == 1
    assert distance("invoke", "invok") == 1
    assert distance("invoke", "innvoke") == 1
    assert distance("invoke", "inwoke") == 1
    assert distance("invoke", "totally") == 3


@given(LETTERS, LETTERS)
def test_distance_is_symmetric_and_zero_only_for_equals(one: str, other: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, other, 20) <= max(len(one), len(other))


@given(LETTERS, LETTERS)
def test_a_limit_cuts_and_never_lies(one: str, other: str) -> None:
    assert distance(one, other, 2) == min(distance(one, other, 20), 3)


@given(IDENTIFIERS, st.data())
def test_one_slip_in_a_long_name_is_a_typo(name: str, data: st.DataObject) -> None:
    if len(spelling(name)) < 6:
        return
    place = data.draw(st.integers(0, len(name) - 1))
    slipped = name[:place] + name[place + 1 :] if data.draw(st.booleans()) else name[:place] + "q" + name[place:]
    assert is_typo(slipped, name) is not None


@given(IDENTIFIERS)
def test_other_conventions_for_the_same_words_are_no_typo(name: str) -> None:
    camel = "".join(part.title() for part in name.split("_"))
    assert is_typo(camel, name) == 0
    assert is_typo(name.upper(), name) == 0
    assert is_typo(f"_{name}", name) == 0


def test_another_word_of_the_project_is_another_name() -> None:
    known = frozenset({"parse", "option", "action"})
    assert is_typo("parse_action", "parse_option", known) is None
    assert is_typo("parse_optoin", "parse_option", known) == 1
    assert is_typo("parse_options", "parse_option", known) == 1


def test_one_letter_in_a_long_name_is_a_slip_whatever_word_it_makes() -> None:
    known = frozenset({"fragment", "not", "set", "sent", "with"})
    assert is_typo("fragment_not_set_with", "fragment_not_sent_with", known) == 1
    assert is_typo("not_set_with", "not_sent_with", known) is None


def test_short_names_have_no_typos() -> None:
    assert is_typo("gat", "get") is None
    assert is_typo("eccho", "echo") == 1
    assert is_typo("ehho", "each") is None


def test_parts_of_names() -> None:
    assert is_part("short_help", "make_default_short_help")
    assert is_part("OptionParser", "_OptionParserBase")
    assert is_part("CORS", "CORSMiddleware")
    assert is_part("netrc", "NetRCAuth")
    assert not is_part("cors", "CORSMiddleware")
    assert not is_part("CORS", "AllowedCORSMiddleware")
    assert not is_part("CORS", "CORS")
    assert not is_part("netr", "NetRCAuth")
    assert not is_part("id", "get_id_of")
    assert not is_part("help_short", "make_default_short_help")
    assert not is_part("make_default_short_help_text", "make_default_short_help")


def test_dotted_names_are_found_through_folders_files_and_classes() -> None:
    place = ("Command.invoke", "src/click/core.py")
    assert fits(("invoke",), *place)
    assert fits(("Command", "invoke"), *place)
    assert fits(("click", "core", "Command", "invoke"), *place)
    assert fits(("click", "Command", "invoke"), *place)
    assert not fits(("Group", "invoke"), *place)
    assert not fits(("core", "click", "Command", "invoke"), *place)
    assert stands_last(("core", "Command", "invoke"), *place)
    assert not stands_last(("click", "Command", "invoke"), *place)
    assert fits(("click", "echo"), "echo", "src/click/__init__.py")


def test_files() -> None:
    assert same_file("core.py", "src/click/core.py")
    assert same_file("./click/core.py", "src/click/core.py")
    assert not same_file("ore.py", "src/click/core.py")
    assert is_test("tests/test_core.py")
    assert is_test("pkg/core_test.go")
    assert is_test("pkg/core_go1.21_test.go")
    assert not is_test("pkg/core_test_go1.21.go")
    assert is_test("web/app.spec.ts")
    assert is_test("src/tests.rs")
    assert is_test("crates/glob/tests/match_tests.rs")
    assert is_test("src/glob.rs", ("pub", "test_only"))
    assert not is_test("src/glob.rs", ("pub",))
    assert not is_test("src/click/testing.py")
    # What shows a use or measures it proves nothing.
    for file in ("examples/shop/cart.py", "benchmarks/cart.py"):
        assert not is_test(file)
        assert stands_aside(file)
    assert is_test("examples/shop/tests/test_cart.py")
    assert stands_aside("tests/test_core.py")
    assert not stands_aside("src/click/core.py")
