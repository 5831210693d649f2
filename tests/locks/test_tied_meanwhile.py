"""What a turn is tied to while an ingest takes it away: the ingest gives way, and goes on with all of it locked."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import neo4j
import pytest

from tests.locks.code_writes import CODE
from tests.locks.ground import Ground

_TIE = """
MATCH (m:Message {uuid: $message}) SET m.uuid = $message
WITH m MATCH (s:Scope {uuid: $scope}) SET s.uuid = $scope
CREATE (m)-[:REFERENCES_CODE {kind: 'read'}]->(s)
"""
_WAITS = """
SHOW TRANSACTIONS YIELD status, currentQuery
WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS $about
RETURN count(*) AS blocked
"""


@pytest.mark.parametrize("name", ["write_files", "remove_files"])
def test_it_gives_way_to_what_is_tied_and_then_goes(ground: Ground, name: str) -> None:
    before = _scopes(ground)

    given_way = _while_tied(ground, name, "m7", gives_way=True)
    assert given_way["tied"]
    assert _scopes(ground) == before

    again = _run(ground, name, gives_way=True)
    assert not again["tied"]
    assert ground["f2"] not in _scopes(ground)


def test_it_gives_way_no_more_where_it_must_end(ground: Ground) -> None:
    assert not _while_tied(ground, "remove_files", "m7", gives_way=False)["tied"]
    assert ground["f2"] not in _scopes(ground)


def _while_tied(ground: Ground, name: str, message: str, *, gives_way: bool) -> dict[str, Any]:
    """Runs a statement while a message is being tied to a scope that it takes away."""
    with ThreadPoolExecutor(1) as pool, ground.driver.session(database="neo4j") as session:
        with session.begin_transaction() as transaction:
            transaction.run(_TIE, message=ground[message], scope=ground["f2"]).consume()
            running = pool.submit(_run, ground, name, gives_way=gives_way)
            for _ in range(600):
                if _blocked(ground):
                    break
                time.sleep(0.05)
            assert not running.done()
            transaction.commit()
        return running.result(timeout=60)


def _run(ground: Ground, name: str, *, gives_way: bool) -> dict[str, Any]:
    text, given = ground.sent(name, {**CODE[name][0](ground), "gives_way": gives_way})
    return ground.driver.execute_query(neo4j.Query(text, timeout=60), given, database_="neo4j").records[0].data()


def _blocked(ground: Ground) -> bool:
    about = "gives_way"  # both statements have it
    return bool(ground.driver.execute_query(_WAITS, about=about, database_="neo4j").records[0]["blocked"])


def _scopes(ground: Ground) -> dict[str, dict[str, Any]]:
    """The properties of the world's scopes, by uuid."""
    text = "MATCH (s:Scope) WHERE s.uuid STARTS WITH $word RETURN s.uuid AS uuid, properties(s) AS properties"
    rows = ground.driver.execute_query(text, word=ground.word, database_="neo4j").records
    return {row["uuid"]: row["properties"] for row in rows}
