"""What is no code in the languages that are read: comments, and what is inside strings."""

from __future__ import annotations

import time

import pytest

from ragforge_memory.code.languages import LANGUAGES
from ragforge_memory.tools.grep_process import code_alone
from ragforge_memory.tools.no_code import no_code


@pytest.mark.parametrize(
    ("language", "text", "code"),
    [
        ("python", 'raise A("no B")  # nor C', 'raise A("    ")         '),
        ("python", '"""says\nraise X\n"""\nraise Y', '"""    \n       \n"""\nraise Y'),
        ("python", "'''raise X", "'''       "),
        ("javascript", "test('then throw X', f)", "test('            ', f)"),
        ("javascript", "x = `a ${b}\nthrow X`; throw Y", "x = `      \n       `; throw Y"),
        ("javascript", "s.match(/[/'\"`]/); throw Y // why", "s.match(   '\"`  ); throw Y       "),
        ("typescript", "a = b / c; throw Y /* X\nX */ / 2", "a = b / c; throw Y     \n     / 2"),
        ("go", "x := `throw\nX`; panic('\"')", "x := `     \n `; panic('\"')"),
        ("rust", 'fn f<\'a>(x: &\'a str) { panic!(r#"a"b"#) }', 'fn f<\'a>(x: &\'a str) { panic!(  " " " ) }'),
        ("rust", "'\\'' '\\\\' '\\u{1F600}' panic!()", "' '' '  ' '         ' panic!()"),
        ("cpp", 'R"x(throw "A)" )x"; throw B', ' "        "  "   "; throw B'),
        ("csharp", '@"a\\"; throw B; // "', '@"  "; throw B;    "'.replace('@"', ' "')),
        ("java", '"""\nthrow A\n"""; throw B', '"""\n       \n"""; throw B'),
        ("php", "#[A]\n# throw A\nthrow new B('A')", "#[A]\n         \nthrow new B(' ')"),
        ("php", "$x = <<<END\nthrow A\nEND;\nthrow B", "$x =       \n       \n   ;\nthrow B"),
        ("ruby", "fail <<~TEXT\n  raise A\nTEXT\nraise B", "fail        \n         \n    \nraise B"),
        ("ruby", "=begin\nraise A\n=end\nraise B # raise C", "      \n       \n    \nraise B          "),
        ("Kotlin", 'throw B("A") // A', 'throw B(" ")     '),
        ("", 'raise "A" # A', 'raise "A" # A'),
    ],
)
def test_code_alone(language: str, text: str, code: str) -> None:
    alone = code_alone(text, no_code(language))
    assert alone == code
    assert len(alone) == len(text)


def test_every_language_with_code_is_known() -> None:
    assert all(no_code(each.name) for each in LANGUAGES.values() if each.has_code)


@pytest.mark.parametrize(
    ("language", "piece"),
    [("javascript", "`\\"), ("go", "x = 1\n"), ("rust", 'r#"\n'), ("cpp", 'R"(\n'), ("python", 'f("a")  # b\n')],
)
def test_it_takes_no_longer_than_the_text_is_long(language: str, piece: str) -> None:
    began = time.monotonic()
    code_alone(piece * 50_000, no_code(language))
    assert time.monotonic() - began < 5
