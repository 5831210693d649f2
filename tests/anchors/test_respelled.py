"""A name of which the case or the underscores alone are others, where it stood: it is the same thing."""

from __future__ import annotations

from ragforge_memory.anchors.successors import find_successors
from tests.anchors.definitions import read

BEFORE = """package main

type InfoCommand struct {
\tStdin  io.Reader
\tStdout io.Writer
}

type StatsCommand struct {
\tStdin  io.Reader
\tStdout io.Writer
}
"""
AFTER = """package main

type infoCommand struct{ baseCommand }

type statsCommand struct{ baseCommand }

type baseCommand struct {
\tin  io.Reader
\tout io.Writer
}
"""


def test_a_respelled_name_in_its_place_needs_nothing_else() -> None:
    found = find_successors(read("main.go", BEFORE), read("main.go", AFTER))
    assert [each.definition and each.definition.name for each in found] == ["infoCommand", "statsCommand"]


def test_elsewhere_it_says_nothing_by_itself() -> None:
    found = find_successors(read("main.go", BEFORE), read("other.go", AFTER))
    assert [each.definition for each in found] == [None, None]


def test_of_two_spellings_none_is_taken() -> None:
    two = "package main\n\ntype infoCommand struct{ baseCommand }\n\ntype info_command struct{ otherCommand }\n"
    found = find_successors(read("main.go", BEFORE)[:1], read("main.go", two))
    assert [each.definition for each in found] == [None]
