"""``#if`` in C, C++ and C#: what its branches cut in two is read, and what they hold whole is not lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragforge_memory.code.directives import one_branch, whole_branches
from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve

HALF_OF_AN_IF = b"""namespace N
{
  public class A
  {
#if X
    bool F(object a)
    {
      if (a is string)
      {
        return true;
      }
#if Y
      if (a is long)
      {
        return false;
      }
      else
#endif
      if (a is int)
      {
        switch (a)
        {
          case 1:
            return true;
#if Y
          case 2:
            return false;
#endif
        }
      }
      return false;
    }
#endif
    int G(int a)
    {
      if (a > 1)
      {
        return 1;
      }
#if Y
      else if (a > 0)
      {
        return 0;
      }
#else
      else
      {
        return 2;
      }
#endif
      return 3;
    }
#if X
    void H() { }
#else
    void I() { }
#endif
    public System.Type Type { get; }
  }
}
"""


def test_branches_that_cut_a_statement_do_not_end_the_class() -> None:
    parsed = parse("a.cs", HALF_OF_AN_IF)
    assert parsed.error is None
    assert [found.key for found in parsed.scopes] == ["A", "A.F", "A.G", "A.H", "A.I", "A.Type"]


def test_a_file_whose_structure_was_lost_in_such_branches_is_read() -> None:
    head = (
        b"#if X\nusing A;\n#else\nusing B;\n#endif\nclass C\n{\n#if X\n  [Old]\n#endif\n  void F(\n#if X\n    int a\n"
    )
    parsed = parse("a.cs", head + b"#else\n    long a\n#endif\n  ) { }\n  void G() { }\n}\n")
    assert (parsed.error, [found.key for found in parsed.scopes]) == (None, ["C", "C.F", "C.G"])


def test_of_c_both_branches_stay_where_they_are_whole() -> None:
    source = b"""int f(int a) {
#ifdef X
  if (a > 1) {
#else
  if (a > 2) {
#endif
    return 1;
  }
  return 0;
}
#ifdef X
int g(void) { return 2; }
#else
int h(void) { return 2; }
#endif
"""
    assert [found.key for found in parse("a.c", source).scopes] == ["f", "g", "h"]


@pytest.mark.parametrize(
    "source",
    [
        HALF_OF_AN_IF,
        b"#if A \\\n  && B\n{\n#define X \\\n  1\n#else\n#define Y 1\n",
        "#if Größe\nö {\n#endif".encode(),
        b"#if A\n" * 3000 + b"{" + b"#endif\n" * 3000,
    ],
)
def test_every_byte_and_line_keeps_its_place(source: bytes) -> None:
    for simpler in (one_branch(source), whole_branches(source)):
        assert len(simpler) == len(source)
        assert all(new == old or new == 32 for new, old in zip(simpler, source, strict=True))
        assert simpler.count(b"\n") == source.count(b"\n")


def test_which_branches_are_blanked() -> None:
    whole = b'#if A\nvoid f() { g(\'{\'); } // {\n#else\nint f = "}\\"";\n#endif\n'
    assert whole_branches(whole) == whole
    assert one_branch(whole).split() == b"void f() { g('{'); } // {".split()
    assert whole_branches(b"#if 0\n{\n#else\n[\n#endif\n").split() == [b"["]
    assert b"#define B" in one_branch(b"#if 1\n#else\n#define B 1\nint b;\n#endif\n")


def test_a_member_that_lost_its_class_is_meant_by_no_bare_name() -> None:
    lost = parse("a.cs", b"namespace N { class A { public int Type { get; } } }")
    lost = replace(lost, scopes=tuple(replace(s, parent=None, key="Type") for s in lost.scopes if s.name == "Type"))
    user = parse("b.cs", b"namespace N { class B { object F() { return typeof(Type); } } }")
    assert [edge for edge in resolve([lost, user]).edges if edge.target_path == "a.cs"] == []
