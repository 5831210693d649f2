"""What marks a test in a file's text where no definition's name says it: a call, a macro, an annotation.

``test('adds', () => …)``, ``it "adds" do``, ``TEST(Cart, Adds)``, ``@Test``, ``[Fact]``: by the habits of
the frameworks of all languages read. A mark begins its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ragforge_memory.text.names import is_test

_TITLE = r"""(?P<title>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)"""
# What only a file of tests is asked for: a method or a function of other code may be called `it` or `test`.
_CALLS: Mapping[str, str] = {
    "javascript": (
        r"(?P<call>(?:await[ \t]+)?(?:test|it|specify|fit|xit|xtest|xspecify|Deno\.test|QUnit\.test)"
        r"(?:\.(?:only|skip|todo|failing|fails|fixme|concurrent|serial|sequential|each|for|skipIf|runIf))*)"
        rf"(?:(?<=\.each)[(`]|(?<=\.for)\(|\(\s*(?:{_TITLE}|[\w$.]+\s*[,+]|(?:async\b|function\b|[({{])))"
    ),
    "ruby": rf"(?P<call>it|specify|example|scenario|test|fit|xit)\b(?:[ \t]*\(?[ \t]*{_TITLE}|[ \t]*(?:\{{|do\b))",
    "php": rf"(?P<call>it|test)\(\s*{_TITLE}",
    "go": rf"(?P<call>[FPX]?(?:It|Specify))\(\s*{_TITLE}",
}
# What is a test wherever it stands.
_MARKS: Mapping[str, str] = {
    "c": (
        r"(?P<call>TEST(?:_F|_P)?|TYPED_TEST(?:_P)?|(?:TEMPLATE_)?TEST_CASE(?:_METHOD|_FIXTURE|_TEMPLATE)?|TEST_METHOD"
        r"|SCENARIO(?:_METHOD)?|BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE|START_TEST)\s*\(\s*(?P<title>[^()\n]*)"
    ),
    "java": r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b",
    "csharp": r"\[(?:\w+(?:\([^()\n]*\))?,[ \t]*)*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\s*[\](,]",
    "php": r"#\[(?:\\?\w+\\)*Test\b|(?:/\*)?\*[ \t]+@test\b",
}
_COMPILED_CALLS, _COMPILED_MARKS = (
    {family: re.compile(rf"^[ \t]*(?:{pattern})", re.M) for family, pattern in patterns.items()}
    for patterns in (_CALLS, _MARKS)
)


class Mark(NamedTuple):
    """A mark's line, and what it says: the call with its title, or the line that it is."""

    line: int
    text: str


def has_marks(file: str, family: str) -> bool:
    """Whether tests of a file of a family of languages may be known by marks."""
    return family in _MARKS or (family in _CALLS and is_test(file))


def marks_in(file: str, family: str, text: str) -> Iterator[Mark]:
    """The marks of tests in a file's text, in order."""
    patterns = [_COMPILED_MARKS.get(family), _COMPILED_CALLS.get(family) if is_test(file) else None]
    found = [match for pattern in patterns if pattern is not None for match in pattern.finditer(text)]
    for match in sorted(found, key=re.Match.start):
        said = match.groupdict()
        at = match.end() - len(match[0].lstrip())
        title = " ".join((said.get("title") or "").split())
        line = text[at:].partition("\n")[0].strip()
        called = f"({title})" if "(" in match[0] else f" {title}"
        yield Mark(text.count("\n", 0, at) + 1, f"{said['call']}{called}" if title else line)
