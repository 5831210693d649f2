"""Where a thing is raised, imported and tested, what it overrides, and what a folder has."""

from __future__ import annotations

import re

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.extractive import evidence
from ragforge_memory.llm.extractive.calls import Call, Found
from ragforge_memory.llm.extractive.evidence import importing
from ragforge_memory.llm.extractive.questions import read_questions
from ragforge_memory.llm.extractive.targets import read_target

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("where is Account tested?", "tests", "Account"),
        ("which tests cover Account.deposit?", "tests", "Account.deposit"),
        ("are there tests for Account?", "tests", "Account"),
        ("is Account tested?", "tests", "Account"),
        ("how is Account tested?", "tests", "Account"),
        ("where is bank.account imported?", "imports", "bank.account"),
        ("which modules import bank.account?", "imports", "bank.account"),
        ("which methods does Vault override?", "overrides", "Vault"),
        ("what files are in src/bank?", "outline", "src/bank"),
        ("list the files in src/bank/", "outline", "src/bank/"),
        ("what is in the bank folder?", "outline", "bank"),
        ("which modules are in the bank package?", "outline", "bank"),
    ],
)
def test_forms_and_targets(text: str, form: str, target: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text) == (form, target)


def test_calls_of_what_nobody_knows_are_told_apart() -> None:
    def use(name: str, line: int) -> dict[str, object]:
        return {"file": "tests/test_bank.py", "qualified_name": name, "lines": [line]}

    scope = {"qualified_name": "Vault.open", "file": "bank.py", "line": 3, "callers": [use("test_vault", 5)]}
    scope["possible"] = [use("test_vault", 6), use("test_door", 9), {**use("door", 1), "file": "bank.py"}]
    value = {"match": "exact", "total": 1, "scopes": [scope]}
    assert evidence.tested("Vault.open", [Found(Call("find_callers", ()), value)]) == [
        "`Vault.open` (bank.py, line 3) is used by 1 scope of tests:",
        "- `test_vault` - tests/test_bank.py:5",
        "",
        "`Vault.open` (bank.py, line 3) is perhaps used by 1 scope of tests, on something whose type is not known:",
        "- `test_door` - tests/test_bank.py:9",
    ]


def test_two_things_compared_are_two_questions() -> None:
    for text in ("what is the difference between Safe and Vault?", "compare Safe with Vault", "Safe vs. Vault"):
        assert [(each.form, each.target.text) for each in read_questions(text)] == [("what", "Safe"), ("what", "Vault")]
    assert [each.form for each in read_questions("what is the difference between speed and safety?")] == ["search"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import app.tools.text", True),
        ("import os, app.tools.text", True),
        ("from app.tools import text", True),
        ("from app.tools import html, text as t", True),
        ("from .tools import text", True),
        ("from . import text", True),
        ("from app.tools.text import fold", True),
        ("from .text import fold", True),
        ("from .tools.text import fold", True),
        ("from .other.text import fold", False),
        ("from app.tools import texts", False),
        ("print(app.tools.text)", False),
    ],
)
def test_lines_that_import_a_module(line: str, found: bool) -> None:
    pattern = str(dict(importing(read_target("app.tools.text")).arguments)["pattern"])
    assert bool(re.search(pattern, line)) is found


@pytest.mark.parametrize(
    ("asked", "line", "found"),
    [
        ("java.sql", "import java.sql.Time;", True),
        ("java.sql", "import static java.sql.Types.NULL;", True),
        ("java.sql", "    requires java.sql;", True),
        ("java.sql", "import java.util.List;", False),
        ("config.json", 'import config from "./config.json";', True),
        ("config.json", 'import config from "./config.ts";', False),
    ],
)
def test_a_name_that_ends_like_a_file_of_data_is_looked_for_as_a_whole(asked: str, line: str, found: bool) -> None:
    pattern = str(dict(importing(read_target(asked)).arguments)["pattern"])
    assert bool(re.search(pattern, line)) is found


async def test_what_lines_prove(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()

    async def ask(text: str) -> str:
        return (await talk.send_message(text)).content

    folder = await ask("what files are in the bank folder?")
    assert folder.startswith("`bank` contains 5 source files:\n- bank/account.py: `Account`, `check_amount`")
    assert (await ask("list the files in web/")) == "`web` contains 1 source file:\n- web/index.ts: `ShoppingBasket`"
    tests = await ask("where is check_amount tested?")
    assert tests.endswith("is used by 1 scope of tests:\n- `test_amounts` - tests/test_account.py:5, 6")
    untested = await ask("which tests cover monthly_report?")
    assert untested == "`monthly_report` (bank/report.py, line 4): no test names it."
    assert "- bank/report.py:1 `from bank.account import Account`" in await ask("where is bank.account imported?")
    assert "- bank/safe.py:8 `raise SafeLocked(self)`" in (await ask("who raises SafeLocked?")).replace(
        "`Safe.open` - ", ""
    )
    assert "- `Vault.open` - bank/vault.py:14 (there in line 7)" in await ask("which methods does Vault override?")
    both = await ask("what is the difference between Safe and Vault?")
    assert "`Safe` - bank/safe.py:4" in both
    assert "`Vault` - bank/vault.py:4" in both
    used = await ask("where is functools.partial used?")
    assert used.startswith("`functools.partial` is not defined in this project; it stands in these 2 lines:")
    assert "- tests/test_account.py:6 `partial(check_amount, 1)()`" in used
