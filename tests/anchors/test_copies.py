"""What becomes of anchors on code that was copied in one ingest and cut in a later one, when the copy is not new."""

from __future__ import annotations

from uuid import uuid4

import pytest

from ragforge_memory.graph.messages import Answer, CodeTies, Mention, NewMessage
from tests.anchors.conftest import Cypher, Repository, Run, Talk
from tests.anchors.test_following import references

pytestmark = pytest.mark.anyio

INTEREST, REPORT = "interest", "report"


def copied(repository: Repository, path: str = "rates.py", name: str = INTEREST) -> str:
    """Puts a copy of `interest` at the end of a file and returns it."""
    text = (repository.root / "bank.py").read_text(encoding="utf-8")
    copy = text[text.index("def interest") : text.index("def report")].replace("def interest", f"def {name}")
    repository.append(path, "\n\n" + copy)
    return copy


def original(cypher: Cypher) -> str:
    """The uuid of the one in bank.py; a name that several have makes no tie."""
    found = cypher("MATCH (s:Scope {project: $project, name: 'interest', file: 'bank.py'}) RETURN s.uuid AS uuid")
    return str(found[0]["uuid"])


def cut(repository: Repository) -> str:
    """Takes `interest` out of bank.py."""
    return repository.cut("bank.py", "def interest", "def report")


@pytest.mark.parametrize(("path", "name", "committed"), [("rates.py", INTEREST, False), ("bank.py", "gain", True)])
async def test_what_is_cut_after_it_was_copied_is_the_copy(
    path: str, name: str, committed: bool, repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(INTEREST, REPORT)
    copied(repository, path, name)
    if committed:
        repository.commit()
    await run()
    beside = (await talk.labels())[INTEREST]
    cut(repository)
    if committed:
        repository.commit()
    await run()

    found = await talk.labels()

    assert beside.status == "fresh"
    assert (found[INTEREST].status, found[INTEREST].moved_to_file, found[INTEREST].moved_to_name) == (
        "moved",
        path,
        name,
    )
    assert (found[INTEREST].changed, found[INTEREST].candidates) == (False, ())
    assert found[REPORT].status == "fresh"
    assert references(cypher) == {("discussed", path, name), ("discussed", "bank.py", REPORT)}


async def test_what_was_changed_before_it_was_copied_has_changed(repository: Repository, run: Run, talk: Talk) -> None:
    await talk.say(INTEREST)
    repository.edit("bank.py", ("// 100", "/ 100"))
    await run()
    copied(repository)
    await run()
    drifted = (await talk.labels())[INTEREST]
    (repository.root / "bank.py").unlink()
    await run()

    found = (await talk.labels())[INTEREST]

    assert drifted.status == "drifted"
    assert (found.status, found.moved_to_file, found.changed) == ("moved", "rates.py", True)


async def test_a_copy_that_is_changed_while_the_original_is_cut_has_changed(
    repository: Repository, run: Run, talk: Talk
) -> None:
    """The anchor is of an answer that names the code."""
    ties = CodeTies(mentions=(Mention(INTEREST, None),))
    new = NewMessage(uuid4().hex, "assistant", "See `interest`.")
    await talk.messages.complete_turn(talk.conversation_id, Answer(new, ties=ties))
    copied(repository)
    await run()
    cut(repository)
    repository.edit("rates.py", ("// 100", "/ 100"))
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.moved_to_file, found.changed) == ("moved", "rates.py", True)


async def test_a_copy_that_was_changed_before_is_no_copy(repository: Repository, run: Run, talk: Talk) -> None:
    await talk.say(INTEREST)
    copied(repository)
    await run()
    repository.edit("rates.py", ("// 100", "/ 100"))
    await run()
    cut(repository)
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.candidates) == ("orphaned", ())


async def test_of_two_copies_none_is_taken_until_one_is_left(repository: Repository, run: Run, talk: Talk) -> None:
    await talk.say(INTEREST)
    copied(repository, "z1.py")
    copied(repository, "z2.py")
    await run()
    cut(repository)
    await run()
    undecided = (await talk.labels())[INTEREST]
    (repository.root / "z2.py").unlink()
    await run()

    found = (await talk.labels())[INTEREST]

    assert (undecided.status, sorted(undecided.candidates)) == ("orphaned", ["z1.py interest", "z2.py interest"])
    assert (found.status, found.moved_to_file, found.candidates) == ("moved", "z1.py", ())


