"""What was said of the code that a diff changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.cli.main import run_arguments
from ragforge_memory.code.impact import impact
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.impact import Impact
from tests.anchors.conftest import NAMESAKE, Repository, Run, Talk

pytestmark = pytest.mark.anyio


def changes(found: Impact) -> dict[str, str]:
    return {scope.qualified_name: scope.change for scope in found.scopes}


async def test_only_messages_on_changed_tokens_are_named(repository: Repository, talk: Talk) -> None:
    deposit, report = await talk.say("Account.deposit", kind="edited"), await talk.say("report")
    repository.edit("bank.py", ("self.balance += amount", "self.balance = self.balance + amount"))
    repository.edit("bank.py", ("def report(accounts):", "# What there is.\ndef report(accounts):"))

    found = await impact(repository.root, talk.references)

    assert changes(found) == {"Account": "changed", "Account.deposit": "changed"}
    assert found.messages == (deposit,)
    assert report not in found.messages
    tied = next(scope for scope in found.scopes if scope.messages).messages[0]
    assert (tied.reference.kind, tied.title) == ("edited", "About money")


async def test_a_commit_says_what_it_moved_added_and_removed(repository: Repository, run: Run, talk: Talk) -> None:
    interest = await talk.say("interest")
    await talk.say("Account.deposit")
    gone = await talk.say("report")
    text = repository.cut("bank.py", "def interest", "def report")
    repository.cut("bank.py", "def report")
    repository.append("rates.py", text + "\n\ndef yearly(account):\n    return interest(account, 1)\n")
    commit = repository.commit()

    before = await impact(repository.root, talk.references, commit)
    await run()
    after = await impact(repository.root, talk.references, "HEAD^..HEAD")

    expected = {"interest": "moved", "report": "removed", "yearly": "added"}
    assert changes(before) == changes(after) == expected
    assert set(before.messages) == set(after.messages) == {interest, gone}
    moved = next(scope for scope in after.scopes if scope.change == "moved")
    assert (moved.moved_to_file, moved.moved_to_name) == ("rates.py", "interest")


async def test_what_has_the_name_of_what_was_moved_is_nothing_that_was_spoken_of(
    repository: Repository, run: Run, talk: Talk
) -> None:
    said = await talk.say("interest")
    repository.append("rates.py", repository.cut("bank.py", "def interest", "def report"))
    move = repository.commit()
    await run()
    repository.append("bank.py", NAMESAKE)
    added = repository.commit()
    not_ingested = await impact(repository.root, talk.references, added)
    await run()
    repository.edit("bank.py", ("> 3", "> 4"))
    changed = repository.commit()
    repository.cut("bank.py", "def interest")
    removed = repository.commit()
    await run()
    found = {commit: await impact(repository.root, talk.references, commit) for commit in (added, changed, removed)}

    assert changes(not_ingested) == changes(found[added]) == {"interest": "added"}
    assert [changes(found[commit]) for commit in (changed, removed)] == [
        {"interest": "changed"},
        {"interest": "removed"},
    ]
    assert not_ingested.messages == ()
    assert [each.messages for each in found.values()] == [(), (), ()]
    assert (await impact(repository.root, talk.references, move)).messages == (said,)


async def test_what_changed_before_it_was_moved_is_named_still(repository: Repository, run: Run, talk: Talk) -> None:
    begin = repository.git("rev-parse", "HEAD")
    said = await talk.say("interest")
    repository.edit("bank.py", ("// 100", "/ 100"))
    first = repository.commit()
    repository.edit("bank.py", ("/ 100", "* 0.01"))
    second = repository.commit()
    repository.append("rates.py", repository.cut("bank.py", "def interest", "def report"))
    move = repository.commit()
    await run()
    (repository.root / "rates.py").rename(repository.root / "yields.py")
    repository.commit()
    await run()

    for commit in (begin, first, second, move):
        assert (await impact(repository.root, talk.references, commit)).messages == (said,)


async def test_the_first_commit_and_a_new_file_are_all_added(repository: Repository, talk: Talk) -> None:
    first = await impact(repository.root, talk.references, "HEAD")
    repository.write("new.py", "def fresh():\n    return 1\n")
    untracked = await impact(repository.root, talk.references)

    assert set(changes(first).values()) == {"added"}
    assert changes(untracked) == {"fresh": "added"}


@pytest.mark.parametrize("revision", ["nowhere", "--help", "HEAD..nowhere"])
async def test_an_unknown_revision_is_refused(revision: str, repository: Repository, talk: Talk) -> None:
    with pytest.raises(InvalidInput):
        await impact(repository.root, talk.references, revision)


async def test_a_directory_without_git_is_refused(tmp_path: Path, talk: Talk) -> None:
    with pytest.raises(InvalidInput, match="not in a git repository") as caught:
        await impact(tmp_path, talk.references)
    assert "git init" in (caught.value.hint or "")


def test_the_command_tells_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["impact", "--help"]) == 0
    assert "[REV]" in capsys.readouterr().out
