"""Answers about which tests there are, and how many, as `list_tests` found them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragforge_memory.llm.extractive.quoting.pieces import code_span, item, rest
from ragforge_memory.models.text import counted

MAX_TESTS = 120
"""Tests of one file that are listed."""

_TITLE = 160
_LATE = "There was no time to read all files: there may be more tests."


def tests_of(file: str, value: Mapping[str, Any]) -> list[str]:
    """The tests of a file: definitions by their names, calls as they are written."""
    shown = value["tests"][:MAX_TESTS]
    lines = [f"`{file}` contains {counted(value['total'], 'test')}:"]
    for each in shown:
        called = code_span(each.get("text", "")[:_TITLE])
        lines.append(item(each) if "type" in each else f"- {called} - {each['file']}:{each['line']}")
    return lines + rest(value["total"] - len(shown))


def number_of_tests(value: Mapping[str, Any], files: int) -> str:
    """How many tests some files have, and in how many of them where not in all: what comes before their number."""
    among = f"{value['files']} of " if 0 < value["files"] < files else ""
    return f"{counted(value['total'], 'test')} in {among}"


def where_tests_are(value: Mapping[str, Any]) -> list[str]:
    """How to have the tests listed; where none is known, what may have some."""
    late = [_LATE] if value["late"] else []
    if value["total"]:
        return [*late, "Which they are is told of a file: `list the tests in FILE`."]
    if number := value["test_files"]:
        of_tests = f"{counted(number, 'file is', 'files are')} of tests by the path"
        return [*late, f"{of_tests}; how tests are written there I do not know, so that I cannot count them."]
    return late
