"""How many nodes of each label and edges of each type an owner and its project have, by plain Cypher."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.archive.conftest import Graph

# All that has the owner or the project on it, and what hangs on that without having either.
_ALL = """
MATCH (n) WHERE n.project = $project AND (n.user_id IS NULL OR n.user_id = $user_id)
WITH collect(n) AS owned
UNWIND owned AS m
OPTIONAL MATCH (m)-[:MADE_TOOL_CALL]->(call)
OPTIONAL MATCH (call)-[:PRODUCED_RESULT]->(result)
WITH owned, collect(DISTINCT call) + collect(DISTINCT result) AS hanging
UNWIND owned + hanging AS n
WITH DISTINCT n
"""
# What exists by a uuid that was once used here, whether or not anything leads to it any more.
_LEFT = """
MATCH (n) WHERE (n:ToolCall OR n:ToolResult OR n:Summary OR n:Insight OR n:Message)
  AND (n.message_id IN $uuids OR n.tool_call_id IN $uuids OR n.conversation_id IN $uuids)
RETURN labels(n) AS labels, n.uuid AS uuid
"""


def counts(graph: Graph) -> tuple[Counter[str], Counter[str]]:
    """Nodes by label, edges by type."""
    nodes = {
        row["label"]: row["count"]
        for row in graph.run(_ALL + "UNWIND labels(n) AS label RETURN label, count(*) AS count")
    }
    edges = {
        row["type"]: row["count"]
        for row in graph.run(_ALL + "MATCH (n)-[r]-() WITH DISTINCT r RETURN type(r) AS type, count(*) AS count")
    }
    return Counter(nodes), Counter(edges)


def uuids(graph: Graph) -> list[str]:
    """The uuids of all that the owner has now."""
    return [row["uuid"] for row in graph.run(_ALL + "RETURN n.uuid AS uuid")]


def hanging(graph: Graph, known: list[str]) -> list[dict[str, Any]]:
    """What is still there of these uuids' own."""
    return graph.run(_LEFT, uuids=known)
