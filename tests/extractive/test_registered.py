"""What is registered in tables of the code is found by the names that it is registered under."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.extractive.code.registered import entries_of
from tests.extractive.asking import ask, ingested

pytestmark = pytest.mark.anyio

FILES = {
    "shop/filters.py": '''"""Filters."""


def do_default(value, default=""):
    """Gives another value where one is undefined."""
    return value or default


def do_upper(value):
    return value.upper()


FILTERS = {
    "abs": abs,
    # the usual one
    "default": do_default,
    "d": do_default,
    "upper": do_upper,
}
''',
    "shop/parser.py": 'class OptionParser:\n    """Reads options."""\n\n    kinds = {"option": str, "flag": bool}\n',
    "shop/kept.py": 'def keep():\n    filters = {\n        "a": 1,\n        "b": 2,\n        "c": 3,\n    }\n',
    "docs/conf.py": 'filters = [\n    "x",\n    "y",\n    "z",\n]\n',
    "tests/test_filters.py": 'FILTERS = {\n    "default": 1,\n    "other": 2,\n    "more": 3,\n}\n',
}


@pytest.fixture
async def told(agent: AsyncConversationAgent, tmp_path: Path) -> AsyncConversationAgent:
    return await ingested(agent, tmp_path / "project", FILES)


async def test_which_there_are(told: AsyncConversationAgent) -> None:
    for said in ("which filters are there?", "what filters does the project have?"):
        first, entries, *others = await ask(told, said)
        assert first == "`FILTERS` - shop/filters.py:13 has 4 entries:"
        assert entries == "`abs`, `default` (`do_default`), `d` (`do_default`), `upper` (`do_upper`)"
        assert not [each for each in others if "entries" in each]  # no local variable, nothing of tests and texts


@pytest.mark.parametrize("said", ["where is the default filter?", "what does the default filter do?"])
async def test_one_of_them(told: AsyncConversationAgent, said: str) -> None:
    answer = await ask(told, said)
    assert answer[:4] == [
        "`default` is `do_default` in `FILTERS`:",
        '- shop/filters.py:16 `"default": do_default,`',
        "",
        "`do_default` - shop/filters.py:4 (function, lines 4-6)",
    ]


async def test_how_one_of_them_works(told: AsyncConversationAgent) -> None:
    assert "    return value or default" in await ask(told, "how does the default filter work?")


async def test_what_is_defined_under_both_words_comes_first(told: AsyncConversationAgent) -> None:
    assert (await ask(told, "where is the option parser?"))[0].startswith("`OptionParser` - shop/parser.py:1")


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ('X = [\n  "a",  # "z"\n  "b", "c",\n]\n', ["a", "b", "c"]),
        ('var x = map[string]Command{\n\t"run": runIt,\n\t"stop": {Do: f, Args: 2},\n}\n', ["run runIt", "stop"]),
        ("const table = new Map([\n  ['a', doA],\n  ['b', doB],\n]);\nconst y = [1];\n", ["a doA", "b doB"]),
        ('struct cmd x[] = {\n  {"add", do_add}, /* adds */\n  {"rm", do_rm, 2},\n};\n', ["add do_add", "rm do_rm"]),
        ("KINDS = {\n  first: First,\n  :second => Second,\n}.freeze\n", ["first First", "second Second"]),
        ("NAMES = frozenset({'a', 'b'})\n", ["a", "b"]),
        ('X = {\n  "a": lambda x: (x, 1),\n  "b": {"c": d},\n}\n', ["a", "b"]),
        ("X = {\n  'a': b,\n  'c': d,\n", []),
        ("X = {\n  **other,\n  1: one,\n}\n", []),
    ],
)  # fmt: skip
def test_tables_of_many_languages(text: str, entries: list[str]) -> None:
    assert [" ".join(filter(None, each)) for each in entries_of(text)] == entries
