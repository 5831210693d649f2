"""The rule of every write: the first touch of a node that is there is a SET that does not read what it sets.

A SET that reads, a MERGE, CREATE or DELETE of a relationship and a DELETE take two locks of a node. Whoever has touched
it plainly before has one of them and asks for the other: so both wait for each other. Several nodes of a label are
locked in order of uuid, and no two statements lock the same nodes in opposite orders.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, pairwise

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.queries import statement_for
from tests.locks.ground import Ground, Parameters, grounds
from tests.locks.watching import Node, Trace, Watch, watching
from tests.locks.way import turned, turns
from tests.locks.writes import NOT_RUN, WRITES, writing

pytestmark = pytest.mark.timeout(900)  # a server that plans a statement for the first time takes a second for each

# Books are locked from the counter down, see `claim_space`; their keys tell no order.
_UNORDERED = {"RagforgeMeta"}


@dataclass(frozen=True)
class Run:
    """A statement that was run in one way, and what it touched."""

    name: str
    way: str
    trace: Trace


@dataclass(frozen=True)
class Order:
    """What one transaction of a run touched, and when."""

    name: str
    way: str
    positions: dict[Node, int]


@pytest.fixture(scope="module")
def ground(neo4j_config: Neo4jConfig) -> Iterator[Ground]:
    """One small world for the whole module."""
    with grounds(neo4j_config) as made:
        yield made


@pytest.fixture(scope="module")
def watch(ground: Ground) -> Iterator[Watch]:
    """All of it, held."""
    with watching(ground) as held:
        yield held


_Way = tuple[str, int, bool]


@pytest.fixture(scope="module")
def spent(neo4j_config: Neo4jConfig, ground: Ground) -> dict[_Way, Trace]:
    """What opens transactions of its own, each in a world that is of no use afterwards. Before ``watch`` holds another:
    a server with a small heap has no memory for the holders of both."""
    return {each: _spent(neo4j_config, *each) for each in _ways(ground, autocommit=True)}


@pytest.fixture(scope="module")
def runs(spent: dict[_Way, Trace], ground: Ground, watch: Watch) -> list[Run]:
    """Every statement that writes, run in each way."""
    traces = spent | {each: _watched(ground, watch, *each) for each in _ways(ground, autocommit=False)}
    return [
        Run(name, f"way {number}{', turned' if turn else ''}", trace) for (name, number, turn), trace in traces.items()
    ]


def _ways(ground: Ground, *, autocommit: bool) -> list[_Way]:
    return [
        (name, number, turn)
        for name, ways in WRITES.items()
        if statement_for(name, ground.version).autocommit == autocommit
        for number, way in enumerate(ways)
        for turn in (False, True)[: 1 + turns(way(ground))]
    ]


def _watched(ground: Ground, watch: Watch, name: str, number: int, turn: bool) -> Trace:
    return watch.trace(*ground.sent(name, _given(ground, name, number, turn)))


def _spent(config: Neo4jConfig, name: str, number: int, turn: bool) -> Trace:
    with grounds(config) as ground, watching(ground) as alone:
        return alone.trace(*ground.sent(name, _given(ground, name, number, turn)), kept=True)


def _given(ground: Ground, name: str, number: int, turn: bool) -> Parameters:
    given = WRITES[name][number](ground)
    return turned(given) if turn else given


@pytest.fixture(scope="module")
def orders(runs: list[Run]) -> list[Order]:
    """The same by their transactions."""
    return [
        Order(run.name, run.way, {node: position for position, node in enumerate(batch)})
        for run in runs
        for batch in run.trace.batches
    ]


def test_every_statement_that_writes_is_run() -> None:
    assert sorted(writing() - set(WRITES) - set(NOT_RUN)) == []
    assert sorted((set(WRITES) | set(NOT_RUN)) - writing()) == []


@pytest.mark.long
def test_every_statement_finds_something_to_write(runs: list[Run]) -> None:
    assert [f"{run.name}, {run.way}: {run.trace.error}" for run in runs if run.trace.error] == []
    wrote = {run.name for run in runs if run.trace.writes}
    assert sorted(set(WRITES) - wrote) == []


@pytest.mark.long
def test_the_first_touch_of_a_node_is_plain(runs: list[Run]) -> None:
    offences = defaultdict(set)
    for run in runs:
        for node in run.trace.reading:
            offences[run.name, "takes both locks of", node.label].add(node.rank)
        for node in run.trace.ends:
            offences[run.name, "makes or deletes an edge of an untouched", node.label].add(node.rank)
    assert not offences, _listed(offences)


@pytest.mark.long
def test_the_nodes_of_a_label_are_locked_in_order_of_uuid(orders: list[Order]) -> None:
    offences = defaultdict(set)
    for order in orders:
        for label in {node.label for node in order.positions} - _UNORDERED:
            ranks = [node.rank for node in order.positions if node.label == label and node.element]
            for before, after in pairwise(ranks):
                if before > after:
                    offences[order.name, "locks out of order", label].add(f"{before} before {after}")
    assert not offences, _listed(offences)


@pytest.mark.long
def test_no_two_statements_lock_in_opposite_orders(orders: list[Order]) -> None:
    offences = defaultdict(set)
    for one, other in combinations_with_replacement(orders, 2):
        first, second = one.positions, other.positions
        common = sorted(first.keys() & second.keys(), key=first.__getitem__)
        for x, y in combinations(common, 2):
            told = x.label == y.label and x.element and y.element and x.label not in _UNORDERED  # by the test above
            if told or second[x] < second[y]:
                continue
            # What both lock before anything else of this lets one of them in at a time.
            if not any(first[gate] < first[x] and second[gate] < second[y] for gate in common):
                offences[one.name, "and", other.name].add(f"{x} before {y} ({one.way}; {other.way})")
    assert not offences, _listed({key: {min(found)} for key, found in offences.items()})


def _listed(offences: dict[tuple[str, str, str], set[str]]) -> str:
    lines = [f"{' '.join(key)}: {', '.join(sorted(found))}" for key, found in sorted(offences.items())]
    return "\n".join([f"{len(lines)} offences", *lines])


# --- what is wrong is found -------------------------------------------------------------------------------------------

_MATCHED = "MATCH (m:Message {uuid: $given.first}), (n:Message {uuid: $given.second}) "
_LOCKED = "SET m.uuid = m.uuid SET n.uuid = n.uuid "


def _seen(ground: Ground, watch: Watch, text: str) -> tuple[list[str], set[str], set[str]]:
    given = {"first": ground["m2"], "second": ground["m4"]}
    trace = watch.trace(text, {"given": given})
    assert not trace.error
    return (
        [node.rank for batch in trace.batches for node in batch],
        {node.rank for node in trace.reading},
        {node.rank for node in trace.ends},
    )


@pytest.mark.parametrize(
    "text",
    [
        "SET m.tokens = coalesce(m.tokens, 0) + 1",
        "SET m.uuid = m.uuid, m.tokens = coalesce(m.tokens, 0)",
        "DETACH DELETE m",
        "MERGE (m)-[:REUSED_FROM]->(n)",
    ],
)
def test_a_first_touch_that_takes_both_locks_is_found(ground: Ground, watch: Watch, text: str) -> None:
    _, reading, _ = _seen(ground, watch, _MATCHED + text)
    assert "1m2" in reading


@pytest.mark.parametrize("text", ["CREATE (m)-[:REUSED_FROM]->(n)", "WITH m, n MATCH (m)-[r]-() DELETE r"])
def test_an_edge_of_what_was_not_touched_is_found(ground: Ground, watch: Watch, text: str) -> None:
    _, _, ends = _seen(ground, watch, _MATCHED + text)
    assert "1m2" in ends
    _, reading, ends = _seen(ground, watch, _MATCHED + _LOCKED + text)
    assert {"1m2", "2m4"}.isdisjoint(reading | ends)


@pytest.mark.parametrize(
    "text",
    [
        "SET m.state = 'complete'",
        "SET m += {state: 'complete'}",
        "SET m:Important REMOVE m:PendingEmbedding",
        "CALL db.create.setNodeVectorProperty(m, 'embedding_of_locks', [1.0])",
        "SET m.uuid = m.uuid CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall)",
    ],
)
def test_a_plain_first_touch_is_right(ground: Ground, watch: Watch, text: str) -> None:
    assert _seen(ground, watch, _MATCHED + text) == (["1m2"], set(), set())


def test_the_order_is_found(ground: Ground, watch: Watch) -> None:
    order, _, _ = _seen(ground, watch, _MATCHED + "SET n.uuid = n.uuid SET m.uuid = m.uuid")
    assert order == ["2m4", "1m2"]
