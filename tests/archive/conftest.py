"""Agents of an owner, a graph seen by plain Cypher, and what is forgotten of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import cypher, home, make_agent
from tests.neo4j_servers import LINES

__all__ = ["cypher", "home", "make_agent"]

# Which label says whose a node is, and by which edges the others hang on it.
_NODES = """
MATCH (c:Conversation) WHERE c.user_id = $user_id AND c.project = $project RETURN c AS n
UNION MATCH (m:Message) WHERE m.user_id = $user_id AND m.project = $project RETURN m AS n
UNION MATCH (s:Summary) WHERE s.user_id = $user_id AND s.project = $project RETURN s AS n
UNION MATCH (i:Insight) WHERE i.user_id = $user_id AND i.project = $project RETURN i AS n
UNION MATCH (p:Prompt) WHERE p.user_id = $user_id AND p.project = $project RETURN p AS n
UNION MATCH (a:CodeAnchor) WHERE a.project = $project RETURN a AS n
UNION MATCH (m:Message)-[:MADE_TOOL_CALL]->(t) WHERE m.user_id = $user_id AND m.project = $project RETURN t AS n
UNION MATCH (m:Message)-[:MADE_TOOL_CALL]->()-[:PRODUCED_RESULT]->(r)
  WHERE m.user_id = $user_id AND m.project = $project RETURN r AS n
"""
# Vectors, what waits for one, when a conversation was restored, and up to where episodes tell of it.
_ASIDE = ("embedding", "summary_embedding", "restored_at", "episode_seq")
_PENDING = {"PendingEmbedding", "FailedEmbedding", "PendingToolMemory", "PendingExtraction"}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else (type(value).__name__, str(value))


@dataclass
class Seen:
    """What an owner has: nodes with their labels and properties, edges with theirs, each as often as it is there."""

    nodes: Counter[Any] = field(default_factory=Counter)
    edges: Counter[Any] = field(default_factory=Counter)

    def differs(self, other: Seen) -> list[Any]:
        """What one has and the other has not, as often."""
        mine = (self.nodes - other.nodes) + (self.edges - other.edges)
        theirs = (other.nodes - self.nodes) + (other.edges - self.edges)
        return [("only here", each) for each in mine] + [("only there", each) for each in theirs]


class Graph:
    """All that one owner has on one server, by plain Cypher."""

    def __init__(self, config: Neo4jConfig, owner: Owner) -> None:
        auth = (config.username or "neo4j", config.password)
        self.owner = owner
        self._driver = neo4j.GraphDatabase.driver(config.uri, auth=auth, notifications_min_severity="OFF")

    def run(self, text: str, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of a statement; ``$user_id`` and ``$project`` are the owner's."""
        given = {**self.owner.parameters, **parameters}
        return [record.data() for record in self._driver.execute_query(text, given, database_="neo4j").records]

    def seen(self) -> Seen:
        """Nodes and edges as multisets, vectors aside."""
        found = Seen()
        for row in self.run(f"CALL () {{ {_NODES} }} RETURN labels(n) AS labels, properties(n) AS properties"):
            properties = {k: v for k, v in row["properties"].items() if not k.startswith(_ASIDE)}
            found.nodes[_frozen(sorted(set(row["labels"]) - _PENDING)), _frozen(properties)] += 1
        edges = self.run(
            f"CALL () {{ {_NODES} }} MATCH (n)-[r]->(o) RETURN n.uuid AS source, type(r) AS type, "
            "properties(r) AS properties, o.uuid AS target"
        )
        for row in edges:
            found.edges[row["source"], row["type"], _frozen(row["properties"]), row["target"]] += 1
        return found

    def forget(self) -> None:
        """Takes away all that the owner has; code stays."""
        self.run(f"CALL () {{ {_NODES} }} WITH collect(n) AS all UNWIND all AS n DETACH DELETE n")

    def close(self) -> None:
        self._driver.close()


@pytest.fixture
def graph(neo4j_config: Neo4jConfig, owner: Owner) -> Iterator[Graph]:
    """What the test's owner has on the session's server."""
    opened = Graph(neo4j_config, owner)
    yield opened
    opened.close()


@pytest.fixture
def elsewhere(old_neo4j_config: Neo4jConfig, owner: Owner) -> Iterator[Graph]:
    """What the test's owner has on the server of the older line: a database that knows nothing of the other."""
    opened = Graph(old_neo4j_config, owner)
    yield opened
    opened.close()


@pytest.fixture(params=LINES)
def either_place(request: pytest.FixtureRequest) -> tuple[Neo4jConfig, Graph]:
    """A server of either line, and what the test's owner has there."""
    names = ("neo4j_config", "graph") if request.param == "current" else ("old_neo4j_config", "elsewhere")
    config, there = map(request.getfixturevalue, names)
    return config, there


MakeAgent = Callable[..., Any]
