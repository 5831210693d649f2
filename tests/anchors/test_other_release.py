"""What another release of this library made of the same code is no change of the code."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Cypher, Repository, Run, Talk
from tests.anchors.test_following import DEPOSIT, INTEREST, REPORT, WITHDRAW

pytestmark = pytest.mark.anyio

# What the release before hashed in another way: all that holds the hash of a scope's tokens.
FORMERLY = (
    "MATCH (p:Project {project: $project}) SET p.facts_version = '0.0.1+1'",
    "MATCH (s:Scope {project: $project}) SET s.body_hash = 'was ' + s.body_hash, s.anchor_key = 'was ' + s.anchor_key",
    "MATCH (a:CodeAnchor {project: $project}) "
    "SET a.body_hash = 'was ' + a.body_hash, a.key = 'was ' + a.key, a.alone = 'was ' + a.alone",
)


async def test_what_another_release_hashed_in_another_way_is_as_it_was(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say(DEPOSIT, INTEREST, REPORT, WITHDRAW)
    repository.edit(
        "bank.py", ("def report", "def listing"), ("def withdraw(self, amount):", "def withdraw(self, amount):  # c")
    )
    repository.commit("listing")
    await run()
    for statement in FORMERLY:
        cypher(statement)
    repository.edit("bank.py", ("self.balance += amount", "self.balance += amount + 1"))

    await run()

    assert {name: (each.status, each.changed) for name, each in (await talk.labels()).items()} == {
        DEPOSIT: ("drifted", True),
        INTEREST: ("fresh", False),
        REPORT: ("moved", False),
        WITHDRAW: ("fresh", False),
    }
    before = cypher("MATCH (a:CodeAnchor {project: $project}) RETURN a.uuid AS uuid, a.alone AS alone ORDER BY uuid")
    await talk.say(INTEREST)
    assert (
        cypher("MATCH (a:CodeAnchor {project: $project}) RETURN a.uuid AS uuid, a.alone AS alone ORDER BY uuid")
        == before
    )
    assert sum((each["alone"] or "").startswith("was ") for each in before) <= 1  # of what has changed meanwhile
