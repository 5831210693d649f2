"""Which lines are whose: of a definition, of what it holds inside, of none."""

from __future__ import annotations

from itertools import product

import pytest

from ragforge_memory.code.own_text import found_by, inner_lines, outside, own_source
from ragforge_memory.code.parse import parse

PYTHON = """import os

# No zeppelins here.
os.umask(0)


class Outer:
    size = 1  # in one place

    def inner(self):
        return 2


def last():
    pass
"""
GO = """package a

// loose

// Options are what a caller may say.
//
// There are two.
type Options struct {
	Timeout int // in seconds
}
"""
TYPESCRIPT = """import x from "y";

/**
 * The options.
 * Of two lines.
 */
export interface Options {
  wait?: number;
}

app.use(x);
"""
RUST = """use std::io;

/// Options.
/// More.
#[derive(Debug)]
pub struct Options {
    pub wait: u64,
}
"""


@pytest.mark.parametrize(
    ("path", "text", "doc_line", "free", "pieces"),
    [
        ("a.py", PYTHON, None, "import os\n\n# No zeppelins here.\nos.umask(0)", (1, 4)),
        ("a.go", GO, 5, "package a\n\n// loose", (1, 3)),
        ("a.ts", TYPESCRIPT, 4, 'import x from "y";\napp.use(x);', (1, 1, 11, 11)),
        ("a.rs", RUST, 3, "use std::io;", (1, 1)),
    ],
)
def test_a_file_has_the_lines_that_no_definition_or_its_documentation_has(
    path: str, text: str, doc_line: int | None, free: str, pieces: tuple[int, ...]
) -> None:
    parsed = parse(path, text.encode())
    assert parsed.scopes[0].doc_line == doc_line
    assert (parsed.outside, parsed.outside_lines) == (free, pieces)


def test_what_is_inside_is_not_its_outer_s_own() -> None:
    parsed = parse("a.py", PYTHON.encode())
    outer = parsed.scopes[0]
    inner = inner_lines(parsed.scopes)
    assert inner == {"Outer": [(10, 11)]}
    assert own_source(outer.source, outer.start_line, inner["Outer"]) == "class Outer:\n    size = 1  # in one place\n"
    assert own_source("x\ny", 4, ()) == "x\ny"


def test_a_table_of_data_is_kept_in_part() -> None:
    text, pieces = outside((), [f"{'x' * 99}"] * 10_000)
    assert (len(text.split("\n")), pieces) == (2_000, (1, 2_000))


def test_a_text_is_found_by_its_stems_as_often_as_they_are_there() -> None:
    assert found_by("parse_args", "parses the args, parsing x", None) == "parse_args pars pars pars arg arg"
    assert found_by("a " * 50 + "item " * 50) == " ".join(["item"] * 8)
    # However many: what is not found by its words is said to be nowhere.
    words = ["".join(letters) for letters in product("bcdfghjkmnpqrtvwxz", repeat=3)]
    assert len(found_by(" ".join(words)).split()) > 5_000
    assert found_by("x" * 200) == ""
