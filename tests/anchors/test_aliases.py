"""What becomes of anchors on code whose old name is kept for those who still use it: ``old = new``."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Repository, Run, Talk

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("committed", [False, True])
async def test_what_left_its_old_name_behind_has_moved(
    committed: bool, repository: Repository, run: Run, talk: Talk
) -> None:
    await talk.say("interest", "Account")
    repository.edit("bank.py", ("def interest", "def gain"), ("class Account", "class Holding"))
    repository.append("bank.py", "\n\ninterest = gain\nAccount = Holding\n")
    if committed:
        repository.commit()
    await run()
    beside = await talk.labels()
    repository.cut("bank.py", "interest = gain")
    if committed:
        repository.commit()
    await run()
    alone = await talk.labels()

    for labels in (beside, alone):
        assert {name: (each.status, each.moved_to_name, each.changed) for name, each in labels.items()} == {
            "interest": ("moved", "gain", False),
            "Account": ("moved", "Holding", False),
        }


async def test_what_is_replaced_by_a_value_and_is_nowhere_else_has_drifted(
    repository: Repository, run: Run, talk: Talk
) -> None:
    await talk.say("interest")
    repository.cut("bank.py", "def interest", "def report")
    repository.append("bank.py", "\n\ninterest = 5\n")
    await run()

    assert (await talk.labels())["interest"].status == "drifted"
