"""Anchors in files with syntax errors: nothing is called fresh that whole code does not show to be so."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Repository, Run, Talk

pytestmark = pytest.mark.anyio


async def statuses(talk: Talk) -> dict[str, str]:
    return {name: each.status for name, each in (await talk.labels()).items()}


async def test_what_changed_beside_an_error_has_drifted(talk: Talk, repository: Repository, run: Run) -> None:
    await talk.say("interest", "report", "Account.deposit", "Account.withdraw")
    repository.edit("bank.py", ("total - account.balance", "total - 100"))
    repository.cut("bank.py", "def report")
    repository.append("bank.py", "class ((\n")
    assert [each.file for each in (await run()).skipped] == ["bank.py"]
    assert await statuses(talk) == {
        "interest": "drifted",
        "report": "orphaned",
        "Account.deposit": "fresh",
        "Account.withdraw": "fresh",
    }
    assert (await talk.labels())["interest"].changed is True


async def test_what_an_error_touches_is_not_fresh_until_it_is_whole_again(
    talk: Talk, repository: Repository, run: Run
) -> None:
    await talk.say("interest", "report", "Account", "Account.deposit", "Account.withdraw", "RATE")
    repository.edit("bank.py", ("self.balance += amount", "self.balance += ) amount"), ("def report(", "def report(("))
    await run()
    broken = await statuses(talk)
    assert {broken[name] for name in ("Account", "Account.deposit", "report")} == {"drifted"}
    assert (broken["interest"], broken["RATE"]) == ("fresh", "fresh")
    assert (await run()).files_changed == 0
    assert await statuses(talk) == broken

    repository.edit("bank.py", ("self.balance += ) amount", "self.balance += amount"), ("def report((", "def report("))
    await run()
    assert set((await statuses(talk)).values()) == {"fresh"}


async def test_what_is_moved_beside_an_error_is_found_though_its_name_stays_in_an_import(
    talk: Talk, repository: Repository, run: Run
) -> None:
    await talk.say("report")
    report = repository.cut("bank.py", "def report")
    repository.append("bank.py", "from sheets import report\n\nclass ((\n")
    repository.write("sheets.py", report)
    await run()
    assert await statuses(talk) == {"report": "moved"}
    repository.edit("bank.py", ("class ((\n", ""))
    await run()
    found = (await talk.labels())["report"]
    assert (found.status, found.moved_to_file, found.changed) == ("moved", "sheets.py", False)


async def test_what_is_said_of_what_an_error_hides_is_never_fresh_after(
    talk: Talk, repository: Repository, run: Run
) -> None:
    repository.edit("bank.py", ("def report(", "def report(("))
    await run()
    await talk.say("report")
    repository.append("bank.py", "# more\n")
    await run()
    assert await statuses(talk) == {"report": "drifted"}
