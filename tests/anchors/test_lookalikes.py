"""What becomes of anchors where other code is much like theirs and the graph does not know what was there before."""

from __future__ import annotations

import pytest

from tests.anchors.conftest import Cypher, Repository, Run, Talk
from tests.anchors.test_following import references

pytestmark = pytest.mark.anyio


def reads(thing: str) -> str:
    """A function that is like any other of these in all but names."""
    key = f"{thing[0]}id"
    return f"""
def read_{thing}(db, {key}):
    row = db.fetch("select * from {thing}s where id = ?", {key})
    if row is None:
        raise KeyError({key})
    return {thing.capitalize()}(**row)

"""


USER, ORDER = reads("user"), reads("order")


@pytest.fixture
def repository(repository: Repository) -> Repository:
    """With two functions that are alike in form, and a file that nobody speaks of."""
    repository.write("m.py", USER + ORDER)
    repository.write("o.py", "def other():\n    return sum(range(10))\n")
    repository.commit()
    return repository


@pytest.mark.parametrize(
    ("path", "name", "committed", "order"),
    [
        ("users.py", "read_user", True, True),
        ("o.py", "fetch_user", False, True),
        ("users.py", "fetch_user", False, False),
    ],
)
async def test_what_moved_while_all_scopes_were_away_is_not_what_is_like_it(
    path: str, name: str, committed: bool, order: bool, repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say("read_user", *(["read_order"] if order else []))
    repository.append(path, "\n" + repository.cut("m.py", "def read_user", "def read_order").replace("read_user", name))
    if committed:
        repository.commit()
    cypher("MATCH (n:Scope {project: $project}) DETACH DELETE n")
    await run()

    found = await talk.labels()

    user = found["read_user"]
    assert (user.status, user.moved_to_file, user.moved_to_name, user.changed) == ("moved", path, name, False)
    if order:
        assert found["read_order"].status == "fresh"
    others = {("discussed", "m.py", "read_order")} if order else set()
    assert references(cypher) == {("discussed", path, name), *others}


@pytest.mark.parametrize(("committed", "order"), [(True, False), (False, True)])
async def test_what_is_gone_while_all_scopes_were_away_is_not_what_is_like_it(
    order: bool, committed: bool, repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say("read_user", *(["read_order"] if order else []))
    repository.cut("m.py", "def read_user", "def read_order")
    if committed:
        repository.commit()
    cypher("MATCH (n:Scope {project: $project}) DETACH DELETE n")
    await run()

    found = (await talk.labels())["read_user"]

    assert (found.status, found.candidates) == ("orphaned", ())


async def test_what_moved_and_changed_while_all_scopes_were_away_is_where_git_says(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    await talk.say("read_user")
    text = repository.cut("m.py", "def read_user", "def read_order")
    repository.write("users.py", text.replace("row is None", "not row"))
    repository.commit()
    cypher("MATCH (n:Scope {project: $project}) DETACH DELETE n")
    await run()

    found = (await talk.labels())["read_user"]

    assert (found.status, found.moved_to_file, found.changed) == ("moved", "users.py", True)


async def test_without_git_the_same_tokens_win_over_what_is_alike(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    (repository.root / ".git").rename(repository.root.parent / "git")
    await talk.say("read_user", "read_order")
    repository.append("users.py", repository.cut("m.py", "def read_user", "def read_order"))
    cypher("MATCH (n:Scope {project: $project}) DETACH DELETE n")
    await run()

    found = await talk.labels()

    assert (found["read_user"].moved_to_file, found["read_user"].changed) == ("users.py", False)
    assert found["read_order"].status == "fresh"