async def test_a_twin_that_was_there_before_the_anchor_is_no_successor(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    copied(repository, "z1.py")
    copied(repository, "z2.py")
    await run()
    await talk.say(original(cypher))
    text = cut(repository)
    await run()
    alone = (await talk.labels())[INTEREST]
    # Other code in the twin's file, and then one twin less, decide nothing.
    repository.append("z1.py", "\n\ndef other():\n    return 1\n")
    await run()
    still = (await talk.labels())[INTEREST]
    (repository.root / "z2.py").unlink()
    await run()
    fewer = (await talk.labels())[INTEREST]
    repository.append("rates.py", text)
    await run()

    found = (await talk.labels())[INTEREST]

    assert (alone.status, sorted(alone.candidates)) == ("orphaned", ["z1.py interest", "z2.py interest"])
    assert still == alone
    assert (fewer.status, list(fewer.candidates)) == ("orphaned", ["z1.py interest"])
    assert (found.status, found.moved_to_file, found.candidates) == ("moved", "rates.py", ())


async def test_code_that_was_made_like_other_code_is_not_that_code(
    repository: Repository, run: Run, talk: Talk
) -> None:
    copied(repository, "rates.py", "gain")
    repository.edit("rates.py", ("// 100", "/ 100"))
    await run()
    await talk.say(INTEREST)
    repository.edit("bank.py", ("// 100", "/ 100"))
    await run()
    cut(repository)
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.candidates) == ("orphaned", ("rates.py gain",))


PAUSE = "    def pause(self):\n        for each in self: each.write(self)\n"
SONG = f"\n\nclass Song:\n    title = 'Song'\n\n{PAUSE}"


async def test_short_code_elsewhere_is_alike_by_chance(repository: Repository, run: Run, talk: Talk) -> None:
    repository.append("bank.py", SONG)
    await run()
    await talk.say("Song.pause")
    repository.write("other.py", f"class Bell:\n{PAUSE}")
    await run()
    repository.cut("bank.py", "\n    def pause")
    await run()

    found = (await talk.labels())["Song.pause"]

    assert (found.status, found.candidates) == ("orphaned", ())


async def test_short_code_under_its_own_name_has_moved_with_its_class(
    repository: Repository, run: Run, talk: Talk
) -> None:
    repository.append("bank.py", SONG)
    await run()
    await talk.say("Song", "Song.pause")
    repository.append("songs.py", SONG)
    await run()
    repository.cut("bank.py", SONG)
    await run()

    found = await talk.labels()

    assert {(each.status, each.moved_to_file) for each in found.values()} == {("moved", "songs.py")}


async def test_after_all_scopes_were_deleted_a_twin_is_still_a_twin(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    copied(repository, "z1.py")
    await run()
    await talk.say(original(cypher))
    cypher("MATCH (n:Scope|File|Project {project: $project}) DETACH DELETE n")
    await run()
    cut(repository)
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.candidates) == ("orphaned", ("z1.py interest",))


async def test_what_stands_unchanged_where_the_anchor_was_made_is_no_successor(
    repository: Repository, run: Run, talk: Talk
) -> None:
    copied(repository, "bank.py", "interest_now")
    repository.edit("bank.py", ("def interest_now(account, years):", "def interest_now(account, years=1):"))
    await run()
    await talk.say(INTEREST)
    repository.append("rates.py", cut(repository))
    await run()
    moved = (await talk.labels())[INTEREST]
    (repository.root / "rates.py").unlink()
    await run()

    found = (await talk.labels())[INTEREST]

    assert moved.moved_to_file == "rates.py"
    assert (found.status, found.candidates) == ("orphaned", ())


async def test_what_is_gone_is_not_its_twin_that_moved_later(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    twin = copied(repository)
    repository.edit("rates.py", ("total = account.balance", "total = account.balance + account.pending"))
    repository.commit()
    await run()
    await talk.say(original(cypher))
    cut(repository)
    repository.commit()
    repository.write("money/rates.py", twin.replace("* RATE", "* account.rate"))
    repository.git("rm", "-q", "-f", "rates.py")
    repository.commit()
    await run()

    [found] = (await talk.labels()).values()

    assert (found.status, found.candidates) == ("orphaned", ())
