"""What a commit changes, what is not committed, and what was decided about it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from tests.extractive.asking import answer_to, requests_for, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "revision"),
    [
        ("what changed in the last commit?", "HEAD"),
        ("What did the last commit touch?", "HEAD"),
        ("show me the last commit", "HEAD"),
        ("when was the last commit?", "HEAD"),
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
    ("text", "target", "revision"),
    [
        ("what changed in src/ascii.rs since 1.0.0?", "src/ascii.rs", "1.0.0..HEAD"),
        ("which functions changed in src/ since HEAD~3?", "src/", "HEAD~3..HEAD"),
        ("what changed since v1.2 in src/main.py?", "src/main.py", "v1.2..HEAD"),
        ("which methods in Account changed since v1.2?", "Account", "v1.2..HEAD"),
        ("what has changed in `Account.pay` since last week?", "Account.pay", None),
        ("what changed in Account since 2026-01-02?", "Account", None),
        ("how has Account changed since tag stable?", "Account", "stable..HEAD"),
        ("has Account changed since 1.0.0?", "Account", "1.0.0..HEAD"),
        ("what changed in Account in the last 3 commits?", "Account", "HEAD~3..HEAD"),
        ("what's new in Account between v1 and v2?", "Account", "v1..v2"),
    ],
)
def test_what_has_changed_of_something(text: str, target: str, revision: str | None) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text, question.revision) == ("changed", target, revision)


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
        "has Account changed?",
        "has Account changed since Monday?",
        "what was decided about Account since 2026?",
    ],
)
def test_other_questions(text: str) -> None:
    assert {each.form for each in read_questions(text)}.isdisjoint({"commit", "changed"})


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


def git(root: Path, *arguments: str, day: str = "2026-01-02") -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    dated = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, env=os.environ | dated)


async def test_what_has_changed_of_a_file_or_a_definition(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "bank" / "old.py").write_text("def gone_since():\n    return 1\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All of it")
    git(root, "tag", "v1.0")
    talk = await agent.create_conversation("Money")
    await talk.send_message("We decided that `check_amount` refuses zero, too.")
    account = root / "bank" / "account.py"
    account.write_text(account.read_text().replace("amount < 0", "amount <= 0"))
    (root / "bank" / "old.py").unlink()
    (root / "bank" / "new.py").write_text("def brand_new():\n    return 2\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Zero is refused", day="2026-03-04")
    await agent.ingest()

    async def told(text: str) -> str:
        return (await (await agent.create_conversation()).send_message(text)).content

    changed = "- `check_amount` - bank/account.py (function, changed)"
    of_file = await told("what changed in account.py since v1.0?")
    assert of_file.splitlines()[0].startswith("Of `bank/account.py`, what lies between ")
    assert of_file.splitlines()[0].endswith(" changes 1 definition:")
    assert changed in of_file
    assert "brand_new" not in of_file
    assert "We decided that `check_amount` refuses zero, too." in of_file
    for text in ("what changed in check_amount since 2026-02-01?", "has check_amount changed since v1.0?"):
        assert changed in await told(text)
    folder = await told("which functions changed in bank/ since v1.0?")
    assert all(name in folder for name in ("`check_amount`", "`brand_new`", "`gone_since`"))
    assert "`gone_since` - bank/old.py (function, removed)" in await told("what changed in gone_since since v1.0?")
    assert " changes no definition." in await told("what changed in Account since v1.0?")
    assert await told("what changed in frobnicate_it since v1.0?") == (
        "Nothing found for `frobnicate_it` in this project."
    )
    assert "git knows no commit 'v7.7'" in await told("what changed in Account since v7.7?")
    assert "no commit here that is older than 2020-01-01" in await told("what changed in Account since 2020-01-01?")


async def test_what_was_decided_about_changed_code_is_told(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All of it")
    talk = await agent.create_conversation("Money")
    await talk.send_message("We decided that `check_amount` refuses zero, too.")
    account = root / "bank" / "account.py"
    account.write_text(account.read_text().replace("amount < 0", "amount <= 0"))
    (root / "NEWS").write_text("Zero is refused.\n")

    waiting = (await talk.send_message("what does the working tree change?")).content
    git(root, "add", ".")
    git(root, "commit", "-qm", "Zero is refused")
    done = (await talk.send_message("what did the last commit touch?")).content

    assert 'Zero is refused")' in done.splitlines()[0]
    for answer in (waiting, done):
        assert "- `check_amount` - bank/account.py (function, changed)" in answer
        assert "- NEWS" in answer
        assert "We decided that `check_amount` refuses zero, too." in answer
    unknown = (await talk.send_message("what changed in commit nowhere?")).content
    assert "git knows no commit 'nowhere'" in unknown
