"""Lookups from end to end: real tools on a real graph, through an agent."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from tests.extractive.asking import ask

pytestmark = pytest.mark.anyio


async def test_one_definition_is_placed_told_of_and_shown(agent: AsyncConversationAgent) -> None:
    assert await ask(agent, "where is deposit?") == [
        "`Account.deposit` - bank/account.py:4 (method, lines 4-6)",
        "> `def deposit(self, amount: int) -> None`",
        "> Puts money in.",
    ]
    lines = await ask(agent, "what does open do?")
    assert lines[:3] == ["`Safe.open` - bank/safe.py:7 (method, lines 7-8)", "> `def open(self)`", ""]
    assert lines[3] == "It has no documentation. Its code:"
    assert lines[-2:] == ["Also defined:", "- `Vault.open` - bank/vault.py:14 (method)"]
    lines = await ask(agent, "show me check_amount")
    assert lines[2:5] == [
        "```python",
        "def check_amount(amount: int) -> None:",
        '    """Refuses amounts below zero."""',
    ]
    assert await ask(agent, "where is CheckAmount?") == [
        "`check_amount` - bank/account.py:13 (function, lines 13-16)",
        "> `def check_amount(amount: int) -> None`",
        "> Refuses amounts below zero.",
        "It is spelled `check_amount`.",
    ]


async def test_callers_come_certain_first_and_tests_after_product_code(agent: AsyncConversationAgent) -> None:
    assert await ask(agent, "who calls check_amount?") == [
        "`check_amount` - bank/account.py:13 (function) is called by 3 scopes:",
        "- `Account.deposit` - bank/account.py:6",
        "- `Account.withdraw` - bank/account.py:10",
        "- `test_amounts` - tests/test_account.py:5",
        "Named without a call:",
        "- tests/test_account.py:6 (`test_amounts`)",
    ]
    assert await ask(agent, "what does Account.deposit call?") == [
        "`Account.deposit` - bank/account.py:4 (method) uses 1 definition of this project:",
        "- `check_amount` - bank/account.py:13 (function) in line 6",
    ]


async def test_a_call_on_something_unknown_is_called_possible(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "bank" / "night.py").write_text("def lock(thing):\n    thing.withdraw(3)\n")
    await agent.ingest(root)
    assert await ask(agent, "who calls withdraw?") == [
        "`Account.withdraw` - bank/account.py:8 (method): no call of it from a function is certain.",
        "",
        "Possible: 1 scope more, on something whose type is not known:",
        "- `lock` - bank/night.py:2",
    ]


async def test_what_is_in_files_folders_classes_and_the_project(agent: AsyncConversationAgent) -> None:
    assert await ask(agent, "what is in account.py?") == [
        "bank/account.py has 4 definitions:",
        "- `Account` - bank/account.py:1 (class)",
        "- `Account.deposit` - bank/account.py:4 (method)",
        "- `Account.withdraw` - bank/account.py:8 (method)",
        "- `check_amount` - bank/account.py:13 (function)",
    ]
    lines = await ask(agent, "what is in bank/?")
    assert lines[0] == "bank/ has 5 files (5 methods, 4 classes, 3 functions):"
    assert "- bank/safe.py: `Safe`, `SafeLocked`" in lines
    assert (await ask(agent, "which methods does Account have?"))[3:6] == [
        "",
        "It has 2 members:",
        "- `Account.deposit` - bank/account.py:4 (method)",
    ][:3]
    assert (await ask(agent, "overview of the project"))[0].startswith("The project has 7 files")
    assert (await ask(agent, "bank/account.py:13-14"))[2:] == [
        "```",
        "def check_amount(amount: int) -> None:",
        '    """Refuses amounts below zero."""',
        "```",
    ]
    assert (await ask(agent, "what is in nothing.py?"))[0].startswith("nothing.py cannot be read")


async def test_a_name_that_nothing_has_is_said_first_and_a_near_one_is_a_guess(agent: AsyncConversationAgent) -> None:
    lines = await ask(agent, "where is chek_amount?")
    assert lines[:3] == [
        "No definition here is called `chek_amount`. The nearest, as a guess:",
        "- `check_amount` - bank/account.py:13 (function)",
        "",
    ]
    for question in ("where is zebra_quantum?", "who calls zebra_quantum?", "zebra_quantum"):
        assert (await ask(agent, question))[0] == "No definition here is called `zebra_quantum`."


async def test_it_goes_on_with_what_was_quoted(agent: AsyncConversationAgent) -> None:
    lines = await ask(agent, "where is check_amount?", "who calls it?", "show me the second one")
    assert lines[0] == "`Account.withdraw` - bank/account.py:8 (method, lines 8-10)"
    assert await ask(agent, "who calls it?") == [
        "The last answers quote no code that this could mean: give a name, as in `where is NAME`."
    ]


async def test_everything_else_is_searched_for_in_code_and_comments(agent: AsyncConversationAgent) -> None:
    assert (await ask(agent, "how are amounts checked?"))[:5] == [
        "`check_amount` - bank/account.py:13 (function)",
        "> 13: `def check_amount(amount: int) -> None:`",
        '> 14: `    """Refuses amounts below zero."""`',
        "> 15: `    if amount < 0:`",
        "> 16: `        raise ValueError(amount)`",
    ]
    lines = await ask(agent, "where do we handle interest rates?")
    assert lines[0] == "`Vault` - bank/vault.py:4 (class)"
    assert "> 7: `    #: Interest, a year.`" in lines
    lines = await ask(agent, "how do refunds work?")
    assert lines[0] == "No code here (python, typescript) has the word `refunds`."
    assert lines[2] == "Nothing found. Looked in 16 definitions of 7 files and the conversations."


async def test_a_correction_says_what_it_corrects_and_both_are_found(agent: AsyncConversationAgent) -> None:
    note, update = "note: check_amount never logs", "update: check_amount logs a hash"
    assert await ask(agent, note, update) == [
        "Noted: `what did we decide about check_amount` finds it again.",
        f'This corrects what was noted before: "{note}".',
    ]
    lines = await ask(agent, "what did we decide about check_amount?")
    assert [line.partition(": ")[2] for line in lines if "note" in line and "Noted" not in line] == [
        f'"{update}"',
        f'"{note}"',
    ]
    assert any(line.startswith("  corrected ") and line.endswith(f'"{update}"') for line in lines)
    lines = await ask(agent, "how does check_amount log?")
    assert any(note in line for line in lines)


def git(root: Path, *arguments: str) -> str:
    """What git prints."""
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, env=os.environ, text=True).stdout


async def test_what_a_change_touches(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All of it")
    file = root / "bank" / "account.py"
    file.write_text(file.read_text().replace("amount < 0", "amount <= 0"))
    await agent.ingest(root)
    assert await ask(agent, "what does this touch?") == [
        "What is not committed changes 1 definition:",
        "- changed: `check_amount` in bank/account.py",
        "",
        "Nothing decided about them was found.",
    ]
    diff = git(root, "diff")
    assert await ask(agent, f"what does this touch?\n\n```\n{diff}\n```") == [
        "This diff, in 1 file and not committed, changes 1 definition:",
        "- changed: `check_amount` in bank/account.py",
        "",
        "Nothing decided about them was found.",
    ]
    # What a diff takes away is known too, with what was decided about it.
    await ask(agent, "decision: `monthly_report` keeps its name")
    (root / "bank" / "report.py").write_text("from bank.account import Account\n")
    await agent.ingest(root)
    first, *more = await ask(agent, git(root, "diff", "bank/report.py"))
    assert first == "This diff, in 1 file and not committed, changes 1 definition:"
    assert more[0] == "- removed: `monthly_report` in bank/report.py"
    assert "decision: `monthly_report` keeps its name" in more[3]
    # What moves into a file where nothing else changes is of that file too.
    flags = root / "bank" / "flags.py"
    (root / "bank" / "loud.py").write_text(flags.read_text())
    flags.write_text("")
    git(root, "add", ".")
    await agent.ingest(root)
    first, *more = await ask(agent, git(root, "diff", "HEAD", "--no-renames", "--", "bank/loud.py", "bank/flags.py"))
    assert first == "This diff, in 2 files and not committed, changes 1 definition:"
    assert more[0] == "- moved to bank/loud.py is_loud: `is_loud` in bank/flags.py"
    git(root, "reset", "-q", "--hard")
    await agent.ingest(root)
    (root / "bank" / "report.py").write_text("from bank.account import Account\n")
    file.write_text(file.read_text().replace("amount < 0", "amount <= 0"))
    await agent.ingest(root)
    # Of one that was committed since only its commit tells.
    git(root, "commit", "-qam", "Less")
    [line, _, heading, *_] = await ask(agent, git(root, "show", "HEAD"))
    assert line.startswith("This diff (bank/account.py, bank/report.py) is not what is not committed here: ")
    assert heading == "Decided about these files:"
