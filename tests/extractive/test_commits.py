"""What a commit changes, what is not committed, and what was decided about it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.extractive.reading.questions import read_questions
from tests.extractive.asking import answer_to, requests_for, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "revision"),
    [
        ("what changed in the last commit?", "HEAD"),
        ("What did the last commit touch?", "HEAD"),
        ("show me the last commit", "HEAD"),
        ("which files did the latest commit change?", "HEAD"),
        ("what changed in the previous commit?", "HEAD~1"),
        ("what changed in the last 3 commits?", "HEAD~3..HEAD"),
        ("which functions changed in HEAD~3?", "HEAD~3"),
        ("what did commit abc1234 change?", "abc1234"),
        ("what did 0123abc do?", "0123abc"),
        ("what changed since v1.2?", "v1.2..HEAD"),
        ("what changed between v1 and v2?", "v1..v2"),
        ("what changed in main...dev?", "main...dev"),
        ("what does the working tree change?", ""),
        ("what is not committed yet?", ""),
        ("what have I changed since the last commit?", ""),
        ("show the uncommitted changes", ""),
        ("what have I changed?", ""),
        ("which functions did I change so far", ""),
    ],
)
def test_revisions(text: str, revision: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text) == ("commit", revision)


@pytest.mark.parametrize(
    "text",
    [
        "what does diff do?",
        "what changed in Account?",
        "what changed since 2026-01-02?",
        "what is Commit?",
        "show commit",
        "what have we decided?",
        "what did we change our minds about?",
    ],
)
def test_other_questions(text: str) -> None:
    assert {each.form for each in read_questions(text)}.isdisjoint({"commit"})


async def test_definitions_files_and_what_was_moved_are_listed() -> None:
    def scope(name: str, change: str, **more: str) -> dict[str, str]:
        return {"qualified_name": name, "type": "function", "file": "a.py", "change": change, **more}

    value = {
        "revision": "HEAD",
        "before": "aaa",
        "after": "bbb",
        "date": "2026-01-02",
        "subject": "Pay later",
        "totals": {"scopes": 3, "outside": 1},
        "scopes": [scope("pay", "changed"), scope("owe", "moved", moved_to="b.py owes")],
        "outside": ["README.md"],
        "decisions": [],
    }
    text = "what changed in the last commit?"
    assert await requests_for(user(text)) == [("impact", {"revision": "HEAD"})]
    assert (await answer_to(text, {"impact": value})).splitlines() == [
        'Commit `bbb` (2026-01-02, "Pay later") changes 3 definitions:',
        "- `pay` - a.py (function, changed)",
        "- `owe` - a.py (function, moved to b.py as `owes`)",
        "… and 1 more.",
        "Files that it changes outside of definitions:",
        "- README.md",
    ]
    nothing = {**value, "after": None, "totals": {"scopes": 0, "outside": 0}, "scopes": [], "outside": []}
    assert await requests_for(user("what is uncommitted?")) == [("impact", {})]
    assert await answer_to("what is uncommitted?", {"impact": nothing}) == (
        "What is not committed (since `aaa`) changes no definition."
    )


async def test_what_was_decided_about_changed_code_is_told(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "All of it")
    talk = await agent.create_conversation("Money")
    await talk.send_message("We decided that `check_amount` refuses zero, too.")
    account = root / "bank" / "account.py"
    account.write_text(account.read_text().replace("amount < 0", "amount <= 0"))
    (root / "NEWS").write_text("Zero is refused.\n")

    waiting = (await talk.send_message("what does the working tree change?")).content
    git("add", ".")
    git("commit", "-qm", "Zero is refused")
    done = (await talk.send_message("what did the last commit touch?")).content

    assert 'Zero is refused")' in done.splitlines()[0]
    for answer in (waiting, done):
        assert "- `check_amount` - bank/account.py (function, changed)" in answer
        assert "- NEWS" in answer
        assert "We decided that `check_amount` refuses zero, too." in answer
    unknown = (await talk.send_message("what changed in commit nowhere?")).content
    assert "git knows no commit 'nowhere'" in unknown
