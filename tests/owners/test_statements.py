"""Every statement with an owner filter keeps owners apart, and every one of its filters is needed for that.

Each probe is run as one owner against the data of another, in a transaction that is undone. Then each owner filter
is taken out of the statement's text, one at a time, and some probe must notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import anyio
import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.queries import Statement, Version, all_statements, parse_version, statement_for
from ragforge_memory.graph.spaces import Space, in_space, open_space
from ragforge_memory.models.owner import Owner
from tests.owners.access_probes import KEYS, USERS
from tests.owners.archive_probes import ARCHIVE, ARCHIVE_CODE
from tests.owners.archived_memory_probes import ARCHIVED
from tests.owners.branch_probes import MERGES
from tests.owners.code_probes import TIES
from tests.owners.conversation_probes import CONVERSATIONS as OTHERS
from tests.owners.deletion_probes import DELETION, DELETION_CODE
from tests.owners.episode_probes import EPISODES
from tests.owners.erasure_probes import ERASURES
from tests.owners.filed_probes import FILED
from tests.owners.graph import (
    DIMENSION,
    MODEL,
    OPENED,
    Data,
    Mutation,
    comparable,
    create,
    mutations,
    remove,
    seen,
    tie,
    undone,
)
from tests.owners.import_probes import IMPORTS
from tests.owners.ingest_probes import INGEST
from tests.owners.insight_probes import INSIGHTS
from tests.owners.knowledge_probes import KNOWLEDGE
from tests.owners.memory_probes import MEMORIES
from tests.owners.probes import IDENTITY, PROJECT_ALONE, UNOWNED, Probe
from tests.owners.project_probes import CLAIMS, NAMES
from tests.owners.scope_probes import SCOPES
from tests.owners.search_probes import SEARCH
from tests.owners.space_probes import SPACES
from tests.vector_indexes import index_of

CONVERSATIONS = OTHERS | SEARCH | IMPORTS | ARCHIVE | INSIGHTS | MERGES | DELETION | FILED
CONVERSATIONS |= MEMORIES | EPISODES | ARCHIVED | ERASURES | USERS | KNOWLEDGE | CLAIMS
CODE = TIES | INGEST | SCOPES | ARCHIVE_CODE | SPACES | DELETION_CODE | KEYS | NAMES

_OPENED = re.compile(rf"\b{OPENED}\d+\b")
WITH_FILTER = sorted(name for name, variants in all_statements().items() if any(mutations(v.text) for v in variants))
WITH_OWN_FILTER = [name for name in WITH_FILTER if name not in IDENTITY]
WITH_VARIANTS = sorted(name for name in WITH_FILTER if len(all_statements()[name]) > 1)


@dataclass(frozen=True)
class Ground:
    """A server with pairs of owners on it: (who asks, whom it is about); ``at_rest`` is what the latter have."""

    driver: neo4j.Driver
    version: Version
    space: Space
    pairs: dict[str, tuple[Data, Data]]
    at_rest: dict[str, list[Any]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def ground(neo4j_config: Neo4jConfig) -> Iterator[Ground]:
    """The session's server."""
    yield from _ground(neo4j_config)


@pytest.fixture(scope="module")
def old_ground(old_neo4j_config: Neo4jConfig) -> Iterator[Ground]:
    """A server of the older line."""
    yield from _ground(old_neo4j_config)


def _ground(config: Neo4jConfig) -> Iterator[Ground]:
    word = f"word{uuid4().hex[:12]}"
    user, project = f"user-{word}", f"project-{word}"
    owners = {
        "another user": (Owner(user, project), Owner(user + "-2", project)),
        "another project": (Owner(user, project), Owner(user, project + "-2")),
        "nobody asks": (Owner("", project), Owner(user, project)),
        "no project asks": (Owner(user, ""), Owner(user, project)),
        "of nobody": (Owner(user, project), Owner("", project)),
        "of no project": (Owner(user, project), Owner(user, "")),
    }

    async def opened() -> Space:
        client = await connect(config)
        try:
            return await open_space(client, project, MODEL, DIMENSION)
        finally:
            await client.aclose()

    space = anyio.run(opened)
    login = (config.username or "neo4j", config.password)
    with neo4j.GraphDatabase.driver(config.uri, auth=login, notifications_min_severity="OFF") as driver:
        pairs: dict[str, tuple[Data, Data]] = {}
        with driver.session(database="neo4j") as session:
            try:
                for number, (name, (mine, other)) in enumerate(owners.items()):
                    # Each pair has words of its own; code is a project's, so one pair has it, in two projects.
                    pairs[name] = Data(mine, f"{word}x{number}"), Data(other, f"{word}x{number}")
                    for data in pairs[name]:
                        create(session, data, code=name == "another project", vectors=space.property)
                tie(session, *pairs["another project"])
                session.run("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()").consume()
                yield Ground(driver, parse_version(driver.get_server_info().agent.rpartition("/")[2]), space, pairs)
            finally:
                for pair in pairs.values():
                    for data in pair:
                        remove(session, data)
                session.run("MATCH (m:RagforgeMeta {key: $key}) DELETE m", key=f"project/{project}").consume()


@pytest.mark.long
@pytest.mark.parametrize("name", WITH_FILTER)
def test_owners_are_kept_apart(ground: Ground, name: str) -> None:
    _check(ground, name)


@pytest.mark.parametrize("name", WITH_VARIANTS)
def test_owners_are_kept_apart_on_the_older_line(old_ground: Ground, name: str) -> None:
    _check(old_ground, name)


