"""What changes a hash and what does not."""

from __future__ import annotations

import pytest

from ragforge_memory.code.parse import parse

PYTHON = "def f(x):\n    if x:\n        return (1, 'a  b')\n    else:\n        return 2\n"


def hashes(path: str, text: str, key: str = "f") -> tuple[str, str]:
    found = next(s for s in parse(path, text.encode()).scopes if s.key == key)
    return found.hash, found.body_hash


@pytest.mark.parametrize(
    "text",
    [
        "# before\n\n" + PYTHON,
        PYTHON.replace("        return 2", "        # why\n        return 2  # so"),
        PYTHON.replace("(x)", "( x )").replace("(1, 'a  b')", "(1,\n    'a  b')"),
        PYTHON.replace("    ", "  "),
        PYTHON.replace("    else", "\n\n    else"),
        PYTHON.replace("    if x", "    if \\\n      x"),
    ],
    ids=["place", "comments", "spaces", "indentation's width", "blank lines", "continuation"],
)
def test_layout_does_not_change_the_body_hash(text: str) -> None:
    assert hashes("a.py", text)[1] == hashes("a.py", PYTHON)[1]


@pytest.mark.parametrize(
    "text",
    [
        PYTHON.replace("a  b", "a b"),
        PYTHON.replace("return 2", "return 3"),
        PYTHON.replace("    if x", "    'said'\n    if x"),
        PYTHON.replace("        return 2", "        pass\n        return 2"),
        "@decorated\n" + PYTHON,
        PYTHON.replace("(x)", "(y)"),
    ],
    ids=["white space in a string", "a literal", "a docstring", "a statement", "a decorator", "a parameter"],
)
def test_every_token_changes_the_body_hash(text: str) -> None:
    assert hashes("a.py", text)[1] != hashes("a.py", PYTHON)[1]


def test_a_moved_or_renamed_scope_keeps_its_body_hash() -> None:
    method = "class A:\n" + "".join(f"    {line}\n" for line in PYTHON.replace("def f", "def g").splitlines())
    assert hashes("b.py", method, "A.g")[1] == hashes("a.py", PYTHON)[1]
    assert hashes("b.py", method, "A.g")[0] != hashes("a.py", PYTHON)[0]


def test_a_renamed_member_changes_its_class() -> None:
    one, other = "class A:\n    def f(self): pass\n", "class A:\n    def g(self): pass\n"
    assert hashes("a.py", one, "A")[1] != hashes("a.py", other, "A")[1]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<p>\n  Hello {name},\n  you\n</p>", "<p>\n\t\tHello {name},\n\n\t\tyou\n\t</p>", True),
        ("<p><b>x</b> <i>y</i></p>", "<p><b>x</b><i>y</i></p>", False),
        ("<p>Hello {name}</p>", "<p>Hello{name}</p>", False),
        ('<p title="a\n  b" />', '<p title="a b" />', False),
    ],
)
def test_line_breaks_in_a_text_of_jsx_are_spaces(one: str, other: str, same: bool) -> None:
    for path in ("a.jsx", "a.tsx"):
        found = {hashes(path, f"const f = () => (\n  {text}\n);\n")[1] for text in (one, other)}
        assert (len(found) == 1) is same


def test_the_hash_is_that_of_the_source() -> None:
    assert hashes("a.py", PYTHON)[0] == hashes("b.py", "x = 1\n" + PYTHON)[0]
    assert hashes("a.py", PYTHON)[0] != hashes("a.py", PYTHON.replace(" 2", "  2"))[0]
    assert hashes("a.py", PYTHON.replace("\n", "\r\n")) == hashes("a.py", PYTHON)


def test_text_that_a_grammar_passes_over_is_not_of_the_definition_before_it() -> None:
    alone, opened = "#define LIMIT 6\n", '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    text = f"{opened}{alone}\n#ifdef __cplusplus\n}}\n#endif\n"
    assert hashes("a.h", text, "LIMIT")[1] == hashes("a.h", alone, "LIMIT")[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("void f() { g(); }", "MY_CONSTEXPR void f() { g(); }"),
        ("MY_ALIGN(4) void f() { g(); }", "MY_ALIGN(8) void f() { g(); }"),
    ],
)
def test_a_macro_before_a_definition_is_of_it(one: str, other: str) -> None:
    around = "MY_BEGIN_EXPORT\n\n{}\nMY_END_EXPORT\n"
    first, second = (hashes("a.h", around.format(text))[1] for text in (one, other))
    assert first != second
    assert hashes("a.h", one)[1] == first
