"""What becomes of anchors as the code goes on, through the real ingest and the real graph."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import NAMESAKE, Cypher, Repository, Run, Talk

pytestmark = pytest.mark.anyio

DEPOSIT, WITHDRAW, INTEREST, REPORT = "Account.deposit", "Account.withdraw", "interest", "report"
GROWN = (
    ("total = account.balance", "start = int(account.balance)\n    grown = start"),
    ("for _ in range(years):", "while years > 0:"),
    ("total += total * RATE // 100", "years -= 1\n        grown = grown * (100 + RATE) / 100"),
    ("return total - account.balance", "return round(grown) - start"),
)


def references(cypher: Cypher) -> set[tuple[str, str, str]]:
    """The REFERENCES_CODE edges: (kind, file, qualified name)."""
    rows = cypher(
        "MATCH (m:Message {project: $project})-[r:REFERENCES_CODE]->(s:Scope) "
        "RETURN r.kind AS kind, s.file AS file, s.qualified_name AS name"
    )
    return {(row["kind"], row["file"], row["name"]) for row in rows}


async def test_an_anchor_is_fresh_until_its_tokens_change(repository: Repository, run: Run, talk: Talk) -> None:
    commit = repository.git("rev-parse", "HEAD")
    await talk.say(DEPOSIT, WITHDRAW, kind="read")
    repository.edit("bank.py", ("self.balance += amount", "# more\n        self.balance  +=  amount"))
    repository.edit("bank.py", ("amount > self.balance", "amount >= self.balance"))
    repository.commit()
    await run()

    found = await talk.labels()

    assert (found[DEPOSIT].status, found[DEPOSIT].changed, found[DEPOSIT].commit) == ("fresh", False, commit)
    assert (found[WITHDRAW].status, found[WITHDRAW].changed, found[WITHDRAW].kind) == ("drifted", True, "read")


async def test_a_rename_and_a_move_are_followed(repository: Repository, run: Run, talk: Talk, cypher: Cypher) -> None:
    await talk.say(DEPOSIT, INTEREST, REPORT)
    repository.edit("bank.py", ("def deposit", "def pay_in"))
    moved = repository.cut("bank.py", "def interest", "def report")
    repository.append("rates.py", "from bank import RATE\n\n\n" + moved.replace("// 100", "/ 100"))
    repository.commit()
    await run()

    found = await talk.labels()

    assert found[DEPOSIT].status == "moved"
    assert (found[DEPOSIT].moved_to_file, found[DEPOSIT].moved_to_name) == ("bank.py", "Account.pay_in")
    assert found[DEPOSIT].changed is False
    assert (found[INTEREST].status, found[INTEREST].moved_to_file, found[INTEREST].changed) == (
        "moved",
        "rates.py",
        True,
    )
    assert found[REPORT].status == "fresh"
    assert references(cypher) == {
        ("discussed", "bank.py", "Account.pay_in"),
        ("discussed", "rates.py", "interest"),
        ("discussed", "bank.py", "report"),
    }


async def test_what_is_deleted_is_orphaned_and_comes_back_with_it(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(REPORT)
    text = repository.cut("bank.py", "def report")
    repository.commit()
    await run()
    gone = (await talk.labels())[REPORT]
    nothing = references(cypher)

    repository.append("bank.py", text)
    repository.commit()
    await run()

    assert (gone.status, gone.scope_id, gone.candidates) == ("orphaned", None, ())
    assert nothing == set()
    assert (await talk.labels())[REPORT].status == "fresh"
    assert references(cypher) == {("discussed", "bank.py", "report")}


async def test_what_is_cut_in_one_ingest_and_put_elsewhere_in_a_later_one_has_moved(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(INTEREST)
    await talk.say(REPORT)
    repository.edit("bank.py", ("for _ in range(years):", "for _year in range(years):"))
    await run()
    await talk.say(INTEREST)
    text = repository.cut("bank.py", "def interest", "def report")
    await run()
    cut = (await talk.labels())[INTEREST]
    repository.write("unlike.py", "def interest(text):\n    return text.count('!') > 3\n")
    await run()
    unlike = (await talk.labels())[INTEREST]
    repository.write("rates.py", text.replace("// 100", "/ 100"))
    await run()

    found = await talk.references.of_conversation(talk.conversation_id)

    assert (cut.status, unlike.status) == ("orphaned", "orphaned")
    ties = [(each.status, each.moved_to_file, each.changed) for each in found if each.qualified_name == INTEREST]
    assert ties == [("moved", "rates.py", True)] * 2
    assert references(cypher) == {("discussed", "rates.py", "interest"), ("discussed", "bank.py", "report")}


async def test_an_orphan_is_decided_when_one_of_its_candidates_is_left(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(REPORT)
    text = repository.cut("bank.py", "def report")
    for name in ("z1.py", "z 2.py"):
        repository.write(name, text)
    repository.commit()
    await run()
    undecided = (await talk.labels())[REPORT]
    repository.write("unrelated.py", "def nothing():\n    return 1\n")
    await run()
    still = (await talk.labels())[REPORT]
    repository.write("z 2.py", "def report(sheep):\n    while sheep:\n        sheep.pop().shear(wool=True)\n")
    await run()
    decided = (await talk.labels())[REPORT]

    assert undecided == still
    assert (undecided.status, sorted(undecided.candidates)) == ("orphaned", ["z 2.py report", "z1.py report"])
    assert (decided.status, decided.moved_to_file, decided.changed, decided.candidates) == ("moved", "z1.py", False, ())
    assert references(cypher) == {("discussed", "z1.py", "report")}
    # It is not looked at any more where only what it was not changes.
    assert cypher("MATCH (a:UndecidedAnchor {project: $project}) RETURN a") == []


async def test_an_orphan_names_the_candidates_that_there_are(repository: Repository, run: Run, talk: Talk) -> None:
    await talk.say(REPORT)
    text = repository.cut("bank.py", "def report")
    for name in ("z1.py", "z2.py"):
        repository.write(name, text)
    await run()
    (repository.root / "z2.py").rename(repository.root / "z3.py")
    await run()
    renamed = (await talk.labels())[REPORT]
    for name in ("z1.py", "z3.py"):
        (repository.root / name).unlink()
    await run()
    gone = (await talk.labels())[REPORT]

    assert (renamed.status, sorted(renamed.candidates)) == ("orphaned", ["z1.py report", "z3.py report"])
    assert (gone.status, gone.candidates) == ("orphaned", ())


async def test_commits_between_are_followed_one_by_one(repository: Repository, run: Run, talk: Talk) -> None:
    """Each step is plain; the two ends have little in common."""
    await talk.say(INTEREST)
    repository.edit("bank.py", ("def interest", "def gain"))
    repository.commit()
    text = repository.cut("bank.py", "def gain", "def report")
    repository.append("later.py", text)
    repository.commit()
    repository.edit("later.py", *GROWN)
    repository.commit()
    await run()

    found = (await talk.labels())[INTEREST]

    assert (found.status, found.moved_to_file, found.moved_to_name, found.changed) == (
        "moved",
        "later.py",
        "gain",
        True,
    )


async def test_another_branch_and_back(repository: Repository, run: Run, talk: Talk) -> None:
    await talk.say(INTEREST, REPORT)
    repository.git("checkout", "-q", "-b", "other")
    repository.edit("bank.py", ("def interest", "def gain"))
    repository.cut("bank.py", "def report")
    repository.commit()
    await run()
    there = await talk.labels()
    repository.git("checkout", "-q", "main")
    await run()
    back = await talk.labels()

    assert (there[INTEREST].status, there[REPORT].status) == ("moved", "orphaned")
    assert (back[INTEREST].status, back[REPORT].status) == ("fresh", "fresh")


async def test_a_moved_anchor_does_not_go_to_what_has_its_name_later(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(INTEREST)
    repository.append("rates.py", repository.cut("bank.py", "def interest", "def report"))
    repository.commit()
    await run()
    moved = (await talk.labels())[INTEREST]
    repository.append("bank.py", NAMESAKE)
    repository.commit()
    await run()
    beside = (await talk.labels())[INTEREST]
    (repository.root / "rates.py").rename(repository.root / "yields.py")
    repository.edit("bank.py", ("> 3", "> 4"))
    repository.commit()
    await run()
    further = (await talk.labels())[INTEREST]

    assert (moved.status, moved.moved_to_file, moved.changed) == ("moved", "rates.py", False)
    assert beside == moved
    assert (further.status, further.moved_to_file, further.changed) == ("moved", "yields.py", False)
    assert references(cypher) == {("discussed", "yields.py", "interest")}


async def test_a_moved_anchor_comes_back_where_its_own_tokens_are_again(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(INTEREST)
    text = repository.cut("bank.py", "def interest", "def report")
    repository.append("rates.py", text)
    repository.commit()
    await run()
    repository.append("bank.py", NAMESAKE)
    repository.commit()
    await run()
    away = (await talk.labels())[INTEREST]
    repository.cut("bank.py", NAMESAKE)
    repository.append("bank.py", "\n\n" + text)
    repository.commit()
    await run()

    assert away.status == "moved"
    assert (await talk.labels())[INTEREST].status == "fresh"
    assert references(cypher) == {("discussed", "bank.py", "interest")}


async def test_where_it_was_made_counts_with_other_tokens_once_it_is_nowhere_else(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(INTEREST)
    text = repository.cut("bank.py", "def interest", "def report")
    repository.append("rates.py", text)
    repository.commit()
    await run()
    (repository.root / "rates.py").unlink()
    repository.append("bank.py", "\n\n" + text.replace("// 100", "/ 100"))
    repository.commit()
    await run()

    assert (await talk.labels())[INTEREST].status == "drifted"
    assert references(cypher) == {("discussed", "bank.py", "interest")}


async def test_a_renamed_file_keeps_all_its_references(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(DEPOSIT, "Account", kind="edited")
    (repository.root / "money").mkdir()
    repository.git("mv", "bank.py", "money/accounts.py")
    repository.commit()
    await run()

    found = await talk.labels()

    assert {each.status for each in found.values()} == {"moved"}
    assert references(cypher) == {
        ("edited", "money/accounts.py", DEPOSIT),
        ("edited", "money/accounts.py", "Account"),
    }


async def test_all_references_are_back_after_every_scope_was_deleted(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(DEPOSIT, REPORT, kind="read")
    await talk.say(DEPOSIT, INTEREST)
    repository.edit("bank.py", ("def interest", "def gain"))
    repository.commit()
    await run()
    before = references(cypher)
    labels = {name: (each.status, each.moved_to_name) for name, each in (await talk.labels()).items()}
    assert len(before) == 4
    cypher("MATCH (n:Scope|File|Project {project: $project}) DETACH DELETE n")

    report = await run()

    assert report.added == report.scopes > 0
    assert references(cypher) == before
    assert {name: (each.status, each.moved_to_name) for name, each in (await talk.labels()).items()} == labels


async def test_what_changes_while_all_scopes_are_away_is_followed_through_git(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(INTEREST, DEPOSIT)
    cypher("MATCH (n:Scope {project: $project}) DETACH DELETE n")
    repository.edit("bank.py", ("def interest", "def gain"), ('raise ValueError("nothing', 'raise TypeError("nothing'))
    repository.commit()
    await run()

    found = await talk.labels()

    assert (found[INTEREST].status, found[INTEREST].moved_to_name) == ("moved", "gain")
    assert found[DEPOSIT].status == "drifted"


async def test_an_ingest_that_touches_no_anchor_asks_nothing_of_them(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(REPORT)
    repository.write("other.py", "def unrelated():\n    return 1\n")
    await run()
    checked = "MATCH (a:CodeAnchor {project: $project}) RETURN a.checked_at AS at"

    assert [row["at"] for row in cypher(checked)] == [None]