def _check(ground: Ground, name: str) -> None:
    statement = statement_for(name, ground.version)
    for pair, probe in _asked(ground, name):
        problem = _problem(ground, statement, None, pair, probe)
        assert problem is None, f"{name}, {pair}: {problem}"


@pytest.mark.long
@pytest.mark.parametrize("name", WITH_OWN_FILTER)
def test_every_filter_is_needed(ground: Ground, name: str) -> None:
    _check_without(ground, name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in WITH_VARIANTS if name in WITH_OWN_FILTER])
def test_every_filter_is_needed_on_the_older_line(old_ground: Ground, name: str) -> None:
    _check_without(old_ground, name)


def _check_without(ground: Ground, name: str) -> None:
    """Some probe notices, whichever filter is taken out."""
    statement = statement_for(name, ground.version)
    asked = _asked(ground, name)
    for mutation in mutations(statement.text):
        # Those who differ in what the filter asks for are likely to notice.
        differs = "another user" if "user_id" in mutation.place else "another project"
        likely = sorted(asked, key=lambda each: each[0] != differs)
        noticed = any(_problem(ground, statement, mutation, pair, probe) for pair, probe in likely)
        assert noticed, f"{name} without its filter ({mutation.place}): no probe notices"


def _asked(ground: Ground, name: str) -> list[tuple[str, Probe]]:
    """Every probe of a statement with every pair of owners that it fits."""
    code = [("another project", probe) for probe in CODE.get(name, ())]
    # Nobody, and no project, ask in the first way of each statement; every other way is tried by the two that differ in
    # one of both.
    return code + [
        (pair, probe)
        for number, probe in enumerate(CONVERSATIONS.get(name, ()))
        for pair in ground.pairs
        if (number == 0 and not probe.shares) or pair in ("another user", "another project")
    ]


def _problem(ground: Ground, statement: Statement, mutation: Mutation | None, pair: str, probe: Probe) -> str | None:
    """What is wrong with the answer of a statement (mutated, if told) to a probe; None where owners stay apart."""
    mine, other = ground.pairs[pair]
    asked = Statement(statement.name, mutation.text if mutation else statement.text)
    opened = {name: mutation is not None and name == mutation.opened for name in _OPENED.findall(asked.text)}
    given = {**mine.owner.parameters, **in_space(ground.space), **probe.given(mine, other)}
    parameters = asked.given({**given, **opened})
    text = asked.nested.filled({"index": index_of(ground.space, statement.name), "type": "CONSUMES"})
    # A transaction that is undone cannot hold others: the same work, in one.
    text = re.sub(r"\} IN TRANSACTIONS OF \d+ ROWS", "}", text)
    with ground.driver.session(database="neo4j") as session:
        with undone(session) as transaction:
            _prepare(transaction, probe, mine, other)
            if probe.prepare is None:
                # Nothing of what tests do is kept: it is the same each time.
                before = ground.at_rest.get(pair) or ground.at_rest.setdefault(pair, seen(transaction, other))
            else:
                before = seen(transaction, other)
            rows = _rows(transaction, text, parameters)
            try:
                changed = seen(transaction, other) != before
            except neo4j.exceptions.ClientError:
                changed = True  # what was locked and deleted in one transaction is found by its uuid there, and fails
            if changed:
                return "it changes what the other has"
        if not probe.expect(rows):
            return f"it returns {rows}"
        if not rows or probe.taken:
            return None
        with undone(session) as transaction:
            _prepare(transaction, probe, mine, other)
            remove(transaction, other)
            try:
                alone = _rows(transaction, text, parameters)
            except neo4j.exceptions.ClientError as error:
                # a vector index knows of no removal before its commit: whoever follows it to another's is told so
                return f"it reaches for what the other had: {error.message}"
    return None if rows == alone else f"it returns {rows}; {alone} if the other had nothing"


def _prepare(transaction: neo4j.Transaction, probe: Probe, mine: Data, other: Data) -> None:
    if probe.prepare is not None:
        names = {f"a_{name}": value for name, value in mine.names.items()}
        names |= {f"b_{name}": value for name, value in other.names.items()}
        transaction.run(probe.prepare, names).consume()


def _rows(transaction: neo4j.Transaction, text: str, parameters: dict[str, Any]) -> list[Any]:
    rows = [comparable(record.data()) for record in transaction.run(text, parameters)]
    return sorted(rows, key=repr)


# --- nothing is left out ----------------------------------------------------------------------------------------------


def test_every_statement_has_a_filter_and_a_probe_or_a_reason() -> None:
    filtered = set(WITH_FILTER)
    assert sorted(filtered - set(CONVERSATIONS) - set(CODE)) == []
    assert sorted(set(all_statements()) - filtered) == sorted(UNOWNED)
    assert sorted((set(CONVERSATIONS) | set(CODE)) - filtered) == []
    assert set(IDENTITY) | set(PROJECT_ALONE) <= filtered


def test_every_variant_of_a_statement_has_the_filters() -> None:
    for name in WITH_FILTER:
        assert len({len(mutations(variant.text)) for variant in all_statements()[name]}) == 1, name


@pytest.mark.parametrize("name", WITH_FILTER)
def test_what_a_user_has_is_filtered_by_user_too(name: str) -> None:
    """A statement on conversations or messages has as many filters by user as by project, or its reason."""
    for variant in all_statements()[name]:
        text = re.sub(r"\bn:\w+ THEN \d+", "", variant.text)  # the order of locks names every label
        if re.search(r":(?:Conversation|Message)\b", text) and name not in PROJECT_ALONE:
            by_user = [m for m in mutations(variant.text) if "user_id" in m.place]
            assert by_user, name
