"""Questions that names alone answer: which file does something, what of a sort a word tells of, what no test names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from tests.extractive.asking import ask
from tests.tools.conftest import write_files

pytestmark = pytest.mark.anyio

MORE = {
    "bank/vaults/guard.py": "class Guard:\n    def watch(self): ...\n",
    "bank/helpfiles.py": "def output(): ...\n",
    "src/lib.rs": "pub fn add() {}\npub fn take() {}\n\n#[test]\nfn adds() { add(); }\n",
    "examples/vault.py": "class ExampleVault: ...\n",
    "examples/report.py": "def report(): ...\n",
    "bank/panics.rs": "fn stop() {\n    panic!(1);\n}\n",
}


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("what is not tested?", "untested", ""),
        ("which functions aren't covered by tests?", "untested", ""),
        ("which functions have no tests?", "untested", ""),
        ("is there any untested code?", "untested", ""),
        ("what is not tested in bank/safe.py?", "untested", "bank/safe.py"),
        ("is camelcase tested?", "tests", "camelcase"),
        ("where can this panic?", "raises", ""),
        ("can this panic?", "raises", ""),
        ("where can this throw?", "raises", ""),
        ("which file handles help output?", "files", "help output"),
        ("which file parses the options?", "files", "parses options"),
        ("which module is responsible for routing?", "files", "routing"),
        ("which file handles Command.parse?", "where", "Command.parse"),
        ("which file defines Route?", "where", "Route"),
        ("which middleware classes are there?", "of kind", "middleware"),
        ("which Help methods are there?", "of kind", "Help"),
        ("which static methods are there?", "overview", ""),
        ("which class methods are there?", "search", "which class methods are there?"),
        ("which classes are there?", "overview", ""),
    ],
)
def test_they_are_read(text: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [(form, target)]


async def test_they_are_answered(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    await agent.ingest(write_files(tmp_path / "project", MORE))
    assert await ask(agent, "which vault classes are there?") == [
        "2 classes have `vault` in the name, the file or the folder:",
        "- `Vault` - bank/vault.py:4 (class)",
        "- `Guard` - bank/vaults/guard.py:1 (class)",
        "So have 1 of tests and examples.",
    ]
    assert (await ask(agent, "which payment classes are there?"))[0].startswith("Nothing found")
    assert await ask(agent, "which file handles help output?") == [
        "By the names of files and of what they define, `help`, `output` is the matter of:",
        "- bank/helpfiles.py: `output`",
        "",
        "I searched for the words `help`, `output`; another file may do it.",
    ]
    assert (await ask(agent, "which file handles reports?"))[1] == "- bank/report.py: `monthly_report`"
    assert (await ask(agent, "which file handles payments?"))[-1] == (
        "I did not understand the question itself: I looked for `payments`."
    )
    told = await ask(agent, "what is not tested?")
    assert told[0] == "The names of 12 functions and methods stand in no test:"
    assert "- `take` - src/lib.rs:2 (function)" in told
    assert not [line for line in told if "check_amount" in line or "`add" in line or "examples/" in line]
    assert told[-1].startswith("That goes by names alone")
    assert (await ask(agent, "what is not tested in bank/safe.py?"))[1:-1] == [
        "- `Safe.open` - bank/safe.py:7 (method)"
    ]
    assert await ask(agent, "where can this panic?") == [
        "Calls that can panic stand in 1 line of 1 file:",
        "- bank/panics.rs:2",
    ]
