"""What a statement locks, in which order and in which way, found out while other transactions hold all of the ground.

Neo4j has two locks for a node. Each node of the ground is held by a transaction of its own, by a SET that does not read
what it sets, which takes the first lock alone. A statement that runs meanwhile waits at the first node that it touches;
the server says for whom. The holder then asks for the other lock: where the statement has that one already, both wait
for each other, and the server ends one of them. Otherwise the holder lets go, and the statement runs on to the next.
A relationship that is made or deleted asks for its ends' first lock at the commit alone: those are told by their edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import neo4j
from neo4j.exceptions import Neo4jError

from tests.locks.ground import NAMES, UNMADE, Ground, Parameters

PLAIN = "MATCH (n) WHERE elementId(n) = $node SET n.held = true"
READING = "MATCH (n) WHERE elementId(n) = $node SET n.held = coalesce(n.held, true)"

_SHOWN = """
SHOW TRANSACTIONS YIELD transactionId, outerTransactionId, status, metaData
WHERE metaData.watch = $word OR outerTransactionId <> ''
RETURN transactionId AS id, outerTransactionId AS outer, status, metaData.part AS part
"""
NODES = (
    "CALL () {"
    + " UNION ALL ".join(
        f"MATCH (n:{label}) WHERE n.uuid STARTS WITH $word RETURN n, '{label}' AS label, n.uuid AS rank"
        for label in NAMES
    )
    + " UNION ALL MATCH (n) WHERE elementId(n) = $unclaimed RETURN n, 'Scope' AS label, '' AS rank"
    + " UNION ALL MATCH (n:RagforgeMeta) WHERE n.key IN $keys RETURN n, 'RagforgeMeta' AS label, n.key AS rank"
    + "} RETURN elementId(n) AS node, label, rank"
)
_EDGES = """
MATCH (n) WHERE elementId(n) IN $nodes
RETURN elementId(n) AS node, COLLECT { MATCH (n)-[r]-() RETURN elementId(r) AS edge ORDER BY edge } AS edges
"""
_BLOCKED = "Blocked by: ["
# Seconds between two looks at whether the statement waits: at first, and at most.
_FIRST_LOOK, _LAST_LOOK = 0.002, 0.02
_LOOKS = 6_000


def is_deadlock(error: BaseException | None) -> bool:
    """Whether the server ended somebody because two waited for each other."""
    return isinstance(error, Neo4jError) and "DeadlockDetected" in f"{error.code} {error.message}"


@dataclass(frozen=True, order=True)
class Node:
    """A node of the ground, or one that nobody has made yet (then ``element`` is '')."""

    label: str
    rank: str
    """What tells it from others of its label, in whose order they are to be locked."""
    element: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.label} {self.rank}" if self.element else f"new {self.label} {self.rank}"


@dataclass
class Trace:
    """What one run of a statement touched of what was there."""

    batches: list[list[Node]] = field(default_factory=lambda: [[]])
    """In order, by the transactions that it opened; most statements run in one."""
    reading: set[Node] = field(default_factory=set)
    """Those that it touched first in the way that takes both locks."""
    ends: set[Node] = field(default_factory=set)
    """Those that it made or deleted a relationship of and had not touched before."""
    writes: bool = False
    """Whether it changed anything at all."""
    error: str = ""


@dataclass
class _Asked:
    """Who is waited for, and in which transaction."""

    node: Node
    transaction: str


@dataclass
class _Holder:
    node: Node
    part: str
    session: neo4j.Session
    transaction: neo4j.Transaction


class Watch:
    """Holds all of the ground and runs statements at it, of which nothing is kept."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._holders: dict[Node, _Holder] = {}
        self._pool = ThreadPoolExecutor(1)
        self._looking = ground.driver.session(database="neo4j")
        found = self._looking.run(NODES, word=ground.word, unclaimed=ground.unclaimed, keys=ground.keys).data()
        self._nodes = [Node(row["label"], row["rank"].removeprefix(ground.word), row["node"]) for row in found]
        self._at_rest = self._edges(self._looking)
        for label, names in UNMADE.items():
            self._nodes += [Node(label, self._rank(label, name).removeprefix(ground.word)) for name in names]
        for node in self._nodes:
            self._hold(node)

    def close(self) -> None:
        """Lets everything go."""
        for node in list(self._holders):
            self._release(node)
        self._looking.close()
        self._pool.shutdown()

    def trace(self, text: str, parameters: Parameters, *, kept: bool = False) -> Trace:
        """What a statement touches.

        Args:
            text: the statement.
            parameters: its parameters.
            kept: it opens transactions of its own, so that what it does is kept: the ground is of no use afterwards.
        """
        trace = Trace()
        # Where the statement was ended, it is run again without the holder of the node where it was.
        while (ended_at := self._run(text, parameters, trace, kept=kept)) is not None:
            trace.reading.add(ended_at)
        return trace

    def _run(self, text: str, parameters: Parameters, trace: Trace, *, kept: bool) -> Node | None:
        """Runs it once; returns the node at which it was ended by a deadlock, if it was."""
        for node in trace.reading & self._holders.keys():
            self._release(node)
        asked: _Asked | None = None
        with self._ground.driver.session(database="neo4j") as session:
            transaction = None if kept else session.begin_transaction(timeout=120, metadata=self._marked("statement"))
            query: Any = neo4j.Query(text, timeout=120, metadata=self._marked("statement")) if kept else text
            try:
                running = self._pool.submit(lambda: (transaction or session).run(query, parameters).consume())
                for waiting in self._waited_for(running):
                    if kept and asked is not None and asked.transaction != waiting.transaction:
                        trace.batches.append([])
                    asked = waiting
                    if asked.node not in trace.batches[-1]:
                        trace.batches[-1].append(asked.node)
                    if asked.node.element and not self._both(asked.node):
                        trace.reading.add(asked.node)
                    self._release(asked.node)
                error = running.exception()
                if error is None:
                    trace.writes = running.result().counters.contains_updates
                    edges = self._edges(transaction or session)
                    touched = {node for batch in trace.batches for node in batch}
                    trace.ends |= {node for node in self._nodes if self._changed(node, edges)} - touched
                elif not is_deadlock(error):
                    trace.error = f"{type(error).__name__} {getattr(error, 'code', '')} {error}"
            finally:
                if transaction is not None and not transaction.closed():
                    transaction.rollback()
        for node in self._nodes:
            if node not in self._holders and not kept:
                self._hold(node)
        return asked.node if asked is not None and is_deadlock(error) else None

    def _waited_for(self, running: Future[Any]) -> Iterator[_Asked]:
        """One after the other, the nodes that the statement waits for, until it has come to its end."""
        pause = _FIRST_LOOK
        for _ in range(_LOOKS):
            try:
                running.exception(pause)
                return
            except TimeoutError:
                pause = min(pause * 1.5, _LAST_LOOK)
            rows = self._looking.run(_SHOWN, word=self._ground.word).data()
            ours = {row["part"]: row for row in rows if row["part"]}
            outer = ours.get("statement")
            row = next((row for row in rows if outer and row["outer"] == outer["id"]), outer)
            if row is None or not row["status"].startswith(_BLOCKED):
                continue
            blockers = set(re.split(r",\s*", row["status"].removeprefix(_BLOCKED).rstrip("]")))
            parts = {part for part, each in ours.items() if each["id"] in blockers}
            for holder in [holder for holder in self._holders.values() if holder.part in parts]:
                yield _Asked(holder.node, row["id"])
                pause = _FIRST_LOOK
        raise TimeoutError("the statement comes to no end")

    def _both(self, node: Node) -> bool:
        """Whether the holder of a node gets its other lock too."""
        try:
            self._holders[node].transaction.run(READING, node=node.element).consume()
        except Neo4jError as error:
            if not is_deadlock(error):
                raise
            return False
        return True

    def _hold(self, node: Node) -> None:
        session = self._ground.driver.session(database="neo4j")
        part = f"{node.element or node}"
        transaction = session.begin_transaction(timeout=1_800, metadata=self._marked(part))
        if node.element:
            transaction.run(PLAIN, node=node.element).consume()
        else:
            place = "key" if node.label == "CodeAnchor" else "uuid"
            transaction.run(f"CREATE (:{node.label} {{{place}: $rank}})", rank=self._ground.word + node.rank).consume()
        self._holders[node] = _Holder(node, part, session, transaction)

    def _release(self, node: Node) -> None:
        holder = self._holders.pop(node)
        if not holder.transaction.closed():
            holder.transaction.rollback()
        holder.session.close()

    def _marked(self, part: str) -> dict[str, str]:
        return {"watch": self._ground.word, "part": part}

    def _rank(self, label: str, name: str) -> str:
        return self._ground.key(name) if label == "CodeAnchor" else self._ground[name]

    def _changed(self, node: Node, edges: dict[str, list[str]]) -> bool:
        return bool(node.element) and edges.get(node.element) != self._at_rest[node.element]

    def _edges(self, runner: neo4j.Session | neo4j.Transaction) -> dict[str, list[str]]:
        nodes = [node.element for node in self._nodes if node.element]
        return {row["node"]: row["edges"] for row in runner.run(_EDGES, nodes=nodes).data()}


@contextmanager
def watching(ground: Ground) -> Iterator[Watch]:
    """Holds all of the ground for as long as it lasts."""
    watch = Watch(ground)
    try:
        yield watch
    finally:
        watch.close()
