"""What becomes of anchors when a part of the way is committed and another is not."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Repository, Run, Talk
from tests.anchors.test_following import GROWN, INTEREST

pytestmark = pytest.mark.anyio


async def test_the_last_step_may_be_uncommitted(repository: Repository, run: Run, talk: Talk) -> None:
    """Each step is plain, the one from the last commit to the files as they are too."""
    await talk.say(INTEREST)
    repository.append("later.py", repository.cut("bank.py", "def interest", "def report").replace("interest", "gain"))
    repository.commit()
    repository.edit("later.py", *GROWN)
    repository.commit()
    repository.append("q.py", repository.cut("later.py", "def gain").replace("def gain", "def yielded"))
    await run()
    uncommitted = (await talk.labels())[INTEREST]
    repository.commit()
    await run()
    committed = (await talk.labels())[INTEREST]

    for found in (uncommitted, committed):
        assert (found.moved_to_file, found.moved_to_name, found.changed) == ("q.py", "yielded", True)


async def test_what_an_ingest_saw_uncommitted_is_followed_when_it_goes_on(
    repository: Repository, run: Run, talk: Talk
) -> None:
    await talk.say(INTEREST)
    repository.edit("bank.py", ("def interest", "def gain"))
    await run()
    repository.append("later.py", repository.cut("bank.py", "def gain", "def report").replace("gain", "yielded"))
    repository.commit()
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.moved_to_file, found.moved_to_name) == ("moved", "later.py", "yielded")


@pytest.mark.parametrize("gone", [False, True])
async def test_what_the_last_commit_has_is_not_what_was_there_uncommitted_before(
    gone: bool, repository: Repository, run: Run, talk: Talk
) -> None:
    """A twin that an earlier ingest saw is not a successor, whether it is committed or not."""
    text = (repository.root / "bank.py").read_text(encoding="utf-8")
    copy = text[text.index("def interest") : text.index("def report")].replace("def interest", "def gain")
    repository.append("twin.py", copy)
    await run()
    await talk.say(INTEREST)
    repository.edit("bank.py", ("RATE = 3", "RATE = 4"))
    repository.git("commit", "-q", "-m", "bank alone", "bank.py")
    repository.cut("bank.py", "def interest", "def report")
    if gone:
        repository.cut("twin.py", "def gain")
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.candidates) == ("orphaned", () if gone else ("twin.py gain",))
